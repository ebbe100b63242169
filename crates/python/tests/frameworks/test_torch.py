"""`unskew.torch` with a real PyTorch. `cargo xtask test --real` runs this; without PyTorch it is skipped."""

from __future__ import annotations

import os
import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

try:
    import torch
except (ImportError, OSError, ValueError) as error:
    raise unittest.SkipTest(f"no PyTorch here: {error}") from None

import unskew.torch

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples"


class Load(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = Path(self.folder.name)
        os.environ["UNSKEW_CACHE"] = str(self.place / "cache")

    def test_an_archive_that_this_pytorch_refuses_is_loaded_and_runs(self) -> None:
        old = EXAMPLES / "add-1.1.0.pt"
        with self.assertRaises(RuntimeError):
            torch.jit.load(str(old))
        with self.assertLogs("unskew", "INFO") as said:
            model = unskew.torch.load(old)
        self.assertIn("legacy-archive", "\n".join(said.output))
        one, two = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
        self.assertEqual(model(one, two).tolist(), [11.0, 22.0])

    def test_an_exported_program_of_an_older_schema_is_loaded(self) -> None:
        old = EXAMPLES / "div-2.4.1.pt2"
        with self.assertRaises(Exception):
            torch.export.load(str(old))
        self.assertIsInstance(unskew.torch.load(old), torch.export.ExportedProgram)

    def test_what_this_pytorch_takes_is_loaded_as_it_is(self) -> None:
        new = EXAMPLES / "gelu-2.15.0.pt"
        self.assertEqual(unskew.torch.prepare(new).path, new)
        self.assertFalse((self.place / "cache").exists())
        self.assertIsNotNone(unskew.torch.load(new, map_location="cpu"))

    def test_weights_are_loaded_and_code_in_a_pickle_is_named_and_never_run(self) -> None:
        weights = self.place / "weights.pt"
        torch.save({"weight": torch.arange(3.0)}, weights)
        self.assertEqual(unskew.torch.load(weights)["weight"].tolist(), [0.0, 1.0, 2.0])
        hostile = self.place / "hostile.pt"
        trace = self.place / "it-ran"

        class Hostile:
            def __reduce__(self) -> tuple[object, tuple[str]]:
                return os.mkdir, (str(trace),)

        torch.save({"weight": Hostile()}, hostile)
        with self.assertRaises((unskew.torch.LoadRefused, pickle.UnpicklingError)) as raised:
            unskew.torch.load(hostile)
        self.assertIn("mkdir", str(raised.exception))
        self.assertFalse(trace.exists())


if __name__ == "__main__":
    unittest.main()
