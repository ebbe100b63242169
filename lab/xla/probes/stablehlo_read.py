"""Reads portable artifacts as a release of JAX does, and prints a line of JSON for each.

    python stablehlo_read.py FOLDER

The first line is the StableHLO version of this jaxlib. Up to JAX 0.4.30 the function of the Python bindings ends the
process, so there the one is called that JAX itself calls.
"""

import glob
import json
import os
import sys


def make_context():
    """With the dialects that JAX registers."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, stablehlo

    context = ir.Context()
    try:
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext

        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        context.append_dialect_registry(registry)
    except ImportError:
        pass  # Before JAX 0.6.1 every context has them.
    stablehlo.register_dialect(context)
    chlo.register_dialect(context)
    for name in ("mhlo", "sdy"):
        try:
            dialect = __import__("jaxlib.mlir.dialects." + name, fromlist=[name])
        except ImportError:
            continue  # Each is of some releases only.
        register = getattr(dialect, "register_%s_dialect" % name, None) or getattr(dialect, "register_dialect", None)
        if register:
            register(context)
    context.load_all_available_dialects()
    return context


def reader():
    import jaxlib.version

    if tuple(int(part) for part in jaxlib.version.__version__.split(".")[:3]) < (0, 4, 31):
        from jaxlib import xla_client

        return xla_client._xla.mlir.deserialize_portable_artifact
    from jax._src.interpreters import mlir
    from jaxlib.mlir.dialects import stablehlo

    def read(data):
        # A context of its own, as JAX makes it: what one artifact has loaded must not help the next.
        context = mlir.make_ir_context()
        with context:
            return stablehlo.deserialize_portable_artifact(context, data)

    return read


def main():
    read = reader()
    from jaxlib.mlir.dialects import stablehlo

    print(json.dumps({"stablehlo": stablehlo.get_current_version()}), flush=True)
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.bc"))):
        said = ""
        try:
            with open(path, "rb") as file:
                reads = read(file.read()) is not None
        except Exception as error:
            reads, said = False, str(error)[-200:]
        print(json.dumps({"file": os.path.basename(path), "reads": reads, "said": said}), flush=True)


if __name__ == "__main__":
    main()
