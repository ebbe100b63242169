"""Connecting JAX to a server of the IFRT proxy, which `unskew serve` is.

Where the client of the proxy is, how it is registered and which variable lets it connect without the
credentials of a network that only its makers have: all three differ between releases of jaxlib.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from . import memory
from .errors import NoProxy

#: Where the client is: since jax 0.7.1, in 0.6 and 0.7.0, and up to 0.5.
_MODULES = ("jax.extend.backend.ifrt_proxy", "jaxlib._ifrt_proxy", "jaxlib._jax", "jaxlib.xla_extension")

#: The name of the platform that JAX is told to use.
PLATFORM = "proxy"


def connect(address: str, timeout: int = 30, keep_memory: bool = False) -> None:
    """Makes JAX run on a server: `connect("grpc://127.0.0.1:8470")`.

    It is called before JAX is first used; the connection is made at the first use. `timeout` is how many seconds
    the client tries for. The connection is neither encrypted nor authenticated: to another machine, it goes
    through a tunnel.

    With `keep_memory`, this process keeps the memory that it has once had, so that large arrays are fetched faster;
    see `memory`. It is then as large as the largest arrays made it, also when they are gone.

    Raises `NoProxy` if jaxlib has no client, or JAX was used already.
    """
    if keep_memory:
        memory.keep()
    # jaxlib since 2025-05 asks for the first, older ones for the second.
    os.environ["IFRT_PROXY_USE_INSECURE_GRPC_CREDENTIALS"] = "true"
    os.environ.setdefault("TEST_UNDECLARED_OUTPUTS_DIR", "x")
    import jax
    from jax._src import xla_bridge

    # Without JAX, the extension modules below end the process.
    client = _client()
    if xla_bridge._backends:
        raise NoProxy("JAX has been used in this process already; connect before the first use")

    def make():
        options = client.ClientConnectionOptions()
        # The first releases have no say in it: they try for two minutes.
        if hasattr(options, "connection_timeout_in_seconds"):
            options.connection_timeout_in_seconds = timeout
        return client.get_client(address, options)

    xla_bridge.register_backend_factory(PLATFORM, make, priority=500)
    jax.config.update("jax_platforms", PLATFORM)


def _client() -> ModuleType:
    for name in _MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        module = getattr(module, "ifrt_proxy", module)
        if hasattr(module, "get_client"):
            return module
    raise NoProxy("this jaxlib has no client of the IFRT proxy")
