"""Writes what `jax.export` of this JAX makes of some programs, into the folder that is named, and a line of JSON
for each: the name, the inputs, or why this release cannot write it."""

import json
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

try:
    from jax import export as module

    symbolic = module.symbolic_shape
    serialize = lambda exported, **order: exported.serialize(**order)
except (ImportError, AttributeError):
    from jax.experimental import export as module

    try:
        symbolic = module.symbolic_shape
    except AttributeError:
        symbolic = None
    from jax.experimental.export import export as core

    serialize = lambda exported, **order: module.serialize(exported, **order) if hasattr(module, "serialize") else (
        __import__("jax.experimental.export.serialization", fromlist=["serialize"]).serialize(exported, **order))
    module = module if hasattr(module, "export") and callable(module.export) else core

folder = sys.argv[1]


def spec(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype)


def exported(function, specs, **options):
    return module.export(jax.jit(function), **options)(*specs)


def plain():
    f32 = spec((4, 4), jnp.float32)
    return exported(lambda x: jnp.tanh(x @ x.T) + 1, [f32]), [f32], {}


def tangent():
    f32 = spec((3,), jnp.float32)
    return exported(lambda x: jnp.tan(x), [f32]), [f32], {}


def symbolic_shape():
    a, b = symbolic("a, b")
    return exported(lambda x: x.sum(0), [spec((a, b), jnp.float32)]), [spec((2, 3), jnp.float32)], {}


def of_dtype(name):
    def program():
        one = spec((4,), getattr(jnp, name))
        return exported(lambda x: x, [one]), [one], {}

    return program


def tree():
    f32 = spec((2,), jnp.float32)
    program = lambda pair: {"sum": pair["a"] + pair["b"][0], "none": None, "list": [pair["a"]]}
    argument = {"a": f32, "b": (f32,)}
    return module.export(jax.jit(program))(argument), argument, {}


def custom_node():
    import collections

    Pair = collections.namedtuple("Pair", "a b")
    module.register_namedtuple_serialization(Pair, serialized_name="unskew.Pair")
    f32 = spec((2,), jnp.float32)
    return exported(lambda x: Pair(x, x), [f32]), [f32], {}


def gradient():
    f32 = spec((3,), jnp.float32)
    return exported(lambda x: jnp.sin(x), [f32]), [f32], {"vjp_order": 1}


def two_platforms():
    f32 = spec((3,), jnp.float32)
    try:
        return exported(lambda x: x + 1, [f32], platforms=("cpu", "cuda")), [f32], {}
    except TypeError:
        return exported(lambda x: x + 1, [f32], lowering_platforms=("cpu", "cuda")), [f32], {}


def other_platform():
    f32 = spec((3,), jnp.float32)
    try:
        return exported(lambda x: x + 1, [f32], platforms=("cuda",)), [f32], {}
    except TypeError:
        return exported(lambda x: x + 1, [f32], lowering_platforms=("cuda",)), [f32], {}


def sharded():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()[:2]), ("x",))
    placed = NamedSharding(mesh, PartitionSpec("x"))
    f32 = spec((4,), jnp.float32)
    function = jax.jit(lambda x: x * 2, in_shardings=placed, out_shardings=placed)
    return module.export(function)(f32), [f32], {}


def linalg():
    f32 = spec((3, 3), jnp.float32)
    return exported(lambda x: jnp.linalg.cholesky(x + 9 * jnp.eye(3)), [f32]), [f32], {}


def top_k():
    f32 = spec((8,), jnp.float32)
    return exported(lambda x: jax.lax.top_k(x, 2), [f32]), [f32], {}


def random_key():
    key = jax.random.key(0)
    return exported(lambda k: jax.random.key_data(k), [spec((), key.dtype)]), "key", {}


def loop():
    f32 = spec((3,), jnp.float32)
    return exported(lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y * 2 + i, x), [f32]), [f32], {}


programs = {
    "plain": plain,
    "tangent": tangent,
    "symbolic_shape": symbolic_shape,
    "bfloat16": of_dtype("bfloat16"),
    "int4": of_dtype("int4"),
    "float8_e4m3fn": of_dtype("float8_e4m3fn"),
    "float8_e3m4": of_dtype("float8_e3m4"),
    "float4_e2m1fn": of_dtype("float4_e2m1fn"),
    "tree": tree,
    "custom_node": custom_node,
    "gradient": gradient,
    "two_platforms": two_platforms,
    "other_platform": other_platform,
    "sharded": sharded,
    "linalg": linalg,
    "top_k": top_k,
    "random_key": random_key,
    "loop": loop,
}


def described(specs):
    if specs == "key":
        return "key"
    if isinstance(specs, dict):
        return {key: described(value) for key, value in specs.items()}
    if isinstance(specs, (list, tuple)):
        return [described(value) for value in specs]
    return {"shape": list(specs.shape), "dtype": np.dtype(specs.dtype).name, "is": "array"}


for name, program in programs.items():
    try:
        value, specs, order = program()
        path = os.path.join(folder, name + ".jaxexp")
        with open(path, "wb") as file:
            file.write(bytes(serialize(value, **order)))
        print(json.dumps({"name": name, "inputs": described(specs)}), flush=True)
    except Exception as error:
        print(json.dumps({"name": name, "error": f"{type(error).__name__}: {error}"[:200]}), flush=True)
