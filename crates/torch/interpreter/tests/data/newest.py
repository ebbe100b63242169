"""Writes files that call what older releases lack, with what they gave: `python newest.py FOLDER`.

Run on PyTorch 2.15.0; `tar -cJf newest-2.15.0.tar.xz -C FOLDER .` packs what it wrote. Of some calls `unskew convert`
makes loops and lists of instructions, or several nodes; `tests/it/newest.rs` holds the results against what is recorded
here.
"""

import json
import os
import sys
from typing import Dict, List, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.jit.mobile import _load_for_lite_interpreter

out = sys.argv[1]
torch.manual_seed(5)


class Exact(nn.Module):
    """The nearest element by its centre, to a size and by a factor, in two dimensions and in one."""

    def forward(self, x):
        a = F.interpolate(x, size=[5, 7], mode="nearest-exact")
        b = F.interpolate(x, scale_factor=1.7, mode="nearest-exact")
        c = F.interpolate(x[0], scale_factor=0.6, mode="nearest-exact")
        return a, b, c


class Sized(nn.Module):
    """A size that is known only when the program runs."""

    def forward(self, x, n: int):
        return F.interpolate(x, size=[n, n + 1], mode="nearest-exact")


class Spread(nn.Module):
    """A deviation with a correction."""

    def forward(self, x):
        return torch.std(x, [1], correction=2), torch.var(x, [0, 2], correction=0, keepdim=True)


class Edge(nn.Module):
    """Padding by reflection."""

    def forward(self, x):
        return F.pad(x, [1, 2], mode="reflect"), F.pad(x, [2, 0], mode="replicate")


class Point(NamedTuple):
    x: torch.Tensor
    rest: List[int]


class Named(nn.Module):
    """A tuple with names, and lists of numbers."""

    def forward(self, x):
        numbers: List[int] = x.tolist()
        whole: List[List[float]] = (x * 0.5).reshape(2, -1).tolist()
        point = Point(x + 1, numbers)
        return point.x * len(point.rest), torch.tensor(whole[1])


class Lists(nn.Module):
    """Lists of numbers, and nothing that 1.10 lacks."""

    def forward(self, x):
        numbers: List[float] = x.tolist()
        return torch.tensor(numbers) * 2


class Keys(nn.Module):
    """Dictionaries with texts for keys."""

    def forward(self, x, n: int):
        named: Dict[str, torch.Tensor] = {"a": x + 1, "b": x * 2}
        return named["b"] + named["a"] * n


class Numbered(nn.Module):
    """A dictionary with numbers for keys, one of them computed."""

    def forward(self, x, n: int):
        numbered: Dict[int, torch.Tensor] = {1: x, 2: x * 3}
        return numbered[1] - numbered[n + 1]


class Both(nn.Module):
    """Dictionaries with keys of two types, and a key that is computed."""

    def forward(self, x, n: int):
        named: Dict[str, torch.Tensor] = {"a": x + 1}
        numbered: Dict[int, torch.Tensor] = {2: x * 3}
        return named["a"] - numbered[n + 1]


class Text(nn.Module):
    """A text that is put together."""

    def forward(self, x, n: int):
        return x + len("{} of {}".format(n, n * 100))


class Rms(nn.Module):
    """A norm that 2.3 has no operator for."""

    def forward(self, x, w):
        return F.rms_norm(x, [4], w, 1e-5), F.rms_norm(x * 1e-4, [3, 4]) * 2


cases = {
    "Exact": (Exact(), (torch.randn(1, 2, 3, 4),)),
    "Sized": (Sized(), (torch.randn(1, 2, 3, 4), 5)),
    "Spread": (Spread(), (torch.randn(2, 3, 4),)),
    "Edge": (Edge(), (torch.randn(1, 2, 5),)),
    "Named": (Named(), (torch.arange(4),)),
    "Lists": (Lists(), (torch.tensor([0.5, 1.5, 2.25]),)),
    "Text": (Text(), (torch.tensor([0.5, 1.5, 2.25]), 7)),
    "Both": (Both(), (torch.tensor([0.5, 1.5, 2.25]), 1)),
    "Keys": (Keys(), (torch.tensor([0.5, 1.5, 2.25]), 3)),
    "Numbered": (Numbered(), (torch.tensor([0.5, 1.5, 2.25]), 1)),
}


def plain(v):
    if isinstance(v, torch.Tensor):
        return {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "values": v.detach().reshape(-1).tolist()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v


with open(os.path.join(out, "outputs.jsonl"), "w") as file:
    for name, (module, args) in cases.items():
        scripted = torch.jit.script(module)
        scripted._save_for_lite_interpreter(os.path.join(out, name + ".ptl"))
        result = _load_for_lite_interpreter(os.path.join(out, name + ".ptl"))(*args)
        row = {"model": name + ".ptl", "inputs": [plain(a) for a in args], "named": {}, "outputs": plain(result)}
        file.write(json.dumps(row) + "\n")
    module, args = Rms(), (torch.randn(2, 3, 4), torch.randn(4))
    program = torch.export.export(module, args)
    torch.export.save(program, os.path.join(out, "Rms.pt2"))
    result = program.module()(*args)
    row = {"model": "Rms.pt2", "inputs": [plain(a) for a in args], "named": {}, "outputs": plain(result)}
    file.write(json.dumps(row) + "\n")
