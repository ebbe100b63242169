"""`jax.pure_callback`, `io_callback` and `debug.print` on a CPU plug-in.

jaxlib's handler for them needs two things that only its own CPU backend gives it: the list of Python
functions of the executable, and a cache that is made in a stage of its own, for which a plug-in takes no
function. So there is a handler here, in ctypes, with a number as its one attribute, under which the Python
function was put down when the program was lowered. JAX lowers all of its callbacks through one function,
`emit_python_callback`; `install` stands in front of it, for programs that are lowered for a plug-in only.
"""

from __future__ import annotations

import collections
import ctypes
import dataclasses
import inspect
import itertools
import secrets
import time
import traceback
import weakref
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence

import numpy as np

from . import abi, buffer, handlers

if TYPE_CHECKING:
    from .relay import Caller

#: The name under which a plug-in gets the handler.
TARGET = "unskew_python_callback"

#: The name that a call gets in a program that is partitioned. XLA's partitioner keeps the sharding of a call only if
#: it knows its name, and it knows the names of jaxlib's handlers. A plug-in has none of them.
PARTITIONED_TARGET = "xla_ffi_python_cpu_callback"

#: How long a callback stays when its executable is gone, in seconds.
LINGER = 600.0

#: The attribute of a call with the number of its function.
NUMBER = b"number"

#: FFI 0.1 is the first version with metadata; the handler needs nothing that came later.
VERSION = (0, 1)


class Callback:
    """A Python function with what it takes and returns.

    It lives as long as the executable that calls it, and `LINGER` seconds longer: the last run of an executable may
    still be under way when JAX drops it, as of a program that is run once and not kept.
    """

    def __init__(self, function: Callable[..., Sequence[Any]], operands: list[Kind], results: list[Kind]):
        self.function = function
        self.operands = operands
        self.results = results
        self.number = next(_numbers)
        _callbacks[self.number] = self
        _sweep()

    def hold(self) -> Hold:
        """What an executable keeps."""
        hold = Hold()
        weakref.finalize(hold, _drop, self.number).atexit = False
        return hold

    def run(self, operands: Sequence[tuple[tuple[int, int], bytes]], results: Sequence[tuple[int, int]]) -> list[bytes]:
        """Runs it on bytes: each value has the bits of an element and its size."""
        if (len(operands), len(results)) != (len(self.operands), len(self.results)):
            raise buffer.Mismatch(f"the server passes {len(operands)} arguments and {len(results)} results")
        arrays = [buffer.of_bytes(data, bits, *kind) for kind, ((bits, _), data) in zip(self.operands, operands)]
        values = self._values(arrays)
        return [buffer.to_bytes(one, bits, kind.dtype) for one, kind, (bits, _) in zip(values, self.results, results)]

    def call(self, frame: abi.FfiFrame) -> None:
        """Runs it on the buffers of a call."""
        sources, targets = _buffers(frame.arguments), _buffers(frame.results)
        if (len(sources), len(targets)) != (len(self.operands), len(self.results)):
            raise buffer.Mismatch(f"the plug-in passes {len(sources)} arguments and {len(targets)} results")
        values = self._values([buffer.read(at, *kind) for kind, at in zip(self.operands, sources)])
        for value, target, kind in zip(values, targets, self.results):
            buffer.write(target, value, *kind)

    def _values(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """What the function returns, if that is what it was lowered with."""
        values = self.function(*arrays)
        if len(values) != len(self.results):
            raise ValueError(f"the callback returned {len(values)} values, not {len(self.results)}")
        return [kind.checked(np.asarray(value), at) for at, (kind, value) in enumerate(zip(self.results, values))]


class Hold:
    """As long as this is there, so is a callback."""


class Kind(NamedTuple):
    """The shape and element type of an operand or a result."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def checked(self, value: np.ndarray, index: int) -> np.ndarray:
        import jax

        if value.shape != self.shape:
            raise ValueError(f"result {index} of the callback has shape {value.shape}, not {self.shape}")
        if value.dtype != self.dtype and jax.dtypes.canonicalize_dtype(value.dtype) != self.dtype:
            raise TypeError(f"result {index} of the callback has type {value.dtype}, not {self.dtype}")
        return value


#: The number of the first function of this process. A number from an executable of another process, out of a cache,
#: must find nothing.
FIRST = secrets.randbits(62)
_numbers = itertools.count(FIRST)
#: What calls functions that are in other processes: in a server.
_remote: Caller | None = None
_callbacks: dict[int, Callback] = {}
# Whose executable is gone, and until when it stays.
_dropped: collections.deque[tuple[float, int]] = collections.deque()


def _drop(number: int) -> None:
    _dropped.append((time.monotonic() + LINGER, number))
    _sweep()


def _sweep() -> None:
    now = time.monotonic()
    try:
        while _dropped[0][0] <= now:
            _callbacks.pop(_dropped.popleft()[1], None)
    except IndexError:
        pass  # Nothing is left; another thread may have taken the last.


def _buffers(values: abi.FfiValues) -> list[abi.FfiBuffer]:
    """The buffers, without tokens."""
    found = [abi.FfiBuffer.from_address(values.values[i]) for i in range(values.size)]
    return [one for one in found if one.data_type != abi.DATA_TYPE_TOKEN]


def _called(at: int) -> int | None:
    frame = abi.FfiFrame.from_address(at)
    metadata = abi.metadata_of(frame)
    if metadata is not None:
        handlers.say(metadata, VERSION)
        return None
    try:
        number = abi.unsigned(frame.attributes, NUMBER)
        callback = None if number is None else _callbacks.get(number)
        if callback is not None:
            callback.call(frame)
        elif number is not None and _remote is not None:
            _remote.call(number, _buffers(frame.arguments), _buffers(frame.results))
        else:
            return abi.error(frame, "the Python function of this callback is not in this process")
    except BaseException:  # Nothing may be raised through the plug-in.
        return abi.error(frame, "the Python callback failed:\n" + traceback.format_exc())
    return None


def run(number: int, operands: Sequence[tuple[tuple[int, int], bytes]], results: Sequence[tuple[int, int]]) -> list[bytes]:
    """Runs a function of this process on bytes, for a server."""
    callback = _callbacks.get(number)
    if callback is None:
        raise LookupError("this process has no function of this number any more")
    return callback.run(operands, results)


def call_others(caller: Caller) -> None:
    """Has functions that are not in this process called by `caller`."""
    global _remote
    _remote = caller


#: The handler itself.
HANDLER = abi.Handler(_called)


def install() -> None:
    """Makes JAX lower the callbacks of a plug-in's programs to the handler. Repeating it does nothing."""
    from jax._src import callback as module

    if not hasattr(module, "emit_python_callback"):
        from jax._src.interpreters import mlir as module  # Where it stood before JAX 0.5.1.
    from . import proxy, relay

    original = module.emit_python_callback
    if getattr(original, "of_unskew_jax", False):
        return

    def emit(ctx, callback, token, operands, operand_avals, result_avals, *effect, **keywords):
        # Whether it has an effect was a positional argument before JAX 0.4.31.
        if not _is_plugin(ctx.module_context):
            return original(ctx, callback, token, operands, operand_avals, result_avals, *effect, **keywords)
        if effect:
            keywords["has_side_effect"] = effect[0]
        backend = _backend(ctx.module_context)
        address = proxy.address_of(backend)
        if address is not None:
            relay.run_for(backend, address)
        return _emit(ctx, callback, token, operands, operand_avals, result_avals, **keywords)

    emit.of_unskew_jax = True
    module.emit_python_callback = emit


def _is_plugin(context: Any) -> bool:
    """Whether a program is lowered for a plug-in of CPUs, and for no other kind of platform."""
    from jax._src import xla_bridge

    if list(context.platforms) != ["cpu"]:
        return False
    # JAX's own backend and a plug-in of CPUs both say that they are `cpu`; the name that JAX has for the
    # backend tells them apart.
    return _backend(context) is not xla_bridge.backends().get("cpu")


def _backend(context: Any) -> Any:
    return context.get_backend() if hasattr(context, "get_backend") else context.backend


def _emit(
    ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, sharding=None, partitioned=False, **_
):
    """Lowers a call: returns the results, the new token, and what has to live as long as the executable."""
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo

    if partitioned and sharding is not None:
        # The partitioner would gather the shards first, and say nothing.
        raise NotImplementedError("a partitioned callback on a plug-in; leave out partitioned=True")
    held = Callback(callback, _kinds(operand_avals), _kinds(result_avals))
    types = [ir.RankedTensorType.get(k.shape, mlir.dtype_to_ir_type(k.dtype)) for k in held.results]
    layouts = [_row_major(kind) for kind in held.operands], [_row_major(kind) for kind in held.results]
    operands = list(operands)
    # The partitioner wants a sharding of every call with an effect, and a sharding stands on results: a call without
    # results gets a token.
    passed = token or (hlo.create_token() if sharding is not None and not held.results else None)
    if passed:
        operands.insert(0, passed)
        types.insert(0, hlo.TokenType.get())
        layouts[0].insert(0, ())
        layouts[1].insert(0, ())
    call = mlir.custom_call(
        TARGET if sharding is None else PARTITIONED_TARGET,
        result_types=types,
        operands=operands,
        backend_config={NUMBER.decode(): ir.IntegerAttr.get(ir.IntegerType.get_unsigned(64), held.number)},
        has_side_effect=has_side_effect,
        api_version=4,
        operand_layouts=layouts[0],
        result_layouts=layouts[1],
    )
    if sharding is not None:
        if passed and held.results:
            sharding = _with_token(sharding)
        _set_sharding(ctx.module_context, call, sharding)
    results = list(call.results)
    if passed:
        passed = results.pop(0)
    hold = held.hold()
    ctx.module_context.add_keepalive(hold)
    return results, passed if token else token, hold


def _with_token(sharding: Any) -> Any:
    """A sharding for the token too, which Shardy wants of a call with other results."""
    if not hasattr(sharding, "shardings"):
        return sharding  # Of the partitioner before Shardy: one for all.
    first = sharding.shardings[0]
    return type(sharding)((dataclasses.replace(first, mesh_shape=(), dim_shardings=()), *sharding.shardings))


def _set_sharding(context: Any, call: Any, sharding: Any) -> None:
    from jax._src.interpreters import mlir

    # It takes the context first since JAX 0.10.
    if len(inspect.signature(mlir.set_sharding).parameters) == 2:
        mlir.set_sharding(call, sharding)
    else:
        mlir.set_sharding(context, call, sharding)


def _kinds(avals: Sequence[Any]) -> list[Kind]:
    # A token is an abstract value without a shape.
    return [Kind(tuple(aval.shape), np.dtype(aval.dtype)) for aval in avals if hasattr(aval, "shape")]


def _row_major(kind: Kind) -> tuple[int, ...]:
    return tuple(reversed(range(len(kind.shape))))
