"""How fast JAX is on a server, or on a plug-in itself, beside a copy over TCP on the same machine.

usage: proxy_speed.py grpc://HOST:PORT | proxy_speed.py direct
Prints one line of JSON for each measurement, with the median of its runs in seconds. The runs of a transfer and of
the copy over TCP of as many bytes take turns, so that both see the same load. `unskew_jax` is to be on the path.
"""

import json
import os
import socket
import statistics
import sys
import time

SIZE = 64 << 20
RUNS = 9
STEPS = 2000


def receiver():
    """A process that takes SIZE bytes after bytes, and says when it has them; the socket to it."""
    ours, theirs = None, None
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        theirs = listener.accept()[0]
        buffer = memoryview(bytearray(SIZE))
        while True:
            at = 0
            while at < SIZE:
                count = theirs.recv_into(buffer[at : at + (1 << 20)])
                if not count:
                    os._exit(0)
                at += count
            theirs.sendall(b"1")
    ours = socket.create_connection(listener.getsockname())
    listener.close()
    return ours


TCP = receiver()
if sys.argv[1] != "direct":
    import unskew_jax

    unskew_jax.connect(sys.argv[1])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

DATA = np.arange(SIZE // 4, dtype=np.float32)


def seconds(function):
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def tcp():
    TCP.sendall(DATA)
    TCP.recv(1)


def told(step, runs, detail=""):
    print(json.dumps({"step": step, "ok": True, "detail": detail, "seconds": statistics.median(runs)}), flush=True)


def transfers():
    add = jax.jit(lambda a: a + 1)
    there = jax.block_until_ready(jax.device_put(DATA))
    np.asarray(add(there))
    puts, gets, copies = [], [], []
    for _ in range(RUNS):
        copies.append(seconds(tcp))
        puts.append(seconds(lambda: jax.block_until_ready(jax.device_put(DATA))))
        copies.append(seconds(tcp))
        # A new array each time: JAX keeps what it has fetched.
        fresh = jax.block_until_ready(add(there))
        gets.append(seconds(lambda: np.asarray(fresh)))
    told("tcp", copies)
    told("put", puts)
    told("fetch", gets)


def dispatch():
    add = jax.jit(lambda a: a + 1)
    y = jax.block_until_ready(add(add(jnp.zeros(4, jnp.float32))))
    chained, waited = [], []
    for _ in range(RUNS):

        def chain(y=y):
            for _ in range(STEPS):
                y = add(y)
            jax.block_until_ready(y)

        chained.append(seconds(chain) / STEPS)
    for _ in range(200):
        waited.append(seconds(lambda: jax.block_until_ready(add(y))))
    told("chained", chained)
    told("waited", waited)


dispatch()
transfers()
