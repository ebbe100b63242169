"""Reads the files that are named on standard input, a line of JSON each (`path`, `inputs`), with `jax.export` of this
JAX and calls each once; prints a line of JSON for each: how far it came, and what the error was."""

import collections
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

    deserialize = lambda data: module.deserialize(data)
    call = lambda value: value.call
    module.deserialize
except (ImportError, AttributeError):
    from jax.experimental import export as module
    from jax.experimental.export import export as core

    try:
        from jax.experimental.export.serialization import deserialize
    except ImportError:
        deserialize = module.deserialize
    call = lambda value: value.call if hasattr(value, "call") else (
        module.call(value) if hasattr(module, "call") else core.call_exported(value))

# A file with a class of its own is for programs that register it, and this is one where it can be.
if hasattr(module, "register_namedtuple_serialization"):
    Pair = collections.namedtuple("Pair", "a b")
    module.register_namedtuple_serialization(Pair, serialized_name="unskew.Pair")


def made(described):
    if described == "key":
        return [jax.random.key(0)]
    if isinstance(described, list):
        return [made(value) for value in described]
    if described.get("is") == "array":
        return jnp.ones(described["shape"], getattr(jnp, described["dtype"]))
    return {key: tuple(made(value)) if isinstance(value, list) else made(value) for key, value in described.items()}


def placed(value, arguments):
    if getattr(value, "nr_devices", 1) != 2:
        return arguments
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    placement = NamedSharding(Mesh(np.array(jax.devices()[:2]), ("x",)), PartitionSpec("x"))
    return jax.tree_util.tree_map(lambda one: jax.device_put(one, placement), arguments)


for line in sys.stdin:
    case = json.loads(line)
    said = {"path": case["path"]}
    try:
        with open(case["path"], "rb") as file:
            value = deserialize(bytearray(file.read()))
    except Exception as error:
        print(json.dumps({**said, "phase": "load", "error": f"{type(error).__name__}: {error}"[:400]}), flush=True)
        continue
    try:
        arguments = made(case["inputs"])
        arguments = placed(value, arguments if isinstance(arguments, list) else [arguments])
        result = jax.jit(call(value))(*arguments)
        leaves = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(result)]
        total = sum(float(np.sum(leaf.astype(np.float64))) for leaf in leaves)
        print(json.dumps({**said, "phase": None, "answer": round(total, 3)}), flush=True)
    except Exception as error:
        print(json.dumps({**said, "phase": "call", "error": f"{type(error).__name__}: {error}"[:400]}), flush=True)
