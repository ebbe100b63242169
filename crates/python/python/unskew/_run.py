"""`unskew.run`: what a PyTorch model calculates, with arrays of numpy."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from . import _install
from ._native import UnskewError

if TYPE_CHECKING:
    import numpy

#: What a parameter of a model takes: an array, or what numpy makes one of, a number, a truth value, or None.
Input = Union["numpy.ndarray[Any, Any]", int, float, bool, None, Any]


def run(
    model: Union[str, "os.PathLike[str]"],
    *inputs: Input,
    method: str = "forward",
    torch: Optional[str] = None,
) -> Dict[str, "numpy.ndarray[Any, Any]"]:
    """Runs a TorchScript or `torch.export` archive without PyTorch: `run("net.pt", x, torch="1.12")["0"]`.

    The operators are those of the release `torch`; without one, those of the newest. What comes back are the tensors and
    numbers of the result by their place in it: `"0"`, `"1.0"` for the first of the second. They are mapped from where the
    interpreter wrote them, not copied; what a program writes into one stays in this process.

    The interpreter is a child process: Ctrl-C ends it, and other threads go on. Needs numpy. Raises `UnskewError` with the
    interpreter's message.
    """
    import numpy

    command = _install.command()
    if command is None:
        raise UnskewError("this installation of unskew has no command, which runs models")
    with tempfile.TemporaryDirectory(prefix="unskew-") as folder:
        arguments: List[str] = [str(command), "ops", "run", "--method", method]
        for index, value in enumerate(inputs):
            if value is None or isinstance(value, (bool, int, float)):
                given = str(value).lower()
            else:
                given = str(Path(folder, f"input-{index}.npy"))
                numpy.save(given, numpy.asarray(value), allow_pickle=False)
            arguments += ["--input", given]
        if torch is not None:
            # `torch@1.12` and `torch==1.12` are names of releases, as everywhere else.
            arguments += ["--as", torch if torch.startswith("torch") else f"torch@{torch}"]
        out = Path(folder, "out")
        arguments += ["--output", str(out), "--", os.fspath(model)]
        # On an exception, KeyboardInterrupt too, `run` ends the child before it raises.
        ended = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if ended.returncode != 0:
            text = ended.stderr.strip() or f"the interpreter ended with {ended.returncode}"
            raise UnskewError(text[len("error: ") :] if text.startswith("error: ") else text)
        return {file.stem: _mapped(file) for file in sorted(out.glob("*.npy"))}


def _mapped(file: Path) -> "numpy.ndarray[Any, Any]":
    import numpy

    # A file that is mapped cannot be deleted on Windows, and one without elements cannot be mapped.
    if os.name != "nt":
        try:
            return numpy.load(file, mmap_mode="c", allow_pickle=False)  # type: ignore[no-any-return]
        except ValueError:
            pass
    return numpy.load(file, allow_pickle=False)  # type: ignore[no-any-return]
