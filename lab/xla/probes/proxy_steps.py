"""What a JAX client does on a server: fifteen steps, each with a result that is known.

usage: proxy_steps.py grpc://HOST:PORT
Prints one line of JSON for each step, as `jax_steps.py` does. `unskew_jax` is to be on the path.
"""

import sys

from steps import run, step
import unskew_jax

unskew_jax.connect(sys.argv[1])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


def same(found, wanted, tolerance=0.0):
    """Fails unless two arrays are equal, or nearly."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=tolerance, atol=tolerance)


@step
def devices():
    assert len(jax.devices()) >= 1, jax.devices()
    assert jax.devices()[0].client.platform_version


@step
def put():
    for wanted in (np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((0, 2), np.int8),
                   np.arange(12, dtype=np.int32).reshape(3, 4).T, np.array(True), np.ones(3, np.complex64)):
        same(jax.device_put(wanted), wanted)


@step
def jit():
    same(jax.jit(lambda a: a + 1)(np.arange(6, dtype=np.float32)), np.arange(1, 7))


@step
def printing():
    assert str(jnp.arange(4) * 2) == "[0 2 4 6]"


@step
def loop():
    f = jax.jit(lambda a: a * 2 + 1)
    y = jnp.float32(1)
    for _ in range(20):
        y = f(y)
    assert float(y) == 2.0**21 - 1


@step
def matmul():
    assert float(jnp.dot(jnp.ones((64, 64)), jnp.ones((64, 64))).sum()) == 64.0**3


@step
def grad():
    value, gradient = jax.value_and_grad(lambda w: jnp.sum(w * w))(jnp.arange(4.0))
    assert float(value) == 14.0
    same(gradient, [0, 2, 4, 6])


@step
def donation():
    given = jnp.arange(1024.0)
    same(jax.jit(lambda a: a + 1, donate_argnums=0)(given), np.arange(1024.0) + 1)
    assert given.is_deleted()


@step
def scan():
    total, sums = jax.lax.scan(lambda carry, x: (carry + x, carry + x), 0, jnp.arange(8))
    assert int(total) == 28
    same(sums, np.cumsum(np.arange(8)))


@step
def sort():
    same(jnp.sort(jnp.array([3, 1, 2, 0])), [0, 1, 2, 3])


@step
def conv():
    image, kernel = jnp.ones((1, 1, 5, 5)), jnp.ones((1, 1, 3, 3))
    same(jax.lax.conv(image, kernel, (1, 1), "VALID"), np.full((1, 1, 3, 3), 9.0))


@step
def vmap():
    same(jax.vmap(lambda a, b: a @ b)(jnp.ones((3, 4)), jnp.ones((3, 4))), [4.0, 4.0, 4.0])


@step
def random():
    one, other = (jax.random.normal(jax.random.PRNGKey(0), (100,)) for _ in range(2))
    same(one, other)
    assert abs(float(one.mean())) < 0.5


@step
def sharded():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    assert len(jax.devices()) >= 4, f"{len(jax.devices())} devices"
    mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
    wanted = np.arange(16, dtype=np.float32).reshape(8, 2)
    rows = NamedSharding(mesh, PartitionSpec("x"))
    array = jax.device_put(wanted, rows)
    assert [np.asarray(shard.data).shape for shard in array.addressable_shards] == [(2, 2)] * 4
    same(array, wanted)
    doubled = jax.jit(lambda a: a * 2)(array)
    assert doubled.sharding.is_equivalent_to(rows, 2), doubled.sharding
    same(doubled, wanted * 2)
    same(jax.jit(lambda a: a.sum(0))(array), wanted.sum(0))
    copy = jax.device_put(wanted, NamedSharding(mesh, PartitionSpec()))
    same(jax.jit(lambda a, b: a + b)(array, copy), wanted * 2)
    same(jax.device_put(array, jax.devices()[1]), wanted)


@step
def ahead_of_time():
    lowered = jax.jit(lambda a: a @ a).lower(jax.ShapeDtypeStruct((4, 4), np.float32))
    compiled = lowered.compile()
    same(compiled(jnp.ones((4, 4))), np.full((4, 4), 4.0))
    compiled.memory_analysis()
    compiled.cost_analysis()


run(f"jax {jax.__version__}")
