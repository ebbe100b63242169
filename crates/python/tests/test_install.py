"""The installation: the command, the module, what an import costs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import unskew
from unskew import _install


def test_the_version_is_that_of_the_package_and_of_the_command() -> None:
    assert unskew.__version__ == metadata.version("unskew")
    command = _install.command()
    assert command is not None
    said = subprocess.run([str(command), "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"unskew {unskew.__version__}\n"


def test_the_command_is_a_binary_and_no_script() -> None:
    command = _install.command()
    assert command is not None
    with open(command, "rb") as file:
        assert file.read(2) != b"#!"


def test_verbs_of_the_full_command_are_done_by_it() -> None:
    command = _install.command()
    assert command is not None
    full = command.with_name("unskew-full")
    said = subprocess.run([str(command), "fleet", "plan", "--help"], capture_output=True, text=True)
    if full.exists():
        assert said.returncode == 0 and "Usage: unskew fleet plan" in said.stdout, said
    elif said.returncode != 0:
        assert "pip install 'unskew[full]'" in said.stderr, said


def test_python_m_unskew_is_the_command() -> None:
    said = subprocess.run([sys.executable, "-m", "unskew", "explain", "PT002"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout.startswith("PT002")


def test_the_module_exports_no_symbol_of_a_plugin() -> None:
    """JAX and `unskew_jax` take whatever exports GetPjrtApi for a plug-in."""
    module = Path(sys.modules["unskew._native"].__file__ or "")
    assert b"GetPjrtApi\0" in _install.adapter().read_bytes()
    found = unskew.check(_install.adapter(), "jax==0.6.2", run="never").pairs
    assert found
    try:
        parts = unskew.inspect(module, run="never").parts
    except unskew.UnknownFormat:
        parts = ()
    assert not parts


def test_an_import_takes_no_framework_along() -> None:
    program = (
        "import sys, unskew\n"
        "print([name for name in ('numpy', 'torch', 'tensorflow', 'jax', 'asyncio') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"


def test_the_cache_can_be_named(monkeypatch: object) -> None:
    import os

    assert str(_install.cache("x")).startswith(os.environ["UNSKEW_CACHE"])
