"""The plug-ins of this process, and their FFI extension."""

from __future__ import annotations

import ctypes
import os

from . import abi
from .errors import NoExtension, NoPlugin, Refused

# Not in Python's `os` before 3.13 on every build: only what is loaded already.
_RTLD_NOLOAD = getattr(os, "RTLD_NOLOAD", 4)

#: XLA's name for the platform of CPUs.
PLATFORM = b"Host"


class Plugin:
    """A plug-in that takes handlers."""

    def __init__(self, path: str, api: abi.PjrtApi):
        self.path = path
        self.api = api
        self._register = self._find_register()

    @property
    def version(self) -> str:
        """The version of the PJRT C API, such as 0.115."""
        return f"{self.api.major}.{self.api.minor}"

    def _find_register(self):
        if (self.api.major, self.api.minor) < (0, 45):
            # Extensions were laid out in another way.
            raise NoExtension(f"PJRT {self.version} is older than 0.45, which can take no handler: {self.path}")
        at = self.api.extension_start
        # A chain with a cycle is a fault of the plug-in, and must not hang its user.
        for _ in range(64):
            if not at:
                break
            extension = abi.PjrtExtension.from_address(at)
            if extension.type == abi.PJRT_EXTENSION_FFI:
                end = abi.PjrtExtension.register_handler.offset + 8
                if extension.struct_size < end or not extension.register_handler:
                    raise NoExtension(
                        f"the FFI extension has {extension.struct_size} bytes, and needs {end} to take handlers: "
                        f"{self.path}"
                    )
                return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(extension.register_handler)
            at = extension.next
        raise NoExtension(f"the plug-in (PJRT {self.version}) has no FFI extension: {self.path}")

    def register(self, name: str, handler: int) -> None:
        """Gives it a handler. Raises `Refused` with the plug-in's text if it says no."""
        target = name.encode()
        arguments = abi.RegisterHandlerArgs(
            abi.RegisterHandlerArgs.USED, target, len(target), handler, PLATFORM, len(PLATFORM), 0
        )
        failure = self._register(ctypes.addressof(arguments))
        if failure:
            raise Refused(f"{name}: {self._message(failure)}")

    def _message(self, failure: int) -> str:
        arguments = abi.ErrorMessageArgs(ctypes.sizeof(abi.ErrorMessageArgs), None, failure, None, 0)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.api.error_message)(ctypes.addressof(arguments))
        text = ctypes.string_at(arguments.message, arguments.message_size).decode(errors="replace")
        destroy = abi.ErrorDestroyArgs(ctypes.sizeof(abi.ErrorDestroyArgs), None, failure)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.api.error_destroy)(ctypes.addressof(destroy))
        return text


def table(path: str) -> abi.PjrtApi | None:
    """The PJRT table of a library, if it is loaded and is a plug-in."""
    try:
        library = ctypes.CDLL(path, mode=_RTLD_NOLOAD | os.RTLD_LAZY)
        get = library.GetPjrtApi
    except (OSError, AttributeError):
        return None
    get.restype = ctypes.c_void_p
    at = get()
    return abi.PjrtApi.from_address(at) if at else None


class _Place(ctypes.Structure):
    """What the dynamic linker says of an address."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def library_of(capsule: object) -> str | None:
    """The library in which the PJRT table of a capsule lies; None if the linker does not know it."""
    from .handlers import address

    # The table may lie in memory that no library owns; its functions are code of one.
    api = abi.PjrtApi.from_address(address(capsule))
    place = _Place()
    ask = ctypes.CDLL(None).dladdr
    ask.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Place)]
    if not ask(api.error_destroy, ctypes.byref(place)) or not place.file:
        return None
    return os.fsdecode(place.file)


def loaded() -> dict[str, abi.PjrtApi]:
    """Every plug-in that is loaded into this process: path and table.

    A plug-in that another one stands in front of, as an adapter does, is among them.
    """
    paths = set()
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) == 6 and fields[5].startswith("/") and fields[1][2] == "x":
                paths.add(fields[5])
    found: dict[str, abi.PjrtApi] = {}
    tables = set()
    for path in sorted(paths):
        api = table(path)
        # A library that is linked with a plug-in finds the plug-in's function in its own name.
        if api is not None and ctypes.addressof(api) not in tables:
            tables.add(ctypes.addressof(api))
            found[path] = api
    return found


def named(name: str) -> str:
    """The library of a platform, from the variable by which JAX was told of it."""
    for entry in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", "").split(","):
        platform, _, path = entry.partition(":")
        if platform == name and path:
            return path
    raise NoPlugin(f"PJRT_NAMES_AND_LIBRARY_PATHS names no such platform; give the path of its library: {name}")
