"""`unskew.run`: models with arrays of numpy."""

from __future__ import annotations

from pathlib import Path

import pytest

import unskew

numpy = pytest.importorskip("numpy")


def test_a_model_of_1_4_divides_as_it_did(root: Path) -> None:
    model = root / "crates/cli/tests/files/div-1.4.0.pt"
    sevens = numpy.load(root / "crates/cli/tests/files/sevens.npy")
    twos = numpy.load(root / "crates/cli/tests/files/twos.npy")
    for release in (None, "1.4"):
        found = unskew.run(model, sevens, twos, torch=release)
        assert found["0"].dtype == numpy.int64 and found["0"].tolist() == [3, -3, 2]


def test_results_are_mapped_and_can_be_written_into(root: Path) -> None:
    model = root / "crates/cli/tests/files/div-1.4.0.pt"
    found = unskew.run(model, [7, -7], [2, 2])["0"]
    assert isinstance(found, numpy.memmap)
    found[0] = 5
    assert found.tolist()[0] == 5


def test_what_cannot_be_run_raises_with_the_message_of_the_interpreter(root: Path) -> None:
    model = root / "crates/cli/tests/files/div-1.4.0.pt"
    with pytest.raises(unskew.UnskewError, match="called without b"):
        unskew.run(model, numpy.ones(3))
    with pytest.raises(unskew.UnskewError, match="TorchScript"):
        unskew.run(root / "examples/add-cast.pb")
