"""The memory of an FFI buffer as a numpy array.

The buffer says what it is: element type and dimensions. That is believed over what the program was lowered with,
since whoever is wrong about the size reads memory of somebody else. Types of less than a byte are packed, the first
element in the lowest bits; numpy has a byte for each.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import abi


class Mismatch(ValueError):
    """A buffer is not what the callback was lowered with."""


def read(buffer: abi.FfiBuffer, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A copy of what is in the buffer."""
    _check(buffer, shape, dtype)
    return of_bytes(memory(buffer) or b"", bits(buffer), shape, dtype)


def write(buffer: abi.FfiBuffer, value: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Puts `value` into the buffer; it has to have the buffer's shape."""
    _check(buffer, shape, dtype)
    at = memory(buffer)
    if at is not None:
        np.frombuffer(at, np.uint8)[...] = np.frombuffer(to_bytes(value, bits(buffer), dtype), np.uint8)


def of_bytes(data: Any, bits: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of the bytes of a buffer, whose elements have so many bits: a copy of them."""
    count = math.prod(shape)
    if len(data) != -(-count * bits // 8):
        raise Mismatch(f"the plug-in passes {len(data)} bytes, and the program was lowered with {count} elements")
    if not len(data):
        return np.empty(shape, dtype)
    if bits % 8:
        return unpack(np.frombuffer(data, np.uint8), bits, count).view(dtype).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape).copy()


def to_bytes(value: np.ndarray, bits: int, dtype: np.dtype) -> bytes:
    """The inverse of `of_bytes`."""
    value = np.asarray(value, dtype, order="C")
    return (pack(value.reshape(-1).view(np.uint8), bits) if bits % 8 else value).tobytes()


def pack(elements: np.ndarray, bits: int) -> np.ndarray:
    """Bytes that hold an element of `bits` bits each, several in one, as bytes that hold one."""
    each = 8 // bits
    padded = np.zeros(-(-elements.size // each) * each, np.uint8)
    padded[: elements.size] = elements & ((1 << bits) - 1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(padded.reshape(-1, each) << shifts, axis=1).astype(np.uint8)


def unpack(packed: np.ndarray, bits: int, count: int) -> np.ndarray:
    """The inverse of `pack`: `count` elements, a byte each."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    elements = (packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)
    return elements.reshape(-1)[:count].copy()


def _check(buffer: abi.FfiBuffer, shape: tuple[int, ...], dtype: np.dtype) -> None:
    found = tuple(buffer.dimensions[i] for i in range(buffer.rank))
    if found != tuple(shape):
        raise Mismatch(f"the plug-in passes an array of shape {found}, and the program was lowered with {shape}")
    # A packed type has a byte for each element in numpy, any other as many as in the buffer.
    wanted = 8 if buffer.data_type in abi.BITS_OF_PACKED else abi.BITS.get(buffer.data_type)
    if wanted != 8 * dtype.itemsize:
        raise Mismatch(f"the plug-in passes elements of type {buffer.data_type}, which are not {dtype}")


def bits(buffer: abi.FfiBuffer) -> int:
    """How many an element has."""
    return abi.BITS_OF_PACKED.get(buffer.data_type) or abi.BITS[buffer.data_type]


def memory(buffer: abi.FfiBuffer) -> ctypes.Array | None:
    """The bytes of a buffer, where they are; none if it has none."""
    count = math.prod(buffer.dimensions[i] for i in range(buffer.rank))
    size = -(-count * bits(buffer) // 8)
    if not size or not buffer.data:
        return None
    return (ctypes.c_char * size).from_address(buffer.data)
