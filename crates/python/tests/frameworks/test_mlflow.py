"""`unskew.mlflow` with a real MLflow and its server. `cargo xtask test --real` runs this; without MLflow it is skipped."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

try:
    import mlflow
except ImportError as error:
    raise unittest.SkipTest(f"no MLflow here: {error}") from None

import unskew
import unskew.mlflow

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"

#: Ends with its standard input, so that a test which is killed leaves no server behind.
SERVER = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
import uvicorn
uvicorn.run('mlflow.server.fastapi_app:app', host='127.0.0.1', port=0)
"""

MLMODEL = "artifact_path: model\nflavors:\n  python_function:\n    loader_module: mlflow.pytorch\n"


class Registry(unittest.TestCase):
    server: subprocess.Popen[bytes]
    address: str
    folder: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        place = Path(cls.folder.name)
        os.environ["UNSKEW_CACHE"] = str(place / "cache")
        settings = {
            "_MLFLOW_SERVER_FILE_STORE": f"sqlite:///{place / 'mlflow.db'}",
            "_MLFLOW_SERVER_ARTIFACT_ROOT": "mlflow-artifacts:/",
            "_MLFLOW_SERVER_ARTIFACT_DESTINATION": str(place / "artifacts"),
            "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
        }
        cls.server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **settings},
        )
        assert cls.server.stderr is not None
        said = b""
        for line in cls.server.stderr:
            said += line
            found = re.search(rb"unning on (http://[0-9.:]+)", line)
            if found:
                cls.address = found.group(1).decode()
                break
        else:
            raise AssertionError(said.decode())
        mlflow.set_tracking_uri(cls.address)
        mlflow.MlflowClient().search_experiments(max_results=1)
        mlflow.MlflowClient().search_registered_models(max_results=1)

    @classmethod
    def tearDownClass(cls) -> None:
        assert cls.server.stdin is not None and cls.server.stderr is not None
        cls.server.stdin.close()
        cls.server.wait(30)
        cls.server.stderr.close()
        cls.folder.cleanup()

    def setUp(self) -> None:
        mlflow.set_registry_uri(self.address)
        os.environ.pop("UNSKEW_MLFLOW_WITH", None)
        self.client = mlflow.MlflowClient()

    def logged(self, **files: str) -> str:
        """Logs a model of these examples; the run that has it."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "data").mkdir()
            (Path(folder) / "MLmodel").write_text(MLMODEL)
            (Path(folder) / "requirements.txt").write_text("torch\n")
            for name, example in files.items():
                shutil.copy(EXAMPLES / example, Path(folder) / "data" / name)
            with mlflow.start_run() as run:
                mlflow.log_artifacts(folder, "model")
                return str(run.info.run_id)

    def version(self, name: str, run: str, address: str) -> "mlflow.entities.model_registry.ModelVersion":
        """Registers the model of a run."""
        source = f"{self.client.get_run(run).info.artifact_uri}/model"
        version = mlflow.MlflowClient(registry_uri=address).create_model_version(name, source, run_id=run)
        return self.client.get_model_version(name, version.version)

    def test_a_version_that_is_registered_is_judged_by_itself(self) -> None:
        self.client.create_registered_model("net", tags={"unskew/with": "torch==1.4, torch==2.15"})
        run = self.logged(model="gelu-2.15.0.pt")
        version = self.version("net", run, f"unskew+{self.address}")
        expected = {release: unskew.check(EXAMPLES / "gelu-2.15.0.pt", f"torch=={release}") for release in ("1.4", "2.15")}
        for release, report in expected.items():
            self.assertEqual(version.tags[f"unskew/torch/{release}"].split(":")[0], report.pairs[0].outcome)
            for finding in report.findings:
                self.assertIn(finding.code, version.tags[f"unskew/torch/{release}"])
        self.assertNotEqual(version.tags["unskew/torch/1.4"], version.tags["unskew/torch/2.15"])
        self.assertIn("data/model: ", version.tags["unskew/torch/1.4/why"])
        self.assertEqual(version.tags["unskew/by"], f"unskew {unskew.__version__}")
        found = self.client.search_model_versions("tags.`unskew/torch/2.15` = 'compatible'")
        found = [one for one in found if one.name == "net"]
        self.assertEqual([one.name for one in found], ["net"])

    def test_mlflow_s_own_function_registers_and_judges(self) -> None:
        os.environ["UNSKEW_MLFLOW_WITH"] = "torch==2.15"
        mlflow.set_registry_uri(f"unskew+{self.address}")
        run = self.logged(model="gelu-2.15.0.pt")
        version = mlflow.register_model(f"runs:/{run}/model", "by-function")
        tags = self.client.get_model_version("by-function", version.version).tags
        self.assertEqual(tags["unskew/torch/2.15"], "compatible")
        # The registry does all that it does without the prefix.
        fetched = mlflow.artifacts.download_artifacts("models:/by-function/1")
        self.assertTrue((Path(fetched) / "data" / "model").exists())

    def test_an_address_without_the_prefix_and_a_model_without_releases_are_left_alone(self) -> None:
        self.client.create_registered_model("plain", tags={"unskew/with": "torch==2.15"})
        run = self.logged(model="gelu-2.15.0.pt")
        self.assertEqual(self.version("plain", run, self.address).tags, {})
        self.client.create_registered_model("without")
        self.assertEqual(self.version("without", run, f"unskew+{self.address}").tags, {})

    def test_a_registration_does_not_fail_with_the_judgement(self) -> None:
        self.client.create_registered_model("odd", tags={"unskew/with": "torch==99.1"})
        with self.assertLogs("unskew", "WARNING"):
            version = self.version("odd", self.logged(model="gelu-2.15.0.pt"), f"unskew+{self.address}")
        self.assertIn("99.1", version.tags["unskew/failed"])
        self.assertNotIn("unskew/torch/99.1", version.tags)

    def test_versions_that_are_there_are_judged_and_tagged(self) -> None:
        self.client.create_registered_model("old")
        self.version("old", self.logged(a="gelu-2.15.0.pt", b="div-2.4.1.pt2"), self.address)
        (verdict,) = unskew.mlflow.judge("models:/old/1", "torch==1.4")
        self.assertEqual(sorted(verdict.reports), ["data/a", "data/b"])
        self.assertEqual(self.client.get_model_version("old", "1").tags, {})
        self.assertEqual(unskew.mlflow.tag("old", 1, "torch==1.4")[0].outcome, verdict.outcome)
        self.assertEqual(self.client.get_model_version("old", "1").tags[verdict.key].split(":")[0], verdict.outcome)
        with self.assertRaisesRegex(TypeError, "unskew/with"):
            unskew.mlflow.tag("old", 1)

    def test_what_was_not_looked_at_is_not_said_to_work(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "MLmodel").write_text(MLMODEL)
            (place / "model.pkl").write_bytes(b"no format at all")
            (verdict,) = unskew.mlflow.judge(place, "torch==2.15")
            self.assertEqual(verdict.outcome, "unjudged")
            # A model with a broken file beside a good one.
            shutil.copy(EXAMPLES / "gelu-2.15.0.pt", place / "model.pt")
            whole = (EXAMPLES / "gelu-2.15.0.pt").read_bytes()
            (place / "cut.pt").write_bytes(whole[: len(whole) // 2])
            (verdict,) = unskew.mlflow.judge(place, "torch==2.15")
            self.assertEqual(verdict.outcome, "unjudged")
            self.assertTrue(any("cut.pt" in line for line in verdict.why), verdict.why)
            # TensorFlow has nothing to say to it, and that is no verdict either.
            (place / "cut.pt").unlink()
            (verdict,) = unskew.mlflow.judge(place, "tensorflow==2.15")
            self.assertEqual((verdict.outcome, verdict.compatible), ("unrelated", False))


if __name__ == "__main__":
    unittest.main()
