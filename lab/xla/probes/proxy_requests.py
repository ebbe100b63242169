"""What JAX programs ask of a server beyond the fifteen steps: each with a result that is known, or with the status
that says what cannot be had.

usage: proxy_requests.py grpc://HOST:PORT
Prints one line of JSON for each step, as `proxy_steps.py` does. Steps that a release of JAX has no words for say so.
"""

import json
import os
import sys
import time

import unskew_jax

unskew_jax.connect(sys.argv[1])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

VERSION = tuple(int(part) for part in jax.__version__.split(".")[:3])
STEPS = []


class NotHere(Exception):
    """This release of JAX has no words for it."""


def step(function):
    """Has a function run as a step."""
    STEPS.append(function)
    return function


def same(found, wanted):
    """Fails unless two arrays are equal."""
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


def mesh(order=(0, 1, 2, 3), shape=(4,), names=("x",)):
    devices = np.array(jax.devices())[list(order)]
    return Mesh(devices.reshape(shape), names)


def rows(order=(0, 1, 2, 3)):
    return NamedSharding(mesh(order), PartitionSpec("x"))


WANTED = np.arange(32, dtype=np.float32).reshape(8, 4)


@step
def element_types():
    import ml_dtypes

    for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32", "complex64"):
        wanted = np.arange(6).astype(name)
        same(jax.device_put(wanted), wanted)
    # The first clients have no others.
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")[: 3 if VERSION >= (0, 5) else 1]:
        wanted = np.arange(6).astype(getattr(ml_dtypes, name))
        same(np.asarray(jax.device_put(wanted)).astype(np.float32), wanted.astype(np.float32))


@step
def between_devices():
    one = jax.device_put(WANTED, jax.devices()[0])
    other = jax.device_put(one, jax.devices()[3])
    assert list(other.devices()) == [jax.devices()[3]], other.devices()
    same(other, WANTED)
    same(one, WANTED)


@step
def between_shardings():
    first = jax.device_put(WANTED, rows())
    grid = NamedSharding(mesh(shape=(2, 2), names=("x", "y")), PartitionSpec("x", "y"))
    other = jax.device_put(first, grid)
    assert [np.asarray(shard.data).shape for shard in other.addressable_shards] == [(4, 2)] * 4
    same(other, WANTED)
    same(jax.device_put(other, NamedSharding(mesh(), PartitionSpec())), WANTED)
    same(jax.device_put(other, jax.devices()[2]), WANTED)


@step
def other_order_of_devices():
    turned = jax.device_put(jax.device_put(WANTED, rows()), rows((3, 1, 0, 2)))
    same(turned, WANTED)
    same(jax.jit(lambda a: a + 1)(turned), WANTED + 1)
    found = {shard.device.id: np.asarray(shard.data) for shard in turned.addressable_shards}
    same(found[jax.devices()[3].id], WANTED[:2])


@step
def made_of_parts():
    parts = [jax.device_put(WANTED[at * 2 : at * 2 + 2], device) for at, device in enumerate(jax.devices()[:4])]
    same(jax.make_array_from_single_device_arrays(WANTED.shape, rows(), parts), WANTED)
    same(jax.make_array_from_callback(WANTED.shape, rows(), lambda index: WANTED[index]), WANTED)


@step
def collectives():
    try:
        from jax import shard_map
    except ImportError:
        from jax.experimental.shard_map import shard_map

    spec = PartitionSpec("x")
    total = shard_map(lambda a: jax.lax.psum(a.sum(), "x"), mesh=mesh(), in_specs=spec, out_specs=PartitionSpec())
    assert float(jax.jit(total)(WANTED)) == WANTED.sum()


@step
def mapped():
    doubled = jax.pmap(lambda a: a * 2)(WANTED.reshape(4, 8))
    same(doubled, WANTED.reshape(4, 8) * 2)


@step
def donated_shards():
    given = jax.device_put(WANTED, rows())
    same(jax.jit(lambda a: a * 3, donate_argnums=0)(given), WANTED * 3)
    assert given.is_deleted()


@step
def deleted():
    array = jnp.arange(4)
    array.delete()
    assert array.is_deleted()
    try:
        np.asarray(array)
    except RuntimeError as error:
        assert "deleted" in str(error), error
    else:
        raise AssertionError("a deleted array has contents")


@step
def uneven():
    total = jax.jit(lambda a: jax.lax.with_sharding_constraint(a * 2, rows()).sum())
    assert float(total(np.arange(10.0, dtype=np.float32))) == 90.0


@step
def analyses():
    compiled = jax.jit(lambda a, b: a @ b).lower(jnp.ones((16, 32)), jnp.ones((32, 8))).compile()
    memory = compiled.memory_analysis()
    if memory is None:
        raise NotHere
    assert memory.argument_size_in_bytes == 4 * (16 * 32 + 32 * 8), memory
    assert memory.output_size_in_bytes == 4 * 16 * 8, memory
    # Newer CPU plug-ins estimate no costs, and say so.
    executable = compiled.runtime_executable()
    try:
        cost = executable.cost_analysis()
    except Exception as error:
        assert "UNIMPLEMENTED" in str(error), error
    else:
        assert cost["flops"] >= 16 * 32 * 8, cost


@step
def layouts():
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    try:
        from jax.experimental import layout
    except ImportError as error:
        raise NotHere from error
    # The names moved by one: what is a `Layout` now, in a `Format`, was a `DeviceLocalLayout` in a `Layout`.
    if hasattr(layout, "Format"):
        column = layout.Format(layout.Layout((1, 0)), where)
    else:
        column = layout.Layout(layout.DeviceLocalLayout((1, 0)), where)
    same(jax.jit(lambda a: a + 1, out_shardings=column)(WANTED), WANTED + 1)
    there = jax.device_put(WANTED, column)
    same(there, WANTED)
    same(jax.jit(lambda a: a * 2)(there), WANTED * 2)
    same(jax.jit(lambda a: a * 2, in_shardings=column)(there), WANTED * 2)


@step
def exported():
    try:
        from jax import export
    except ImportError as error:
        raise NotHere from error

    platform = jax.devices()[0].client.platform
    exported = export.export(jax.jit(lambda a: jnp.sin(a) + 1), platforms=[platform])(jnp.ones(4))
    same(exported.call(jnp.zeros(4)), np.ones(4))
    arg = jax.ShapeDtypeStruct((8, 4), np.float32, sharding=rows())
    sharded = export.export(jax.jit(lambda a: a.sum()), platforms=[platform])(arg)
    assert sharded.nr_devices == 4


@step
def callbacks():
    from jax.experimental import io_callback

    kind = jax.ShapeDtypeStruct((3,), np.float32)

    def printing(a, **how):
        jax.debug.print("{a}", a=a, **how)
        return a + 1

    programs = [
        lambda a: jax.pure_callback(lambda b: b, kind, a),
        lambda a: io_callback(lambda b: b, kind, a),
        lambda a: io_callback(lambda b: b, kind, a, ordered=True),
        printing,
        lambda a: printing(a, ordered=True),
        lambda a: (jax.debug.callback(lambda b: None, a), a)[1],
        lambda a: jax.lax.scan(lambda c, x: (c, jax.pure_callback(lambda b: b, kind, a)), 0, a)[1],
    ]
    begun = time.monotonic()
    for program in [*programs, programs[0]]:
        # This server has no Python of its own, which would ask for functions.
        words = "this server runs no Python callbacks"
        refused(words, lambda: np.asarray(jax.jit(program)(np.ones(3, np.float32))), NotImplementedError)
    # Far less than a minute, and no wait for an answer that never comes.
    assert time.monotonic() - begun < 60
    same(jax.jit(lambda a: a + 1)(WANTED), WANTED + 1)


@step
def functions_of_the_host():
    # jaxlib's own functions for linear algebra are in the client, and not in the plug-in.
    refused("lapack", lambda: np.asarray(jnp.linalg.solve(np.eye(3, dtype=np.float32), np.ones(3, np.float32))))


@step
def what_only_a_local_device_has():
    array = jax.device_put(WANTED)
    refused("", lambda: jax.devices()[0].memory_stats()["bytes_in_use"])
    refused("", lambda: np.from_dlpack(array))
    refused("", array.unsafe_buffer_pointer)
    refused("", lambda: jax.jit(lambda a: a).lower(WANTED).compile().runtime_executable().serialize())
    same(array, WANTED)


def refused(status, what, kind=Exception):
    """Fails unless there is an error of this kind, and in its text that status."""
    try:
        found = what()
    except kind as error:
        assert status in str(error), error
    else:
        raise AssertionError(f"not refused: {found}")


@step
def large_arrays():
    wanted = np.arange(5 << 20, dtype=np.float32)
    same(jax.device_put(wanted), wanted)
    same(jax.jit(lambda a: a + 1)(wanted), wanted + 1)
    folder = os.environ.get("IFRT_PROXY_GRPC_LARGE_TRANSFER_OPTIMIZATION_DIRECTORY")
    if folder:
        assert not os.listdir(folder), os.listdir(folder)


@step
def tokens():
    """Up to 0.7, JAX declares a token as booleans of `[0]` and hands over one boolean."""
    token = jax.lax.create_token(1)
    jax.block_until_ready(token)
    jax.block_until_ready(jax.jit(lambda one: one)(token))
    jax.block_until_ready(jax.jit(lambda a: jax.lax.after_all(jax.lax.create_token(a)))(1.0))


@step
def two_bits():
    """A client that has no number for int2 gets an exception; it used to abort."""
    if not hasattr(jnp, "int2"):
        raise NotHere from AttributeError("jax.numpy.int2")
    wanted = np.array([0, 1, 1, 0], jnp.int2.dtype)
    try:
        same(jax.device_put(wanted), wanted)
    except Exception as error:
        if VERSION >= (0, 8, 0) or "newer jaxlib" not in str(error):
            raise


@step
def after_all():
    same(jax.jit(lambda a: a + 1)(WANTED), WANTED + 1)


def main():
    wanted = sys.argv[2:]
    for function in STEPS:
        if wanted and function.__name__ not in wanted:
            continue
        begun = time.monotonic()
        try:
            function()
        except NotHere as why:
            outcome = {"ok": True, "detail": f"jax {jax.__version__} has no words for it: {why.__cause__}"}
        except Exception as error:
            outcome = {"ok": False, "detail": f"{type(error).__name__}: {str(error)[:500]}"}
        else:
            outcome = {"ok": True, "detail": f"jax {jax.__version__}"}
        seconds = round(time.monotonic() - begun, 3)
        print(json.dumps({"step": function.__name__, **outcome, "seconds": seconds}), flush=True)


main()
