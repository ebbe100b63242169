"""JAX that adapts its plug-ins by itself: what JAX calls when it looks for plug-ins.

JAX calls `initialize` because this package has an entry point in the group `jax_plugins`. Every plug-in that JAX is
told of (a package in `jax_plugins`, an entry point, `PJRT_NAMES_AND_LIBRARY_PATHS`) is registered through one function
of JAX, `register_plugin`. From now on it is asked first whether this JAX can use the plug-in:

* it can: nothing is changed;
* it cannot, and an adapter helps: the adapted plug-in in the cache is registered in its place;
* it cannot, and no adapter helps, or nobody knows: nothing is changed, and a warning says so.

JAX initializes packages in an order that nobody sets, so some may be registered already. Those are judged too, and
replaced before JAX makes a client of them.

When JAX makes a client of a CPU plug-in, the plug-in gets the handlers of jaxlib (see `register`), if it can take any.

`UNSKEW_JAX=0` turns all of it off. What was done is one line of the logger `unskew_jax`.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
from typing import Any, Callable

from . import adapted
from .errors import UnskewJaxError
from .plugin import library_of

logger = logging.getLogger("unskew_jax")

#: Under which name an adapted plug-in is known to XLA where the plug-in itself has its own name already.
SUFFIX = "_unskew"


def initialize() -> None:
    """Called by JAX, once."""
    if os.environ.get("UNSKEW_JAX", "1").lower() in ("0", "off", "false", "no"):
        logger.debug("off: UNSKEW_JAX=%s", os.environ["UNSKEW_JAX"])
        return
    from jax._src import xla_bridge

    register = xla_bridge.register_plugin
    if hasattr(register, "unskew_original"):
        return

    @functools.wraps(register)
    def judged(plugin_name: str, *arguments: Any, **keywords: Any) -> Any:
        library = keywords.get("library_path")
        if library is not None:
            keywords["library_path"] = adapted.usable(plugin_name, os.fspath(library))
        table = register(plugin_name, *arguments, **keywords)
        _with_handlers(xla_bridge, plugin_name, keywords.get("library_path"))
        return table

    judged.unskew_original = register  # type: ignore[attr-defined]
    xla_bridge.register_plugin = judged
    for name in list(xla_bridge._backend_factories):
        _replace(xla_bridge, register, name)


def _replace(xla_bridge: Any, register: Callable[..., Any], name: str) -> None:
    """Puts an adapted plug-in in the place of one that is registered already, if it needs one."""
    found = xla_bridge._backend_factories[name]
    capsule = getattr(found, "c_api", None)
    library = library_of(capsule) if capsule is not None else None
    if library is None:
        return
    usable = adapted.usable(name, library)
    if usable != library:
        options = _options(found.factory)
        keywords = {} if options is None else {"options": options}
        register(name + SUFFIX, priority=found.priority, library_path=usable, **keywords)
        xla_bridge._backend_factories[name] = xla_bridge._backend_factories.pop(name + SUFFIX)
    _with_handlers(xla_bridge, name, usable)


def _options(factory: Any) -> Any:
    """The options with which a client is made, which JAX keeps in the function that makes it."""
    if isinstance(factory, functools.partial):
        return factory.keywords.get("options")
    code, cells = getattr(factory, "__code__", None), getattr(factory, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars if code else (), cells):
        if name == "options":
            return cell.cell_contents
    return None


def _with_handlers(xla_bridge: Any, name: str, library: str | None) -> None:
    """Gives the handlers of jaxlib to the plug-in when JAX makes a client of it."""
    found = xla_bridge._backend_factories.get(name)
    if library is None or not dataclasses.is_dataclass(found):
        return
    make = found.factory

    @functools.wraps(make)
    def made(*arguments: Any, **keywords: Any) -> Any:
        client = make(*arguments, **keywords)
        if client.platform == "cpu":
            _give(name)
        return client

    xla_bridge._backend_factories[name] = dataclasses.replace(found, factory=made)


def _give(name: str) -> None:
    from .register import give_to_loaded

    try:
        for one in give_to_loaded():
            logger.info("%s: %d handlers of jaxlib for %s (PJRT %s)", name, len(one.names), one.path, one.version)
    except UnskewJaxError as error:
        logger.debug("%s: no handlers: %s", name, error)
