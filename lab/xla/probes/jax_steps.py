"""Twenty-one things that a JAX program does, one after the other, on whatever backend JAX was told to use.

Each step checks its own result against numpy or against what is known, and prints one line of JSON:

    {"step": "jit_add", "ok": true, "detail": "[11.0, 22.0, 33.0]", "seconds": 0.08}

A step that raises is a line with `"ok": false` and the text of the exception; the next step runs all the
same, but for a backend that cannot be had at all. A process that dies leaves the lines that it had printed,
so the step after the last one is where it died. The program works with every JAX from 0.4.20 on.

    python jax_steps.py [--handlers]

`--handlers` gives the FFI handlers of jaxlib to the plug-in first, with the package `unskew_jax`.
"""

import inspect
import json
import sys
import time

STEPS = []


def step(function):
    """Makes a function a step, under its own name."""
    STEPS.append(function)
    return function


def near(found, wanted, tolerance=1e-5):
    """The value as plain Python, if it is what it has to be."""
    found = np.asarray(found)
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape, f"shape {found.shape}, not {wanted.shape}"
    worst = float(np.max(np.abs(found.astype(np.float64) - wanted.astype(np.float64)), initial=0.0))
    assert worst <= tolerance, f"differs by {worst}: {found.ravel()[:4].tolist()}, not {wanted.ravel()[:4].tolist()}"
    return found.ravel()[:4].tolist()


def vector(*values):
    return np.array(values, dtype=np.float32)


@step
def devices():
    found = jax.devices()
    assert found, "no device"
    if "--handlers" in sys.argv[1:]:
        import unskew_jax

        unskew_jax.register()
    return [str(device) for device in found]


@step
def platform_version():
    text = jax.devices()[0].client.platform_version
    assert text, "empty"
    return text


@step
def backend():
    name = jax.default_backend()
    assert name == jax.devices()[0].platform, f"{name}, but the device says {jax.devices()[0].platform}"
    return name


@step
def jit_add():
    return near(jax.jit(lambda a, b: a + b)(vector(1, 2, 3), vector(10, 20, 30)), [11, 22, 33])


@step
def jit_matmul():
    a = np.random.RandomState(7).rand(64, 64).astype(np.float32)
    return near(jax.jit(lambda x: x @ x.T)(a), a @ a.T, 1e-3)


@step
def jit_grad():
    weights = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)
    found = jax.jit(jax.grad(lambda w: jnp.tanh(w).sum()))(weights)
    return near(found, 1 - np.tanh(weights) ** 2)


@step
def fori_loop():
    wanted = 1.0
    for i in range(10):
        wanted = wanted * 1.5 + i
    found = jax.jit(lambda x: jax.lax.fori_loop(0, 10, lambda i, c: c * 1.5 + i, x))(np.float32(1))
    return near(found, wanted, 1e-3)


@step
def dot_bf16():
    found = jax.jit(lambda a: (a @ a).astype(jnp.float32))(jnp.full((8, 8), 0.5, jnp.bfloat16))
    return near(found, np.full((8, 8), 2.0))


@step
def random():
    # Threefry is exact, so the bits are the same on every backend and release.
    bits = np.asarray(jax.random.bits(jax.random.PRNGKey(0), (2,), np.uint32))
    assert len(set(bits.tolist())) == 2, bits
    normal = np.asarray(jax.random.normal(jax.random.PRNGKey(1), (1000,)))
    assert abs(normal.mean()) < 0.2 and abs(normal.std() - 1) < 0.2, (normal.mean(), normal.std())
    return normal[:3].tolist()


@step
def sort():
    return near(jnp.sort(jnp.array([3, 1, 2])), [1, 2, 3])


@step
def solve_lapack():
    matrix = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], dtype=np.float32)
    return near(jnp.linalg.solve(matrix, vector(1, 2, 3)), np.linalg.solve(matrix, vector(1, 2, 3)))


@step
def pure_callback():
    def host(x):
        return np.asarray(x) * 2

    def program(x):
        return jax.pure_callback(host, jax.ShapeDtypeStruct((3,), np.float32), x) + 1

    return near(jax.jit(program)(vector(1, 2, 3)), [3, 5, 7])


@step
def donate():
    x = jnp.ones((4,))
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    near(y, [2, 2, 2, 2])
    return f"deleted: {x.is_deleted()}"


@step
def memory_stats():
    return jax.devices()[0].memory_stats()


@step
def cost_analysis():
    costs = doubled().cost_analysis()
    costs = (costs[0] if isinstance(costs, list) else costs) or {}
    # A plug-in may know of no costs.
    assert all(isinstance(cost, float) for cost in costs.values()), costs
    return dict(list(costs.items())[:2])


@step
def memory_analysis():
    found = doubled().memory_analysis()
    assert found is not None, "none"
    return {"arguments": found.argument_size_in_bytes, "outputs": found.output_size_in_bytes}


@step
def serialize():
    from jax.experimental.serialize_executable import deserialize_and_load, serialize as pack

    keywords = {}
    if "execution_devices" in inspect.signature(deserialize_and_load).parameters:
        keywords["execution_devices"] = jax.devices()[:1]
    again = deserialize_and_load(*pack(doubled()), **keywords)
    return near(again(vector(1, 2)), [2, 4])


@step
def memories():
    kinds = [memory.kind for memory in jax.devices()[0].addressable_memories()]
    assert kinds, "none"
    return kinds


@step
def sharding():
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(np.array(jax.devices()[:1]), ("x",))
    placed = jax.device_put(np.arange(8.0, dtype=np.float32), NamedSharding(mesh, PartitionSpec("x")))
    return near(jax.jit(jnp.sum)(placed), 28)


@step
def many_calls():
    """Also says how long one call takes, in microseconds."""
    increment = jax.jit(lambda a: a + 1)
    value = increment(jnp.zeros(3))
    value.block_until_ready()
    count = 1000
    begun = time.perf_counter()
    for _ in range(count):
        value = increment(value)
    value.block_until_ready()
    each = (time.perf_counter() - begun) / count
    near(value, vector(1, 1, 1) * (count + 1))
    return {"us": round(each * 1e6, 2)}


def doubled():
    return jax.jit(lambda a: a * 2).lower(vector(1, 2)).compile()


def attempt(name, function):
    """Runs one step and prints its line; says whether it passed."""
    begun = time.perf_counter()
    try:
        ok, detail = True, str(function())
    except Exception as error:  # Whatever a step raises is its result.
        ok, detail = False, f"{type(error).__name__}: {error}"
    seconds = round(time.perf_counter() - begun, 3)
    print(json.dumps({"step": name, "ok": ok, "detail": detail[:2000], "seconds": seconds}), flush=True)
    return ok


def load():
    """Imports JAX, and what the steps use of it, into this module."""
    global jax, jnp, np
    import jax
    import jax.numpy as jnp
    import numpy as np

    return f"jax {jax.__version__}"


if not attempt("import", load):
    sys.exit(3)
for function in STEPS:
    passed = attempt(function.__name__, function)
    if function is devices and not passed:
        # Every other step would say the same.
        sys.exit(3)
