"""A connection to a server that is opened and closed, before and after JAX was used: seven steps.

usage: proxy_connect.py grpc://HOST:PORT
Prints one line of JSON for each step, as `jax_steps.py` does. `unskew_jax` is to be on the path.
"""

import sys

from steps import run, step
import unskew_jax

import jax
import jax.numpy as jnp
import numpy as np


def server():
    return unskew_jax.connect(sys.argv[1])


@jax.jit
def twice(a):
    return a * 2


def runs_on(array):
    """The client that an array is of."""
    return next(iter(array.devices())).client


@step
def before_the_first_use():
    with server():
        assert len(jax.devices()) == 4, jax.devices()
        found = twice(jnp.arange(3))
        assert runs_on(found) is jax.devices()[0].client
        assert found.tolist() == [0, 2, 4]


@step
def the_local_cpu_is_kept():
    with server():
        local = jax.devices("cpu")[0]
        assert local.client is not jax.devices()[0].client
        found = jax.device_put(np.ones(2), local) + 1
        assert runs_on(found) is local.client and found.tolist() == [2, 2]


@step
def closed_is_local():
    found = twice(jnp.arange(3))
    assert found.tolist() == [0, 2, 4]
    assert runs_on(found) is jax.devices("cpu")[0].client


@step
def after_jax_was_used():
    local = twice(jnp.arange(2))
    with server():
        found = twice(np.asarray(local))
        assert found.tolist() == [0, 4]
        assert runs_on(found) is jax.devices()[0].client is not runs_on(local)
    assert twice(local).tolist() == [0, 4], "an array from before the connection"
    assert runs_on(twice(jnp.arange(2))) is runs_on(local)


@step
def two_at_once_are_refused():
    with server():
        try:
            server()
        except unskew_jax.NoProxy as error:
            assert "connected to a server already" in str(error)
        else:
            raise AssertionError("it was not refused")


@step
def closing_twice_is_no_error():
    connection = server()
    assert "open" in repr(connection)
    connection.close()
    connection.close()
    assert "closed" in repr(connection)


@step
def no_server_is_an_error_that_changes_nothing():
    jnp.zeros(1)
    try:
        unskew_jax.connect("grpc://127.0.0.1:1", timeout=2)
    except unskew_jax.NoProxy as error:
        assert "127.0.0.1:1" in str(error)
    else:
        raise AssertionError("there is a server")
    assert runs_on(twice(jnp.arange(2))) is jax.devices("cpu")[0].client


run(f"jax {jax.__version__}")
