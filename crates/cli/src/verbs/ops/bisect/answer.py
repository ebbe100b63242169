import sys

# The current folder may have modules of any name, and holds what is looked at.
sys.path = [part for part in sys.path if part]

import torch

def given(text):
    if text.endswith(".npy"):
        import numpy
        return torch.from_numpy(numpy.load(text))
    low = text.lower()
    if low in ("none", "true", "false"):
        return {"none": None, "true": True, "false": False}[low]
    try:
        return int(text)
    except ValueError:
        return float(text)

def show(value):
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype).split(".")[-1]
        numbers = value.detach().reshape(-1).tolist()
        print(kind, list(value.shape), *[repr(number) for number in numbers])
    elif isinstance(value, (list, tuple)):
        for item in value:
            show(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            print("key", key)
            show(item)
    else:
        print(type(value).__name__, value)

model, method, inputs = sys.argv[1], sys.argv[2], [given(text) for text in sys.argv[3:]]
print(torch.__version__)
try:
    with torch.no_grad():
        if model.endswith(".pt2"):
            answer = torch.export.load(model).module()(*inputs)
        else:
            answer = getattr(torch.jit.load(model), method)(*inputs)
    show(answer)
except Exception as error:
    lines = str(error).strip().splitlines()
    print("fails:", lines[-1] if lines else type(error).__name__)
