"""Writes files of torch.export that write to their arguments, with the PyTorch that runs this, and what they give.

    in_place.py FOLDER

`in-place-2.15.0.tar.xz` is what 2.15.0 wrote: one file for each model, and `outputs.jsonl` with a line for each. Releases
up to 2.4 take no such file. Those whose name begins with `Refused` have no form for them.
"""
import json
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
torch.manual_seed(7)

class Views(nn.Module):
    """A view of a view is written, then others of the same memory are read."""
    def forward(self, x):
        y = x * 2
        z = y.view(-1)
        z[1:3].mul_(3)
        y[0].relu_()
        a, b = y.chunk(2, 0)
        a.add_(b)
        return y, z.sum(), b

class Masks(nn.Module):
    """Elements are written by slices, as shifted windows number them."""
    def forward(self, x):
        mask = torch.zeros_like(x)
        count = 0
        for rows in (slice(0, 2), slice(2, None)):
            for columns in (slice(0, -1), slice(-1, None)):
                mask[rows, columns] = count
                count += 1
        mask.masked_fill_(x < -1, 9.0)
        return mask + x

class Layers(nn.Module):
    """What image models do: a block whose activations are written in place."""
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.fc = nn.Linear(32, 3)
    def forward(self, x):
        y = F.relu(self.conv(x), inplace=True)
        y += x
        y = F.hardswish(y, inplace=True)
        y = F.dropout(F.silu(y, inplace=True), 0.5, self.training, inplace=True)
        return F.hardtanh(self.fc(y.flatten(1)), 0.0, 6.0, inplace=True)

class Turned(nn.Module):
    """A tensor becomes its transpose, and what was taken of it before does not."""
    def forward(self, x):
        y = x + 1
        first = y[0]
        y.t_()
        y[0].fill_(5.0)
        z = y.permute(1, 0)
        z[:, 1:].zero_()
        return y, first

class Cast(nn.Module):
    """What is written is brought to the type of what it is written to."""
    def forward(self, x):
        y = x.clone()
        y.add_(torch.full((2, 3), 0.1, dtype=torch.float64))
        z = x * 2
        z.gt_(1.0)
        n = torch.arange(3)
        n.mul_(2)
        return y, z, n

class Parts(nn.Module):
    def forward(self, x):
        y = x.clone()
        first, second = y.split([1, 2], 1)
        second.copy_(x[0, 0])
        for row in y.unbind(0):
            row[0].sub_(1.0)
        y.diagonal().fill_(4.0)
        y.unsqueeze(0).squeeze().movedim(0, 1)[2].neg_()
        return first, y

class Input(nn.Module):
    """An input is written, and something else is given back."""
    def forward(self, x):
        x.add_(1.0)
        return x * 2

class State(nn.Module):
    """A buffer is written by a slice of it, and a counter by one."""
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(3, 4))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))
    def forward(self, x):
        self.cache[1:2] = x
        self.seen.add_(1)
        return self.cache.sum(0) + self.seen

class Named(nn.Module):
    """The name of the argument is one of Python's."""
    def forward(self, input):
        return (input + 1).relu_()

class RefusedEscape(nn.Module):
    """The caller's own tensor is given back."""
    def forward(self, x):
        x.mul_(2.0)
        return x.view(-1)

class RefusedExpanded(nn.Module):
    """One element is written many times."""
    def forward(self, x):
        y = (x * 2)[:, :1]
        y.expand(2, 3).fill_(3.0)
        return y

class RefusedUntold(nn.Module):
    """What is broadcast is a view or not: the graph does not say."""
    def forward(self, x):
        y = x * 2
        z, _ = torch.broadcast_tensors(y, x)
        y.add_(1.0)
        return z + 1

f = torch.randn
cases = {
    "Views": (Views(), (f(4, 4),)),
    "Masks": (Masks(), (f(4, 4),)),
    "Layers": (Layers().eval(), (f(1, 1, 4, 4),)),
    "Turned": (Turned(), (f(2, 3),)),
    "Cast": (Cast(), (f(2, 3),)),
    "Parts": (Parts(), (f(3, 3),)),
    "Input": (Input(), (f(2, 3),)),
    "State": (State(), (f(1, 4),)),
    "Named": (Named(), (f(2, 3),)),
    "RefusedEscape": (RefusedEscape(), (f(2, 3),)),
    "RefusedExpanded": (RefusedExpanded(), (f(2, 3),)),
    "RefusedUntold": (RefusedUntold(), (f(2, 3),)),
}


def plain(value):
    """A value as JSON."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).replace("torch.", "")
        return {"dtype": dtype, "shape": list(value.shape), "values": value.flatten().tolist()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


with open(os.path.join(out, "outputs.jsonl"), "w") as lines:
    for name, (module, inputs) in cases.items():
        program = torch.export.export(module, tuple(x.clone() for x in inputs))
        torch.export.save(program, os.path.join(out, name + ".pt2"))
        with torch.no_grad():
            given = program.module()(*(x.clone() for x in inputs))
        row = {"model": name, "inputs": [plain(x) for x in inputs], "named": {}, "outputs": plain(given)}
        lines.write(json.dumps(row) + "\n")
