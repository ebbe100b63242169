"""Makes quantized models with random weights and writes each as a file, with what it gives.

    torch_quantized.py FOLDER [NAME...]

Every model is made with each engine of this PyTorch, in a file `NAME-ENGINE[-pc|-pt].pt`: weights with one scale for each
channel, or one for all. `-frozen` is by `torch.jit.freeze`, `-traced` by `torch.jit.trace`, which keep packed weights as
objects; as they are scripted, most modules keep the tensors. Lines are those of `torch_models.py`. What an engine or this
PyTorch does not make has no file, and `said` is why.
"""
import os
import sys
import time
import warnings
from importlib import import_module
from inspect import signature

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch
from torch import nn

try:
    import torch.ao.quantization as quantization

    quantization.QuantStub
except (ImportError, AttributeError):
    import torch.quantization as quantization

from torch_values import plain, tell, words

torch.set_num_threads(1)


class Quantized(nn.Module):
    """Takes floats and gives floats, with quantized numbers between."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()


class Convolutions(Quantized):
    """A strided and a grouped convolution, a sum, pooling and a linear layer."""

    def __init__(self):
        super().__init__()
        self.first, self.relu = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU()
        self.second = nn.Conv2d(8, 8, 3, padding=1, groups=4)
        self.pool, self.mean = nn.MaxPool2d(2), nn.AdaptiveAvgPool2d((1, 1))
        self.last, self.sum = nn.Linear(8, 5), nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.relu(self.first(self.quant(x)))
        x = self.mean(self.pool(self.sum.add(x, self.second(x))))
        return self.dequant(self.last(torch.flatten(x, 1)))


class OneDimension(Quantized):
    """Convolutions over one dimension."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(4, 6, 3, stride=2, padding=1), nn.Conv1d(6, 6, 2, dilation=2, groups=3)

    def forward(self, x):
        return self.dequant(self.second(self.first(self.quant(x))))


class ThreeDimensions(Quantized):
    """Convolutions over three dimensions."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv3d(2, 4, 2, stride=(1, 2, 1)), nn.Conv3d(4, 4, (1, 2, 2), padding=(0, 1, 1))

    def forward(self, x):
        return self.dequant(self.second(self.first(self.quant(x))))


class Transposed(Quantized):
    """Transposed convolutions over two dimensions and over one."""

    def __init__(self):
        super().__init__()
        self.first = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1)
        self.second = nn.ConvTranspose2d(6, 4, 2, groups=2)
        self.line = nn.ConvTranspose1d(4, 4, 3, stride=2)

    def forward(self, x):
        x = self.second(self.first(self.quant(x)))
        return self.dequant(self.line(x[:, :, 0]))


class Joined(Quantized):
    """A product and a join of two linear layers."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 7), nn.Linear(6, 7)
        self.relu, self.sigmoid = nn.ReLU(), nn.Sigmoid()
        self.join, self.product = nn.quantized.FloatFunctional(), nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.quant(x)
        a = self.relu(self.a(x))
        both = self.join.cat([a, self.product.mul(a, self.sigmoid(self.b(x)))], 1)
        return self.dequant(both.reshape(2, -1))


class Activations(Quantized):
    """Activations that have a scale of their own."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 1)
        self.swish, self.elu, self.leaky = nn.Hardswish(), nn.ELU(), nn.LeakyReLU(0.2)
        self.six = nn.ReLU6()

    def forward(self, x):
        x = self.swish(self.first(self.quant(x)))
        return self.dequant(self.six(self.leaky(self.elu(x))))


class Norms(Quantized):
    """Normalizations that stay, because no convolution is before them."""

    def __init__(self):
        super().__init__()
        self.batch, self.group = nn.BatchNorm2d(4), nn.GroupNorm(2, 4)
        self.instance, self.layer = nn.InstanceNorm2d(4), nn.LayerNorm(6)

    def forward(self, x):
        x = self.instance(self.group(self.batch(self.quant(x))))
        return self.dequant(self.layer(x))


class Dynamic(nn.Module):
    """Linear layers of floats with quantized weights."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.LSTM(6, 5), nn.Linear(5, 4)

    def forward(self, x):
        y, _ = self.layer(x)
        return self.last(y)


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.GRU(6, 5, num_layers=2, bidirectional=True), nn.Linear(10, 4)

    def forward(self, x):
        y, state = self.layer(x)
        return self.last(y), state


class Cells(nn.Module):
    """Single steps of recurrent layers."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(6, 5), nn.GRUCell(5, 5), nn.RNNCell(5, 5)

    def forward(self, x):
        hidden, cell = self.lstm(x[0])
        hidden, cell = self.lstm(x[1], (hidden, cell))
        return self.rnn(self.gru(hidden)), cell


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.EmbeddingBag(10, 12, mode="sum", include_last_offset=True)

    def forward(self, indices, offsets):
        return self.table(indices, offsets)


class Tensors(nn.Module):
    def forward(self, x):
        q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
        whole = torch.dequantize(q) + float(q.q_scale()) + q.q_zero_point()
        return torch.relu(q).dequantize(), q.int_repr(), whole


class Residual(nn.Module):
    """What quantization by FX takes as it is: functions and operators between layers."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, padding=1)
        self.weight, self.bias = nn.Parameter(torch.randn(5, 4)), nn.Parameter(torch.randn(5))

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        x = torch.cat([x, torch.nn.functional.relu(x + self.second(x))], 1)
        x = torch.nn.functional.adaptive_avg_pool2d(x, (1, 1)).flatten(1)[:, :4] * 0.5
        return torch.nn.functional.linear(x, self.weight, self.bias)


def write(name, module, inputs, folder):
    """Saves a module scripted, frozen and traced; says a line for each."""

    def frozen():
        return torch.jit.freeze(torch.jit.script(module))

    ways = [("", lambda: torch.jit.script(module))]
    family = name.split("-")[0]
    more = "-fbgemm" in name or family == "conv"
    if more and family in FROZEN and hasattr(torch.jit, "freeze"):
        ways.append(("-frozen", frozen))
    if more and family in TRACED:
        ways.append(("-traced", lambda: torch.jit.trace(module, tuple(inputs))))
    for suffix, way in ways:
        say(name + suffix, way, inputs, folder)


def say(name, way, inputs, folder):
    begun = time.time()
    detail = {"file": None, "inputs": plain(inputs), "output": None, "said": ""}
    try:
        made = way()
        with torch.no_grad():
            detail["output"] = plain(made(*inputs))
        made.save(os.path.join(folder, name + ".pt"))
        detail["file"] = name + ".pt"
    except Exception as error:
        detail["said"] = words(error)
    tell(name, detail, begun)


def static(engine, module, x, channels):
    if isinstance(module, Convolutions):
        quantization.fuse_modules(module.eval(), [["first", "relu"]], inplace=True)
    weights = quantization.default_per_channel_weight_observer if channels else quantization.default_weight_observer
    activations = quantization.MinMaxObserver.with_args(reduce_range=engine != "qnnpack")
    module.eval().qconfig = quantization.QConfig(activation=activations, weight=weights)
    quantization.prepare(module, inplace=True)
    module(x), module(x * 0.9)
    quantization.convert(module, inplace=True)
    return module


def table(module, config):
    module.table.qconfig = getattr(quantization, config)
    quantization.prepare(module.eval(), inplace=True)
    quantization.convert(module, inplace=True)
    return module


def dynamic(module, dtype):
    kinds = {nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell}
    return quantization.quantize_dynamic(module.eval(), kinds, dtype=dtype)


def by_fx(engine, module, x):
    fx = import_module(quantization.__name__ + ".quantize_fx")
    config = {"": quantization.get_default_qconfig(engine)}
    with torch.no_grad():
        # Since 1.13 it wants to see an input.
        more = [(x,)] if "example_inputs" in signature(fx.prepare_fx).parameters else []
        prepared = fx.prepare_fx(module.eval(), config, *more)
        prepared(x), prepared(x * 0.9)
        return fx.convert_fx(prepared)


# Models that are frozen and traced too, and those that the newer engines make: of the others they give what fbgemm gives.
FROZEN, TRACED = ("conv", "dyn", "lstm", "embbyte", "fx"), ("conv", "fx")
NEWER = {"x86": ("conv", "dyn", "dynf16", "lstm"), "onednn": ("conv", "dyn")}


def is_made(engine, name, suffix):
    """Whether it is made: with one scale for all where an engine knows no other, else with one for each channel."""
    if suffix == "-pc":
        return engine != "qnnpack" and name != "transposed"
    if suffix == "-pt":
        return engine == "qnnpack" or engine == "fbgemm" and name in ("conv", "cat", "transposed")
    return True


image, rows, steps = (2, 3, 12, 12), (4, 6), (3, 2, 6)
MODELS = {}
for name, model, shape in [
    ("conv", Convolutions, image), ("conv1d", OneDimension, (2, 4, 9)), ("conv3d", ThreeDimensions, (1, 2, 4, 5, 4)),
    ("transposed", Transposed, (2, 4, 5, 4)), ("cat", Joined, rows), ("activations", Activations, image),
    ("norms", Norms, (2, 4, 5, 6)),
]:
    for suffix, channels in [("-pc", True), ("-pt", False)]:
        MODELS[name, suffix] = (lambda e, x, m=model, c=channels: static(e, m(), x, c), shape)
for name, model, shape in [("dyn", Dynamic, rows), ("lstm", Lstm, steps), ("gru", Gru, steps), ("cells", Cells, steps)]:
    MODELS[name, ""] = (lambda e, x, m=model: dynamic(m(), torch.qint8), shape)
    MODELS[name + "f16", ""] = (lambda e, x, m=model: dynamic(m(), torch.float16), shape)
MODELS["embbyte", ""] = (lambda e, *x: table(Bag(), "float_qparams_weight_only_qconfig"), None)
MODELS["emb4", ""] = (lambda e, *x: table(Bag(), "float_qparams_weight_only_qconfig_4bit"), None)
MODELS["fx", ""] = (lambda e, x: by_fx(e, Residual(), x), image)


def failing(error):
    """A way that ends with an error that came before."""

    def way():
        raise error

    return way


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    for engine in torch.backends.quantized.supported_engines:
        if engine == "none":
            continue
        torch.backends.quantized.engine = engine
        for (name, suffix), (make, shape) in MODELS.items():
            if names and name not in names or name not in NEWER.get(engine, [name]):
                continue
            if not is_made(engine, name, suffix):
                continue
            torch.manual_seed(1)
            if shape is None:
                inputs = [torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4, 8])]
            else:
                inputs = [torch.randn(*shape)]
            full = name + "-" + engine + suffix
            try:
                module = make(engine, *inputs)
            except Exception as error:
                say(full, failing(error), inputs, folder)
            else:
                write(full, module, inputs, folder)
    if not names or "qt" in names:
        say("qt", lambda: torch.jit.script(Tensors()), [torch.randn(*rows)], folder)


main()
