"""Python callbacks of programs that run on a server of the IFRT proxy.

The protocol has requests for them, but no public jaxlib does what it is asked to there. So the client connects a
second time and runs its functions on that connection: `Runner`. In the server the handler of callbacks sends the operands
there and waits for the results: `Caller`, in the Python of `unskew serve --handlers`.

Numbers are little-endian. The server asks with the number of the call, that of the function, and how many operands and
results there are; for each of them the bits of an element and the size in bytes; then come the operands. The client
answers with the number of the call, whether it succeeded, and the parts: the results, or a text of what went wrong.
"""

from __future__ import annotations

import ctypes
import itertools
import queue
import socket
import struct
import threading
import traceback
import weakref
from typing import Any, Sequence

from . import abi, buffer, callback

_ASK = struct.Struct("<QQII")
_VALUE = struct.Struct("<BQ")
_ANSWER = struct.Struct("<QBI")
_SIZE = struct.Struct("<Q")

#: How the client begins; the number of its first function and a new line follow.
LINE = b"UNSKEW CALLBACKS/1 "

#: How long the client waits for the server's word on whether it calls functions, in seconds.
PATIENCE = 30.0

#: The runner of each backend that is connected to a server: a server has a process for each.
_runners: weakref.WeakKeyDictionary[Any, Runner] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def run_for(backend: Any, address: str) -> None:
    """Sees to it that functions of this process run for the programs of a backend, whose server is `grpc://HOST:PORT`.

    Raises `NotImplementedError` if that server calls none.
    """
    with _lock:
        runner = _runners.get(backend)
        if runner is None or not runner.is_open:
            _runners[backend] = Runner(address)


class Runner:
    """The connection on which a server has functions of this process run."""

    def __init__(self, address: str):
        host, _, port = address.rpartition("//")[2].rpartition(":")
        self._socket = socket.create_connection((host.strip("[]"), int(port)), PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._writing = threading.Lock()
        self.is_open = True
        self._socket.sendall(LINE + b"%d\n" % callback.FIRST)
        if _read_line(self._socket) != b"yes\n":
            self._socket.close()
            raise NotImplementedError(
                "this server runs no Python callbacks: start it with `unskew serve --handlers PYTHON`, and without "
                "`--isolation none`"
            )
        self._socket.settimeout(None)
        threading.Thread(target=self._serve, name="unskew callbacks", daemon=True).start()

    def _serve(self) -> None:
        try:
            while True:
                call, number, operands, results = _ASK.unpack(_read(self._socket, _ASK.size))
                kinds = [_VALUE.unpack(_read(self._socket, _VALUE.size)) for _ in range(operands + results)]
                data = [_read(self._socket, size) for _, size in kinds[:operands]]
                asked = (call, number, list(zip(kinds, data)), kinds[operands:])
                # A function may take its time, and wait for another one.
                threading.Thread(target=self._run, args=asked, daemon=True).start()
        except (OSError, EOFError):
            self.is_open = False
            self._socket.close()

    def _run(self, call: int, number: int, operands: list[Any], results: list[tuple[int, int]]) -> None:
        try:
            parts, succeeded = callback.run(number, operands, results), True
        except BaseException:  # The server gets to know of everything.
            parts, succeeded = [traceback.format_exc().encode()], False
        try:
            with self._writing:
                self._socket.sendall(_ANSWER.pack(call, succeeded, len(parts)))
                for part in parts:
                    self._socket.sendall(_SIZE.pack(len(part)))
                    self._socket.sendall(part)
        except OSError:
            self.is_open = False


class Caller:
    """Calls functions of clients, whose connections come through a Unix socket."""

    def __init__(self, descriptor: int):
        self._asking = threading.Lock()
        self._front = socket.socket(fileno=descriptor)
        self._link: Link | None = None

    def call(self, number: int, sources: Sequence[abi.FfiBuffer], targets: Sequence[abi.FfiBuffer]) -> None:
        """Has the function of this number run on these buffers."""
        operands, results = [_bytes_of(one) for one in sources], [_bytes_of(one) for one in targets]
        parts = self._found(number).call(number, operands, results)
        for part, (_, memory) in zip(parts, results):
            ctypes.memmove(memory, part, len(part))

    def _found(self, number: int) -> Link:
        with self._asking:
            if self._link is not None and self._link.is_open:
                return self._link
            self._front.sendall(_SIZE.pack(number))
            answer, descriptors, _, _ = socket.recv_fds(self._front, 1, 1)
            if answer != b"p" or not descriptors:
                raise ConnectionError("no client is connected that has this function; it may have left")
            self._link = Link(socket.socket(fileno=descriptors[0]))
            return self._link


class Link:
    """The connection of a client that runs functions."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._socket.setblocking(True)
        self._writing = threading.Lock()
        self._calls = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Any]] = {}
        self.is_open = True
        threading.Thread(target=self._answers, name="unskew callbacks", daemon=True).start()

    def call(self, number: int, operands: list[Any], results: list[Any]) -> list[bytes]:
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        call = next(self._calls)
        self._waiting[call] = answer
        kinds = b"".join(_VALUE.pack(bits, len(memory)) for bits, memory in [*operands, *results])
        try:
            with self._writing:
                self._socket.sendall(_ASK.pack(call, number, len(operands), len(results)) + kinds)
                for _, memory in operands:
                    self._socket.sendall(memory)
            if not self.is_open:
                raise EOFError
            succeeded, parts = answer.get()
        except (OSError, EOFError):
            succeeded, parts = None, []
        finally:
            self._waiting.pop(call, None)
        if succeeded is None:
            raise ConnectionError("the client of this function has left")
        if not succeeded:
            raise RuntimeError(b"".join(parts).decode(errors="replace"))
        if [len(part) for part in parts] != [len(memory) for _, memory in results]:
            raise ValueError("the client returned results of other sizes than the program wants")
        return parts

    def _answers(self) -> None:
        try:
            while True:
                call, succeeded, count = _ANSWER.unpack(_read(self._socket, _ANSWER.size))
                parts = [_read(self._socket, *_SIZE.unpack(_read(self._socket, _SIZE.size))) for _ in range(count)]
                waiting = self._waiting.get(call)
                if waiting is not None:
                    waiting.put((bool(succeeded), parts))
        except (OSError, EOFError):
            self.is_open = False
            for waiting in list(self._waiting.values()):
                waiting.put((None, []))


def _bytes_of(one: abi.FfiBuffer) -> tuple[int, Any]:
    """The bits of an element, and the memory of a buffer."""
    memory = buffer.memory(one)
    return buffer.bits(one), b"" if memory is None else memory


def _read(connection: socket.socket, size: int) -> bytes:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        read = connection.recv_into(view)
        if not read:
            raise EOFError
        view = view[read:]
    return bytes(data)


def _read_line(connection: socket.socket) -> bytes:
    """A short line; what another server answers may be longer, or nothing."""
    line = b""
    while not line.endswith(b"\n") and len(line) < 16:
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    return line
