"""The functions of `unskew`."""

from __future__ import annotations

import datetime
import json
import os
import traceback
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, Iterable, Optional, Sequence, Tuple, Union, overload

from . import _install, _native
from ._results import (
    AdaptedPlugin,
    CheckReport,
    Conversion,
    Explanation,
    Failure,
    Finding,
    Inspection,
    Matrix,
    Operator,
    Pair,
    Part,
    Release,
    Rewrite,
    Rule,
)

#: A path, a URI or a release.
Name = Union[str, "os.PathLike[str]"]
#: The same, or bytes, or a binary file object that can seek.
Artifact = Union[str, "os.PathLike[str]", bytes, BinaryIO]
#: Called now and then with how many steps are done, and of how many; an exception of it ends the work.
Progress = Optional[Callable[[int, int], object]]
#: A day, or as text: `2026-11-01`.
Day = Union[datetime.date, str, None]

#: The width of a table, in letters.
WIDTH = 120


def check(
    a: Artifact,
    *with_: Name,
    run: str = "named",
    verify: bool = False,
    as_of: Day = None,
    progress: Progress = None,
) -> CheckReport:
    """Judges whether `a` works with each of the others: `check("net.pt", "torch==2.1", "torch==1.10")`.

    `run` says which plug-ins are run to be asked: `"named"`, those given by their path, in a sandbox; `"never"`, none;
    `"all"`, every one, with your permissions. `verify` compares all checksums. Promises are judged as of today, or of
    the day `as_of`.

    Raises `ReadError`, `ReleaseError`, or `QuestionError` if two of one kind are given.
    """
    if not with_:
        raise TypeError("check() needs something to check with, such as 'torch==2.1'")
    report = _native.check(a, list(with_), _day(as_of), _reading(run, verify), progress)
    data = json.loads(report.json())
    return CheckReport(_failures(data), report.text("full"), data, pairs=_pairs(data))


def inspect(
    *what: Artifact,
    run: str = "named",
    verify: bool = False,
    as_of: Day = None,
    progress: Progress = None,
) -> Inspection:
    """Says what files are, and every version that they carry.

    What cannot be read stands in `failures`; if there is only one, and it cannot be read, that raises `ReadError`.
    """
    report = _native.inspect(what, _day(as_of), _reading(run, verify), progress)
    data = json.loads(report.json())
    failures = _failures(data)
    if len(what) == 1 and failures and not data["parties"]:
        text = failures[0].message
        signs = ("not a kind of file that Unskew knows", "not a model", "nothing to check in this")
        unknown = any(sign in text for sign in signs)
        raise (_native.UnknownFormat if unknown else _native.ReadError)(text)
    return Inspection(failures, report.text("full"), data, parts=tuple(map(Part._of, data["parties"])))


def matrix(
    rows: Iterable[Name],
    with_: Iterable[Name],
    *,
    run: str = "named",
    as_of: Day = None,
    progress: Progress = None,
) -> Matrix:
    """Judges every pair: `matrix(["a.pt", "b.pb"], ["torch", "tensorflow>=2.9"])`. A family means all its releases."""
    found = _native.matrix(_list(rows), _list(with_), _day(as_of), _reading(run, False), progress)
    data = json.loads(found.json())
    cells = found.cells()
    return Matrix(
        _failures(data),
        found.table(WIDTH),
        data,
        rows=tuple(found.rows()),
        columns=tuple(found.columns()),
        outcomes=tuple(tuple(outcome for outcome, _ in row) for row in cells),
        pairs=_pairs(data),
        _words=tuple(tuple(word for _, word in row) for row in cells),
        _csv=found.csv(),
        _html=found.html(),
    )


def convert(
    artifact: Name,
    to: str,
    out: Optional[Name] = None,
    *,
    allow: Sequence[str] = (),
    written_by: Optional[str] = None,
    verify: bool = False,
    as_of: Day = None,
    progress: Progress = None,
) -> Conversion:
    """Makes an artifact that the release `to` accepts, and writes it to `out`; without `out`, says what would be done.

    Nothing is written if something stands in the way: see `blockers`. A rewrite that may change a result is done only
    if `allow` has its name. `written_by` is the release that wrote a PyTorch file which does not say so.

    Raises `ConversionError` if nothing converts such a file, `WriteError` if the result cannot be written.
    """
    report = _native.convert(artifact, to, out, _day(as_of), list(allow), written_by, verify, progress)
    data = json.loads(report.json())
    (one,) = data["conversions"]
    return Conversion(
        _failures(data),
        report.text("full"),
        data,
        source=one["from"],
        to=one["to"],
        written=Path(one["written"]["path"]) if one["written"] else None,
        rewrites=tuple(map(Rewrite._of, one["rewrites"])),
        blockers=tuple(map(Finding._of, one["blockers"])),
        pairs=_pairs(data),
    )


def adapt(
    plugin: Name,
    *,
    jax: str,
    out: Optional[Name] = None,
    name: Optional[str] = None,
    run: str = "named",
    as_of: Day = None,
) -> AdaptedPlugin:
    """Makes a PJRT plug-in that a JAX of another age can use: `adapt("libpjrt_cpu.so", jax="0.6.2")`.

    The plug-in stays where it is and as it is. What is made stands in the folder `out`, or in the cache of Unskew, under
    `name` or the name of the plug-in, which is the name of the platform for JAX. The plug-in is run in the sandbox, to
    ask for its version.

    Raises `AdaptError`.
    """
    folder = Path(out) if out is not None else _install.cache("adapted", _install.state_of(plugin), jax)
    adapter = _install.adapter()
    reading = _reading(run, False)
    path, presents, report = _native.adapt(plugin, f"jax@{jax}", folder, name, adapter, _day(as_of), reading)
    data = json.loads(report.json())
    return AdaptedPlugin(Path(path), presents, CheckReport((), report.text("full"), data, pairs=_pairs(data)))


def releases(name: str = "all") -> Tuple[Release, ...]:
    """The releases that are known of a family or in a range: `releases("torch")`, `releases("jax>=0.6")`."""
    return tuple(map(Release._of, json.loads(_native.releases(name))))


def operators(release: str, pattern: str) -> Tuple[Operator, ...]:
    """The operators of a release whose names contain `pattern`: `operators("torch==2.1", "aten::gelu")`."""
    return tuple(Operator(*row) for row in _native.operators(release, pattern))


@overload
def explain(what: BaseException) -> Explanation: ...


@overload
def explain(what: str) -> Any: ...


def explain(what: Union[str, BaseException]) -> Union[Rule, Explanation]:
    """What an error means, or a rule.

    An exception, or the text of an error or a log: an `Explanation` with the rules it is of, what its numbers say, and what
    to run next. The code or the name of a rule, `explain("PT002")`: a `Rule`, with what it checks, why it matters and how
    to fix it.
    """
    if isinstance(what, BaseException):
        lines = traceback.format_exception(type(what), what, what.__traceback__)
        return _explained("".join(lines))
    try:
        return Rule._of(json.loads(_native.rule(what)))
    except _native.QuestionError:
        if not _native.is_error_text(what):
            raise
    return _explained(what)


def _explained(text: str) -> Explanation:
    data, printed = _native.explain_text(text)
    return Explanation._of(json.loads(data), printed)


def _day(day: Day) -> str:
    if day is None:
        day = datetime.date.today()
    return day if isinstance(day, str) else day.strftime("%Y-%m-%d")


def _reading(run: str, verify: bool) -> Dict[str, Any]:
    return {"run": run, "command": _install.command(), "verify": verify}


def _list(names: Iterable[Name]) -> list[Name]:
    if isinstance(names, (str, bytes, os.PathLike)):
        raise TypeError(f"a list of names, not one: [{os.fspath(names)!r}]")
    return list(names)


def _failures(data: Dict[str, Any]) -> Tuple[Failure, ...]:
    return tuple(map(Failure._of, data["failures"]))


def _pairs(data: Dict[str, Any]) -> Tuple[Pair, ...]:
    return tuple(map(Pair._of, data["pairs"]))
