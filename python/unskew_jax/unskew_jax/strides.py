"""Host arrays with negative or zero strides, such as `a[::-1]` or `np.broadcast_to`.

Clients of the IFRT proxy refuse to send them: "Negative or zero strides are not fully supported". JAX puts
host arrays on devices through one function, `batched_device_put`; `install` stands in front of it, and copies such an
array. Compiled code takes an array without it, and calls it after all when it is refused.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np


def forward(array: Any) -> Any:
    """The array itself, or a copy if it is one of NumPy with a stride that is not positive and is used."""
    # JAX has a class of its own for constants, which wraps one of NumPy up to 0.8 and is one since.
    host = array if isinstance(array, np.ndarray) else getattr(array, "val", None)
    if not isinstance(host, np.ndarray) or host.size == 0:
        return array
    used = (stride for size, stride in zip(host.shape, host.strides) if size > 1)
    if all(stride > 0 for stride in used):
        return array
    copy = host.copy(order="C")
    return copy if host is array else type(array)(copy, array.weak_type)


def install() -> None:
    """Makes JAX copy such arrays before it sends them. Repeating it does nothing."""
    from jax._src.interpreters import pxla

    original = getattr(pxla, "batched_device_put", None)
    if original is None or getattr(original, "of_unskew_jax", False):
        return

    def put(aval: Any, sharding: Any, arrays: Sequence[Any], *more: Any, **named: Any) -> Any:
        return original(aval, sharding, [forward(array) for array in arrays], *more, **named)

    put.of_unskew_jax = True
    pxla.batched_device_put = put
