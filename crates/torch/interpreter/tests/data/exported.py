"""Writes files of torch.export with the PyTorch that runs this, and what they give.

    exported.py FOLDER

`exported-2.3.1.tar.xz` is what 2.3.1 wrote: one file for each model, and `outputs.jsonl` with a line for each.
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

class Add(nn.Module):
    def forward(self, x, y):
        return x + y * 2

class Div(nn.Module):
    def forward(self, x, y):
        return torch.div(x, y, rounding_mode="floor"), x / 3

class DivInplace(nn.Module):
    def forward(self, x, y):
        z = x.clone()
        z.div_(y)
        return z

class Gelu(nn.Module):
    def forward(self, x):
        return F.gelu(x), F.gelu(x, approximate="tanh")

class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)
    def forward(self, x):
        y, (h, c) = self.rnn(x)
        return y, h, c

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.bn = nn.BatchNorm2d(2)
        self.fc = nn.Linear(32, 5)
    def forward(self, x):
        x = F.relu(self.bn(self.conv(x)))
        x = F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)
        return torch.softmax(self.fc(x.flatten(1)), 1)

class Buffer(nn.Module):
    """A buffer that is written, and one that is not kept."""
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("scale", torch.tensor([2.0, 3.0]), persistent=False)
    def forward(self, x):
        self.count.add_(1.0)
        return x * self.scale + self.count

class Constant(nn.Module):
    """A constant, a keyword argument, a list and a tuple among what is given and what is returned."""
    def __init__(self):
        super().__init__()
        self.fixed = torch.tensor([1.0, 2.0, 3.0])
    def forward(self, x, others, *, bias):
        return {"sum": x + others[0] + self.fixed, "rest": (others[1] * bias, [x.mean()])}

class Dynamic(nn.Module):
    """The first dimension may be any."""
    def forward(self, x):
        return x.reshape(x.shape[0] * 2, -1).sum(1), x.shape[0]

f = torch.randn
cases = {
    "Add": (Add(), (f(2, 3), f(2, 3)), {}, None),
    "Div": (Div(), (torch.tensor([7.0, -7.0, 8.0]), torch.tensor([2.0, 2.0, 3.0])), {}, None),
    "DivInplace": (DivInplace(), (f(3), f(3)), {}, None),
    "Gelu": (Gelu(), (f(2, 3),), {}, None),
    "Lstm": (Lstm(), (f(2, 5, 3),), {}, None),
    "Net": (Net().eval(), (f(1, 1, 8, 8),), {}, None),
    "Buffer": (Buffer(), (f(2),), {}, None),
    "Constant": (Constant(), (f(3), [f(3), f(3)]), {"bias": f(3)}, None),
    "Dynamic": (Dynamic(), (f(4, 6),), {}, "dynamic"),
}

def plain(v):
    if isinstance(v, torch.Tensor):
        return {"dtype": str(v.dtype)[6:], "shape": list(v.shape), "values": v.detach().reshape(-1).tolist()}
    if isinstance(v, dict):
        return [plain(x) for x in v.values()]
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v

rows = []
for name, (module, args, kwargs, dynamic) in cases.items():
    try:
        more = {}
        if dynamic:
            more["dynamic_shapes"] = ({0: torch.export.Dim("n", min=2, max=64)},)
        with torch.no_grad():
            program = torch.export.export(module, args, kwargs, **more)
            torch.export.save(program, os.path.join(out, name + ".pt2"))
            program = torch.export.load(os.path.join(out, name + ".pt2"))
            result = program.module()(*args, **kwargs)
        rows.append({"model": name, "inputs": [plain(a) for a in args], "named": {k: plain(v) for k, v in kwargs.items()}, "outputs": plain(result)})
        print(name, "ok")
    except Exception as e:
        print(name, "failed", type(e).__name__, str(e)[:300])
with open(os.path.join(out, "outputs.jsonl"), "w") as file:
    for row in rows:
        file.write(json.dumps(row) + "\n")
