"""Where the real files are: the corpus, and the examples of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def gelu(root: Path) -> Path:
    """A TorchScript archive of a new PyTorch."""
    return root / "examples" / "gelu-2.15.0.pt"


@pytest.fixture(scope="session")
def plugin(root: Path) -> Path:
    """A real PJRT plug-in, of PJRT 0.81."""
    path = root / "corpus" / "xla-cpu-pjrt-0.0.1.so"
    if not path.exists():
        pytest.skip("cargo xtask corpus fetches it")
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    if "UNSKEW_CACHE" not in os.environ:
        monkeypatch.setenv("UNSKEW_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
