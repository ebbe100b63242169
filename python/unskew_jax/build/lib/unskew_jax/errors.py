"""What can go wrong, each with what to do about it."""

from __future__ import annotations


class UnskewJaxError(RuntimeError):
    """The base of all errors of this package."""


class NoPlugin(UnskewJaxError):
    """No PJRT plug-in is loaded, or none of that name."""


class NoExtension(UnskewJaxError):
    """The plug-in has no FFI extension, or one that is too old to take handlers."""


class NoHandlers(UnskewJaxError):
    """jaxlib's handlers cannot be had, for lack of a package that they need."""


class Refused(UnskewJaxError):
    """The plug-in did not take a handler; the text is its own."""


class NoProxy(UnskewJaxError):
    """JAX cannot be connected to a server: jaxlib has no client, or JAX was used already."""
