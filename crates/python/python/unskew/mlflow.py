"""Judges models of an MLflow registry, and writes the verdicts as tags of their versions.

    import unskew.mlflow

    unskew.mlflow.judge("models:/net/3", "torch==2.1")     # says it
    unskew.mlflow.tag("net", 3, "torch==2.1")              # says it, and writes tags

By itself, for every version that is registered: put `unskew+` before the address of the registry.

    mlflow.set_registry_uri("unskew+http://127.0.0.1:5000")

Releases are those of the tag `unskew/with` of the registered model, such as `torch==2.1, torch==2.6`, else those of the
variable `UNSKEW_MLFLOW_WITH`. A version gets the tags that `unskew scan --report` writes, `unskew/torch/2.1` with outcome
and rules, `unskew/as_of` and `unskew/by`, and `unskew/torch/2.1/why` with the reasons. A registration never fails because of
that: what goes wrong is a warning of the logger `unskew` and the tag `unskew/failed`.
"""

from __future__ import annotations

import datetime
import logging
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import mlflow
from mlflow.entities.model_registry import ModelVersionTag

from . import _api
from ._native import VERSION, ReadError, UnknownFormat, shown
from ._results import CheckReport, Pair

__all__ = ["ModelVerdict", "judge", "registry_store", "tag"]

_log = logging.getLogger("unskew")

#: The tag of a registered model, and the variable, with the releases that its versions are judged for.
WITH_TAG = "unskew/with"
WITH_VARIABLE = "UNSKEW_MLFLOW_WITH"

#: The tag of a version that could not be judged at all.
FAILED_TAG = "unskew/failed"

#: What the address of a registry begins with whose versions are judged when they are registered.
PREFIX = "unskew+"

#: The most letters of a tag of a model version that every MLflow takes.
LONGEST = 500

#: What MLflow itself writes beside a model.
_OF_MLFLOW = frozenset(
    ["MLmodel", "conda.yaml", "input_example.json", "python_env.yaml", "registered_model_meta", "requirements.txt"]
)

#: From the best to the worst. A file that does not belong to the release says nothing about it.
_OUTCOMES = ("unrelated", "compatible", "adaptable", "unjudged", "incompatible")


@dataclass(frozen=True)
class ModelVerdict:
    """What a model, of one file or several, and a release have to say to each other."""

    #: As it was given: `torch==2.1`.
    release: str
    #: The worst of all files: `compatible`, `adaptable`, `unjudged`, `incompatible`; `unrelated` if no file is for such a
    #: release.
    outcome: str
    #: The reasons, worst first: findings, what was not judged, files that could not be read.
    why: Tuple[str, ...]
    #: What each file of the model says, by its path in the model.
    reports: Dict[str, CheckReport]

    @property
    def compatible(self) -> bool:
        """Whether all of the model was judged and works there as it is."""
        return self.outcome == "compatible"

    @property
    def codes(self) -> Tuple[str, ...]:
        """The rules that speak in it."""
        pairs = [pair for report in self.reports.values() for pair in report.pairs if pair.outcome != "unrelated"]
        return tuple(sorted({finding.code for pair in pairs for finding in pair.findings}))

    @property
    def key(self) -> str:
        """The name of its tag: `unskew/torch/2.1`."""
        name = re.sub(r"==|@", "/", self.release)
        return "unskew/" + re.sub(r"[^\w. :/-]", "_", name)

    def tags(self) -> Dict[str, str]:
        """Its tags: `incompatible: PT101, OP102`, and the reasons."""
        verdict = f"{self.outcome}: {', '.join(self.codes)}" if self.codes else self.outcome
        tags = {self.key: _short(verdict)}
        if self.why:
            tags[f"{self.key}/why"] = _short("\n".join(self.why))
        return tags

    def __str__(self) -> str:
        return "\n  ".join(map(shown, [f"{self.release}: {self.outcome}", *self.why]))


def judge(model: Union[str, "os.PathLike[str]"], *with_: str) -> Tuple[ModelVerdict, ...]:
    """Judges a model for each of the releases: `judge("models:/net/3", "torch==2.1", "torch==2.6")`.

    `model` is the folder of a model, or a URI that MLflow resolves (`models:/`, `runs:/`, `s3://`, …), whose files are
    fetched into a folder that is deleted again. No code of the model is run.

    Raises `ReleaseError` for a release that is not in the database.
    """
    if not with_:
        raise TypeError("judge() needs releases, such as 'torch==2.1'")
    if Path(model).exists():
        return _judge(Path(model), with_)
    with tempfile.TemporaryDirectory(prefix="unskew-") as folder:
        fetched = mlflow.artifacts.download_artifacts(artifact_uri=os.fspath(model), dst_path=folder)
        return _judge(Path(fetched), with_)


def tag(
    name: str, version: Union[int, str], *with_: str, client: Optional[mlflow.MlflowClient] = None
) -> Tuple[ModelVerdict, ...]:
    """Judges a version of a registered model and writes the verdicts as its tags.

    Without releases, those of the tag `unskew/with` of the registered model or of `UNSKEW_MLFLOW_WITH` are taken.
    """
    client = client or mlflow.MlflowClient()
    with_ = with_ or _with(dict(client.get_registered_model(name).tags))
    if not with_:
        raise TypeError(f"tag() needs releases: as arguments, in the tag {WITH_TAG} of {name}, or in {WITH_VARIABLE}")
    source = client.get_model_version_download_uri(name, str(version))
    verdicts = judge(source, *with_)
    for key, value in _tags(verdicts).items():
        client.set_model_version_tag(name, str(version), key, value)
    return verdicts


def registry_store(store_uri: str, tracking_uri: Optional[str] = None) -> Any:
    """The store behind `unskew+http://…`: that of the address without the prefix, which judges what it registers.

    MLflow calls this by the entry point `mlflow.model_registry_store`.
    """
    from mlflow.tracking._model_registry.utils import _get_store_registry

    uri = store_uri[len(PREFIX) :] if store_uri.startswith(PREFIX) else store_uri
    store = _get_store_registry().get_store_builder(uri)(store_uri=uri, tracking_uri=tracking_uri)
    create = store.create_model_version

    def create_model_version(name: str, *args: Any, **others: Any) -> Any:
        version = create(name, *args, **others)
        try:
            tags = _tags_of(store, name, version.version)
        except Exception as error:  # noqa: BLE001 - the version is registered, whatever becomes of its tags
            _log.warning("%s %s was not judged: %s", name, version.version, error)
            tags = {FAILED_TAG: _short(str(error))}
        for key, value in tags.items():
            try:
                store.set_model_version_tag(name, version.version, ModelVersionTag(key, value))
            except Exception as error:  # noqa: BLE001
                _log.warning("%s %s: the tag %s was not written: %s", name, version.version, key, error)
        return version

    store.create_model_version = create_model_version
    return store


def _tags_of(store: Any, name: str, version: Any) -> Dict[str, str]:
    with_ = _with(dict(store.get_registered_model(name).tags))
    if not with_:
        _log.info("%s %s was not judged: no releases in %s or %s", name, version, WITH_TAG, WITH_VARIABLE)
        return {}
    verdicts = judge(store.get_model_version_download_uri(name, version), *with_)
    for verdict in verdicts:
        _log.info("%s %s with %s", name, version, verdict)
    return _tags(verdicts)


def _tags(verdicts: Tuple[ModelVerdict, ...]) -> Dict[str, str]:
    tags = {"unskew/as_of": datetime.date.today().isoformat(), "unskew/by": f"unskew {VERSION}"}
    for verdict in verdicts:
        tags.update(verdict.tags())
    return tags


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _with(tags: Dict[str, str]) -> Tuple[str, ...]:
    text = tags.get(WITH_TAG) or os.environ.get(WITH_VARIABLE, "")
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _judge(folder: Path, with_: Tuple[str, ...]) -> Tuple[ModelVerdict, ...]:
    known: Dict[str, Path] = {}
    broken: List[str] = []
    for path in _artifacts(folder):
        name = path.relative_to(folder).as_posix() if path != folder else path.name
        try:
            _api.inspect(path, run="never")
            known[name] = path
        except UnknownFormat:
            continue
        except ReadError as error:
            broken.append(f"not read: {name}: {error}")
    if not known and not broken:
        broken.append("not judged: no file of the model is of a kind that Unskew knows")
    return tuple(_verdict(release, known, broken) for release in with_)


def _verdict(release: str, known: Dict[str, Path], broken: List[str]) -> ModelVerdict:
    reports = {name: _api.check(path, release, run="never") for name, path in known.items()}
    outcome, reasons = "unrelated", [(0, line) for line in broken]
    for name, report in reports.items():
        reasons.extend((0, f"not read: {name}: {failure}") for failure in report.failures)
        for pair in report.pairs:
            outcome = max(outcome, pair.outcome, key=_OUTCOMES.index)
            reasons.extend(_reasons(name, pair))
    reasons.sort(key=lambda reason: reason[0])
    # Nothing is said to work, or not to belong here, of which a part was not looked at.
    if reasons and reasons[0][0] == 0:
        outcome = max(outcome, "unjudged", key=_OUTCOMES.index)
    return ModelVerdict(release, outcome, tuple(line for _, line in reasons), reports)


def _reasons(name: str, pair: Pair) -> Iterator[Tuple[int, str]]:
    if pair.outcome == "unrelated":
        return
    ranks = {"error": 1, "warning": 3}
    for finding in pair.findings:
        yield ranks.get(finding.severity, 4), f"{finding.severity} {finding.code} {name}: {finding.message}"
    for unjudged in pair.unjudged:
        yield 2, f"not judged: {name}: {unjudged.aspect}: {unjudged.reason}"


def _artifacts(path: Path) -> Iterator[Path]:
    """The files of a model, and its folders that are one artifact."""
    if path.is_file() or (path / "saved_model.pb").exists() or (path / "saved_model.pbtxt").exists():
        yield path
        return
    for one in sorted(path.iterdir()):
        if one.name not in _OF_MLFLOW and not one.is_symlink():
            yield from _artifacts(one)
