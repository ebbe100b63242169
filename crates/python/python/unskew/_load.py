"""What the loaders of `unskew.torch` and `unskew.tensorflow` share: an artifact that the running framework takes."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence, Tuple, Union

from . import _api, _install
from ._native import ConversionError, ReleaseError, UnskewError, shown
from ._results import CheckReport, Conversion, Finding, Unjudged

logger = logging.getLogger("unskew")


class LoadRefused(UnskewError):
    """What is loaded cannot work with this framework; `findings` say why."""

    def __init__(self, text: str, findings: Tuple[Finding, ...]):
        super().__init__(text)
        self.findings = findings


class UnskewWarning(UserWarning):
    """What is loaded works with this framework, and computes something else: nothing else will say so."""


@dataclass(frozen=True)
class Prepared:
    """An artifact that the running framework takes, as far as it was judged."""

    #: What to load: the artifact itself, or a copy in the cache that was converted.
    path: Path
    #: What was done to the copy; None for the artifact itself.
    conversion: Optional[Conversion]
    #: What the framework says to the artifact; None if its release is not known.
    report: Optional[CheckReport]

    @property
    def unjudged(self) -> Tuple[Unjudged, ...]:
        """What was not looked at."""
        return self.report.unjudged if self.report is not None else ()


def prepare(
    path: Union[str, "os.PathLike[str]"], family: str, version: str, allow: Sequence[str] = ()
) -> Prepared:
    """Judges an artifact for a release, and converts it in the cache if it needs that.

    Raises `LoadRefused` if the release does not take it and no exact conversion is known.
    """
    artifact = Path(path)
    release = f"{family}=={version.split('+')[0]}"
    try:
        report = _api.check(artifact, release, run="never")
    except ReleaseError as error:
        logger.warning("%s is loaded as it is, and not judged: %s", shown(str(artifact)), error)
        return Prepared(artifact, None, None)
    errors = tuple(one for one in report.findings if one.severity == "error")
    if not errors:
        _warn(artifact, release, report)
        return Prepared(artifact, None, report)
    try:
        conversion = _api.convert(artifact, release, allow=allow)
    except ConversionError as error:
        raise LoadRefused(_text(artifact, release, errors), errors) from error
    if not conversion.possible:
        blockers = conversion.blockers or errors
        raise LoadRefused(_text(artifact, release, blockers), blockers)
    place = _install.cache("converted", _install.digest_of(artifact), *[release, *sorted(allow)]) / artifact.name
    if not place.exists():
        _write(artifact, release, allow, place)
    for rewrite in conversion.rewrites:
        logger.info("%s: converted for %s: %s", shown(str(artifact)), release, rewrite)
    _warn(artifact, release, _api.check(place, release, run="never"))
    return Prepared(place, conversion, report)


def _warn(artifact: Path, release: str, report: CheckReport) -> None:
    """Warns of findings that show in no error, at the line outside of this package that loads."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    for one in report.findings:
        if one.phase == "silent":
            text = shown(f"{artifact} with {release}: {one.code} {one.message}")
            warnings.warn(text, UnskewWarning, stacklevel=level)


def _write(artifact: Path, release: str, allow: Sequence[str], place: Path) -> None:
    """Two processes may do this at once: each writes its own, and the first one stays."""
    place.parent.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        _api.convert(artifact, release, own / artifact.name, allow=allow)
        try:
            os.rename(own / artifact.name, place)
        except OSError:
            if not place.exists():
                raise
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _text(artifact: Path, release: str, findings: Tuple[Finding, ...]) -> str:
    lines = [shown(f"{artifact} cannot be loaded by {release}")]
    for one in findings:
        lines.append(shown(f"  {one.code} {one.message}"))
        if one.fix:
            lines.append(shown(f"    fix: {one.fix}"))
    return "\n".join(lines)
