"""Programs of JAX as XLA has them, as messages and as the texts that XLA prints of them.

usage: hlo_texts.py FOLDER
Writes NAME.pb and NAME.txt for each, and prints one line of JSON. Every program is there as JAX makes it and as
jaxlib's own compiler for CPUs makes it of that.
"""

import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax
from jaxlib import _hlo

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_num_cpu_devices", 4)

FOLDER = pathlib.Path(sys.argv[1])
F32 = np.float32
V = np.arange(8, dtype=F32)
A = np.ones((4, 8), F32)
PROGRAMS = {}


def add(name, function, *arguments, **how):
    PROGRAMS[name] = (function, arguments, how)


def constants(name, *values):
    add("constants_" + name, lambda a: tuple(jnp.asarray(value) for value in values) + (a,), V)


def floats(*names):
    values = [0.1, -1 / 3, 3, 0.0, -0.0, 0.5, -1.5, 240]
    return [np.array(values, getattr(ml_dtypes, name)) for name in names]


def literals():
    shapes = [(2, 2, 2), (1, 2, 2, 2), (4, 1), (1, 1, 4), (4, 1, 1)]
    constants("ranks", *[np.arange(np.prod(shape)).reshape(shape) for shape in shapes])
    constants("empty", np.zeros(0), np.zeros((2, 0, 3)), np.zeros((0, 3, 2)), np.zeros((2, 0)))
    constants("truths", np.array(True), np.array([[True, False]]), np.array([[[True], [False]]]))
    kinds = ("int8", "int16", "int32", "int64")
    constants("integers", *[np.array([-1, 2], kind) for kind in kinds], np.int64(-(2**63)))
    constants("unsigned", *[np.array([1, 2], "u" + kind) for kind in kinds], np.uint64(2**64 - 1))
    singles = [0.1, -1 / 3, 1e-30, 1e30, np.inf, -np.inf, np.nan, -0.0, 65504.0]
    constants("floats", np.array(singles, F32), np.array(singles), np.array(singles[:2] + singles[4:], np.float16))
    constants("doubles", np.array([1e300, 5e-324, 1e15, 1e16, 123456789012345678]))
    constants("small", *floats("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e5m2fnuz"))
    constants("smaller", *floats("float8_e4m3fnuz", "float8_e4m3", "float8_e3m4"), np.array([1, 6], ml_dtypes.float4_e2m1fn))
    constants("bits", *[np.array([1, -2], getattr(ml_dtypes, name)) for name in ("int4", "int2")])
    constants("complex", np.array([1 + 2j, -0.1 - 3j], np.complex64), np.complex128(1 / 3 + 1e-10j), np.array([[1j]]))
    constants("large", np.arange(24, dtype=F32).reshape(3, 8))


def operations():
    add("dot", lambda a, b: jnp.tanh(a @ b) + 0.1, A, A.T.copy())
    add("dots", lambda a, b: jnp.einsum("bij,bjk->bik", a, b, precision="highest"), A[None], A.T.copy()[None])
    algorithm = lax.DotAlgorithmPreset.BF16_BF16_F32_X3
    add("algorithm", lambda a, b: lax.dot(a, b, precision=algorithm), A, A.T.copy())
    add("ragged", lambda a, b, g: lax.ragged_dot(a, b, g), A[:, :4], np.ones((2, 4, 3), F32), np.array([1, 3], np.int32))
    image, kernel = np.ones((1, 4, 9, 9), F32), np.ones((6, 2, 3, 3), F32)
    conv = lax.conv_general_dilated
    add("conv", lambda a, b: conv(a, b, (2, 1), ((1, 2), (0, 1)), rhs_dilation=(1, 2), feature_group_count=2), image, kernel)
    add("conv_gradient", lambda a, b: jax.grad(lambda b: conv(a, b, (2, 2), "SAME").sum())(b), image, np.ones((6, 4, 3, 3), F32))
    numbers = {"dimension_numbers": ("NCH", "OIH", "NCH"), "batch_group_count": 2}
    add("conv_batches", lambda a, b: conv(a, b, (1,), "VALID", **numbers), np.ones((4, 2, 8), F32), np.ones((4, 2, 2), F32))
    index = np.array([0, 2])
    add("gather", lambda a, i: a[i], A, index)
    add("gather_sorted", lambda a, i: a.at[i].get(indices_are_sorted=True, mode="fill"), A, index)
    add("gather_batches", lambda a, i: jnp.take_along_axis(a, i, 1), A, np.zeros((4, 2), int))
    add("scatter", lambda a, i: a.at[i].add(2.0, unique_indices=True), A, index)
    add("sort", lambda a, b: lax.sort((a, b), num_keys=2, is_stable=False), V, V)
    add("top", lambda a: lax.top_k(a, 3), A)
    add("scan", lambda a: lax.scan(lambda c, x: (c + x, c * x), 0.0, a.astype(float)), V)
    add("branches", lambda i, a: lax.switch(i, [lambda a: a + 1, lambda a: a - 1, lambda a: a * 2], a), 1, V)
    add("truth", lambda a: lax.cond(a.sum() > 0, lambda a: a + 1, lambda a: a - 1, a), V)
    add("loop", lambda a: lax.fori_loop(0, 5, lambda i, x: x * 2 + i, a), V)
    add("random", lambda k: jax.random.normal(k, (3,)), np.zeros(2, np.uint32))
    add("random_bits", lambda k: lax.rng_bit_generator(k, (3,)), np.zeros(4, np.uint32))
    add("random_uniform", lambda a: lax.rng_uniform(0.0, 1.0, (3,)), V)
    add("fourier", lambda a: (jnp.fft.fft2(a), jnp.fft.rfft(a), jnp.fft.irfft(a)), A)
    window = {"base_dilation": (2, 1), "window_dilation": (1, 2)}
    add("windows", lambda a: lax.reduce_window(a, F32(0), lax.add, (2, 2), (1, 1), ((1, 0), (0, 1)), **window), A)
    pool = lambda a: lax.reduce_window(a, F32(-np.inf), lax.max, (2, 2), (2, 2), "VALID").sum()
    add("window_gradient", jax.grad(pool), A)
    add("pad", lambda a: (lax.pad(a, F32(0.5), ((1, 2, 0), (0, 1, 1))), jnp.pad(a, 1)), A)
    add("slices", lambda a, i: (a[1:3], a[1:3, ::2], lax.dynamic_slice(a, (i, i), (2, 2))), A, 1)
    add("compare", lambda a, i, u: (a < 1, i < 1, u < 1, lax.sort(a)), V, np.arange(3), np.arange(3, dtype=np.uint32))
    add("axes", lambda a: (jnp.transpose(a) + 1, a[::-1], jnp.concatenate([a, a], 1), a.reshape(8, 4)), A)
    add("precision", lambda a: lax.reduce_precision(a, 5, 3), V)
    add("accuracy", lambda a: lax.exp(a, accuracy=lax.Tolerance(atol=1e-2, rtol=1e-5, ulps=3)), V)
    add("choice", lambda i, a: lax.select_n(i, a, a + 1, a + 2), np.array([0, 1, 2], np.int32), V[:3])
    solve = {"left_side": True, "lower": True, "transpose_a": True, "unit_diagonal": True}
    add("triangular", lambda a, b: lax.linalg.triangular_solve(a, b, **solve), np.eye(4, dtype=F32), A)
    add("cholesky", lambda a: lax.linalg.cholesky(a), np.eye(3, dtype=F32))
    add("many", lambda *all: tuple(one + 1 for one in all), *[V] * 13)
    add("given", lambda a, b: (a + 1, b), V, V, donate_argnums=(0,))
    add("barrier", lambda a: lax.optimization_barrier(a) + 1, V)
    add("named", jax.named_call(lambda a: a + 1, name="q'uo\"te\n"), V)
    add("composite", lax.composite(lambda x: x * 2 + 1, name="my.op"), V)


def callbacks():
    kind = jax.ShapeDtypeStruct((8,), F32)
    add("printing", lambda a: (jax.debug.print("{a}", a=a, ordered=True), a + 1)[1], V)
    add("called", lambda a: jax.pure_callback(lambda b: b, kind, a), V)


def devices():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
    spec = jax.sharding.PartitionSpec
    grid = jax.device_put(np.ones((8, 8), F32), jax.sharding.NamedSharding(mesh, spec("x", "y")))
    rows = jax.device_put(np.ones((8, 8), F32), jax.sharding.NamedSharding(mesh, spec("x")))

    def mapped(name, function, out=spec("x", "y")):
        add(name, jax.shard_map(function, mesh=mesh, in_specs=spec("x", "y"), out_specs=out), grid)

    add("sharded", lambda a: (a * 2).sum(0), grid)
    add("partly", lambda a: a @ a.T, rows)
    mapped("sum", lambda a: lax.psum(a, "x"), spec(None, "y"))
    mapped("gathered", lambda a: lax.psum(lax.all_gather(a, "x"), "x"), spec(None, None, "y"))
    mapped("turned", lambda a: lax.ppermute(a, "x", [(0, 1), (1, 0)]))
    mapped("exchanged", lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True))
    mapped("scattered", lambda a: lax.psum_scatter(a, "x", tiled=True))
    mapped("indexed", lambda a: a + lax.axis_index("x"))


def keep(name, module):
    """Keeps the message, and what XLA prints of the message."""
    message = module.as_serialized_hlo_module_proto()
    (FOLDER / f"{name}.pb").write_bytes(message)
    (FOLDER / f"{name}.txt").write_text(_hlo.HloModule.from_serialized_hlo_module_proto(message).to_string())


def main():
    for part in (literals, operations, callbacks, devices):
        part()
    for name, (function, arguments, how) in PROGRAMS.items():
        lowered = jax.jit(function, **how).lower(*arguments)
        keep(name, lowered.compiler_ir("hlo").as_hlo_module())
        keep(name + ".compiled", lowered.compile().runtime_executable().hlo_modules()[0])
    print(json.dumps({"step": "texts", "ok": True, "detail": f"{2 * len(PROGRAMS)} programs", "seconds": 0}), flush=True)


main()
