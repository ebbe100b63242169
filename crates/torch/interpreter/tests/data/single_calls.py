"""Writes functions of one call each that the samples of PyTorch do not have: `python single_calls.py FOLDER`.

Run on PyTorch 2.5.1, with `lab/torch/probes` in PYTHONPATH. FOLDER gets NAME.pt, and a line for each at the end of
`samples.jsonl`, as `lab/torch/probes/torch_battery.py` writes them; `tests/it/samples.rs` reads both.
"""

import importlib
import json
import os
import sys

import torch

from torch_values import plain

folder = sys.argv[1]
sys.path.insert(0, folder)
torch.manual_seed(9)

matrix, other = torch.randn(3, 4), torch.rand(3, 4) * 3 + 0.2
unit, whole = torch.rand(3, 4) * 1.8 - 0.9, torch.randint(-9, 9, (3, 4))
small, image = torch.randn(3, 3), torch.randn(2, 6, 5)

# Each is an expression of `a` and `b`, and what these are.
CALLS = {
    "lshift": ("a << 2, a << b", [whole, whole.abs()]),
    "rshift": ("a >> 2, a >> b", [whole, whole.abs()]),
    "conj": ("torch.ops.aten._conj(a).clone()", [torch.randn(3, dtype=torch.complex64)]),
    "log_softmax_backward": ("torch.ops.aten._log_softmax_backward_data(a, b, 1, torch.float32)", [matrix, other]),
    "arc": ("torch.arccos(a), torch.arcsin(a), torch.arctan(a), torch.arctanh(a), torch.arcsinh(a)", [unit]),
    "arccosh": ("torch.arccosh(a)", [other + 1]),
    "clip": ("torch.clip(a, b), torch.clip(a, -0.5, 0.5)", [matrix, unit]),
    "col2im": ("torch.ops.aten.col2im(a, [4, 5], [2, 3], [1, 1], [1, 0], [2, 1])", [torch.randn(2, 12, 9)]),
    "conv_transpose3d": ("torch.conv_transpose3d(a, b, None, [2, 1, 1], [1, 0, 1])", [torch.randn(1, 2, 3, 4, 3), torch.randn(2, 2, 2, 2, 3)]),
    "det": ("torch.det(a)", [small]),
    "det_complex": ("torch.det(a), torch.logdet(a)", [torch.randn(3, 3, dtype=torch.complex64)]),
    "matrix_exp": ("torch.matrix_exp(a)", [small]),
    "moveaxis": ("torch.moveaxis(a, 0, 2), torch.moveaxis(a, [0, 1], [2, 0])", [image]),
    "native_group_norm": ("torch.native_group_norm(a, None, None, 2, 6, 5, 3, 1e-5)", [image]),
    "orgqr": ("torch.orgqr(a, b)", [small, torch.rand(3)]),
    "permute_copy": ("torch.permute_copy(a, [2, 0, 1]), torch.transpose_copy(a, 0, 2)", [image]),
    "row_stack": ("torch.row_stack([a, b])", [matrix, other]),
    "parts": ("torch.select_copy(a, 1, 2), torch.slice_copy(a, 1, 1, 5, 2), torch.squeeze_copy(a)", [image]),
    "lists": ("torch.split_copy(a, 4, 1), torch.unbind_copy(a, 0)", [image]),
    "gamma": ("torch.special.digamma(b), torch.special.psi(b), torch.special.gammaln(b), torch.special.gammainc(b, b + 0.5), torch.special.gammaincc(b, b + 0.5)", [matrix, other]),
    "gamma_of_more": ("torch.special.polygamma(2, a), torch.special.multigammaln(a + 1, 2)", [other]),
    "error": ("torch.special.erf(a), torch.special.erfc(a), torch.special.erfinv(a), torch.special.sinc(a)", [unit]),
    "others": ("torch.special.i0(a), torch.special.logit(a, 1e-3), torch.special.xlogy(a, a)", [other / 4]),
    "swapdims": ("torch.swapdims(a, 0, 2)", [image]),
    "vander": ("torch.vander(a), torch.vander(a, 3, True)", [torch.randn(4)]),
    "kthvalue": ("torch.kthvalue(a, 2, 1)", [matrix]),
}

with open(os.path.join(folder, "samples.jsonl"), "a") as rows:
    for name, (expression, inputs) in CALLS.items():
        text = "import torch\n\n\nclass Module(torch.nn.Module):\n    def forward(self%s):\n        return %s\n"
        parameters = "".join(", %s: torch.Tensor" % letter for letter in "ab"[: len(inputs)])
        with open(os.path.join(folder, "call_%s.py" % name), "w") as file:
            file.write(text % (parameters, expression))
        module = torch.jit.script(importlib.import_module("call_" + name).Module())
        module.save(os.path.join(folder, name + ".pt"))
        row = {"name": name, "pieces": [name, "scripted"], "files": [name + ".pt"]}
        row["inputs"], row["outputs"] = [plain(one) for one in inputs], plain(module(*inputs))
        rows.write(json.dumps(row) + "\n")
        os.remove(os.path.join(folder, "call_%s.py" % name))
