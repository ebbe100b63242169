"""`check` and `inspect`: what goes in, what comes out, what is refused."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import pickle
import subprocess
from pathlib import Path

import pytest

import unskew
from unskew import _install

DAY = "2026-11-01"


def test_a_verdict_has_its_reasons_and_what_fixes_them(gelu: Path) -> None:
    report = unskew.check(gelu, "torch==1.4", as_of=DAY)
    assert not report.compatible
    assert [pair.outcome for pair in report.pairs] == ["incompatible"]
    codes = {finding.code for finding in report.findings}
    assert "PT002" in codes, codes
    assert any(finding.fix for finding in report.findings)
    assert unskew.check(gelu, "torch==2.15", as_of=DAY).compatible


def test_a_report_is_what_the_command_prints(gelu: Path) -> None:
    command = _install.command()
    assert command is not None
    asked = [str(command), "check", str(gelu), "--with", "torch@1.4", "--as-of", DAY]
    text = subprocess.run(asked, capture_output=True, text=True).stdout
    data = subprocess.run([*asked, "--format", "json"], capture_output=True, text=True).stdout
    report = unskew.check(gelu, "torch@1.4", as_of=DAY)
    assert str(report) == text.rstrip("\n")
    assert report.to_dict() == json.loads(data)


def test_bytes_and_file_objects_are_judged_as_the_file_is(gelu: Path) -> None:
    wanted = [finding.code for finding in unskew.check(gelu, "torch==1.4").findings]
    content = gelu.read_bytes()
    with open(gelu, "rb") as file:
        by_file = unskew.check(file, "torch==1.4")
    for report in (unskew.check(content, "torch==1.4"), unskew.check(io.BytesIO(content), "torch==1.4"), by_file):
        assert [finding.code for finding in report.findings] == wanted


def test_a_file_object_is_read_by_range(root: Path) -> None:
    """A file whose tensors are large costs what its structure costs."""

    class Counting(io.FileIO):
        count = 0

        def read(self, size: int = -1) -> bytes:  # type: ignore[override]
            found = super().read(size)
            Counting.count += len(found)
            return found

    path = root / "corpus" / "hakai-kelp-presence.pt"
    if not path.exists():
        pytest.skip("cargo xtask corpus fetches it")
    with Counting(str(path)) as file:
        assert unskew.inspect(file).parts
    assert 0 < Counting.count < path.stat().st_size / 2


def test_several_sides_and_ranges(gelu: Path) -> None:
    report = unskew.check(gelu, "torch>=2.14", "torch==1.4")
    assert {pair.b.name for pair in report.pairs} >= {"torch 1.4.0", "torch 2.15.0"}


def test_an_inspection_has_kind_and_facts(root: Path, gelu: Path) -> None:
    found = unskew.inspect(gelu, root / "examples" / "add.stablehlo", root / "examples" / "README.md")
    assert [part.kind for part in found.parts] == ["TorchScript archive", "StableHLO portable artifact"]
    assert found.parts[0].facts
    assert "README.md" in found.failures[0].message


@pytest.mark.parametrize(
    ("what", "with_", "error", "text"),
    [
        ("no-such.pt", "torch==2.1", unskew.ReadError, "no such file"),
        (b"none of ours", "torch==2.1", unskew.UnknownFormat, "not a kind of file that Unskew knows"),
        ("torch==2.1", "torch==2.2", unskew.QuestionError, "two of one kind"),
        ("torch==99.1", "torch==2.1", unskew.ReleaseError, "unknown release"),
    ],
)
def test_what_has_no_answer_raises(what: object, with_: str, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        unskew.check(what, with_)  # type: ignore[arg-type]


def test_a_file_that_is_none_of_ours_raises_where_it_is_the_only_one(root: Path) -> None:
    with pytest.raises(unskew.UnknownFormat):
        unskew.inspect(root / "examples" / "README.md")
    with pytest.raises(unskew.ReadError):
        unskew.inspect("no-such.pt")


def test_wrong_arguments_say_what_is_wrong(gelu: Path) -> None:
    with pytest.raises(TypeError, match="something to check with"):
        unskew.check(gelu)
    with pytest.raises(TypeError, match="binary file object"):
        unskew.check(7, "torch==2.1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text mode"), open(gelu, encoding="latin-1") as file:
        unskew.check(file, "torch==2.1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'never', 'named' or 'all'"):
        unskew.check(gelu, "torch==2.1", run="sometimes")
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        unskew.check(gelu, "torch==2.1", as_of="yesterday")


def test_a_report_is_no_truth_value(gelu: Path) -> None:
    with pytest.raises(TypeError, match=".compatible"):
        bool(unskew.check(gelu, "torch==2.1"))


def test_results_are_frozen_equal_and_can_be_pickled(gelu: Path) -> None:
    report = unskew.check(gelu, "torch==1.4")
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.pairs = ()  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(report))
    assert again == report and str(again) == str(report) and again.to_dict() == report.to_dict()
    data = report.to_dict()
    untouched = copy.deepcopy(data)
    data["pairs"].clear()
    assert report.to_dict() == untouched


def test_notebooks_show_a_table_without_markup_of_the_file(tmp_path: Path, gelu: Path) -> None:
    path = tmp_path / "<b>net.pt"
    path.write_bytes(gelu.read_bytes())
    shown = unskew.check(path, "torch==1.4")._repr_html_()
    assert "<table>" in shown and "&lt;b&gt;net.pt" in shown and "<b>net" not in shown
    assert "<table>" in unskew.inspect(gelu)._repr_html_()


def test_a_plugin_is_asked_in_the_sandbox_and_only_read_where_that_is_wanted(plugin: Path) -> None:
    asked = unskew.inspect(plugin)
    read = unskew.inspect(plugin, run="never")
    assert "it was not run" in read.parts[0].facts["known as"]
    assert "known as" not in asked.parts[0].facts
    assert asked.parts[0].to_dict()["provides"] == read.parts[0].to_dict()["provides"]
