"""JAX that uses PJRT plug-ins of any age: by itself (see `startup`), and with the FFI handlers of jaxlib.

A linear solve, an eigenvalue decomposition, `jax.pure_callback` and their like are calls of a *handler*, a
C function that is looked up by name when a program is compiled. jaxlib has these functions, and registers
them with its own CPU backend. A CPU plug-in is another library with a registry of its own, in which they are
missing: "No FFI handler registered for lapack_sgetrf_ffi on a platform Host".

    import unskew_jax
    unskew_jax.register()

after which `jnp.linalg.solve` and `jax.pure_callback` work on every plug-in that is loaded and that has the
FFI extension of the PJRT C API.

And connects JAX to a server of the IFRT proxy:

    unskew_jax.connect("grpc://127.0.0.1:8470")
"""

from .errors import NoExtension, NoHandlers, NoPlugin, NoProxy, Refused, UnskewJaxError
from .proxy import Connection, connect
from .register import Registered, give, register

__all__ = [
    "Connection",
    "NoExtension",
    "NoHandlers",
    "NoPlugin",
    "NoProxy",
    "Refused",
    "Registered",
    "UnskewJaxError",
    "connect",
    "give",
    "register",
]
__version__ = "0.1.0"
