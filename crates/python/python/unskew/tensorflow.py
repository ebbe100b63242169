"""Loads SavedModels that the running TensorFlow refuses.

    import unskew.tensorflow

    model = unskew.tensorflow.load("saved_model")

The model is judged for the TensorFlow that is running. If it needs that, it is converted in the cache of Unskew, by
the digest of its content; then TensorFlow's own loader gets it. What was changed is logged (logger `unskew`, level
INFO), and `prepare` says it without loading. What works and computes something else is an `UnskewWarning`.
"""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import tensorflow as tf

from ._load import LoadRefused, Prepared, UnskewWarning
from ._load import prepare as _prepare

__all__ = ["LoadRefused", "Prepared", "UnskewWarning", "load", "prepare"]


def prepare(path: Union[str, "os.PathLike[str]"], *, allow: Sequence[str] = ()) -> Prepared:
    """The folder that this TensorFlow takes: the folder itself, or a converted copy in the cache.

    Raises `LoadRefused` if no exact conversion is known; `allow` names lossy ones that may be used.
    """
    return _prepare(path, "tensorflow", tf.__version__, allow)


def load(
    path: Union[str, "os.PathLike[str]"],
    tags: Optional[Sequence[str]] = None,
    *,
    allow: Sequence[str] = (),
) -> Any:
    """Loads a SavedModel as `tf.saved_model.load` does."""
    return tf.saved_model.load(str(prepare(path, allow=allow).path), tags=tags)
