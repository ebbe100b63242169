"""Makes models with random weights and writes each as file, with what it gives.

    torch_models.py FOLDER KIND [NAME...]

KIND is `exported` (`torch.export`, .pt2), `scripted` or `traced` (TorchScript, .pt). Without names it makes those of
`torch_blocks.py` and, of exported ones, families of torchvision as well. One line of JSON for each:

    {"step": name, "ok": true, "detail": {"file": "vit.pt2", "inputs": [...], "output": ..., "said": ""}, "seconds": 1.0}

`detail` is text that is JSON, with inputs and outputs as `torch_run.py` has them. What this PyTorch itself does not write
has no file, and `said` is why.
"""
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch

from torch_blocks import BLOCKS, PIECES, ready
from torch_families import FAMILIES
from torch_values import plain, tell, words

torch.set_num_threads(1)


def write(model, inputs, kind, path):
    if kind == "exported":
        torch.export.save(torch.export.export(model, tuple(inputs)), path)
        return
    made = torch.jit.script(model) if kind == "scripted" else torch.jit.trace(model, tuple(inputs))
    made.save(path)


def main():
    folder, kind = sys.argv[1:3]
    known = dict(BLOCKS)
    if kind == "exported":
        known.update(FAMILIES)
    else:
        known.update(PIECES)
    for name in sys.argv[3:] or known:
        begun = time.time()
        file = name + (".pt2" if kind == "exported" else "-" + kind + ".pt")
        torch.manual_seed(7)
        detail = {"file": None, "inputs": [], "output": None, "said": ""}
        try:
            with torch.no_grad():
                model, inputs = known[name]()
                ready(model)
                detail["inputs"], detail["output"] = plain(inputs), plain(model(*inputs))
                write(model, inputs, kind, os.path.join(folder, file))
            detail["file"] = file
        except Exception as error:
            detail["said"] = words(error)
        tell(name, detail, begun)


main()
