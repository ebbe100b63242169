"""Writes TorchScript archives at random with whatever PyTorch runs this, 1.4 or later.

    torch_write.py FOLDER SEED COUNT [NAME...]

FOLDER gets NAME.pt2 too where this PyTorch has `torch.export` and exports the module. A module is made of a few of the pieces below, by a grammar: each piece is some lines of Python that use and give
values of known kinds. FOLDER gets NAME.pt and, where it can be written, NAME.ptl, and standard output a line of JSON
for each:

    {"step": NAME, "ok": true, "detail": "...", "seconds": 0.0}

`detail` is text that is JSON: {"name": ..., "pieces": [...], "inputs": [...], "outputs": {...}, "files": ["NAME.pt"]}. What
this PyTorch does not compile, or fails on itself, is not `ok` and has no files; `refused` says why.

`pieces` are the names of what it is made of; given as the fourth and further arguments they are all that is used, in
their order, so that a failure can be made smaller. Inputs and outputs are as torch_run.py has them. The stems of the
names have all lengths from 1 to 40: the length of the first record's name has mattered.
"""
from __future__ import print_function

import importlib.util
import json
import os
import random
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

torch.set_num_threads(1)

HEAD = """
import torch
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
from torch import Tensor

class Pair(NamedTuple):
    first: Tensor
    second: int

class Helper(torch.nn.Module):
    def __init__(self):
        super(Helper, self).__init__()
        self.scale = 2.0
        self.shape = [2, 3]
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("bias", torch.zeros(3))
    def forward(self, x: Tensor, times: int = 2) -> Tensor:
        for _ in range(times):
            x = x * self.scale + self.bias
        return x * self.weight

@torch.jit.script
def pick(x: Tensor, at: Optional[int] = None, flags: Optional[List[int]] = None) -> Tensor:
    if at is None:
        return x
    return x[at] + (0 if flags is None else len(flags))

@torch.jit.script
def two(x: Tensor, n: int = 1) -> Tuple[Tensor, int]:
    return x + n, n
"""

# NAME: (lines; f is a float tensor of shape [4, 3], g a result that is replaced, i an int tensor [5], n an int)
PIECES = {
    "add": "g = g + f * 1.5",
    "ints": "i = i * 2 - n",
    "div_float": "g = g / 2",
    "div_int": "o.append(i / 2)",
    "div_tensors": "o.append(torch.div(f, 3.0))",
    "floor_divide": "o.append(i // 2)",
    "remainder": "o.append(i % 3)",
    "full": "o.append(torch.full([2, 2], 1.5))",
    "full_int": "o.append(torch.full([2], 3, dtype=torch.int64))",
    "full_no_type": "o.append(torch.full([2], 3))",
    "arange": "o.append(torch.arange(n))",
    "arange_float": "o.append(torch.arange(0.0, 2.0, 0.5))",
    "linspace": "o.append(torch.linspace(0.0, 1.0, 5))",
    "gelu": "g = F.gelu(g)",
    "softmax": "g = F.softmax(g, dim=1)",
    "dropout": "g = F.dropout(g, 0.5, False)",
    "relu": "g = F.relu(g)",
    "hardtanh": "g = F.hardtanh(g, -1.0, 1.0)",
    "leaky": "g = F.leaky_relu(g, 0.1)",
    "layer_norm": "g = F.layer_norm(g, [3])",
    "linear": "g = F.linear(g, torch.ones(3, 3))",
    "linear_module": "g = self.linear(g)",
    "sequential": "g = self.seq(g)",
    "module_list": "for m in self.many:\n    g = m(g)",
    "conv": "o.append(F.conv2d(f.reshape(1, 1, 4, 3), torch.ones(1, 1, 2, 2)))",
    "conv_module": "o.append(self.conv(f.reshape(1, 1, 4, 3)))",
    "batch_norm": "o.append(self.norm(g))",
    "lstm": "o.append(self.lstm(f.unsqueeze(0))[0])",
    "embedding": "o.append(self.embedding(i.clamp(0, 3)))",
    "max_pool": "o.append(F.max_pool2d(f.reshape(1, 1, 4, 3), 2))",
    "avg_pool": "o.append(F.avg_pool2d(f.reshape(1, 1, 4, 3), 2))",
    "adaptive": "o.append(F.adaptive_avg_pool2d(f.reshape(1, 1, 4, 3), [2, 1]))",
    "interpolate": "o.append(F.interpolate(f.reshape(1, 1, 4, 3), size=[8, 6]))",
    "bilinear": "o.append(F.interpolate(f.reshape(1, 1, 4, 3), size=[8, 6], mode='bilinear', align_corners=False))",
    "pad": "o.append(F.pad(f, [1, 2], 'constant', 0.5))",
    "norm": "o.append(torch.norm(f))",
    "norm_p": "o.append(torch.norm(f, 1))",
    "norm_dim": "o.append(torch.norm(f, p=2.0, dim=[0], keepdim=True))",
    "stft": "o.append(torch.stft(torch.arange(64.0), 16, 4, 16, torch.ones([16])))",
    "clamp": "g = torch.clamp(g, -0.5, 0.5)",
    "clamp_int": "i = torch.clamp(i, min=0)",
    "clamp_mixed": "o.append(torch.clamp(i, 0.5, 2.5))",
    "argmax": "o.append(torch.argmax(f * 0.0 + torch.arange(3.0), 1))",
    "argmax_tied": "o.append(torch.argmax(torch.zeros(4)))",
    "max_dim": "a, b = torch.max(f, 1)\no.append(a)",
    "topk": "o.append(torch.topk(torch.arange(5.0), 2)[1])",
    "sort": "o.append(torch.sort(torch.arange(3.0) * -1.0)[1])",
    "pow": "o.append(f ** 2)",
    "pow_half": "o.append(i ** 0.5)",
    "sqrt": "g = torch.sqrt(torch.abs(g) + 1.0)",
    "tensor": "o.append(torch.tensor([1, 2, n]))",
    "tensor_float": "o.append(torch.tensor(1.5))",
    "tensor_bool": "o.append(torch.tensor([True]))",
    "shift": "o.append(i << 1)",
    "shift_right": "o.append(torch.abs(i) >> 1)",
    "shift_negative": "o.append((i - 10) >> 1)",
    "shift_float": "o.append(f << 1)",
    "bits": "o.append(i & 3 | 1)",
    "mask": "g = g.masked_fill(g > 0.3, 0.5)",
    "mask_byte": "g = g.masked_fill((g > 0.3).to(torch.uint8), 0.5)",
    "where": "g = torch.where(g > 0.1, g, f)",
    "compare": "o.append((f > 0.2) & (f < 0.8))",
    "logical": "o.append(torch.logical_not(f > 0.2))",
    "any": "o.append((f > 0.2).any())",
    "cat": "o.append(torch.cat([f, g.reshape(4, 3)], 1))",
    "stack": "o.append(torch.stack([f, f]))",
    "chunk": "a, b = f.chunk(2)\no.append(a + b)",
    "split": "o.append(f.split(2)[1])",
    "slices": "o.append(f[1:3, ::2])",
    "index": "o.append(f[0] + f[:, 1].sum())",
    "index_tensor": "o.append(f[torch.tensor([0, 2])])",
    "assign": "h = f.clone()\nh[0] = 1.0\no.append(h)",
    "view": "o.append(f.view(-1).unsqueeze(0).transpose(0, 1))",
    "permute": "o.append(f.permute(1, 0).contiguous())",
    "expand": "o.append(f.unsqueeze(0).expand(2, -1, -1))",
    "matmul": "o.append(f @ f.t())",
    "bmm": "o.append(torch.bmm(f.unsqueeze(0), f.t().unsqueeze(0)))",
    "einsum": "o.append(torch.einsum('ij,kj->ik', [f, f]))",
    "cumsum": "o.append(f.cumsum(0))",
    "mean_std": "o.append(f.mean())\no.append(f.std())",
    "var_dim": "o.append(f.var(0, False))",
    "sum_dims": "o.append(f.sum([0, 1]))",
    "round": "o.append(torch.round(f * 3.0))",
    "flip": "o.append(f.flip([0]))",
    "roll": "o.append(torch.roll(f, 1, 0))",
    "tril": "o.append(torch.tril(f))",
    "one_hot": "o.append(F.one_hot(i.clamp(0, 3), 4))",
    "cross_entropy": "o.append(F.cross_entropy(f, torch.tensor([0, 1, 2, 0])))",
    "mse": "o.append(F.mse_loss(f, f * 2.0))",
    "normalize": "o.append(F.normalize(f, dim=1))",
    "cosine": "o.append(F.cosine_similarity(f, f + 1.0))",
    "grid_sample": "o.append(F.grid_sample(f.reshape(1, 1, 4, 3), torch.zeros(1, 2, 2, 2), align_corners=False))",
    "meshgrid": "o.append(torch.meshgrid([torch.arange(2), torch.arange(3)])[0])",
    "size": "n = n + f.size(0) + len(f.shape)",
    "shape_list": "l = list(f.shape)\nl.append(n)\no.append(torch.ones(l[0], l[1]))",
    "item": "n = n + int(i[0].item())",
    "dtype": "o.append(f.to(torch.float64).to(f.dtype))",
    "device": "o.append(torch.zeros(2, device=f.device, dtype=f.dtype))",
    "numel": "n = n + f.numel() + f.dim()",
    "if": "if n > 2:\n    g = g + 1.0\nelse:\n    g = g - 1.0",
    "while": "k = 0\nwhile k < n:\n    g = g * 0.5 + k\n    k += 1",
    "for": "for k in range(3):\n    if k == 1:\n        continue\n    g = g + k",
    "break": "for k in range(5):\n    if k > n:\n        break\n    g = g + k",
    "early": "if n > 100:\n    return [g]",
    "assert": "assert n < 1000, 'too many'",
    "raise": "if n > 1000:\n    raise RuntimeError('n is ' + str(n))",
    "optional": "p: Optional[Tensor] = None\nif n > 1:\n    p = f\nif p is not None:\n    g = g + p",
    "optional_int": "q: Optional[int] = None\nif n > 1:\n    q = n\no.append(pick(f, q))",
    "default": "o.append(pick(f))",
    "list_default": "o.append(pick(f, 1, [1, 2]))",
    "tuple": "a, m = two(g, n)\ng = a * m",
    "named_tuple": "t = Pair(g, n)\ng = t.first + t.second",
    "list_ints": "r = [1, 2, n]\nr.append(4)\nn = n + r[-1] + len(r)",
    "list_floats": "s = [0.5, 1.5]\ng = g * s[1]",
    "list_tensors": "v: List[Tensor] = []\nfor k in range(3):\n    v.append(f + k)\no.append(torch.cat(v))",
    "list_comprehension": "o.append(torch.stack([h * 2.0 for h in [f, g.reshape(4, 3)]]))",
    "dict": "d: Dict[str, Tensor] = {}\nd['a'] = f\nd['b'] = f * 2.0\no.append(d['a'] + d['b'])",
    "dict_ints": "e = {1: 2, 3: n}\nif 3 in e:\n    n = n + e[3]",
    "dict_loop": "w = {'a': 1, 'b': 2}\nfor key, value in w.items():\n    n = n + value",
    "strings": "c = 'mode_' + str(n)\nif c == 'mode_1' or c.startswith('x'):\n    g = g + 1.0",
    "format": "c = 'a {} b'.format(n)\nn = n + len(c)",
    "numbers": "n = n * 3 // 2 + abs(-n) % 5 + min(n, 2) + max(n, 7)",
    "floats": "g = g * (float(n) / 2.0 + 0.5 ** 2)",
    "rounded": "g = g + round(0.5 * n)",
    "bools": "b1 = n > 1 and not (n > 5) or n == 0\nif b1:\n    g = g * 2.0",
    "ternary": "g = g * (2.0 if n > 1 else 3.0)",
    "zip": "for x1, y1 in zip([1, 2], [3, 4]):\n    n = n + x1 * y1",
    "enumerate": "for at, h in enumerate([f, f]):\n    g = g + h * at",
    "helper": "g = self.helper(g)",
    "helper_twice": "g = self.helper(g, 3)",
    "buffer": "g = g + self.buffer",
    "constant": "g = g * self.factor + len(self.names)",
    "attribute_list": "n = n + self.sizes[0]",
    "attribute_dict": "n = n + self.table['a']",
    "keyword_name": "g = self.modes(g)",
    "isinstance": "z: Any = n\nif isinstance(z, int):\n    n = n + 1",
    "union": "u: Union[int, str] = n\nif isinstance(u, int):\n    n = n + u",
    "complex": "o.append(torch.view_as_real(torch.view_as_complex(f[:, :2].contiguous())))",
    "device_text": "if f.device.type == 'cpu':\n    n = n + 1",
    "is_floating": "if f.is_floating_point():\n    g = g + 1.0",
    "with_no_grad": "with torch.no_grad():\n    g = g + 1.0",
    "inplace": "h2 = f.clone()\nh2 += 1.0\nh2.mul_(2.0)\nh2.relu_()\no.append(h2)",
    "out_of_int": "o.append(torch.ones(2, 2) * n)",
    "quantize": "o.append(torch.quantize_per_tensor(f, 0.1, 10, torch.quint8).dequantize())",
    "quantized_linear": "o.append(self.quantized(f))",
    "scatter": "o.append(torch.zeros(5).scatter(0, torch.tensor([0, 2]), 1.0))",
    "gather": "o.append(f.gather(1, torch.zeros(4, 1, dtype=torch.int64)))",
    "unbind": "o.append(torch.unbind(f, 0)[1])",
    "repeat": "o.append(f.repeat(2, 1))",
    "logsumexp": "o.append(f.logsumexp(1))",
    "attention": "o.append(F.scaled_dot_product_attention(f.unsqueeze(0), f.unsqueeze(0), f.unsqueeze(0)))",
    "silu": "g = F.silu(g)",
    "hardswish": "g = F.hardswish(g)",
    "mish": "g = F.mish(g)",
    "nan": "o.append(torch.isnan(f))",
    "addmm": "o.append(torch.addmm(torch.ones(4), f, torch.ones(3, 4)))",
    "baddbmm": "o.append(torch.addcmul(f, f, f, value=0.5))",
    "std_dim": "o.append(f.std(1))",
    "unfold": "o.append(F.unfold(f.reshape(1, 1, 4, 3), [2, 2]))",
    "pixel": "o.append(F.pixel_shuffle(torch.arange(8.0).reshape(1, 4, 1, 2), 2))",
    "multihead": "o.append(self.attention(f.unsqueeze(1), f.unsqueeze(1), f.unsqueeze(1))[0])",
    "gru": "o.append(self.gru(f.unsqueeze(0))[0])",
}

SETUP = {
    "linear_module": "self.linear = torch.nn.Linear(3, 3)",
    "sequential": "self.seq = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())",
    "module_list": "self.many = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Tanh()])",
    "conv_module": "self.conv = torch.nn.Conv2d(1, 2, 2, padding=1)",
    "batch_norm": "self.norm = torch.nn.BatchNorm1d(3)",
    "lstm": "self.lstm = torch.nn.LSTM(3, 2, batch_first=True)",
    "gru": "self.gru = torch.nn.GRU(3, 2, batch_first=True)",
    "multihead": "self.attention = torch.nn.MultiheadAttention(3, 1)",
    "embedding": "self.embedding = torch.nn.Embedding(4, 2)",
    "helper": "self.helper = Helper()",
    "helper_twice": "self.helper = Helper()",
    "buffer": "self.register_buffer('buffer', torch.ones(3))",
    "constant": "self.factor = 1.5\nself.names = ['a', 'b']",
    "attribute_list": "self.sizes = [1, 2]",
    "attribute_dict": "self.table = {'a': 1}",
    "keyword_name": "self.modes = torch.nn.Sequential()\nself.modes.add_module('from', torch.nn.Linear(3, 3))",
    "quantized_linear": "self.quantized = torch.quantization.quantize_dynamic("
    "torch.nn.Sequential(torch.nn.Linear(3, 2)), dtype=torch.qint8)",
}


def indented(text, by):
    return "".join(" " * by + line + "\n" for line in text.split("\n"))


def module_text(pieces):
    setup = [SETUP[name] for name in sorted(set(pieces)) if name in SETUP]
    text = HEAD + "\nclass M(torch.nn.Module):\n    def __init__(self):\n        super(M, self).__init__()\n"
    text += "".join(indented(lines, 8) for lines in setup)
    text += "    def forward(self, f: Tensor, i: Tensor, n: int) -> List[Tensor]:\n        g = f\n        o = [f]\n"
    text += "".join(indented(PIECES[name], 8) for name in pieces)
    return text + "        o.append(g)\n        o.append(i + n)\n        return o\n"


def made(folder, stem, pieces):
    """The module of these pieces; its source is a file, because compilers read it there."""
    path = os.path.join(folder, stem + "_source.py")
    with open(path, "w") as file:
        file.write(module_text(pieces))
    spec = importlib.util.spec_from_file_location("m_" + stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["m_" + stem] = module
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    return module.M().eval()


def plain(value):
    if isinstance(value, torch.Tensor):
        flat = value.detach().contiguous().reshape(-1).tolist()
        nan = lambda one: str(one) if isinstance(one, float) and (one != one or abs(one) == float("inf")) else one
        return {
            "dtype": str(value.dtype).split(".")[1],
            "shape": list(value.shape),
            "values": [nan(one) for one in flat],
        }
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def inputs(numbers):
    floats = [numbers.uniform(-1.0, 1.0) for _ in range(12)]
    # Some are negative: what rounds otherwise shows there.
    ints = [-7, numbers.randint(-9, -1)] + [numbers.randint(0, 9) for _ in range(3)]
    return [
        {"dtype": "float32", "shape": [4, 3], "values": torch.tensor(floats).tolist()},
        {"dtype": "int64", "shape": [5], "values": ints},
        numbers.randint(1, 4),
    ]


def value(one):
    if isinstance(one, dict):
        flat = torch.tensor(one["values"], dtype=getattr(torch, one["dtype"]))
        return flat.reshape(one["shape"])
    return one


def exported(source, path, given, output):
    """Whether the module was exported to a file, and gives there what it gives compiled."""
    try:
        import torch.export

        with torch.no_grad():
            arguments = tuple(value(one) for one in given)
            program = torch.export.export(source, arguments)
            torch.export.save(program, path)
            module = program.module() if hasattr(program, "module") else program
            return plain(module(*arguments)) == output
    except Exception:
        return False


def write(folder, stem, pieces, given):
    source = made(folder, stem, pieces)
    model = torch.jit.script(source)
    with torch.no_grad():
        output = plain(model(*[value(one) for one in given]))
    files = [stem + ".pt"]
    model.save(os.path.join(folder, files[0]))
    try:
        save = getattr(model, "_save_for_lite_interpreter", None) or getattr(model._c, "_save_for_mobile")
        save(os.path.join(folder, stem + ".ptl"))
        files.append(stem + ".ptl")
    except Exception:
        pass
    if exported(source, os.path.join(folder, stem + ".pt2"), given, output):
        files.append(stem + ".pt2")
    return {"name": stem, "pieces": pieces, "inputs": given, "outputs": output, "files": files}


def main():
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fixed, names = sys.argv[4:], sorted(PIECES)
    for number in range(count):
        numbers = random.Random(seed * 1000003 + number)
        pieces = fixed or numbers.sample(names, numbers.randint(1, 4))
        stem = ("m%d_" % number) + "x" * numbers.randint(0, 36)
        given = inputs(numbers)
        try:
            detail, done = write(folder, stem, pieces, given), True
        except Exception as error:
            detail, done = {"name": stem, "pieces": pieces, "refused": str(error)[:300]}, False
        print(json.dumps({"step": stem, "ok": done, "detail": json.dumps(detail), "seconds": 0.0}))
        sys.stdout.flush()


main()
