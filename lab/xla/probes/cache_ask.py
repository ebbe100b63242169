"""Has JAX compile some functions with a persistent compilation cache, and tells what it found there.

    python cache_ask.py FOLDER [MAX_SIZE]

Prints a line of JSON for each key that was looked up: {"key": ..., "what": "hit" | "miss" | "error", "error": ...}, and
one for each entry that could not be written: {"key": ..., "what": "not written", "error": ...}. With MAX_SIZE in bytes
the cache is bounded; what JAX needs for that, the package `filelock`, is replaced by locks that lock nothing.
"""

import json
import sys
import types
import warnings

folder, max_size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else -1


class Lock:
    def __init__(self, *_):
        pass

    def acquire(self, **_):
        pass

    def release(self):
        pass


if max_size != -1:
    filelock = types.ModuleType("filelock")
    filelock.FileLock = filelock.SoftFileLock = Lock
    sys.modules["filelock"] = filelock

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax._src import compilation_cache  # noqa: E402

jax.config.update("jax_compilation_cache_dir", folder)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
if max_size != -1:
    jax.config.update("jax_compilation_cache_max_size", max_size)


def say(**what):
    print(json.dumps(what), flush=True)


read, write = compilation_cache.get_executable_and_time, compilation_cache.put_executable_and_time


def ask(key, *rest, **named):
    try:
        found = read(key, *rest, **named)
    except Exception as error:
        say(key=key, what="error", error=f"{type(error).__name__}: {error}")
        raise
    say(key=key, what="miss" if found[0] is None else "hit")
    return found


def put(key, *rest, **named):
    try:
        return write(key, *rest, **named)
    except Exception as error:
        say(key=key, what="not written", error=f"{type(error).__name__}: {error}")
        raise


compilation_cache.get_executable_and_time = ask
compilation_cache.put_executable_and_time = put
warnings.simplefilter("ignore")

ones = jnp.ones((4, 4))
functions = [
    lambda x: jnp.sin(x) @ x.T,
    lambda x: jnp.sort(x, axis=0) + 1,
    lambda x: jnp.linalg.cholesky(x + 4 * jnp.eye(4)),
    lambda x: jax.lax.fori_loop(0, 3, lambda _, y: y * 2, x),
    lambda x: jax.random.normal(jax.random.PRNGKey(0), x.shape) + x,
]
for function in functions:
    jax.block_until_ready(jax.jit(function)(ones))
