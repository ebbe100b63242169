"""`unskew.tensorflow` with a real TensorFlow. `cargo xtask test --real` runs this; without it, this is skipped."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
    from tensorflow.core.protobuf import saved_model_pb2
except ImportError as error:
    raise unittest.SkipTest(f"no TensorFlow here: {error}") from None

import unskew.tensorflow

MODEL = Path(__file__).resolve().parents[4] / "corpus" / "written" / "dense"


class Load(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = Path(self.folder.name)
        os.environ["UNSKEW_CACHE"] = str(self.place / "cache")

    def test_a_model_that_this_tensorflow_takes_is_loaded_as_it_is(self) -> None:
        ready = unskew.tensorflow.prepare(MODEL)
        self.assertEqual(ready.path, MODEL)
        self.assertTrue(unskew.tensorflow.load(MODEL).signatures)

    def test_a_model_with_an_op_that_no_release_has_is_refused_with_the_name_of_the_op(self) -> None:
        copy = self.place / "model"
        shutil.copytree(MODEL, copy)
        file = copy / "saved_model.pb"
        model = saved_model_pb2.SavedModel.FromString(file.read_bytes())
        graph = model.meta_graphs[0].graph_def
        node = next(node for function in graph.library.function for node in function.node_def if node.op == "MatMul")
        node.op = "NoSuchOp"
        file.write_bytes(model.SerializeToString())
        with self.assertRaises(unskew.tensorflow.LoadRefused) as raised:
            unskew.tensorflow.load(copy)
        self.assertIn("NoSuchOp", str(raised.exception))
        self.assertTrue(raised.exception.findings)


if __name__ == "__main__":
    unittest.main()
