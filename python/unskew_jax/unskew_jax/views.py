"""The buffer protocol of arrays on a server: `memoryview(array)`, `bytes(array)` and what else reads a buffer.

jaxlib has it for arrays in its own memory: "Only local arrays are supported, got proxy::Array". `install` has an array
on a server fetched, and gives a read-only view of what came, if the same JAX on the plug-in itself gives one. A class
can say by itself which memory it shows since Python 3.12 (PEP 688); on an older one `install` does nothing.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

#: What jaxlib says of an array on a server.
_NOT_LOCAL = "Only local arrays are supported"


def view(array: Any, flags: int) -> memoryview:
    """The value of an array on a server, in this process's memory.

    Raises `BufferError` where jaxlib does for a local array, in its words.
    """
    devices = array.sharding.device_set
    if len(devices) != 1:
        raise BufferError("INVALID_ARGUMENT: Python buffer protocol is only defined for buffers with a single shard.")
    if next(iter(devices)).platform != "cpu":
        raise BufferError("INVALID_ARGUMENT: Python buffer protocol is only defined for CPU buffers.")
    if flags & inspect.BufferFlags.WRITABLE:
        raise BufferError("INVALID_ARGUMENT: XLA buffers are read-only.")
    # The buffer protocol has letters for the types that NumPy has by itself, and for no others.
    if array.dtype.isbuiltin != 1:
        name = _name(array.dtype)
        raise BufferError(f"INVALID_ARGUMENT: Buffers of type {name} are not supported by the Python buffer protocol.")
    try:
        value = array._value
    except RuntimeError as error:
        # Asked for here alone: old clients ask the server.
        if array.is_deleted():
            raise BufferError("INVALID_ARGUMENT: Buffer has been deleted or donated.") from error
        raise
    return memoryview(value).toreadonly()


def _name(dtype: Any) -> str:
    """What XLA calls a type of elements: `BF16`, `F8E4M3FN`, `S4`."""
    return dtype.name.replace("uint", "U").replace("int", "S").replace("float", "F").replace("_", "").upper()


def install() -> None:
    """Gives arrays on a server the buffer protocol. Repeating it does nothing."""
    if sys.version_info < (3, 12):
        return
    from jax._src.array import ArrayImpl

    original = getattr(ArrayImpl, "__buffer__", None)
    if original is None or getattr(original, "of_unskew_jax", False):
        return

    def __buffer__(self: Any, flags: int) -> memoryview:
        try:
            return original(self, flags)
        except BufferError as error:
            if _NOT_LOCAL not in str(error):
                raise
        return view(self, flags)

    __buffer__.of_unskew_jax = True
    ArrayImpl.__buffer__ = __buffer__
