"""Features of JAX for which it looks for an extension of the PJRT C API, each on the plug-in that the environment names.

jax_features.py [NAME...]     runs those features, all without a name

Prints `begin NAME` and `NAME ok` or `NAME raises ERROR` for each. A feature that ends the process leaves its `begin` as the last
line; whoever drives this starts it again with the others. `PJRT_NAMES_AND_LIBRARY_PATHS` and `JAX_PLATFORMS` name the plug-in.
"""
import os
import sys
import tempfile

import numpy
import jax
import jax.numpy as jnp

FEATURES = {}


def feature(function):
    FEATURES[function.__name__] = function
    return function


def array():
    return jnp.arange(16.0).reshape(4, 4)


@feature
def jit():
    return jax.jit(lambda x: x @ x)(array()).sum().item()


@feature
def profiler():
    x = array().block_until_ready()
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder)
        (x @ x).block_until_ready()
        jax.profiler.stop_trace()
        return sum(len(files) for _, _, files in os.walk(folder))


@feature
def annotation():
    with jax.profiler.TraceAnnotation("here"):
        return array().sum().item()


@feature
def device_memory_profile():
    return len(jax.profiler.device_memory_profile())


@feature
def layouts():
    compiled = jax.jit(lambda x: x.T).lower(array()).compile()
    for name in ("input_formats", "input_layouts"):
        if hasattr(compiled, name):
            return str(getattr(compiled, name))
    return str(compiled.input_layouts())


@feature
def array_layout():
    x = array()
    return str(getattr(x, "format", None) or x.layout)


@feature
def memories():
    device = jax.devices()[0]
    kinds = [memory.kind for memory in device.addressable_memories()]
    sharding = jax.sharding.SingleDeviceSharding(device, memory_kind=kinds[-1])
    return jax.device_put(array(), sharding).sharding.memory_kind


@feature
def memory_stats():
    return jax.devices()[0].memory_stats()


@feature
def memory_analysis():
    return str(jax.jit(lambda x: x @ x).lower(array()).compile().memory_analysis())


@feature
def cost_analysis():
    return len(str(jax.jit(lambda x: x @ x).lower(array()).compile().cost_analysis()))


@feature
def optimized_text():
    return len(jax.jit(lambda x: x @ x).lower(array()).compile().as_text())


@feature
def serialized():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: x @ x).lower(array()).compile()
    return len(serialize_executable.serialize(compiled)[0])


@feature
def callback():
    shape = jax.ShapeDtypeStruct((4, 4), numpy.float32)
    return jax.jit(lambda x: jax.pure_callback(lambda a: numpy.asarray(a) + 1, shape, x))(array()).sum().item()


@feature
def debug_print():
    jax.jit(lambda x: jax.debug.print("{}", x[0, 0]) or x)(array()).block_until_ready()
    jax.effects_barrier()


@feature
def partitioning():
    from jax.experimental.custom_partitioning import custom_partitioning
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    @custom_partitioning
    def double(x):
        return x * 2

    def partition(mesh, arguments, result):
        return mesh, lambda x: x * 2, arguments[0].sharding, (arguments[0].sharding,)

    def infer(mesh, arguments, result):
        return arguments[0].sharding

    double.def_partition(partition=partition, infer_sharding_from_operands=infer, sharding_rule="i j -> i j")
    mesh = Mesh(numpy.array(jax.devices()), ("x",))
    x = jax.device_put(jnp.ones((len(jax.devices()), 4)), NamedSharding(mesh, PartitionSpec("x")))
    return jax.jit(double)(x).sum().item()


@feature
def sharded():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(numpy.array(jax.devices()), ("x",))
    x = jax.device_put(jnp.ones((len(jax.devices()), 4)), NamedSharding(mesh, PartitionSpec("x")))
    compiled = jax.jit(lambda x: x + 1).lower(x).compile()
    return str(compiled.output_shardings)


@feature
def dlpack():
    return numpy.from_dlpack(array()).sum().item()


@feature
def pointer():
    return array().unsafe_buffer_pointer() != 0


@feature
def topology():
    from jax.experimental import topologies

    return len(topologies.get_topology_desc(platform=jax.devices()[0].platform).devices)


@feature
def donation():
    return jax.jit(lambda x: x + 1, donate_argnums=0)(array()).sum().item()


def main(names):
    print("jax", jax.__version__, flush=True)
    for name in names or FEATURES:
        print("begin", name, flush=True)
        try:
            FEATURES[name]()
            print(name, "ok", flush=True)
        except Exception as error:
            print(name, "raises", type(error).__name__, " ".join(str(error).split())[:160], flush=True)


main(sys.argv[1:])
