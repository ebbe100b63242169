"""Which shared object JAX is given for a plug-in: the plug-in itself, or an adapted one in the cache of Unskew.

Judging runs the plug-in once, in the sandbox of `unskew`, if its digest is not that of a plug-in which is known. What
came of it is kept in the cache, by the path, the size and the time of the last change of the file.
"""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path

logger = logging.getLogger("unskew_jax")

#: The file of the cache in which a verdict stands.
VERDICT = "verdict.json"

#: The rule about features of JAX that end the process on a plug-in without the extension that they call.
ENDS_THE_PROCESS = "PJ111"


def usable(name: str, library: str) -> str:
    """The path of the shared object that this JAX can use for the platform `name`."""
    try:
        return _usable(name, library)
    except Exception as error:  # JAX goes on as if this package were not there.
        logger.warning("%s: %s is used as it is: %s", name, library, error)
        return library


def _usable(name: str, library: str) -> str:
    import jax

    # Only now: a JAX without plug-ins does not pay for it.
    from unskew import _install

    kept = _install.cache("jax", _install.state_of(library), jax.__version__)
    verdict = _read(kept / VERDICT)
    if verdict is None:
        verdict = _judge(name, library, jax.__version__, kept)
        _write(kept / VERDICT, verdict)
    if verdict["warning"]:
        logger.warning("%s: %s is used as it is: %s", name, library, verdict["warning"])
    if verdict["adapted"] is None:
        logger.debug("%s: jax %s can use %s as it is", name, jax.__version__, library)
        return library
    logger.info("%s: jax %s uses %s through %s: %s", name, jax.__version__, library, *_said(verdict))
    return str(verdict["adapted"])


def _said(verdict: dict[str, object]) -> tuple[object, object]:
    return verdict["adapted"], verdict["reason"]


def _judge(name: str, library: str, version: str, kept: Path) -> dict[str, object]:
    import unskew

    report = unskew.check(library, f"jax=={version}")
    errors = [one for one in report.findings if one.severity == "error"]
    reason = "; ".join(f"{one.code} {one.message}" for one in errors)
    nothing = {"adapted": None, "reason": reason, "warning": None}
    if not errors:
        # Said once, when the verdict is made: an adapter would hide extensions that most programs need more.
        for one in report.findings:
            if one.code == ENDS_THE_PROCESS:
                logger.warning("%s: %s", name, one.message)
        return nothing
    platform = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    try:
        made = unskew.adapt(library, jax=version, out=kept, name=platform)
    except unskew.AdaptError as error:
        return {**nothing, "warning": f"{reason}; and no adapter helps: {error}"}
    left = [one for one in unskew.check(made.path, f"jax=={version}").findings if one.severity == "error"]
    if left:
        return {**nothing, "warning": "; ".join(f"{one.code} {one.message}" for one in left)}
    return {**nothing, "adapted": str(made.path)}


def _read(path: Path) -> dict[str, object] | None:
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(verdict, dict) and {"adapted", "reason", "warning"} <= set(verdict)
    there = whole and (verdict["adapted"] is None or os.path.isfile(verdict["adapted"]))
    return verdict if there else None


def _write(path: Path, verdict: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_name(f"{VERDICT}.{os.getpid()}")
    own.write_text(json.dumps(verdict), encoding="utf-8")
    os.replace(own, path)
