"""Has PyTorch export models with random weights to ONNX, and lays beside each what goes in and comes out.

    torch_onnx.py FOLDER EXPORTER [NAME...]

EXPORTER is `script` (by TorchScript, under the highest opset that it knows) or `dynamo` (by `torch.export`). Models are
those of `torch_blocks.py`, and families of torchvision where that is installed. `NAME-EXPORTER.onnx` and
`NAME-EXPORTER.npz` are written; a line for each says `NAME\\tok` or `NAME\\tno\\tWHY`.
"""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import torch
from torch import nn

from torch_blocks import BLOCKS, ready
from torch_families import FAMILIES

torch.set_num_threads(1)


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False):
    """What models of today call, where a release does not have it yet."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), float("-inf"))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else scores + attn_mask
    return scores.softmax(-1) @ value


if not hasattr(nn.functional, "scaled_dot_product_attention"):
    nn.functional.scaled_dot_product_attention = attention

# An encoder that learns nothing takes a fused operator, which is not exported. Where that is not switched off, it learns.
SWITCH = hasattr(getattr(torch.backends, "mha", None), "set_fastpath_enabled")
if SWITCH:
    torch.backends.mha.set_fastpath_enabled(False)

RELEASE = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


def highest():
    from torch.onnx import _constants

    for name in ("ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET", "ONNX_MAX_OPSET"):
        if hasattr(_constants, name):
            return getattr(_constants, name)
    return None


def export(model, inputs, exporter, path):
    if exporter == "script":
        more = {"dynamo": False} if RELEASE >= (2, 5) else {}
        torch.onnx.export(model, tuple(inputs), path, opset_version=highest(), **more)
    elif RELEASE >= (2, 5):
        torch.onnx.export(model, tuple(inputs), path, dynamo=True, external_data=False)
    else:
        torch.onnx.dynamo_export(model, *inputs).save(path)


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value.detach().numpy()]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for item in value for tensor in flat(item)] if isinstance(value, (list, tuple)) else []


def main():
    folder, exporter = sys.argv[1:3]
    known = dict(BLOCKS)
    try:
        import torchvision  # noqa: F401
        known.update(FAMILIES)
    except ImportError as error:
        print("torchvision: %s" % error, file=sys.stderr)
    # What an exporter prints is no line of this.
    lines, sys.stdout = sys.stdout, sys.stderr
    for name in sys.argv[3:] or known:
        torch.manual_seed(7)
        path = os.path.join(folder, "%s-%s.onnx" % (name, exporter))
        try:
            with torch.set_grad_enabled(not SWITCH):
                model, inputs = known[name]()
                ready(model)
                arrays = {"i%d" % at: one for at, one in enumerate(flat(inputs))}
                arrays.update({"o%d" % at: one for at, one in enumerate(flat(model(*inputs)))})
                export(model, inputs, exporter, path)
            np.savez(path[:-len(".onnx")] + ".npz", **arrays)
            print("%s\tok" % name, file=lines, flush=True)
        except Exception as error:
            if os.path.exists(path):
                os.remove(path)
            said = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
            print("%s\tno\t%s: %s" % (name, type(error).__name__, said[:200]), file=lines, flush=True)


main()
