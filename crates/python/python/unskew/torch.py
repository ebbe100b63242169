"""Loads PyTorch files that the running PyTorch refuses.

    import unskew.torch

    model = unskew.torch.load("old.pt")

The file is judged for the PyTorch that is running. If it needs that, it is converted in the cache of Unskew, by the
digest of its content; then PyTorch's own loader gets it. What was changed is logged (logger `unskew`, level INFO), and
`prepare` says it without loading. What works and computes something else is an `UnskewWarning`.
"""

from __future__ import annotations

import os
from typing import Any, Sequence, Union

import torch

from . import _api
from ._load import LoadRefused, Prepared, UnskewWarning
from ._load import prepare as _prepare

__all__ = ["LoadRefused", "Prepared", "UnskewWarning", "load", "prepare"]


def prepare(path: Union[str, "os.PathLike[str]"], *, allow: Sequence[str] = ()) -> Prepared:
    """The file that this PyTorch takes: the file itself, or a converted copy in the cache.

    Raises `LoadRefused` if no exact conversion is known; `allow` names lossy ones that may be used.
    """
    return _prepare(path, "torch", torch.__version__, allow)


def load(
    path: Union[str, "os.PathLike[str]"], *, map_location: Any = None, allow: Sequence[str] = ()
) -> Any:
    """Loads a TorchScript archive, an exported program (`.pt2`) or pickled weights.

    A TorchScript archive gives what `torch.jit.load` gives, an exported program what `torch.export.load` gives. Of a
    pickle only weights are loaded (`weights_only=True`): code in it is never run. Raises `LoadRefused` with what the
    pickle wants to import, or with what else stands in the way.
    """
    kind = _api.inspect(path, run="never").parts[0].kind
    ready = prepare(path, allow=allow)
    if "TorchScript" in kind:
        return torch.jit.load(str(ready.path), map_location=map_location)
    if "torch.export" in kind:
        return torch.export.load(str(ready.path))
    if "checkpoint" in kind or "pickle" in kind or "safetensors" in kind:
        if "safetensors" in kind:
            from safetensors.torch import load_file

            return load_file(str(ready.path), device=str(map_location or "cpu"))
        return torch.load(str(ready.path), map_location=map_location, weights_only=True)
    raise LoadRefused(f"{os.fspath(path)}: PyTorch in Python has no loader for this: {kind}", ())
