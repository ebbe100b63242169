"""What JAX does on the example plug-in: prints one line for each step that gave the right result.

    PJRT_NAMES_AND_LIBRARY_PATHS=abacus:libabacus.so JAX_PLATFORMS=abacus python jax_steps.py
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir

x = np.array([1, 2, 3], np.float32)
y = np.array([10, 20, 30], np.float32)


def done(name, found, wanted):
    found = np.asarray(found)
    assert found.dtype == np.float32 and found.shape == np.shape(wanted), (name, found)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    print(name, flush=True)


def refused(name, program, *arguments):
    try:
        program(*arguments)
    except Exception as error:
        assert "UNIMPLEMENTED: abacus" in str(error), (name, error)
        print(name, flush=True)
    else:
        raise AssertionError(f"{name} gave a result")


devices = jax.devices()
assert [device.platform for device in devices] == ["abacus"] * len(devices), devices
print("devices", len(devices), flush=True)

done("device_put", jax.device_put(x), x)
done("add", jax.jit(lambda x, y: x + y)(x, y), x + y)
done("a number of Python", jax.jit(lambda x, y: x + y)(x, 1.0), x + 1)
done("multiply", jax.jit(lambda x, y: x * y)(x, y), x * y)
done("constant", jax.jit(lambda x, y: 2.0 * x + y)(x, y), 2 * x + y)
done("constants", jax.jit(lambda x: x + np.array([5, 6, 7], np.float32))(x), x + [5, 6, 7])
done("broadcast", jax.jit(lambda x, y: x[:, None] * y[None, :])(x, y), np.outer(x, y))
done("call", jax.jit(lambda x: jax.jit(jnp.tanh)(x) - jax.jit(jnp.tanh)(-x))(x), 2 * np.tanh(x))
done("gradient", jax.jit(jax.grad(lambda x: x * x * x))(np.float32(2)), np.float32(12))
done("second device", jax.jit(lambda x: x + x)(jax.device_put(x, devices[-1])), x + x)

# JAX gives buffers away only on the platforms of a list of its own.
mlir._platforms_with_donation.append("abacus")
kept = jax.device_put(x)
given = jax.device_put(x)
done("keep", jax.jit(lambda x: x + x)(kept), x + x)
done("donate", jax.jit(lambda x: x + x, donate_argnums=0)(given), x + x)
assert given.is_deleted() and not kept.is_deleted()

program = jax.jit(lambda x: x * x).lower(x).compile()
memory = program.memory_analysis()
assert (memory.argument_size_in_bytes, memory.output_size_in_bytes) == (12, 12), memory
print("memory_analysis", flush=True)
assert program.cost_analysis(), "no costs"
print("cost_analysis", flush=True)

refused("refuses i32", jax.jit(lambda x: x + 1), np.array([1], np.int32))
refused("refuses matmul", jax.jit(lambda x: x @ x), x)
if len(devices) > 1:
    # JAX made replicas of `pmap` until 0.8, and makes partitions since.
    both = np.stack([x, y])
    if jax.__version_info__ < (0, 8):
        done("replicas", jax.pmap(lambda x: x + x)(both), both + both)
    else:
        refused("refuses partitions", jax.pmap(lambda x: x + x), both)
done("many calls", [np.asarray(jax.jit(lambda x, y: x + y)(x, y)) for _ in range(100)][-1], x + y)
