"""Trains a small network for two hundred steps, and prints one line of JSON: a digest of all losses, bit by bit.

usage: proxy_training.py grpc://HOST:PORT | proxy_training.py direct
With an address it runs on a server, with `direct` on the plug-in that PJRT_NAMES_AND_LIBRARY_PATHS names. On the
same plug-in both print the same digest. `unskew_jax` is to be on the path.
"""

import hashlib
import json
import sys
import time

if sys.argv[1] != "direct":
    import unskew_jax

    unskew_jax.connect(sys.argv[1])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

STEPS = 200
SIZES = (8, 32, 32, 1)
BATCH = 64


def network(weights, x):
    """Three layers, the first two with a tangent."""
    for w, b in weights[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = weights[-1]
    return x @ w + b


def loss(weights, x, y):
    return jnp.mean((network(weights, x) - y) ** 2)


def update(weights, momenta, x, y):
    """A step of gradient descent with momentum; the old weights are given away."""
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    momenta = jax.tree_util.tree_map(lambda m, g: 0.9 * m + g, momenta, gradients)
    weights = jax.tree_util.tree_map(lambda w, m: w - 0.01 * m, weights, momenta)
    return weights, momenta, value


def train():
    generator = np.random.default_rng(7)
    sizes = zip(SIZES, SIZES[1:])
    weights = [
        (generator.normal(0, i**-0.5, (i, o)).astype(np.float32), np.zeros(o, np.float32)) for i, o in sizes
    ]
    momenta = jax.tree_util.tree_map(np.zeros_like, weights)
    weights, momenta = jax.device_put((weights, momenta))
    step = jax.jit(update, donate_argnums=(0, 1))
    losses = []
    for _ in range(STEPS):
        x = generator.normal(size=(BATCH, SIZES[0])).astype(np.float32)
        y = np.sin(x.sum(1, keepdims=True)).astype(np.float32)
        weights, momenta, value = step(weights, momenta, x, y)
        losses.append(value)
    return np.array([np.asarray(value) for value in losses], np.float32)


def main():
    begun = time.monotonic()
    losses = train()
    digest = hashlib.sha256(losses.tobytes()).hexdigest()
    learned = bool(np.isfinite(losses).all() and losses[-20:].mean() < losses[:20].mean())
    detail = f"{digest} of {len(losses)} losses, from {losses[0]:.6f} to {losses[-1]:.6f}"
    seconds = round(time.monotonic() - begun, 3)
    print(json.dumps({"step": "training", "ok": learned, "detail": detail, "seconds": seconds}), flush=True)


main()
