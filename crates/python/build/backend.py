"""The build of the package: the command and the adapter by cargo, the module and the wheel by maturin.

maturin puts one library into a wheel. What lies in `unskew.data` goes in as it is: `scripts` becomes the command on
the path, `data/lib/unskew` the adapter beside it. This puts both there first, so that `pip install`, `pip wheel` and
`cargo xtask wheel` make the same.

| variable | means |
| --- | --- |
| `UNSKEW_WHEEL_PROFILE` | the profile of cargo; `dist` if it is not set, `dev` for tests |
| `UNSKEW_WHEEL_FEATURES` | the features of the command, by commas; without it and a command, all but those that `unskew-full` adds |
| `UNSKEW_WHEEL_COMMAND` | a command that was built already, with the adapter in `deps` beside it |
| `UNSKEW_WHEEL_COMPATIBILITY` | the tag that the wheel claims, such as `manylinux_2_28`; that of this machine if it is not set |
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

import maturin

Settings = Optional[Mapping[str, Any]]

#: The folder of this crate, and the root of the repository.
CRATE = Path(__file__).resolve().parent.parent
ROOT = CRATE.parent.parent

#: A registry of models and scans of buckets are a third of the command: they come in the wheel `unskew-full`.
FEATURES = "cloud,progress,run,serve"

#: What an sdist has of the repository.
IN_SDIST = ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo", "LICENSE*", "README.md", "crates", "lab", "xtask")

#: What is made, and so is not in it.
MADE = ("target", "unskew.data", "__pycache__", "*.so", ".pytest_cache", ".mypy_cache")


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None) -> str:
    profile = os.environ.get("UNSKEW_WHEEL_PROFILE", "dist")
    command = os.environ.get("UNSKEW_WHEEL_COMMAND")
    features = os.environ.get("UNSKEW_WHEEL_FEATURES", "" if command else FEATURES)
    compatibility = os.environ.get("UNSKEW_WHEEL_COMPATIBILITY")
    _beside_the_module(*(_built(Path(command)) if command else _build(profile, features)))
    # The slowest level of deflate is seconds beside minutes of building.
    arguments = ["--profile", profile, "--compression-level", "9"]
    if "cloud" in features.split(","):
        arguments += ["--features", "cloud"]
    if compatibility:
        arguments += ["--compatibility", compatibility]
    own = dict(config_settings or {})
    own.setdefault("maturin.build-args", arguments)
    return str(maturin.build_wheel(wheel_directory, own, metadata_directory))


def _built(command: Path) -> tuple[str, str]:
    names = ("libunskew_pjrt_adapter.so", "libunskew_pjrt_adapter.dylib")
    found = [command.parent / "deps" / name for name in names]
    return str(command), str(next(file for file in found if file.is_file()))


def _build(profile: str, features: str) -> tuple[str, str]:
    command = ["cargo", "build", "--profile", profile, "--package", "unskew-cli", "--bin", "unskew"]
    command += ["--no-default-features", "--features", features] if features else []
    command += ["--locked", "--message-format", "json-render-diagnostics"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    made = {}
    for line in said.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact":
            made.update({message["target"]["name"] + suffix: path for suffix, path in _files(message)})
    return made["unskew"], made["unskew_pjrt_adapter.library"]


def _beside_the_module(command: str, adapter: str) -> None:
    data = CRATE / "unskew.data"
    shutil.rmtree(data, ignore_errors=True)
    _put(command, data / "scripts")
    _put(adapter, data / "data" / "lib" / "unskew")


def _files(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if message.get("executable"):
        yield "", message["executable"]
    for name in message["filenames"]:
        if Path(name).suffix in (".so", ".dylib", ".dll"):
            yield ".library", name


def _put(file: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    shutil.copy2(file, folder)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, get_metadata(folder), "METADATA").read_text(encoding="utf-8")
    version = next(line for line in info.splitlines() if line.startswith("Version: ")).removeprefix("Version: ")
    name = f"unskew-{version}"
    place = Path(sdist_directory, f"{name}.tar.gz")
    # Without names and times of whoever builds it, so that the same sources make the same bytes.
    with open(place, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            _add(archive, f"{name}/PKG-INFO", info.encode())
            _add(archive, f"{name}/pyproject.toml", _pyproject().encode())
            for path in _sources():
                below = path.relative_to(ROOT).as_posix()
                _add(archive, f"{name}/{below}", path.read_bytes(), path.stat().st_mode & 0o755)
    return place.name


def get_metadata(folder: str, config_settings: Settings = None) -> str:
    # maturin looks for the folder before there is anything to put into it.
    (CRATE / "unskew.data").mkdir(exist_ok=True)
    return str(maturin.prepare_metadata_for_build_wheel(folder, config_settings))


def _pyproject() -> str:
    """That of this crate, for a folder in which the crate lies further down."""
    text = (CRATE / "pyproject.toml").read_text(encoding="utf-8")
    crate = CRATE.relative_to(ROOT).as_posix()
    moved = {
        'backend-path = ["build"]': f'backend-path = ["{crate}/build"]',
        'readme = "README.md"': f'readme = "{crate}/README.md"',
        'python-source = "python"': f'python-source = "{crate}/python"\nmanifest-path = "{crate}/Cargo.toml"',
        'data = "unskew.data"': f'data = "{crate}/unskew.data"',
    }
    for here, there in moved.items():
        if here not in text:
            raise AssertionError(f"pyproject.toml has no line {here}")
        text = text.replace(here, there)
    return text


def _sources() -> Iterator[Path]:
    for pattern in IN_SDIST:
        for path in sorted(ROOT.glob(pattern)):
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            yield from (file for file in files if file.is_file() and not _is_made(file))


def _is_made(path: Path) -> bool:
    below = path.relative_to(ROOT)
    return any(Path(part).match(pattern) for part in below.parts for pattern in MADE)


def _add(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    return get_metadata(metadata_directory, config_settings)


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []
