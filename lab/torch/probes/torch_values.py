"""Inputs and outputs of models of PyTorch as JSON, and the line for a model that was written.

For every PyTorch since 1.1, and its Python.
"""

import json
import sys
import time

import torch


def number(value):
    """A number as JSON has it, which has no NaN and no infinity."""
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def plain(value):
    """An input or output as JSON: a tensor as its type, its shape and all of its values."""
    if isinstance(value, torch.Tensor):
        flat = value.detach().contiguous().reshape(-1).tolist()
        dtype = str(value.dtype).split(".")[1]
        return {"dtype": dtype, "shape": list(value.shape), "values": [number(item) for item in flat]}
    if isinstance(value, dict):
        return [plain(item) for item in value.values()]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return number(value)


def number_in(value):
    """A number of a tensor from JSON."""
    if isinstance(value, list):
        return complex(number_in(value[0]), number_in(value[1]))
    return float(value) if isinstance(value, str) else value


def made(value):
    """A value from JSON as `plain` makes it; `{"tuple": [...]}` and `{"dict": {...}}` are inputs alone."""
    if isinstance(value, dict) and "tuple" in value:
        return tuple(made(item) for item in value["tuple"])
    if isinstance(value, dict) and "dict" in value:
        return {key: made(item) for key, item in value["dict"].items()}
    if isinstance(value, dict):
        values = [number_in(item) for item in value["values"]]
        return torch.tensor(values, dtype=getattr(torch, value["dtype"])).reshape(value["shape"])
    if isinstance(value, list):
        return [made(item) for item in value]
    return value


def arguments(inputs):
    """Positional arguments and keywords: these stand last, as `{"keywords": {...}}`."""
    inputs, keywords = list(inputs), {}
    if inputs and isinstance(inputs[-1], dict) and "keywords" in inputs[-1]:
        keywords = {name: made(value) for name, value in inputs.pop()["keywords"].items()}
    return tuple(made(value) for value in inputs), keywords


def words(error):
    """The kind of an error and its first lines."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (type(error).__name__ + ": " + " ".join(lines[:4]))[:400]


def tell(name, detail, begun):
    """Prints the line for a model: `detail` has its file, or none, its inputs and output, and why there is no file."""
    line = {"step": name, "ok": detail["file"] is not None, "detail": json.dumps(detail)}
    line["seconds"] = time.time() - begun
    print(json.dumps(line))
    sys.stdout.flush()
