"""Serializes compiled functions with jax.experimental.serialize_executable, and loads what other releases serialized.

    python executables.py write FOLDER
    python executables.py load FILE...

`write` makes a file FOLDER/NAME.bin for each function. `load` loads each file in a process of its own, since some end
theirs, calls what it gets, and compares the result with that of the function NAME as this release compiles it. It prints a
line of JSON for each: {"file": ..., "what": "loads" | "differs" | "error" | "ends", "error": ...}.
"""

import json
import os
import pathlib
import signal
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.serialize_executable import deserialize_and_load, serialize

FUNCTIONS = {
    "product": lambda x: jnp.sin(x) @ x,
    "sort": lambda x: jnp.sort(jnp.cumsum(x, 0), 1) + jnp.linalg.norm(x),
    "loop": lambda x: jax.lax.fori_loop(0, 5, lambda i, y: y * 0.5 + x[i % 8], x),
}
# A load that hangs is ended after so many seconds.
LIMIT = 60


def argument():
    return jnp.asarray(np.arange(64, dtype=np.float32).reshape(8, 8) / 64)


def write(folder):
    for name, function in FUNCTIONS.items():
        shape = jax.ShapeDtypeStruct((8, 8), jnp.float32)
        payload, _, _ = serialize(jax.jit(function).lower(shape).compile())
        pathlib.Path(folder, name + ".bin").write_bytes(payload)


def load(file):
    # The trees of one argument and one result, so that no client is made before the process parts.
    arguments = jax.tree_util.tree_structure(((0,), {}))
    result = jax.tree_util.tree_structure(0)
    try:
        call = deserialize_and_load(pathlib.Path(file).read_bytes(), arguments, result)
        found = call(argument())
        found = found[0] if isinstance(found, (list, tuple)) else found
        wanted = jax.jit(FUNCTIONS[pathlib.Path(file).stem])(argument())
        return {"what": "loads" if np.allclose(found, wanted, 1e-4, 1e-4) else "differs"}
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {"what": "error", "error": " ".join(text.split())[:200]}


def apart(file):
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(LIMIT)
        os.write(mouth, json.dumps(load(file)).encode())
        os._exit(0)
    os.close(mouth)
    said = os.fdopen(ear).read()
    _, status = os.waitpid(child, 0)
    if not said:
        return {"what": "ends", "error": f"signal {os.WTERMSIG(status)}"}
    return json.loads(said)


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    for path in sys.argv[2:]:
        print(json.dumps({"file": path, **apart(path)}), flush=True)
