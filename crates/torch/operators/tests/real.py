"""Runs the functions of the operator registry on a real PyTorch, and the operators that they stand for.

    python real.py record CASES   what the operator itself gives: run on a release that has it
    python real.py run CASES      what the function gives: run on a release that it is for

CASES has lines of `function<TAB>recorded on<TAB>arguments<TAB>expected`. `record` fills in the second and the
fourth column, in the file itself, of what is not recorded yet and this release has. A nested tensor is written as the
padded one that functions have in its place: infinities of both signs in turn for what it lacks. `run` runs the functions that
are for this release, writes `function<TAB>release<TAB>cases<TAB>largest difference`, and fails if one is not
equal. Works with every release from 1.3 on; nothing but PyTorch and the standard library is used.
"""

import io
import math
import os
import re
import sys
import zipfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
TOLERANCE = 1e-4


def functions():
    """Every function of the registry: its text by its name, behind those of the functions that it calls."""
    found = {}
    parts = os.path.join(DATA, "operator_downgraders")
    names = ["operator_upgraders.py"] + [os.path.join(parts, name) for name in sorted(os.listdir(parts))]
    for name in names:
        with open(os.path.join(DATA, name)) as file:
            for text in re.split(r"^(?=def )", file.read(), flags=re.M)[1:]:
                found[re.match(r"def (\w+)", text).group(1)] = text.split("\n#")[0].rstrip() + "\n"
    return {name: "".join(reached(found, name)) for name in found}


def reached(found, name):
    """The texts of the functions that a function calls, each before what calls it, and its own."""
    called = re.findall(r"(?<![.\w])(\w+)\(", found[name].split("\n", 1)[1])
    texts = [text for one in called if one in found for text in reached(found, one)]
    return list(dict.fromkeys(texts + [found[name]]))


def registry():
    """What each function stands for, and the releases that run it: `aten::div`, (1, 8), None by its name."""
    found, operator, since, function = {}, None, (0,), None
    with open(os.path.join(DATA, "operator_versions.yaml")) as file:
        for line in file:
            key, _, value = line.strip().lstrip("- ").partition(": ")
            if key == "func":
                operator = value
            elif key == "version":
                since = (0,)
            elif key in ("removed_in", "broken_in", "meaning_changed_in", "added_in"):
                since = minor(value)
            elif key in ("upgrader", "downgrader"):
                function = value
                found[function] = (operator, since, None)
            elif key == "on":
                first, dash, last = value.partition("-")
                until = minor(last) if last else None if dash else minor(first)
                found[function] = (operator, minor(first), until)
    return found


def minor(release):
    """The first two numbers of a release."""
    return tuple(int(part) for part in release.split(".")[:2])


def tensor(dtype, shape, values):
    """A tensor as the cases write it."""
    return torch.tensor(values, dtype=getattr(torch, dtype)).reshape(shape)


def arguments(text):
    """The arguments of a case, by their names."""
    return eval("dict(%s)" % text, {"tensor": tensor, "inf": math.inf, "nan": math.nan, "dict": dict})


def signs(width):
    """What padding has in the place of a row that a nested tensor lacks."""
    return [-math.inf if at % 2 else math.inf for at in range(width)]


def nested(value):
    """A tensor as the operator itself takes it: nested if rows of it are padding."""
    if not isinstance(value, torch.Tensor) or value.dim() != 3:
        return value
    lost = (value == torch.tensor(signs(value.size(2)), dtype=value.dtype)).all(-1)
    if not lost.any():
        return value
    return torch.nested.nested_tensor([rows[~gone] for rows, gone in zip(value, lost)])


def padded(value):
    """A nested tensor as the functions have it."""
    parts = value.unbind()
    longest = max(part.size(0) for part in parts)
    rows = [part.tolist() + [signs(part.size(1))] * (longest - part.size(0)) for part in parts]
    return torch.tensor(rows, dtype=value.dtype)


def number(value):
    """A number in few digits, which are enough for 32 bits."""
    if isinstance(value, complex):
        return "%s%s%sj" % (number(value.real), "" if value.imag < 0 else "+", number(value.imag))
    if isinstance(value, float) and math.isfinite(value):
        text = "%.9g" % value
        return text if re.search(r"[.e]", text) else text + ".0"
    return repr(value)


def show(value):
    """A value as the cases write it."""
    if isinstance(value, torch.Tensor):
        value = padded(value) if getattr(value, "is_nested", False) else value
        values = ", ".join(number(one) for one in value.detach().flatten().tolist())
        return "tensor('%s', %s, [%s])" % (str(value.dtype)[6:], list(value.shape), values)
    if isinstance(value, (tuple, list)):
        items = ", ".join(show(one) for one in value)
        return "(%s,)" % items if isinstance(value, tuple) else "[%s]" % items
    return number(value)


def call(text, operator):
    """The text of a function with the signature of `text` that calls the operator itself."""
    head = re.match(r"def \w+\((.*)\) -> (.*):", own(text))
    given, by_name = [], False
    for one in re.findall(r"\*|\w+(?=: )", head.group(1)):
        by_name = by_name or one == "*"
        if one != "*":
            given.append("%s=%s" % (one, one) if by_name else one)
    name = operator.split("::")[1].split(".")[0]
    if operator.startswith("prim::"):
        return "def call(%s) -> %s:\n  return %s.%s\n" % (head.group(1), head.group(2), given[0], name)
    # Old releases have no function of an operator that writes to its argument, only the method.
    called = "self." + name if name.endswith("_") else "torch." + name
    given = given[1:] if name.endswith("_") else given
    return "def call(%s) -> %s:\n  return %s(%s)\n" % (head.group(1), head.group(2), called, ", ".join(given))


def own(text):
    """The last function of a text: without those that it calls."""
    return re.split(r"^(?=def )", text, flags=re.M)[-1]


def compiled(text):
    """The function of a text of TorchScript, in which `torch.f(x)` is `aten::f`, as in an archive.

    Defaults are given by whoever calls: old releases do not take every one of them in a text.
    """
    before, text = text[: -len(own(text))], own(text)
    head, rest = text.split("\n", 1)
    rest = rest + before
    defaults = dict(re.findall(r"(\w+): [^=:*]+?=(\[[^]]*\]|'[^']*'|[^,)]+)", head))
    head = re.sub(r"=(\[[^]]*\]|'[^']*'|[^,)]+)", "", head)
    if minor(torch.__version__) >= (1, 5):
        rest = re.sub(r"\btorch\.(?=\w+\()", "torch.ops.aten.", rest)
    else:
        # There, a text sees the functions of modules, which have none that write to their argument.
        rest = re.sub(r"\btorch\.([a-z]\w*_)\((\w+)(, )?", r"\2.\1(", rest)
        hidden = r"\btorch\.(softplus|hardtanh|gelu|re\w+_pad\dd|upsample_\w+|nll_loss\w*)\("
        rest = re.sub(hidden, r"torch._C._nn.\1(", rest)
    if "torch.slice(" in rest:
        # No module has this one.
        function = loaded(head, rest)
    else:
        unit = torch.jit.CompilationUnit(head + "\n" + rest)
        function = getattr(unit, re.match(r"def (\w+)", text).group(1))
    defaults = {name: eval(value) for name, value in defaults.items()}
    return lambda **given: function(**dict(defaults, **given))


def loaded(head, rest):
    """A function of a text as an archive has it, where operators go by their names alone."""
    named = re.findall(r"(\w+): ([^,)]*(?:\[[^]]*\])?)", head.split(" -> ")[0])
    given = ", ".join("a%d: %s" % (at, ty) for at, (_, ty) in enumerate(named))
    passed = ", ".join("a%d" % at for at in range(len(named)))
    name, result = re.match(r"def (\w+).* -> (.*):", head).groups()
    module = "class M(Module):\n  __parameters__ = []\n  def forward(self: __torch__.M, %s) -> %s:\n" % (given, result)
    module += "    return __torch__.f.%s(%s, )\n" % (name, passed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("f/version", "2\n")
        archive.writestr("f/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b.")
        archive.writestr("f/constants.pkl", b"\x80\x02).")
        archive.writestr("f/code/__torch__/f.py", head + "\n" + rest)
        archive.writestr("f/code/__torch__.py", module)
    function = torch.jit.load(io.BytesIO(file.getvalue()))
    return lambda **values: function(*[values[name] for name, _ in named])


def difference(expected, value):
    """How far two values lie apart: 0 for equal ones, infinity for another type, dtype or shape."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(value, (tuple, list)) or len(expected) != len(value):
            return math.inf
        return max([difference(*pair) for pair in zip(expected, value)] or [0.0])
    if isinstance(expected, torch.Tensor):
        if not isinstance(value, torch.Tensor) or expected.dtype != value.dtype or expected.shape != value.shape:
            return math.inf
        return max([apart(*pair) for pair in zip(expected.flatten().tolist(), value.flatten().tolist())] or [0.0])
    return 0.0 if expected == value else math.inf


def apart(one, other):
    """The difference of two numbers, relative to the larger one if that is above 1."""
    if one == other or (one != one and other != other):
        return 0.0
    return abs(one - other) / max(1.0, abs(one)) if abs(one) < math.inf and one == one else math.inf


def rows(path):
    with open(path) as file:
        return [(line.rstrip("\n").split("\t") + ["", "", ""])[:4] for line in file if line[0] != "#"]


def record(path):
    """Fills in, in the file itself, what is not recorded yet and this release has."""
    texts, entries = functions(), registry()
    release = torch.__version__.split("+")[0]
    with open(path) as file:
        lines = file.read().splitlines()
    for at, line in enumerate(lines):
        function, _, given, expected = (line.split("\t") + ["", "", ""])[:4]
        if line[0] == "#" or expected:
            continue
        torch.manual_seed(0)
        try:
            expected = compiled(call(texts[function], entries[function][0]))
            expected = expected(**{name: nested(value) for name, value in arguments(given).items()})
        except Exception as error:
            sys.stderr.write("%s(%s): %s\n" % (function, given[:200], str(error)[:900]))
            continue
        lines[at] = "\t".join((function, release, given, show(expected)))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def run(path):
    texts, entries, results, failed = functions(), registry(), {}, False
    release = torch.__version__.split("+")[0]
    for function, _, given, expected in rows(path):
        _, since, until = entries[function]
        if not since <= minor(release) <= (until or (99,)):
            continue
        torch.manual_seed(0)
        try:
            value = compiled(texts[function])(**arguments(given))
            apart = difference(arguments("it=" + expected)["it"], value)
        except Exception as error:
            sys.stderr.write("%s(%s): %s\n" % (function, given[:200], str(error)[:900]))
            value, apart = None, math.inf
        if not apart <= TOLERANCE:
            failed = True
            sys.stderr.write("%s(%s)\n  wanted %s\n  is     %s\n" % (function, given, expected, show(value)))
        cases, worst = results.get(function, (0, 0.0))
        results[function] = (cases + 1, max(worst, apart))
    for function, (cases, worst) in sorted(results.items()):
        print("%s\t%s\t%d\t%s" % (function, release, cases, "%.0e" % worst if worst else "0"))
    return failed


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "record":
        record(sys.argv[2])
    else:
        sys.exit(run(sys.argv[2]))
