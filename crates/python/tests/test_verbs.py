"""`matrix`, `convert`, `adapt`, `releases`, `operators`, `explain`."""

from __future__ import annotations

import csv
import datetime
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import List, Tuple

import pytest

import unskew


def test_a_matrix_has_an_outcome_for_every_pair(root: Path, gelu: Path) -> None:
    graph = root / "examples" / "add-cast.pb"
    found = unskew.matrix([gelu, graph], ["torch==1.4", "tensorflow>=2.20"])
    assert found.rows == (str(gelu), str(graph))
    assert found.outcome(str(gelu), "torch@1.4.0") == "incompatible"
    assert found.outcome(str(gelu), "tensorflow@2.21.0") == "unrelated"
    assert len(found.pairs) == len(found.rows) * len(found.columns)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == len(found.pairs) and rows[0]["outcome"] == "incompatible"
    assert found.to_html().startswith("<!doctype html>") and "<table>" in found._repr_html_()
    assert "torch" in str(found)


def test_a_row_that_cannot_be_read_says_why(root: Path, gelu: Path) -> None:
    found = unskew.matrix([gelu, root / "examples" / "README.md"], ["torch==1.4"])
    assert [row[0] for row in found.outcomes] == ["incompatible", "unread"]
    assert "README.md" in found.failures[0].message


def test_one_name_is_no_list(gelu: Path) -> None:
    with pytest.raises(TypeError, match="a list of names"):
        unskew.matrix(gelu, ["torch"])  # type: ignore[arg-type]


def test_progress_is_told_and_an_exception_of_it_ends_the_work(root: Path, gelu: Path) -> None:
    told: List[Tuple[int, int]] = []
    unskew.matrix([gelu], ["torch"], progress=lambda done, of: told.append((done, of)))
    assert told and told[-1][0] == told[-1][1] > 20

    class Enough(Exception):
        pass

    def stop(done: int, of: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        unskew.matrix([gelu] * 40, ["all"], progress=stop)


def test_other_threads_go_on_while_unskew_works(gelu: Path) -> None:
    counted = [0]
    over = threading.Event()

    def count() -> None:
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        unskew.matrix([gelu] * 10, ["all"])
        assert counted[0] > before + 3
    finally:
        over.set()
        thread.join()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_ends_the_call(gelu: Path) -> None:
    program = (
        "import signal, sys, unskew\n"
        # Shells have what they start in the background ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('begun', flush=True)\n"
        "try:\n"
        "    while True: unskew.matrix([sys.argv[1]] * 200, ['all'])\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    asked = [sys.executable, "-c", program, str(gelu)]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted\n"
    assert child.returncode == 0


def test_a_conversion_writes_what_the_release_takes(gelu: Path, tmp_path: Path) -> None:
    out = tmp_path / "old.pt"
    planned = unskew.convert(gelu, to="torch==1.4")
    assert planned.possible and planned.written is None and not out.exists()
    done = unskew.convert(gelu, to="torch==1.4", out=out)
    assert done.written == out and out.exists() and done.rewrites
    assert all(not rewrite.lossy for rewrite in done.rewrites)
    assert not any(one.severity == "error" for one in unskew.check(out, "torch==1.4").findings)
    assert "<table>" in done._repr_html_()


def test_what_cannot_be_converted_raises_and_what_must_not_be_is_not_written(gelu: Path, tmp_path: Path) -> None:
    with pytest.raises(unskew.ConversionError, match="nothing that can be converted"):
        unskew.convert(gelu, to="jax==0.6.2")
    with pytest.raises(unskew.ReleaseError):
        unskew.convert(gelu, to="torch==99.0")
    copy = tmp_path / "net.pt"
    copy.write_bytes(gelu.read_bytes())
    with pytest.raises(unskew.QuestionError, match="never changed"):
        unskew.convert(copy, to="torch==1.4", out=copy)
    with pytest.raises(unskew.QuestionError, match="no such folder"):
        unskew.convert(copy, to="torch==1.4", out=tmp_path / "nowhere" / "net.pt")


def test_an_adapted_plugin_presents_the_version_of_its_host(plugin: Path, tmp_path: Path) -> None:
    made = unskew.adapt(plugin, jax="0.6.2", out=tmp_path, name="vcpu")
    assert made.path == tmp_path / "vcpu.so" and made.presents == "0.70"
    assert (tmp_path / "vcpu.toml").exists()
    assert made.env == {"PJRT_NAMES_AND_LIBRARY_PATHS": f"vcpu:{made.path}", "JAX_PLATFORMS": "vcpu"}
    assert any(finding.adaptation for finding in made.report.findings)
    seen = unskew.check(made.path, "jax==0.6.2")
    assert not any(finding.severity == "error" for finding in seen.findings), str(seen)


def test_without_a_folder_an_adapted_plugin_stands_in_the_cache(plugin: Path) -> None:
    made = unskew.adapt(plugin, jax="0.7.2")
    assert Path(os.environ["UNSKEW_CACHE"]) in made.path.parents


def test_what_is_no_plugin_is_not_adapted(gelu: Path, tmp_path: Path) -> None:
    with pytest.raises(unskew.AdaptError, match="not a PJRT plug-in"):
        unskew.adapt(gelu, jax="0.6.2", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(unskew.AdaptError, match="no such plug-in"):
        unskew.adapt("nowhere.so", jax="0.6.2", out=tmp_path)


def test_releases_have_a_day_and_their_versions() -> None:
    found = unskew.releases("torch")
    days = [release.released for release in found]
    assert len(days) > 20 and days == sorted(days)  # type: ignore[type-var]
    assert datetime.date(2026, 10, 28) in days
    (one,) = unskew.releases("torch@2.1")
    assert one.version == "2.1.2" and one.axes and one.judged_as is None
    (older,) = unskew.releases("torch==2.1.0")
    assert older.judged_as and "2.1.2" in older.judged_as
    assert len(unskew.releases()) > len(found)
    with pytest.raises(unskew.ReleaseError, match="did you mean"):
        unskew.releases("torhc")


def test_operators_have_a_first_release() -> None:
    found = unskew.operators("torch==2.1", "aten::gelu")
    assert found[0].text.startswith("aten::gelu(Tensor self") and found[0].since


def test_a_rule_is_found_by_code_and_by_name() -> None:
    rule = unskew.explain("pt002")
    assert rule.code == "PT002" and rule == unskew.explain(rule.name)
    assert rule.fix in str(rule) and "<table>" in rule._repr_html_()
    with pytest.raises(unskew.UnskewError, match="no rule"):
        unskew.explain("XX999")


def test_an_exception_and_its_text_lead_to_the_rule() -> None:
    text = "Attempted to read a PyTorch file with version 10, but the maximum supported version for reading is 6."
    answer = unskew.explain(RuntimeError(text))
    (match,) = answer.matches
    assert match.codes == ("PT002",) and match.values == {"found": "10", "max": "6"}
    assert match.command.endswith("--with torch@1.10.2")
    assert unskew.explain(text).matches == answer.matches
    assert str(answer).startswith("PT002 file-format-too-new")


def test_a_text_that_nobody_knows_has_no_matches() -> None:
    answer = unskew.explain("CUDA out of memory. Tried to allocate 288.00 MiB")
    assert answer.matches == () and str(answer) == "no rule knows this text"


def test_an_error_that_is_of_no_version_says_so() -> None:
    answer = unskew.explain("Op type not registered 'OfNobody' in binary running on host")
    assert answer.matches == () and "OfNobody" in answer.not_versions[0]
