"""Tells which attributes modules of `torch.nn` must have in whatever PyTorch runs this.

    torch_attributes.py

An object of each class, constructed by default, is taken apart as a pickle does and put together without one of its
attributes, and called, as it is for training and not. Standard output gets a line of JSON for each attribute that is a
simple value, as `torch_values.tell` prints it: the class, the name, the value as text, and whether the call needs it.
"""

import os
import time
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
from torch import nn

import torch_pickles
from torch_process import in_a_process
from torch_values import tell

torch.set_num_threads(1)

# Classes that are called with integers.
OF_INTEGERS = {"Embedding": ((4, 3), 1), "EmbeddingBag": ((4, 3), 2)}


def constructed(name):
    arguments = OF_INTEGERS[name][0] if name in OF_INTEGERS else torch_pickles.MODULES[name][0]
    return getattr(nn, name)(*arguments)


def inputs(name):
    if name in OF_INTEGERS:
        return [torch.zeros(3, dtype=torch.long) for _ in range(OF_INTEGERS[name][1])]
    return torch_pickles.inputs(name)


def lacks(module, given, without):
    """Whether a call fails because the module, put together from its state, lacks an attribute."""
    for training in (False, True):
        module.train(training)
        state = dict(module.__reduce_ex__(2)[2])
        state.pop(without, None)
        try:
            again = type(module).__new__(type(module))
            again.__setstate__(state)
            again(*given)
        except AttributeError:
            return True
        except Exception:
            # It fails with the attribute, too, or for another reason than that it is missing.
            continue
    return False


def attributes(name):
    """A class, and what is known of its attributes; nothing of one that this PyTorch lacks or cannot call."""
    try:
        module, given = constructed(name), inputs(name)
        module(*given)
    except Exception:
        return {}
    if lacks(module, given, ""):
        return {}
    kind = type(module)
    found = [
        {"name": one, "value": str(value), "needed": lacks(module, given, one)}
        for one, value in sorted(vars(module).items())
        if not one.startswith("_") and one != "training" and (value is None or isinstance(value, (bool, int, float, str)))
    ]
    return {"class": kind.__module__ + "." + kind.__name__, "attributes": found}


def main():
    for name in sorted(set(torch_pickles.MODULES) | set(OF_INTEGERS)):
        begun = time.time()
        for found, _ in in_a_process([name], attributes):
            tell(name, {"file": name, "class": found.get("class"), "attributes": found.get("attributes", [])}, begun)


if __name__ == "__main__":
    main()
