"""What the functions return: frozen dataclasses, made of the JSON of the command.

A class has the fields that programs use; `to_dict()` has all.
"""

from __future__ import annotations

import copy
import datetime
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ._native import shown, shown_lines

Json = Dict[str, Any]


def _json() -> Any:
    return field(default_factory=dict, repr=False, compare=False)


class _Value:
    """Something of which there is JSON."""

    _json: Json

    def to_dict(self) -> Json:
        """The part of the documented JSON that this is."""
        return copy.deepcopy(self._json)


@dataclass(frozen=True)
class Side(_Value):
    """One of two sides."""

    #: Such as `torch 2.1.2`, or the name of a file.
    name: str
    #: `artifact`, `runtime`, `plug-in` or `host`.
    role: str
    origin: str
    #: None for a release.
    path: Optional[str] = None
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Side:
        return cls(data["name"], data["role"], data["origin"], data.get("path"), data)

    def __str__(self) -> str:
        return shown(self.path or self.name)


@dataclass(frozen=True)
class Finding(_Value):
    """One reason."""

    #: Stable: `PT204`. `unskew.explain` tells more.
    code: str
    name: str
    #: `error`, `warning` or `note`.
    severity: str
    #: When it shows: `load`, `first use`, `silent`, or None if nothing fails.
    phase: Optional[str]
    message: str
    #: The side that it is about, and the other one.
    subject: Optional[Side]
    other: Optional[Side]
    #: Where in the file, the first few, and how many there are.
    places: Tuple[str, ...]
    places_count: int
    #: What the runtime prints when it fails.
    symptom: Optional[str]
    #: One command or edit.
    fix: Optional[str]
    #: The rewrite that `convert` or `adapt` would do about it.
    adaptation: Optional[str]
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Finding:
        subject, other = data["subject"], data["other"]
        return cls(
            data["code"],
            data["name"],
            data["severity"],
            data["phase"],
            data["message"],
            Side._of(subject) if subject else None,
            Side._of(other) if other else None,
            tuple(data["places"]),
            data["places_count"],
            data["symptom"],
            data["fix"],
            data["adaptation"],
            data,
        )

    def __str__(self) -> str:
        return shown(f"{self.severity} {self.code} {self.message}")


@dataclass(frozen=True)
class Unjudged(_Value):
    """An aspect that was not looked at."""

    #: `kernels`, `data`, …, or an axis that a side does not tell.
    aspect: str
    reason: str
    #: The command or option that has it judged, if there is one.
    remedy: Optional[str]
    places: Tuple[str, ...]
    places_count: int
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Unjudged:
        places = tuple(data["places"])
        return cls(data["aspect"], data["reason"], data["remedy"], places, data["places_count"], data)

    def __str__(self) -> str:
        return shown(f"not judged: {self.aspect}: {self.reason}")


@dataclass(frozen=True)
class Promise(_Value):
    """What the makers of one side promise about the pair."""

    policy: str
    #: `promised`, `expired`, `not promised` or `unknown`.
    state: str
    until: Optional[str]
    statement: str
    reference: str
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Promise:
        return cls(data["policy"], data["state"], data["until"], data["statement"], data["reference"], data)


@dataclass(frozen=True)
class Pair(_Value):
    """The verdict on two sides."""

    a: Side
    b: Side
    #: `compatible`, `adaptable`, `unjudged`, `incompatible` or `unrelated`.
    outcome: str
    #: `yes`, `no` or `not judged`; each includes those before it.
    loads: str
    runs: str
    means_the_same: str
    #: The rewrites after which it is compatible.
    adaptations: Tuple[str, ...]
    first_failure: Optional[str]
    findings: Tuple[Finding, ...]
    promises: Tuple[Promise, ...]
    unjudged: Tuple[Unjudged, ...]
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Pair:
        return cls(
            Side._of(data["a"]),
            Side._of(data["b"]),
            data["outcome"],
            data["loads"],
            data["runs"],
            data["means_the_same"],
            tuple(data["adaptations"]),
            data["first_failure"],
            tuple(map(Finding._of, data["findings"])),
            tuple(map(Promise._of, data["promises"])),
            tuple(map(Unjudged._of, data["unjudged"])),
            data,
        )

    @property
    def compatible(self) -> bool:
        """Whether the two work together as they are, all of it judged."""
        return self.outcome == "compatible"

    def __str__(self) -> str:
        return f"{self.a} with {self.b}: {self.outcome}"


@dataclass(frozen=True)
class Failure(_Value):
    """Something that could not be read."""

    path: str
    message: str
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Failure:
        return cls(data["path"], data["message"], data)

    def __str__(self) -> str:
        return "\n".join(shown_lines(self.message))


@dataclass(frozen=True)
class Rewrite(_Value):
    """One thing that a conversion does."""

    adaptation: str
    what: str
    places: Tuple[str, ...]
    places_count: int
    #: Whether it may change a result; then it is done only if it is allowed by name.
    lossy: bool
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Rewrite:
        places = tuple(data["places"])
        return cls(data["adaptation"], data["what"], places, data["places_count"], data["lossy"], data)

    def __str__(self) -> str:
        return shown(f"{self.adaptation}: {self.what}")


@dataclass(frozen=True)
class Part(_Value):
    """One thing that was looked at: a file, or a member of an archive."""

    path: str
    name: str
    role: str
    #: What it is, in words: `TorchScript archive`.
    kind: str
    #: What is known of it, by its label.
    facts: Mapping[str, str]
    findings: Tuple[Finding, ...]
    unjudged: Tuple[Unjudged, ...]
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Part:
        return cls(
            data["path"],
            data["name"],
            data["role"],
            data["kind"],
            {fact["label"]: fact["value"] for fact in data["facts"]},
            tuple(map(Finding._of, data["findings"])),
            tuple(map(Unjudged._of, data["unjudged"])),
            data,
        )


@dataclass(frozen=True)
class _Document(_Value):
    """A whole report."""

    #: What could not be read, beside what could.
    failures: Tuple[Failure, ...]
    _text: str = field(default="", repr=False, compare=False)
    _json: Json = _json()

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def _rows(self) -> Iterator[List[str]]:
        """The rows of a table, the head first."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        return table(head, rows) + "".join(f"<p>error: {escape(str(one))}</p>" for one in self.failures)


@dataclass(frozen=True)
class CheckReport(_Document):
    """What `check` says: a verdict for each pair."""

    pairs: Tuple[Pair, ...] = ()

    @property
    def compatible(self) -> bool:
        """Whether every pair works as it is, all of it judged and everything read."""
        return bool(self.pairs) and not self.failures and all(pair.compatible for pair in self.pairs)

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The reasons of all pairs."""
        return tuple(finding for pair in self.pairs for finding in pair.findings)

    @property
    def unjudged(self) -> Tuple[Unjudged, ...]:
        """What was not looked at, of all pairs."""
        return tuple(one for pair in self.pairs for one in pair.unjudged)

    def __bool__(self) -> bool:
        raise TypeError("a report has three answers; ask .compatible, .findings and .unjudged")

    def _rows(self) -> Iterator[List[str]]:
        yield ["", "with", "outcome", "code", "message", "fix"]
        for pair in self.pairs:
            first = [str(pair.a), str(pair.b), pair.outcome]
            for one in pair.findings:
                yield [*first, f"{one.severity} {one.code}", one.message, one.fix or ""]
                first = ["", "", ""]
            for rest in pair.unjudged:
                yield [*first, "not judged", f"{rest.aspect}: {rest.reason}", rest.remedy or ""]
                first = ["", "", ""]
            if first[0]:
                yield [*first, "", "", ""]


@dataclass(frozen=True)
class Inspection(_Document):
    """What `inspect` says: what each file is."""

    parts: Tuple[Part, ...] = ()

    def _rows(self) -> Iterator[List[str]]:
        yield ["", "kind", "fact", "value"]
        for part in self.parts:
            first = [part.path, part.kind]
            for label, value in part.facts.items():
                yield [*first, label, value]
                first = ["", ""]
            if first[0]:
                yield [*first, "", ""]


@dataclass(frozen=True)
class Conversion(_Document):
    """What `convert` did, or would do."""

    #: What was converted, and for which release.
    source: str = ""
    to: str = ""
    #: The result; None if it was not asked for, or something stands in the way.
    written: Optional[Path] = None
    rewrites: Tuple[Rewrite, ...] = ()
    #: What stands in the way.
    blockers: Tuple[Finding, ...] = ()
    #: What the release says to the result.
    pairs: Tuple[Pair, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether nothing stands in the way, and the release takes the result."""
        errors = (one for pair in self.pairs for one in pair.findings if one.severity == "error")
        return not self.blockers and next(errors, None) is None

    def _rows(self) -> Iterator[List[str]]:
        yield ["", "what", "where"]
        for rewrite in self.rewrites:
            yield [rewrite.adaptation, rewrite.what, ", ".join(rewrite.places)]
        for blocker in self.blockers:
            yield [f"blocked: {blocker.code}", blocker.message, ", ".join(blocker.places)]


@dataclass(frozen=True)
class Matrix(_Document):
    """What `matrix` says: many with many others."""

    rows: Tuple[str, ...] = ()
    columns: Tuple[str, ...] = ()
    #: Row by row: `compatible`, `adaptable`, `unjudged`, `incompatible`, `unrelated`, or `unread`.
    outcomes: Tuple[Tuple[str, ...], ...] = ()
    pairs: Tuple[Pair, ...] = ()
    _words: Tuple[Tuple[str, ...], ...] = field(default=(), repr=False, compare=False)
    _csv: str = field(default="", repr=False, compare=False)
    _html: str = field(default="", repr=False, compare=False)

    def outcome(self, row: str, column: str) -> str:
        """That of one pair, by its labels."""
        return self.outcomes[self.rows.index(row)][self.columns.index(column)]

    def to_csv(self) -> str:
        """For spreadsheets: one line a pair."""
        return self._csv

    def to_html(self) -> str:
        """One page with filters that needs nothing else."""
        return self._html

    def _rows(self) -> Iterator[List[str]]:
        yield ["", *self.columns]
        for label, words in zip(self.rows, self._words):
            yield [label, *words]


@dataclass(frozen=True)
class AdaptedPlugin(_Value):
    """A PJRT plug-in that a host of another age can use."""

    #: The shared object; its settings are beside it, with the ending `.toml`.
    path: Path
    #: The version of the PJRT C API that it presents.
    presents: str
    #: What the host says to the plug-in as it is: what was fixed has an `adaptation`.
    report: CheckReport

    @property
    def env(self) -> Dict[str, str]:
        """The variables with which JAX uses it."""
        name = self.path.stem
        return {"PJRT_NAMES_AND_LIBRARY_PATHS": f"{name}:{self.path}", "JAX_PLATFORMS": name}

    def to_dict(self) -> Json:
        """The path, the version and the report."""
        return {"path": str(self.path), "presents": self.presents, "report": self.report.to_dict()}

    def __str__(self) -> str:
        return shown(f"{self.path}: presents PJRT {self.presents}")


@dataclass(frozen=True)
class Release(_Value):
    """A release of the database."""

    #: As a user names it: `torch@2.1.2`.
    name: str
    family: str
    version: str
    released: Optional[datetime.date]
    #: Why it is judged by the facts of another release; None if it has its own.
    judged_as: Optional[str]
    #: Its versions, by what they are versions of.
    axes: Mapping[str, str]
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Release:
        day = data["released"]
        released = datetime.date.fromisoformat(day) if day else None
        return cls(data["name"], data["family"], data["version"], released, data["judged_as"], data["axes"], data)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Operator:
    """An operator of a release."""

    #: Its schema or definition.
    text: str
    #: The first release with this definition, and the last one; None if the newest has it.
    since: str
    until: Optional[str]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ErrorMatch(_Value):
    """Words in an error message that a runtime is known to print."""

    said: str
    #: Versions, names of operators and other values in the words, by what they are.
    values: Dict[str, str]
    #: What the values mean, as sentences.
    facts: Tuple[str, ...]
    #: The codes of the rules that can print these words. Of several, the words do not tell which.
    codes: Tuple[str, ...]
    #: The verb and the command that look further.
    verb: str
    command: str
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> ErrorMatch:
        codes = tuple(cause["code"] for cause in data["causes"] if cause["code"])
        kept = {key: data[key] for key in ("said", "values", "verb", "command")}
        return cls(codes=codes, facts=tuple(data["facts"]), **kept, _json=data)


@dataclass(frozen=True)
class Explanation(_Value):
    """What an error message means."""

    #: What was found in it, in the order of the text; empty where nothing in it is known.
    matches: Tuple[ErrorMatch, ...]
    #: What of it is known and is not a version problem, as sentences.
    not_versions: Tuple[str, ...]
    _text: str
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json, text: str) -> Explanation:
        matches = tuple(map(ErrorMatch._of, data["matches"]))
        others = tuple(one["about"] for one in data["not_versions"])
        return cls(matches, others, text, _json=data)

    def __str__(self) -> str:
        return self._text or "no rule knows this text"


@dataclass(frozen=True)
class Rule(_Value):
    """What a finding is an instance of."""

    code: str
    name: str
    severity: str
    phase: Optional[str]
    summary: str
    what: str
    why: str
    #: Patterns of the errors that lead to this rule.
    error_texts: Tuple[str, ...]
    #: Commands that make the rule fire and what they print, and the same where it does not.
    fires: str
    silent: str
    fix: str
    reference: str
    since: str
    _json: Json = _json()

    @classmethod
    def _of(cls, data: Json) -> Rule:
        return cls(**{**data, "error_texts": tuple(data["error_texts"])}, _json=data)

    def __str__(self) -> str:
        parts = [f"{self.code} {self.name}: {self.summary}"]
        for head, body in (("What", self.what), ("Why", self.why), ("Fix", self.fix), ("Source", self.reference)):
            if body.strip():
                parts.append(f"{head}\n  {body.strip()}")
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        rows = [["what", self.what], ["why", self.why], ["fix", self.fix], ["source", self.reference]]
        return f"<b>{escape(self.code)} {escape(self.name)}</b>: {escape(self.summary)}" + table(["", ""], rows)


def escape(text: str) -> str:
    """Text that means nothing to HTML, with everything hidden in it written out."""
    text = "\n".join(shown(line) for line in text.split("\n"))
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(sign, name)
    return text


def table(head: List[str], rows: List[List[str]]) -> str:
    """A table, as notebooks show one."""

    def line(tag: str, cells: List[str]) -> str:
        style = ' style="text-align: left; white-space: pre-wrap"'
        return "<tr>" + "".join(f"<{tag}{style}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line("td", cells) for cells in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"
