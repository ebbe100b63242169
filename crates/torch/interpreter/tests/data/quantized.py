"""Writes quantized models with what they gave: `python quantized.py FOLDER`.

Run on PyTorch 1.4.0, 1.10.2, 2.1.2 and 2.15.0, each into a folder of its release; files whose name ends in `-frozen` are of
`torch.jit.freeze`. `quantized.tar.xz` has, of all that they wrote, the files of fbgemm and qnnpack; of 2.15.0 those of x86 and
onednn too; the frozen ones of 1.10.2 and 2.15.0. Of a release where an engine refuses a model, the model is left out.
"""

import json
import os
import sys

import torch
from torch import nn

try:
    import torch.ao.quantization as quantization

    quantization.QuantStub
except (ImportError, AttributeError):
    import torch.quantization as quantization

RELEASE = torch.__version__.split("+")[0]
out = sys.argv[1]
os.makedirs(out, exist_ok=True)
rows = []


class Convolutions(nn.Module):
    """A strided and a grouped convolution, a sum, pooling and a linear layer."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.first, self.relu = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU()
        self.second = nn.Conv2d(8, 8, 3, padding=1, groups=4)
        self.pool, self.mean = nn.MaxPool2d(2), nn.AdaptiveAvgPool2d((1, 1))
        self.last, self.sum = nn.Linear(8, 5), nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.relu(self.first(self.quant(x)))
        x = self.mean(self.pool(self.sum.add(x, self.second(x))))
        return self.dequant(self.last(torch.flatten(x, 1)))


class Joined(nn.Module):
    """A product and a join of two linear layers."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.a, self.b = nn.Linear(6, 7), nn.Linear(6, 7)
        self.relu, self.sigmoid = nn.ReLU(), nn.Sigmoid()
        self.join, self.product = nn.quantized.FloatFunctional(), nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.quant(x)
        a = self.relu(self.a(x))
        both = self.join.cat([a, self.product.mul(a, self.sigmoid(self.b(x)))], 1)
        return self.dequant(both.reshape(2, -1))


class Dynamic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.LSTM(6, 5), nn.Linear(5, 4)

    def forward(self, x):
        y, _ = self.layer(x)
        return self.last(y)


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


def described(tensor):
    data = tensor.detach().reshape(-1).tolist()
    return {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape), "data": data}


def save(name, module, inputs):
    module = torch.jit.script(module.eval())
    outputs = module(*inputs)
    torch.jit.save(module, os.path.join(out, name + ".pt"))
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    rows.append({"file": name, "in": [described(x) for x in inputs], "out": [described(x) for x in outputs]})
    if hasattr(torch.jit, "freeze"):
        # 2.15.0 freezes no table of 4 bits.
        torch.jit.save(torch.jit.freeze(module), os.path.join(out, name + "-frozen.pt"))


def static(engine, name, module, x, channels):
    if isinstance(module, Convolutions):
        quantization.fuse_modules(module.eval(), [["first", "relu"]], inplace=True)
    weights = quantization.default_per_channel_weight_observer if channels else quantization.default_weight_observer
    activations = quantization.MinMaxObserver.with_args(reduce_range=engine != "qnnpack")
    module.eval().qconfig = quantization.QConfig(activation=activations, weight=weights)
    quantization.prepare(module, inplace=True)
    module(x), module(x * 0.9)
    quantization.convert(module, inplace=True)
    save("{}-{}-{}".format(name, engine, "pc" if channels else "pt"), module, (x,))


def table(engine, name, config):
    module = Bag().eval()
    module.table.qconfig = getattr(quantization, config)
    quantization.prepare(module, inplace=True)
    quantization.convert(module, inplace=True)
    inputs = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 4, 8])
    save("{}-{}".format(name, engine), module, inputs)


def dynamic(engine, name, module, x, dtype):
    module = quantization.quantize_dynamic(module.eval(), {nn.Linear, nn.LSTM}, dtype=dtype)
    save("{}-{}".format(name, engine), module, (x,))


def attempt(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        print(RELEASE, arguments[:2], str(error).split("\n")[0])


torch.manual_seed(0)
image, rows_of_six, steps = torch.randn(2, 3, 12, 12), torch.randn(4, 6), torch.randn(3, 2, 6)
for engine in torch.backends.quantized.supported_engines:
    if engine == "none":
        continue
    torch.backends.quantized.engine = engine
    for channels in (True, False):
        torch.manual_seed(1)
        attempt(static, engine, "conv", Convolutions(), image, channels)
        attempt(static, engine, "cat", Joined(), rows_of_six, channels)
    torch.manual_seed(2)
    attempt(dynamic, engine, "dyn", Dynamic(), rows_of_six, torch.qint8)
    attempt(dynamic, engine, "dynf16", Dynamic(), rows_of_six, torch.float16)
    attempt(dynamic, engine, "lstm", Recurrent(), steps, torch.qint8)
    attempt(table, engine, "embbyte", "float_qparams_weight_only_qconfig")
    attempt(table, engine, "emb4", "float_qparams_weight_only_qconfig_4bit")
save("qt", Tensors(), (rows_of_six,))
with open(os.path.join(out, "rows.json"), "w") as file:
    json.dump({"release": RELEASE, "rows": rows}, file)
