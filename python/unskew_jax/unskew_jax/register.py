"""Handing over."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import callback, handlers, relay
from .errors import NoExtension, NoPlugin
from .plugin import Plugin, loaded, named, table

#: The plug-ins that have got the handlers.
_done: dict[str, Registered] = {}


class Registered(NamedTuple):
    """What a plug-in was given."""

    #: The library.
    path: str
    #: Its version of the PJRT C API.
    version: str
    #: Its version of the XLA FFI.
    ffi: tuple[int, int]
    #: The names of the handlers.
    names: tuple[str, ...]


def register(plugin: str | os.PathLike[str] | None = None) -> list[Registered]:
    """Gives jaxlib's CPU handlers to a plug-in, and makes Python callbacks work there.

    `plugin` is the name of a platform out of PJRT_NAMES_AND_LIBRARY_PATHS, or the path of a library. Without
    it, every plug-in that JAX has loaded gets the handlers. JAX is made to load its plug-ins if it has not yet.

    Raises `NoPlugin` if there is none, `NoExtension` if none of them can take handlers, `NoHandlers` if
    jaxlib's own cannot be had, and `Refused` with the plug-in's words if it does not want one.
    """
    import jax

    jax.devices()
    return _register(plugin)


def give_to_loaded() -> list[Registered]:
    """The same for every plug-in that is loaded by now; JAX is not asked to load any."""
    return _register(None)


def give(plugin: str | os.PathLike[str], callbacks: int | None = None) -> Registered:
    """The same for a library that is loaded into this process, where JAX computes nothing: a server's.

    Python callbacks are functions of the clients. With `callbacks`, the descriptor of a Unix socket, they are called on
    connections that come through it.
    """
    plugins, reasons = _plugins(os.path.realpath(plugin))
    if not plugins:
        raise reasons[0] if reasons else NoPlugin(f"no PJRT plug-in: {os.fspath(plugin)}")
    if callbacks is not None:
        callback.call_others(relay.Caller(callbacks))
    return _give(plugins[0], handlers.of_jaxlib(), callbacks is not None)


def _register(plugin: str | os.PathLike[str] | None) -> list[Registered]:
    plugins, reasons = _plugins(plugin)
    if not plugins:
        raise reasons[0] if reasons else NoPlugin("JAX has loaded no PJRT plug-in; see PJRT_NAMES_AND_LIBRARY_PATHS")
    found = handlers.of_jaxlib()
    callback.install()
    for one in plugins:
        if one.path not in _done:
            _done[one.path] = _give(one, found)
    return [_done[one.path] for one in plugins]


def _plugins(wanted: str | os.PathLike[str] | None) -> tuple[list[Plugin], list[NoExtension]]:
    if wanted is None:
        tables = loaded()
    else:
        path = os.fspath(wanted)
        path = os.path.realpath(path if os.sep in path else named(path))
        api = table(path)
        if api is None:
            raise NoPlugin(f"not loaded into this process, or no PJRT plug-in: {path}")
        tables = {path: api}
    plugins, reasons = [], []
    for path, api in tables.items():
        try:
            plugins.append(Plugin(path, api))
        except NoExtension as reason:
            reasons.append(reason)
    return plugins, reasons


def _give(plugin: Plugin, found: dict[str, int], callbacks: bool = True) -> Registered:
    api, ffi = handlers.introduce(plugin.register)
    if not api:
        raise NoExtension(f"the plug-in does not ask a handler for its version: {plugin.path}")
    targets = (callback.TARGET, callback.PARTITIONED_TARGET) if callbacks else ()
    for target in targets:
        plugin.register(target, handlers.pointer(callback.HANDLER))
    for name, handler in found.items():
        said = handlers.metadata(handler, api)
        if (said.version.major, said.version.minor) > ffi:
            # Some plug-ins refuse a newer handler without a word: PJRT 0.81 drops the error of its registry.
            handler = handlers.pointer(handlers.lowered(handler, said.traits, ffi))
        plugin.register(name, handler)
    return Registered(plugin.path, plugin.version, ffi, (*targets[:1], *sorted(found)))
