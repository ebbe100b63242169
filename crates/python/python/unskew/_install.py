"""Where the command and the adapter of this installation are, and where the cache is.

Both come in the same wheel: the command among the scripts, the adapter in `lib/unskew` beside them.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Iterator, Optional, Union

from . import _native


@functools.lru_cache(maxsize=None)
def command() -> Optional[Path]:
    """The command `unskew`; None if this installation has none."""
    name = "unskew.exe" if os.name == "nt" else "unskew"
    places = (folder / name for folder in _folders("scripts", "bin"))
    return next((place for place in places if place.is_file()), None)


@functools.lru_cache(maxsize=None)
def adapter() -> Path:
    """The adapter, of which every adapted plug-in is a copy. Raises `AdaptError` if this installation has none."""
    name = _native.adapter_name()
    below = Path("lib", "unskew", name)
    places = [folder / below for folder in _folders("data", ".")]
    found = command()
    if found is not None:
        # A build tree has it beside the command, or among what the command is made of.
        places += [found.parent / name, found.parent / "deps" / name]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(str(place.parent) for place in places)
    raise _native.AdaptError(f"this installation of unskew has no {name}; looked in {looked}")


def _folders(scheme: str, below: str) -> Iterator[Path]:
    """Where an installer may have put what is not Python."""
    # Here and below: what an import of the package need not pay for.
    import sysconfig

    named = os.environ.get("UNSKEW_HOME")
    if named:
        yield Path(named, below)
    yield Path(sysconfig.get_path(scheme))
    user = {"posix": "posix_user", "nt": "nt_user"}.get(os.name, "posix_user")
    if sys.platform == "darwin" and "osx_framework_user" in sysconfig.get_scheme_names():
        user = "osx_framework_user" if sysconfig.get_config_var("PYTHONFRAMEWORK") else user
    yield Path(sysconfig.get_path(scheme, user))
    # `pip install --target FOLDER` puts all beside the package.
    yield Path(__file__).resolve().parent.parent / below


def cache(*parts: str) -> Path:
    """A folder of the cache: `UNSKEW_CACHE`, or `unskew` where the system keeps caches."""
    named = os.environ.get("UNSKEW_CACHE")
    if named:
        root = Path(named)
    elif os.name == "nt":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home(), "unskew")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches" / "unskew"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "unskew")
    return root.joinpath(_native.VERSION, *parts)


def state_of(path: Union[str, "os.PathLike[str]"]) -> str:
    """Which file this is, and in which state: by its whole path, its size and the time of its last change."""
    import hashlib

    whole = os.path.realpath(path)
    try:
        status = os.stat(whole)
    except OSError:
        return "missing"
    text = f"{whole}\0{status.st_size}\0{status.st_mtime_ns}"
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


def digest_of(path: "os.PathLike[str]") -> str:
    """The SHA-256 of a file, or of all files of a folder with their names."""
    import hashlib

    whole = hashlib.sha256()
    folder = Path(path)
    files = sorted(one for one in folder.rglob("*") if one.is_file()) if folder.is_dir() else [folder]
    for one in files:
        if len(files) > 1:
            whole.update(os.fsencode(one.relative_to(folder)) + b"\0")
        with open(one, "rb") as file:
            while block := file.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()[:32]
