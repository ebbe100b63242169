"""The handlers of jaxlib, and how an older plug-in is made to take them."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Iterator

from . import abi
from .errors import NoHandlers

#: Handlers that need what only jaxlib's own CPU backend sets up for them: state of the executable, made in a
#: stage that a plug-in cannot be given. `callback` has its own for the same purpose.
BOUND_TO_JAXLIB = frozenset(
    ["xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback", "xla_buffer_python_cpu_callback"]
)


def of_jaxlib() -> dict[str, int]:
    """Every handler that jaxlib has for CPUs: name and address."""
    found: dict[str, Any] = dict(_registered())
    found.update(_linear_algebra())
    handlers = {}
    for name, value in found.items():
        if name in BOUND_TO_JAXLIB:
            continue
        if isinstance(value, dict):
            # One with further stages cannot be handed over: the extension takes a single function.
            if set(value) != {"execute"}:
                continue
            value = value["execute"]
        handlers[name] = address(value)
    return handlers


def _registered() -> Iterator[tuple[str, Any]]:
    """What is in jaxlib's registry. Handlers of the interface before the FFI stand there as mere capsules."""
    from jaxlib import xla_client

    targets = getattr(xla_client, "custom_call_targets", None)
    if targets is not None:
        yield from ((name, value) for name, value in targets("Host").items() if isinstance(value, dict))


def _linear_algebra() -> Iterator[tuple[str, Any]]:
    """LAPACK and sparse kernels, which jaxlib registers only when they are first used."""
    from jaxlib import lapack

    try:
        lapack._lapack.initialize()
    except ImportError as error:
        raise NoHandlers(f"jaxlib takes LAPACK from scipy, which cannot be imported: {error}") from error
    modules = [lapack]
    try:
        from jaxlib import cpu_sparse

        modules.append(cpu_sparse)
    except ImportError:
        pass  # It came with JAX 0.5.
    for module in modules:
        entries = getattr(module, "registrations", dict)()
        for entry in entries.get("cpu", []):
            # Before JAX 0.4.31 there was no version in it, and no handler of the FFI.
            if len(entry) == 3 and entry[2] == 1:
                yield entry[0], entry[1]


def address(capsule: Any) -> int:
    """The pointer in a capsule."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, name_of(capsule))


def metadata(handler: int, api: int) -> abi.FfiMetadata:
    """What a handler says of itself: the version of the FFI that it was compiled with, and its traits.

    `api` is the table of the one who asks, which the handler makes an error with if it is not understood.
    """
    # Newer handlers fill in more than older ones; there is room for both.
    room = (ctypes.c_char * 256)()
    said = abi.FfiMetadata.from_buffer(room)
    said.struct_size = abi.FfiMetadata.USED
    extension = abi.FfiExtension(
        ctypes.sizeof(abi.FfiExtension), abi.FFI_EXTENSION_METADATA, None, ctypes.addressof(said)
    )
    # The frame has a field more than is known here.
    place = (ctypes.c_char * 256)()
    frame = abi.FfiFrame.from_buffer(place)
    frame.struct_size, frame.extension_start = ctypes.sizeof(abi.FfiFrame), ctypes.addressof(extension)
    frame.api, frame.stage = api, abi.STAGE_EXECUTE
    for part in (frame.arguments, frame.results, frame.attributes):
        part.struct_size = ctypes.sizeof(part)
    abi.Handler(handler)(ctypes.addressof(frame))
    return said


@functools.lru_cache(maxsize=None)
def lowered(handler: int, traits: int, wanted: tuple[int, int]) -> Any:
    """The same handler, which says that it was compiled with an older version of the FFI.

    A plug-in refuses handlers that are newer than itself, by what they say. What a handler is called with
    when it computes has not changed since version 0.1, so a call goes through as it is.

    There is one of each for the whole process: a plug-in takes the same function twice under a name, but not
    another one. It is reached twice if something stands in front of it that relays to it.
    """
    own = abi.Handler(handler)

    def stand_in(at: int) -> int | None:
        asked = abi.metadata_of(abi.FfiFrame.from_address(at))
        if asked is None:
            return own(at)
        say(asked, wanted, traits)
        return None

    return abi.Handler(stand_in)


class Introduction:
    """What the plug-in shows of itself when it asks a handler for its metadata: its table of the FFI."""

    #: The table, 0 if the plug-in did not ask, or asked without one.
    api = 0
    #: Its version.
    version = (0, 0)


def _introduced(at: int) -> None:
    frame = abi.FfiFrame.from_address(at)
    asked = abi.metadata_of(frame)
    if asked is not None:
        if frame.api:
            Introduction.api = frame.api
            found = abi.FfiApi.from_address(frame.api).version
            Introduction.version = (found.major, found.minor)
        say(asked, Introduction.version)


#: Learns the plug-in's table and says the plug-in's own version.
INTRODUCTION = abi.Handler(_introduced)


def introduce(register: Callable[[str, int], None]) -> tuple[int, tuple[int, int]]:
    """The plug-in's table of the FFI and its version; 0 for the table if it does not show it."""
    Introduction.api, Introduction.version = 0, (0, 0)
    register("unskew_introduction", pointer(INTRODUCTION))
    return Introduction.api, Introduction.version


def pointer(function: Any) -> int:
    """The address of a C function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def say(asked: abi.FfiMetadata, version: tuple[int, int], traits: int = 0) -> None:
    """Fills in the metadata of a handler."""
    asked.version.major, asked.version.minor = version
    asked.traits = traits
