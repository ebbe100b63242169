"""What the loaders share: an artifact for a release, out of the cache if it has to be converted."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path

import pytest

import unskew
from unskew import _load


def test_what_a_release_takes_is_not_touched(gelu: Path) -> None:
    ready = _load.prepare(gelu, "torch", "2.15.0+cpu")
    assert ready.path == gelu and ready.conversion is None
    assert ready.unjudged == ready.report.unjudged  # type: ignore[union-attr]


def test_what_it_refuses_is_converted_once(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    old = root / "examples" / "add-1.1.0.pt"
    with caplog.at_level(logging.INFO, "unskew"):
        ready = _load.prepare(old, "torch", "2.15.0")
    assert ready.path != old and ready.path.name == old.name and ready.conversion is not None
    assert "legacy-archive" in caplog.text
    assert not any(one.severity == "error" for one in unskew.check(ready.path, "torch==2.15.0").findings)
    before = ready.path.stat().st_mtime_ns
    assert _load.prepare(old, "torch", "2.15.0").path.stat().st_mtime_ns == before
    assert [one.name for one in ready.path.parent.iterdir()] == [old.name]


def test_a_saved_model_folder_is_converted_too(root: Path) -> None:
    model = root / "corpus" / "written" / "conv"
    if not model.exists():
        pytest.skip("cargo xtask corpus makes it")
    ready = _load.prepare(model, "tensorflow", "1.15.0")
    if ready.path != model:
        assert (ready.path / "saved_model.pb").is_file() and (ready.path / "variables").is_dir()


def test_what_nothing_converts_is_refused_with_its_findings(root: Path) -> None:
    graph = root / "corpus" / "written" / "lookup"
    if not graph.exists():
        pytest.skip("cargo xtask corpus makes it")
    with pytest.raises(_load.LoadRefused, match="cannot be loaded by tensorflow==0.12.1") as raised:
        _load.prepare(graph, "tensorflow", "0.12.1")
    assert raised.value.findings and isinstance(raised.value, unskew.UnskewError)


def test_a_release_that_is_not_known_is_not_judged(gelu: Path, caplog: pytest.LogCaptureFixture) -> None:
    ready = _load.prepare(gelu, "torch", "99.1")
    assert ready.path == gelu and ready.report is None and ready.unjudged == ()
    assert "not judged" in caplog.text


def test_an_answer_that_differs_silently_is_a_warning(root: Path, gelu: Path) -> None:
    changed = root / "examples" / "floor-divide-1.12.1.pt"
    with pytest.warns(_load.UnskewWarning, match="torch==2.15.0: OP") as seen:
        _load.prepare(changed, "torch", "2.15.0")
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _load.prepare(gelu, "torch", "2.15.0")
