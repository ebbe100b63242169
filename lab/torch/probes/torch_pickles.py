"""Writes checkpoints and whole modules with `torch.save` of whatever PyTorch runs this, and loads those of others.

    torch_pickles.py write FOLDER
    torch_pickles.py read FILE...

FOLDER gets NAME.pt for each object below that this PyTorch can make and save. A FILE is loaded with weights_only=False,
and a module is called. Standard output gets a line of JSON for each, as `torch_values.tell` prints it: for `read` with the
phase in which it failed, `load` or `call`, or `crash` if the process ended, and the words.
"""

import inspect
import os
import sys
import time
import warnings
from collections import OrderedDict

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
from torch import nn

from torch_process import in_a_process
from torch_values import tell, words

torch.set_num_threads(1)

# What a module is constructed with, and the shapes that it is called with.
IMAGE, SERIES, VOLUME, ROWS = (2, 4, 8, 8), (2, 4, 8), (2, 4, 4, 4, 4), (3, 4)
MODULES = {
    "Linear": ((4, 3), ROWS), "Bilinear": ((4, 4, 3), ROWS, ROWS), "Identity": ((), ROWS), "Flatten": ((), IMAGE),
    "Unflatten": ((1, (2, 2)), ROWS), "Dropout": ((), ROWS), "Dropout2d": ((), IMAGE), "AlphaDropout": ((), ROWS),
    "Conv1d": ((4, 2, 3), SERIES), "Conv2d": ((4, 2, 3), IMAGE), "Conv3d": ((4, 2, 3), VOLUME),
    "ConvTranspose1d": ((4, 2, 3), SERIES), "ConvTranspose2d": ((4, 2, 3), IMAGE),
    "BatchNorm1d": ((4,), SERIES), "BatchNorm2d": ((4,), IMAGE), "BatchNorm3d": ((4,), VOLUME),
    "InstanceNorm2d": ((4,), IMAGE), "GroupNorm": ((2, 4), IMAGE), "LayerNorm": ((4,), ROWS), "RMSNorm": ((4,), ROWS),
    "LocalResponseNorm": ((2,), IMAGE), "CrossMapLRN2d": ((2,), IMAGE),
    "MaxPool1d": ((2,), SERIES), "MaxPool2d": ((2,), IMAGE), "MaxPool3d": ((2,), VOLUME), "AvgPool1d": ((2,), SERIES),
    "AvgPool2d": ((2,), IMAGE), "AvgPool3d": ((2,), VOLUME), "LPPool2d": ((2, 2), IMAGE),
    "FractionalMaxPool2d": ((2, (4, 4)), IMAGE), "AdaptiveAvgPool2d": ((2,), IMAGE), "AdaptiveMaxPool2d": ((2,), IMAGE),
    "ReflectionPad2d": ((1,), IMAGE), "ReplicationPad2d": ((1,), IMAGE), "ZeroPad2d": ((1,), IMAGE),
    "ConstantPad2d": ((1, 0.5), IMAGE), "CircularPad2d": ((1,), IMAGE), "Upsample": ((None, 2), IMAGE),
    "UpsamplingNearest2d": ((None, 2), IMAGE), "UpsamplingBilinear2d": ((None, 2), IMAGE), "PixelShuffle": ((2,), IMAGE),
    "PixelUnshuffle": ((2,), IMAGE), "ChannelShuffle": ((2,), IMAGE), "Fold": (((4, 5), (2, 2)), (1, 12, 12)),
    "Unfold": (((2, 2),), IMAGE), "CosineSimilarity": ((), ROWS, ROWS), "PairwiseDistance": ((), ROWS, ROWS),
    "ReLU": ((), ROWS), "ReLU6": ((), ROWS), "RReLU": ((), ROWS), "LeakyReLU": ((), ROWS), "PReLU": ((), ROWS),
    "ELU": ((), ROWS), "CELU": ((), ROWS), "SELU": ((), ROWS), "GELU": ((), ROWS), "GLU": ((), ROWS), "SiLU": ((), ROWS),
    "Mish": ((), ROWS), "Sigmoid": ((), ROWS), "LogSigmoid": ((), ROWS), "Tanh": ((), ROWS), "Tanhshrink": ((), ROWS),
    "Hardtanh": ((), ROWS), "Hardsigmoid": ((), ROWS), "Hardswish": ((), ROWS), "Hardshrink": ((), ROWS),
    "Softplus": ((), ROWS), "Softshrink": ((), ROWS), "Softsign": ((), ROWS), "Softmin": ((1,), ROWS),
    "Softmax": ((1,), ROWS), "Softmax2d": ((), IMAGE), "LogSoftmax": ((1,), ROWS), "Threshold": ((0.1, 2.0), ROWS),
    "RNN": ((4, 3), (2, 3, 4)), "LSTM": ((4, 3), (2, 3, 4)), "GRU": ((4, 3), (2, 3, 4)), "RNNCell": ((4, 3), ROWS),
    "LSTMCell": ((4, 3), ROWS), "GRUCell": ((4, 3), ROWS), "MultiheadAttention": ((4, 2), (3, 2, 4), (3, 2, 4), (3, 2, 4)),
    "TransformerEncoderLayer": ((4, 2, 8), (3, 2, 4)), "TransformerDecoderLayer": ((4, 2, 8), (3, 2, 4), (3, 2, 4)),
    "Transformer": ((4, 2, 1, 1, 8), (3, 2, 4), (3, 2, 4)), "MSELoss": ((), ROWS, ROWS), "L1Loss": ((), ROWS, ROWS),
    "SmoothL1Loss": ((), ROWS, ROWS), "HuberLoss": ((), ROWS, ROWS), "KLDivLoss": ((), ROWS, ROWS),
    "BCEWithLogitsLoss": ((), ROWS, ROWS), "CrossEntropyLoss": ((), ROWS, None), "NLLLoss": ((), ROWS, None),
    "SoftMarginLoss": ((), ROWS, ROWS), "CosineEmbeddingLoss": ((), ROWS, ROWS, None), "PoissonNLLLoss": ((), ROWS, ROWS),
    "GaussianNLLLoss": ((), ROWS, ROWS, ROWS), "TripletMarginLoss": ((), ROWS, ROWS, ROWS),
}


def composed():
    """Modules that are made of others."""
    yield "Sequential", nn.Sequential(OrderedDict(a=nn.Linear(4, 4), b=nn.ReLU())), [ROWS]
    yield "weight_norm", nn.utils.weight_norm(nn.Linear(4, 3)), [ROWS]
    yield "spectral_norm", nn.utils.spectral_norm(nn.Linear(4, 3)), [ROWS]
    yield "new_weight_norm", nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), [ROWS]
    yield "TransformerEncoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1), [(3, 2, 4)]
    hooked = nn.Linear(4, 3)
    hooked.register_forward_hook(print_nothing)
    yield "hooked", hooked, [ROWS]


def print_nothing(*_):
    return None


def objects():
    """Tensors and states of the kinds that a checkpoint holds, each made when it is asked for."""
    floats = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return {
        "state_dict": lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).state_dict(),
        "optimizer": lambda: torch.optim.Adam(nn.Linear(2, 2).parameters()).state_dict(),
        "scheduler": lambda: torch.optim.lr_scheduler.StepLR(torch.optim.SGD(nn.Linear(2, 2).parameters(), 0.1), 2).state_dict(),
        "parameter": lambda: nn.Parameter(floats),
        "parameter_attribute": lambda: with_attribute(nn.Parameter(floats)),
        "tensor_attribute": lambda: with_attribute(floats.clone()),
        "buffer": lambda: nn.Buffer(floats),
        "half": lambda: floats.half(), "bfloat16": lambda: floats.bfloat16(), "bool": lambda: floats > 1,
        "complex64": lambda: floats.to(torch.complex64), "conjugated": lambda: floats.to(torch.complex64).conj(),
        "negated": lambda: floats.to(torch.complex64).conj().imag,
        "float8": lambda: floats.to(torch.float8_e4m3fn), "float8_scale": lambda: floats.to(torch.float8_e8m0fnu),
        "uint16": lambda: floats.to(torch.uint16), "uint64": lambda: floats.to(torch.uint64),
        "bits8": lambda: torch.empty(2, dtype=torch.bits8), "meta": lambda: floats.to("meta"),
        "sparse": lambda: floats.to_sparse(), "sparse_csr": lambda: floats.to_sparse_csr(),
        "sparse_csc": lambda: floats.to_sparse_csc(), "sparse_bsr": lambda: torch.eye(4).to_sparse_bsr((2, 2)),
        "nested": lambda: torch.nested.nested_tensor([floats, floats[:1]]),
        "jagged": lambda: torch.nested.nested_tensor([floats, floats[:1]], layout=torch.jagged),
        "quantized": lambda: torch.quantize_per_tensor(floats, 0.1, 0, torch.qint8),
        "quantized_by_channel": lambda: torch.quantize_per_channel(
            floats, torch.tensor([0.1, 0.2]), torch.tensor([0, 0]), 0, torch.qint8),
        "storage": lambda: floats.storage(), "untyped_storage": lambda: floats.untyped_storage(),
        "view": lambda: [floats, floats[1]], "channels_last": lambda: torch.ones(1, 2, 2, 2).to(memory_format=torch.channels_last),
        "dtype": lambda: [torch.float32, torch.strided, torch.Size([1]), torch.device("cpu")],
        "generator": lambda: torch.get_rng_state(), "normal": lambda: torch.distributions.Normal(0.0, 1.0),
        "packed": lambda: nn.utils.rnn.pack_sequence([floats[0], floats[1]]),
        "scaler": lambda: torch.cuda.amp.GradScaler(enabled=False).state_dict(),
        "dataset": lambda: torch.utils.data.TensorDataset(floats),
    }


def with_attribute(tensor):
    tensor.note = "kept"
    return tensor


def made():
    for name, make in objects().items():
        yield name, make
    for name, (arguments, *_) in MODULES.items():
        yield name, lambda name=name, arguments=arguments: getattr(nn, name)(*arguments).eval()
    try:
        for name, module, _ in composed():
            yield name, lambda module=module: module.eval()
    except Exception:
        # A release that lacks a function lacks those behind it, too.
        return


def inputs(name):
    known = MODULES.get(name)
    if known is not None:
        shapes = known[1:]
    else:
        shapes = {"Sequential": [ROWS], "weight_norm": [ROWS], "spectral_norm": [ROWS], "new_weight_norm": [ROWS],
                  "hooked": [ROWS], "TransformerEncoder": [(3, 2, 4)]}.get(name)
    if shapes is None:
        return None
    return [torch.zeros(3, dtype=torch.long) + (1 if name == "CosineEmbeddingLoss" else 0) if shape is None
            else torch.full(shape, 0.5) for shape in shapes]


def save(job):
    make, path = job
    try:
        torch.manual_seed(0)
        torch.save(make(), path)
    except BaseException as error:
        return {"file": None, "said": words(error)}
    return {"file": os.path.basename(path), "said": ""}


def write(folder):
    for name, make in made():
        begun = time.time()
        for detail, _ in in_a_process([(make, os.path.join(folder, name + ".pt"))], save):
            # One that ends the process is none to be read.
            tell(name, dict({"file": None}, **detail), begun)


def load(path):
    name = os.path.splitext(os.path.basename(path))[0]
    options = {"weights_only": False} if "weights_only" in inspect.signature(torch.load).parameters else {}
    try:
        found = torch.load(path, map_location="cpu", **options)
    except BaseException as error:
        return {"phase": "load", "said": words(error)}
    try:
        given = inputs(name)
        if given is not None:
            with torch.no_grad():
                found(*given)
    except BaseException as error:
        return {"phase": "call", "said": words(error)}
    return {"phase": "ok", "said": ""}


def read(paths):
    for path in paths:
        begun = time.time()
        for detail, _ in in_a_process([path], load):
            tell(path, dict(detail, file=path), begun)


if __name__ == "__main__":
    sys.modules["torch_pickles"] = sys.modules["__main__"]
    print_nothing.__module__ = "torch_pickles"
    write(sys.argv[2]) if sys.argv[1] == "write" else read(sys.argv[2:])
