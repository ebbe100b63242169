"""Writes functions of one call each, by the samples that PyTorch tests its own operators with.

    torch_battery.py FOLDER SEED COUNT

The samples are those of `op_db` of the PyTorch that runs this, 1.10 or later, and are made when it runs. A sample is scripted,
traced, or traced with its operator in place. FOLDER gets NAME.pt, and standard output a line of JSON for each:

    {"step": NAME, "ok": true, "detail": "...", "seconds": 0.0}

`detail` is text that is JSON, as torch_write.py has it; `pieces` are the operator, how it was written and the type of its
numbers. What this PyTorch does not compile, what fails in it, and what gives other numbers each time has no files.
"""
import importlib
import importlib.util
import itertools
import json
import os
import random
import sys
import time
import types
import unittest
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class StandIn(types.ModuleType):
    """A module of which only classes are taken, to inherit from."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return unittest.TestCase


# The module of the samples imports these for tests and builds that do not take place here.
for wanted in ["expecttest", "setuptools.command.build_ext", "packaging.version", "yaml"]:
    package = wanted.split(".")[0]
    if importlib.util.find_spec(package) is None:
        for end in range(1, wanted.count(".") + 2):
            part = ".".join(wanted.split(".")[:end])
            sys.modules[part] = StandIn(part)


def numbers_of(version):
    """A version of a package, to be compared with others."""
    return [int(part) for part in str(version).split("+")[0].split(".") if part.isdigit()]


if isinstance(sys.modules.get("packaging.version"), StandIn):
    sys.modules["packaging"].version = sys.modules["packaging.version"]
    sys.modules["packaging"].version.parse = sys.modules["packaging"].version.Version = numbers_of
try:
    # Releases before 1.11 take it to be imported.
    import distutils.version
except ImportError:
    pass

import torch
from torch.testing._internal.common_methods_invocations import op_db

from torch_values import made, plain, words

torch.set_num_threads(1)

# The usual types more often.
DTYPES = [torch.float32] * 4 + [torch.int64] * 2 + [torch.float64, torch.int32, torch.uint8, torch.bool, torch.complex64]
NAMES = [str(dtype).split(".")[1] for dtype in DTYPES] + ["int8", "int16", "complex128", "float16", "bfloat16"]
# How many samples of an operator and a type are looked at, and how large one may be.
SAMPLES, NUMBERS = 40, 3000
# What gives memory that nobody wrote.
UNWRITTEN = ("empty", "resize_", "set_")
# Operators that draw numbers, which may come out the same a few times.
RANDOM = ("aten::rand", "aten::bernoulli", "aten::normal", "aten::multinomial")


class Unfit(Exception):
    """A sample that is not written."""


def is_unwritten(name):
    return any(word in name for word in UNWRITTEN)


def taken_apart(value, tensors):
    """A value with numbers of places where it had tensors, which go to the end of `tensors`."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or type(value) is not torch.Tensor:
            raise Unfit("no dense tensor")
        if value.dtype not in DTYPES:
            raise Unfit("numbers of another type")
        # As a reader gets it: dense, with no gradient.
        tensors.append(made(plain(value.detach())))
        return Place(len(tensors) - 1)
    if type(value) in (list, tuple):
        return type(value)(taken_apart(item, tensors) for item in value)
    if isinstance(value, dict):
        return {key: taken_apart(item, tensors) for key, item in value.items()}
    return value


class Place:
    """Where a tensor stands."""

    def __init__(self, at):
        self.at = at


def put_together(value, tensors):
    if isinstance(value, Place):
        return tensors[value.at]
    if type(value) in (list, tuple):
        return type(value)(put_together(item, tensors) for item in value)
    if isinstance(value, dict):
        return {key: put_together(item, tensors) for key, item in value.items()}
    return value


def code(value):
    """A value in TorchScript."""
    if isinstance(value, Place):
        return "a%d" % value.at
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return 'float("%s")' % value
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, (list, tuple)) and value:
        return "[" + ", ".join(code(item) for item in value) + "]"
    raise Unfit("not in TorchScript: " + type(value).__name__)


def function_of(op):
    """The name of an operator in Python, where a function has it."""
    path = "torch." + op.name
    found = torch
    for part in op.name.split("."):
        found = getattr(found, part, None)
    if found is None or not callable(found):
        raise Unfit("no function")
    return path


def scripted(name, op, args, kwargs, count, folder):
    given = [code(value) for value in args] + ["%s=%s" % (key, code(value)) for key, value in kwargs.items()]
    params = "".join(", a%d: torch.Tensor" % at for at in range(count))
    text = "import torch\n\n\nclass Module(torch.nn.Module):\n    def forward(self%s):\n        return %s(%s)\n"
    with open(os.path.join(folder, name + ".py"), "w") as file:
        file.write(text % (params, function_of(op), ", ".join(given)))
    importlib.invalidate_caches()
    return torch.jit.script(importlib.import_module(name).Module())


def traced(call, args, kwargs, tensors, is_in_place):
    def all_of(given):
        given = [one.clone() for one in given] if is_in_place else given
        return call(*put_together(args, given), **put_together(kwargs, given))

    # Tracing wants the parameters by name.
    params = ", ".join("a%d" % at for at in range(len(tensors)))
    scope = {"all_of": all_of, "__name__": __name__}
    exec("def function(%s):\n    return all_of([%s])" % (params, params), scope)
    return torch.jit.trace(scope["function"], tuple(one.clone() for one in tensors), check_trace=False)


def result(module, tensors, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        return plain(module(*[one.clone() for one in tensors]))


def size(value):
    if isinstance(value, dict):
        return len(value["values"])
    return sum(map(size, value)) if isinstance(value, list) else 1


def types_of(value):
    """The types of the numbers of tensors."""
    if isinstance(value, dict):
        return [value["dtype"]]
    return [name for item in value for name in types_of(item)] if isinstance(value, list) else []


def sample_of(op, dtype, choice):
    makes = op.sample_inputs("cpu", dtype, requires_grad=False)
    all_of_them = list(itertools.islice(makes, SAMPLES))
    if not all_of_them:
        raise Unfit("no samples")
    sample = choice.choice(all_of_them)
    first = sample.input
    return [first] + list(sample.args), dict(sample.kwargs)


def write(name, op, way, dtype, choice, folder):
    """Writes a function and gives what it was given and gave."""
    if is_unwritten(op.name):
        raise Unfit("memory that nobody wrote")
    tensors = []
    args, kwargs = sample_of(op, dtype, choice)
    args, kwargs = taken_apart(args, tensors), taken_apart(kwargs, tensors)
    inputs = [plain(one) for one in tensors]
    if not tensors or size(inputs) > NUMBERS:
        raise Unfit("no tensor, or large ones")
    if way == "scripted":
        module = scripted(name, op, args, kwargs, len(tensors), folder)
    elif way == "in place":
        inplace = op.inplace_variant if hasattr(op, "inplace_variant") else op.get_inplace()
        if inplace is None:
            raise Unfit("nothing in place")
        module = traced(inplace, args, kwargs, tensors, True)
    else:
        module = traced(op.op, args, kwargs, tensors, False)
    path = os.path.join(folder, name + ".pt")
    module.save(path)
    loaded = torch.jit.load(path)
    if any(word in str(loaded.inlined_graph) for word in RANDOM):
        raise Unfit("random numbers")
    outputs = result(loaded, tensors, 1)
    if size(outputs) > NUMBERS or not all(name in NAMES for name in types_of(outputs)):
        raise Unfit("a large result, or one of another type")
    for seed in (2, 3):
        if json.dumps(result(torch.jit.load(path), tensors, seed)) != json.dumps(outputs):
            raise Unfit("other numbers each time")
    return inputs, outputs


def say(name, detail, begun):
    """Prints the line for a function."""
    line = {"step": name, "ok": bool(detail["files"]), "detail": json.dumps(detail), "seconds": time.time() - begun}
    print(json.dumps(line))
    sys.stdout.flush()


def main():
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sys.path.insert(0, folder)
    choice = random.Random(seed)
    # In an order that is theirs by name: that of the list is not the same each time.
    ops = sorted(op_db, key=lambda op: (op.name, op.variant_test_name or ""))
    choice.shuffle(ops)
    written = 0
    for number, op in enumerate(itertools.cycle(ops)):
        if written == count or number == 20 * len(ops):
            break
        known = getattr(op, "dtypes", None) or ()
        dtypes = [dtype for dtype in DTYPES if dtype in known]
        if not dtypes:
            continue
        dtype, way = choice.choice(dtypes), choice.choice(["scripted", "scripted", "traced", "traced", "in place"])
        name = "b%d" % number
        pieces = [op.name, op.variant_test_name, way, str(dtype).split(".")[1]]
        detail = {"name": name, "pieces": [piece for piece in pieces if piece], "files": []}
        # Each sample has numbers of its own, whatever came before.
        torch.manual_seed(seed * 100000 + number)
        random.seed(seed * 100000 + number)
        begun = time.time()
        try:
            detail["inputs"], detail["outputs"] = write(name, op, way, dtype, choice, folder)
            detail["files"] = [name + ".pt"]
            written += 1
        except Exception as error:
            detail["refused"] = words(error)
        say(name, detail, begun)


main()
