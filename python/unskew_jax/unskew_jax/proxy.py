"""Connecting JAX to a server of the IFRT proxy, which `unskew serve` is.

Where the client of the proxy is, how it is registered and which variable lets it connect without the
credentials of a network that only its makers have: all three differ between releases of jaxlib.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from . import callback, memory, strides, views
from .errors import NoProxy

#: Where the client is: since jax 0.7.1, in 0.6 and 0.7.0, and up to 0.5.
_MODULES = ("jax.extend.backend.ifrt_proxy", "jaxlib._ifrt_proxy", "jaxlib._jax", "jaxlib.xla_extension")

#: The name of the platform that JAX is told to use.
PLATFORM = "proxy"

#: The servers of backends, by their platforms.
_addresses: dict[str, str] = {}


class Connection:
    """JAX runs on a server until this is closed.

    With `with unskew_jax.connect(...):`, it is closed at the end of the block. Arrays that were made on the server are
    not to be used after that: copy them with `jax.device_get` before.
    """

    def __init__(self, address: str, was_used: bool, xla_bridge: ModuleType, platforms: str | None) -> None:
        #: The server: `grpc://HOST:PORT`.
        self.address = address
        self._was_used = was_used
        self._default = xla_bridge._default_backend
        #: JAX since 0.12 has a factory of its own for this platform.
        self._factory = xla_bridge._backend_factories.get(PLATFORM)
        self._platforms = platforms
        self._open = True

    def close(self) -> None:
        """Makes JAX run where it ran before. Closing twice is no error."""
        if not self._open:
            return
        self._open = False
        import jax
        from jax._src import xla_bridge

        with xla_bridge._backend_lock:
            xla_bridge._backend_factories.pop(PLATFORM, None)
            if self._factory is not None:
                xla_bridge._backend_factories[PLATFORM] = self._factory
            xla_bridge._backends.pop(PLATFORM, None)
            _addresses.pop(PLATFORM, None)
            xla_bridge._default_backend = self._default
        if not self._was_used:
            # Which backends there are is to be asked anew: until now only the server and the local CPU were.
            xla_bridge._clear_backends()
        jax.config.update("jax_platforms", self._platforms)
        _forget(jax, xla_bridge)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<unskew_jax.Connection to {self.address}, {'open' if self._open else 'closed'}>"


def connect(address: str, timeout: int = 30, keep_memory: bool = False) -> Connection:
    """Makes JAX run on a server: `connect("grpc://127.0.0.1:8470")`.

    Before JAX is first used, the connection is made at the first use. Later, as in a notebook, it is made at once, and
    other backends and their arrays stay: `jax.devices("cpu")` has the local devices in both cases. `timeout` is how
    many seconds the client tries for. The connection is neither encrypted nor authenticated: to another machine, it
    goes through a tunnel. It stays open until the process ends, or the result is closed: `with connect(...):`.

    With `keep_memory`, this process keeps the memory that it has once had, so that large arrays are fetched faster;
    see `memory`. It is then as large as the largest arrays made it, also when they are gone.

    Raises `NoProxy` if jaxlib has no client, JAX is connected already, or, where the connection is made at once,
    there is no server.
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
    if PLATFORM in _addresses or PLATFORM in xla_bridge._backends:
        raise NoProxy("JAX is connected to a server already; close that connection before")

    def make():
        options = client.ClientConnectionOptions()
        # The first releases have no say in it: they try for two minutes.
        if hasattr(options, "connection_timeout_in_seconds"):
            options.connection_timeout_in_seconds = timeout
        return client.get_client(address, options)

    was_used = bool(xla_bridge._backends)
    connection = Connection(address, was_used, xla_bridge, jax.config.jax_platforms)
    try:
        made = make() if was_used else None
    except Exception as error:
        raise NoProxy(f"no connection to {address}: {error}") from error
    xla_bridge.register_backend_factory(PLATFORM, make, priority=500)
    _addresses[PLATFORM] = address
    callback.install()
    strides.install()
    views.install()
    if made is not None:
        with xla_bridge._backend_lock:
            xla_bridge._backends[PLATFORM] = made
            xla_bridge._default_backend = made
    # Programs run on the first one; the local CPU is there for who asks for it by name.
    jax.config.update("jax_platforms", f"{PLATFORM},cpu")
    _forget(jax, xla_bridge)
    return connection


def address_of(backend: object) -> str | None:
    """The server that a backend of JAX is, if it is one."""
    from jax._src import xla_bridge

    return _addresses.get(PLATFORM) if backend is xla_bridge._backends.get(PLATFORM) else None


def _forget(jax: ModuleType, xla_bridge: ModuleType) -> None:
    """Forgets what was compiled and looked up for another default backend."""
    for name in ("get_backend", "local_devices", "process_count"):
        clear = getattr(getattr(xla_bridge, name, None), "cache_clear", None)
        if clear is not None:
            clear()
    jax.clear_caches()


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
