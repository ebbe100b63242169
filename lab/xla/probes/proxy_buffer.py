"""The buffer protocol of arrays on a server beside that of arrays on jaxlib's own CPU: six steps.

usage: proxy_buffer.py grpc://HOST:PORT
Prints one line of JSON for each step, as `jax_steps.py` does. `unskew_jax` is to be on the path. Before Python 3.12 the
first step is the only one: arrays on the server are read by NumPy there, and refused by `memoryview`.
"""

import inspect
import os
import sys

import steps

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import unskew_jax

SERVER = unskew_jax.connect(sys.argv[1])

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.config.update("jax_enable_x64", True)

HERE = sys.version_info >= (3, 12)
SIDES = {"server": jax.devices(), "cpu": jax.devices("cpu")}


def step(function):
    """Has a function run as a step: the first everywhere, others where Python has `__buffer__`."""
    return steps.step(function) if HERE or not steps.STEPS else function


def shown(array, read=memoryview):
    """What a reader of the buffer gets: its size and bytes, or what it is told."""
    try:
        view = read(array)
    except BufferError as error:
        return str(error)
    return view.shape, view.itemsize, view.strides, view.readonly, view.tobytes()


def both(make, read=memoryview):
    """What is shown of an array on the server, which is to be what jaxlib shows of its own."""
    found = {side: shown(make(devices), read) for side, devices in SIDES.items()}
    assert found["server"] == found["cpu"], found
    return found["server"]


@step
def numpy_reads_them_with_and_without_it():
    for values in (np.arange(6).reshape(2, 3), np.array([1, 2], ml_dtypes.bfloat16), np.float32(2)):
        there = jax.device_put(values, SIDES["server"][0])
        assert np.array_equal(np.asarray(there), values)
    if not HERE:
        assert "Only local arrays" in shown(there)


@step
def every_type_of_elements():
    names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
    for name in names.split():
        for shape in ((), (10,), (2, 3), (0, 3)):
            values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(name)
            found = both(lambda devices: jax.device_put(values, devices[0]))
            assert found[3:] == (True, values.tobytes()), found
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "int4", "uint4"):
        values = np.ones(3, getattr(ml_dtypes, name))
        assert "are not supported by the Python buffer protocol" in both(lambda devices: jax.device_put(values, devices[0]))


@step
def what_is_not_in_one_place_is_refused():
    values = np.arange(8)
    for axes in ((), ("x",)):
        sharding = lambda devices: NamedSharding(Mesh(np.array(devices[:4]), ("x",)), PartitionSpec(*axes))
        assert "a single shard" in both(lambda devices: jax.device_put(values, sharding(devices)))


@step
def nobody_writes_to_them():
    # What is changed here would be changed for this process alone.
    writable = lambda array: array.__buffer__(inspect.BufferFlags.WRITABLE)
    assert "read-only" in both(lambda devices: jax.device_put(np.ones(3), devices[0]), writable)
    there = jax.device_put(np.ones(3), SIDES["server"][0])
    for array in (np.asarray(there), np.frombuffer(there)):
        assert not array.flags.writeable
    try:
        memoryview(there)[0] = 2.0
    except TypeError as error:
        assert "read-only" in str(error)
    else:
        raise AssertionError("it was written")


@step
def deleted_and_donated_arrays_are_refused_and_views_of_them_stay():
    def deleted(devices):
        array = jax.device_put(np.ones(3), devices[0])
        array.delete()
        return array

    def donated(devices):
        array = jax.device_put(np.ones(3), devices[0])
        jax.jit(lambda a: a + 1, donate_argnums=0)(array)
        return array

    both(deleted)
    both(donated)
    array = jax.device_put(np.arange(3.0), SIDES["server"][0])
    view = memoryview(array)
    array.delete()
    assert view.tolist() == [0, 1, 2]


@step
def local_arrays_are_lent_as_before():
    local = jax.device_put(np.arange(3.0), SIDES["cpu"][0])
    assert memoryview(local).format == "=d", "jaxlib's own view"
    addresses = {np.frombuffer(local).ctypes.data for _ in range(2)}
    assert addresses == {local.unsafe_buffer_pointer()}, "a copy"


steps.run("with" if HERE else "without")
SERVER.close()
