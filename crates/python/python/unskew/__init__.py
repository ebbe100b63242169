"""Will these two pieces of ML software, built at different times, work together? If not, why not, and what is the fix?

    import unskew

    report = unskew.check("model.pt", "torch==2.1")
    print(report)                                   # what the command prints
    report.compatible, report.unjudged, report.findings[0].fix

    unskew.inspect("model.pt")                      # what it is, and every version it carries
    unskew.matrix(["a.pt", "b.pb"], ["torch", "tensorflow>=2.9"])
    unskew.convert("model.pt", to="torch==1.4", out="old.pt")
    unskew.adapt("libpjrt_cpu.so", jax="0.6.2")
    unskew.releases("torch")
    unskew.explain("PT002")                         # a rule
    unskew.explain(error)                           # what an exception, or its text, means
    unskew.run("model.pt", x, torch="1.12")["0"]    # what it calculates there, as an array of numpy

Nothing of this needs PyTorch, TensorFlow or JAX. `unskew.torch` and `unskew.tensorflow` have loaders for those that
are installed.

Results are frozen dataclasses. `str()` of one is what the command prints; `to_dict()` is the JSON that it prints with
`--format json` (https://unskew.github.io/unskew/dev/reference/json.html). Findings are results; what could not be done at all raises an `UnskewError`.
"""

from typing import TYPE_CHECKING, Any, List

from ._native import (
    VERSION as __version__,
    AdaptError,
    ConversionError,
    QuestionError,
    ReadError,
    ReleaseError,
    UnknownFormat,
    UnskewError,
    WriteError,
)

if TYPE_CHECKING:
    from ._api import adapt, check, convert, explain, inspect, matrix, operators, releases
    from ._run import run
    from ._results import (
        AdaptedPlugin,
        CheckReport,
        Conversion,
        ErrorMatch,
        Explanation,
        Failure,
        Finding,
        Inspection,
        Matrix,
        Operator,
        Pair,
        Part,
        Promise,
        Release,
        Rewrite,
        Rule,
        Side,
        Unjudged,
    )

__all__ = [
    "AdaptError",
    "AdaptedPlugin",
    "CheckReport",
    "Conversion",
    "ConversionError",
    "ErrorMatch",
    "Explanation",
    "Failure",
    "Finding",
    "Inspection",
    "Matrix",
    "Operator",
    "Pair",
    "Part",
    "Promise",
    "QuestionError",
    "ReadError",
    "Release",
    "ReleaseError",
    "Rewrite",
    "Rule",
    "Side",
    "UnknownFormat",
    "Unjudged",
    "UnskewError",
    "WriteError",
    "__version__",
    "adapt",
    "check",
    "convert",
    "explain",
    "inspect",
    "matrix",
    "operators",
    "releases",
    "run",
]

#: What is imported when it is first used: the rest, so that an import of the package costs next to nothing.
_FUNCTIONS = frozenset(["adapt", "check", "convert", "explain", "inspect", "matrix", "operators", "releases"])


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'unskew' has no attribute {name!r}")
    if name in _FUNCTIONS:
        from . import _api as module
    elif name == "run":
        from . import _run as module  # type: ignore[no-redef]
    else:
        from . import _results as module  # type: ignore[no-redef]
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> List[str]:
    return sorted(__all__)
