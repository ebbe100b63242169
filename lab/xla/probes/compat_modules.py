"""Runs the modules of JAX's own back-compatibility data on a PJRT plug-in, and says what came of each.

    compat_modules.py write FOLDER
    compat_modules.py run PLUGIN OUTPUT [--handlers]

`write` puts every module into a file of its own, each once. `run` compiles each on the plug-in, for as many devices as it
was recorded for, and calls what compiles with the recorded inputs: a line of JSON for each. With `--handlers` the plug-in
gets the handlers of jaxlib before (`unskew_jax.register`, whose folder stands in PYTHONPATH).

A module that takes the process down is the last of the output; the next run goes on behind it.
"""

import importlib
import json
import os
import pathlib
import pkgutil
import sys

DATA = "jax._src.internal_test_util.export_back_compat_test_data"
MODULE = "mlir_module_serialized"
PLATFORM = "vplugin"


def tests(value, name):
    """Every recorded call in a value, with the path to it."""
    if isinstance(value, dict) and MODULE in value:
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from tests(inner, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from tests(inner, f"{name}.{index}")


def recorded():
    """Name and recording of each module, each module once; and how many recordings there are."""
    package = importlib.import_module(DATA)
    seen, found, count = set(), [], 0
    for module in pkgutil.walk_packages(package.__path__, DATA + "."):
        if module.ispkg:
            continue
        data = vars(importlib.import_module(module.name))
        for key in sorted(data):
            if key.startswith("_"):
                continue
            for name, test in tests(data[key], f"{module.name[len(DATA) + 1:]}.{key}"):
                count += 1
                if test[MODULE] not in seen:
                    seen.add(test[MODULE])
                    found.append((name, test))
    return found, count


def write(folder):
    found, count = recorded()
    for name, test in found:
        (folder / f"{name}.stablehlo").write_bytes(test[MODULE])
    print(json.dumps({"recordings": count, "modules": len(found)}))


def is_shardy(module):
    return b"sdy\x00" in module or b"xla.sdy." in module


def compile_module(backend, test):
    from jax._src.lib import xla_client

    devices = test.get("nr_devices", 1)
    there = backend.local_devices()
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, devices
    options.executable_build_options.use_spmd_partitioning = devices > 1
    options.executable_build_options.use_shardy_partitioner = is_shardy(test[MODULE])
    on = xla_client.DeviceList(tuple(there[:devices]))
    backend.compile_and_load(test[MODULE], executable_devices=on, compile_options=options)


def call(test):
    """The results of the module for the recorded inputs, as JAX calls an exported function."""
    import jax
    import numpy
    from jax._src import core, tree_util
    from jax._src.export import _export

    def avals(arrays):
        return tuple(core.ShapedArray(numpy.shape(a), numpy.asarray(a).dtype) for a in arrays)

    inputs, outputs = avals(test["inputs"]), avals(test["expected_outputs"])
    _, in_tree = tree_util.tree_flatten((tuple(inputs), {}))
    _, out_tree = tree_util.tree_flatten(tuple(outputs))
    devices = test.get("nr_devices", 1)
    exported = _export.Exported(
        fun_name="recorded", in_tree=in_tree, in_avals=inputs, out_tree=out_tree, out_avals=outputs,
        _has_named_shardings=True, _in_named_shardings=(None,) * len(inputs),
        _out_named_shardings=(None,) * len(outputs), in_shardings_hlo=(None,) * len(inputs),
        out_shardings_hlo=(None,) * len(outputs), platforms=("cpu",), ordered_effects=(), unordered_effects=(),
        disabled_safety_checks=(_export.DisabledSafetyCheck.platform(),),
        mlir_module_serialized=test[MODULE], calling_convention_version=test["xla_call_module_version"],
        nr_devices=devices, module_kept_var_idx=tuple(range(len(inputs))), uses_global_constants=True,
        _get_vjp=lambda _: None,
    )  # fmt: skip
    arguments = test["inputs"]
    if devices > 1:
        mesh = jax.sharding.Mesh(numpy.array(jax.devices()[:devices]), ("x",))
        whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        arguments = [jax.device_put(one, whole) for one in arguments]
    return [numpy.asarray(one) for one in jax.jit(exported.call)(*arguments)]


def decomposed(name, results):
    """The matrix that was decomposed, where its factors are not unique: eigenvectors and Schur vectors have any phase, and
    those of equal eigenvalues any basis."""
    import numpy

    def adjoint(matrix):
        return numpy.conj(numpy.swapaxes(matrix, -1, -2))

    if "eigh" in name.lower():
        vectors, values = sorted(results, key=lambda one: -one.ndim)
        return [vectors * values[..., None, :] @ adjoint(vectors), numpy.sort(values)]
    if "lapack_geev" in name:
        values, _, right = results
        return [right * values[..., None, :] @ numpy.linalg.inv(right)]
    if "lapack_gees" in name:
        triangle, vectors = results
        return [vectors @ triangle @ adjoint(vectors)]
    return results


def difference(name, results, test):
    """How far the results are from the recorded ones, at most, in units of the largest recorded number of each."""
    import numpy

    most = 0.0
    wanted = decomposed(name, [numpy.asarray(one) for one in test["expected_outputs"]])
    for one, other in zip(decomposed(name, results), wanted, strict=True):
        other = numpy.asarray(other)
        if one.shape != other.shape:
            return float("inf")
        wide = numpy.complex128 if numpy.iscomplexobj(one) else numpy.float64
        one, other = one.astype(wide), other.astype(wide)
        same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
        off = numpy.where(same, 0.0, numpy.abs(one - other))
        scale = numpy.max(numpy.abs(other), initial=1e-30)
        most = max(most, float(numpy.max(off, initial=0.0) / scale))
    return most


def run(plugin, output, handlers):
    os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"{PLATFORM}:{plugin}"
    os.environ["JAX_PLATFORMS"] = f"{PLATFORM},cpu"
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from jax._src import xla_bridge

    backend = xla_bridge.get_backend(PLATFORM)
    if handlers:
        import unskew_jax

        unskew_jax.register()
    found, _ = recorded()
    done = sum(1 for _ in output.open()) if output.exists() else 0
    with output.open("a") as out:
        for name, test in found[done:]:
            # A process that ends leaves this line.
            start = out.tell()
            row = {"name": name, "devices": test.get("nr_devices", 1), "compiles": False, "said": "ends the process"}
            row |= {"difference": None, "call": None}
            out.write(json.dumps(row) + "\n")
            out.flush()
            try:
                compile_module(backend, test)
                row |= {"compiles": True, "said": ""}
            except Exception as error:
                row["said"] = str(error)[:1000]
            try:
                row["difference"] = difference(name, call(test), test)
            except Exception as error:
                row["call"] = str(error)[:300]
            out.truncate(start)
            out.seek(start)
            out.write(json.dumps(row) + "\n")
            out.flush()


if sys.argv[1] == "write":
    write(pathlib.Path(sys.argv[2]))
else:
    run(sys.argv[2], pathlib.Path(sys.argv[3]), "--handlers" in sys.argv[4:])
