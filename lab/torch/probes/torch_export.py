"""Writes programs with `torch.export` of whatever PyTorch runs this, 2.1 or later.

    torch_export.py FOLDER [NAME...]

FOLDER gets NAME.pt2 of each program below that this PyTorch exports, saves, loads and runs, and standard output a line of
JSON for each, as `torch_values.tell` prints it; inputs are as `torch_values.made` reads them. Each program shows one thing
that a file can hold: a kind of argument, of input, of output, of weight, of symbolic size or of region.
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
import torch.nn.functional as F

from torch_values import arguments, plain, tell, words

torch.set_num_threads(1)

PROGRAMS = {}


def program(*inputs, **options):
    """Registers a program: what it is given, and a class of modules or its `forward`."""

    def add(body):
        PROGRAMS[body.__name__.rstrip("_")] = (body, inputs, options)
        return body

    return add


def floats(*shape):
    count = 1
    for size in shape:
        count *= size
    values = [round(((7 * n) % 23) / 11.0 - 1.0, 3) for n in range(count)]
    return {"dtype": "float32", "shape": list(shape), "values": values}


def ints(*values):
    return {"dtype": "int64", "shape": [len(values)], "values": list(values)}


class Layers(torch.nn.Module):
    """A module whose weights do not depend on random numbers of a release."""

    def __init__(self):
        super().__init__()
        self.build()
        with torch.no_grad():
            for parameter in self.parameters():
                flat = torch.arange(parameter.numel(), dtype=torch.float32)
                parameter.copy_(((flat * 5) % 17 / 17 - 0.5).reshape(parameter.shape))

    def build(self):
        pass


@program(floats(4, 3), floats(4, 3))
def add(x, y):
    return x + y * 2


@program(floats(4, 3))
class linear(Layers):
    def build(self):
        self.layer = torch.nn.Linear(3, 5)

    def forward(self, x):
        return self.layer(x)


@program(floats(1, 2, 6, 6))
class conv(Layers):
    def build(self):
        self.first = torch.nn.Conv2d(2, 3, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(3)

    def forward(self, x):
        return F.max_pool2d(F.relu(self.norm(self.first(x))), 2)


@program(floats(2, 5, 4))
class encoder(Layers):
    def build(self):
        self.layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0)

    def forward(self, x):
        return self.layer(x)


@program(floats(2, 5, 4))
class lstm(Layers):
    def build(self):
        self.layer = torch.nn.LSTM(4, 3, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.layer(x)
        return out, h, c


@program(ints(0, 2, 1))
class embedding(Layers):
    def build(self):
        self.layer = torch.nn.Embedding(4, 3)

    def forward(self, x):
        return self.layer(x)


@program(floats(2, 2, 4, 3))
def attention(x):
    return F.scaled_dot_product_attention(x, x, x)


@program(floats(1, 1, 4, 4))
def interpolate(x):
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


@program(floats(4, 3))
class shared(Layers):
    def build(self):
        self.one = torch.nn.Linear(3, 3)
        self.two = self.one

    def forward(self, x):
        return self.two(self.one(x))


@program(floats(4, 3))
class buffers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.ones(3))
        self.register_buffer("left_out", torch.full((3,), 2.0), persistent=False)

    def forward(self, x):
        return x * self.kept + self.left_out


@program(floats(4, 3))
class buffer_mutation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        self.count.add_(1.0)
        return x + self.count


@program(floats(4, 3))
def input_mutation(x):
    x.mul_(2.0)
    return x + 1.0


@program(floats(4, 3))
class constant_tensor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.constant = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x):
        return x + self.constant + torch.tensor([0.5, 0.5, 0.5])


def weights(dtype):
    class Weights(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.tensor([1.0, 2.0, 3.0]).to(getattr(torch, dtype)))

        def forward(self, x):
            return x * self.weight.to(torch.float32)

    Weights.__name__ = "weights_" + dtype
    return program(floats(4, 3))(Weights)


for dtype in ["bfloat16", "float16", "float64", "uint8", "bool", "uint16", "uint32", "float8_e4m3fn", "float8_e5m2"]:
    weights(dtype)


@program(floats(4, 3))
class complex_weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.tensor([1.0 + 2.0j, 2.0, 3.0]))

    def forward(self, x):
        return torch.view_as_real(self.weight * x)


@program({"dict": {"a": floats(4, 3), "b": floats(4, 3)}})
def dict_input(both):
    return {"sum": both["a"] + both["b"], "difference": both["a"] - both["b"]}


@program({"tuple": [floats(4, 3), floats(4, 3)]})
def tuple_input(both):
    return both[0] + both[1], [both[0], both[1]]


@program(floats(4, 3))
def ordered_output(x):
    return OrderedDict([("more", x + 1), ("less", x - 1)])


@program(floats(4, 3), {"keywords": {"scale": floats(3)}})
def keyword_input(x, *, scale):
    return x * scale


@program(floats(4, 3), 3)
def int_input(x, n):
    return x + n


@program(floats(4, 3), 1.5)
def float_input(x, n):
    return x + n


@program(floats(4, 3), None)
def none_input(x, y):
    return x + 1 if y is None else x + y


@program(floats(4, 3), True, "sum")
def text_input(x, flag, mode):
    return x.sum() if flag and mode == "sum" else x


@program(floats(4, 3))
def int_output(x):
    return x + 1, 3


@program(floats(4, 3))
def none_output(x):
    return x + 1, None


@program(floats(4, 3))
def float_output(x):
    return x + 1, 1.5


@program(floats(4, 3))
def bool_output(x):
    return x + 1, True


@program(floats(4, 3))
def text_output(x):
    return x + 1, "done"


@program(floats(4, 3), dims={0: "batch"})
def dynamic(x):
    return torch.cat([x, x]).reshape(-1) * x.shape[0]


@program(floats(4, 3), dims={0: "batch"})
def dynamic_size_output(x):
    return x + 1, x.shape[0]


@program(floats(4, 3), dims={0: "batch"})
def dynamic_expression(x):
    return torch.cat([x, x]) * (x.shape[0] // 2) + x.shape[0] / 2


@program(floats(6, 3), dims={0: ("batch", 3, 64)})
def dynamic_slices(x):
    return x[: x.shape[0] - 1, 1:] + torch.arange(x.shape[0] - 1).unsqueeze(1)


@program(floats(8, 3), dims={0: ("batch", 2, 16)})
def dynamic_bounds(x):
    return x.sum(0) / x.shape[0]


@program(ints(3, 1, 0, 2))
def nonzero(x):
    return torch.nonzero(x)


@program(ints(3))
def item(x):
    n = x.item()
    torch._check_is_size(n)
    torch._check(n < 10)
    return torch.ones(n)


@program(floats(4, 3))
def cond(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, [x])


@program(floats(4, 3))
def no_grad(x):
    with torch.no_grad():
        y = x * 2
    return y + 1


@program(floats(4, 3))
class autocast(Layers):
    def build(self):
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
        return y.to(torch.float32)


@program(floats(4, 3))
class autocast_off(Layers):
    def build(self):
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            y = self.layer(x)
        return y + 1


@program(floats(4, 3))
def infinity(x):
    return torch.softmax(x.masked_fill(x > 0.5, float("-inf")), 1), torch.full((2,), float("inf"))


@program(floats(4, 3), ints(0, 2))
def index_with_none(x, at):
    return x[:, at] + x[at][:, at].sum()


@program(floats(4, 3))
def index_put(x):
    y = x.clone()
    y[torch.tensor([0, 1]), torch.tensor([1, 2])] = 7.0
    return y


@program(floats(4, 3))
def einsum(x):
    return torch.einsum("ij,kj->ik", x, x)


@program(floats(4, 6))
def split(x):
    a, b, c = torch.split(x, [1, 2, 3], dim=1)
    return a * b.sum() + c.mean()


@program(floats(4, 6))
def topk(x):
    values, indices = torch.topk(x, 2)
    return values, indices, x.max(1).values


@program(floats(4, 3))
def casts(x):
    return x.to(torch.float64), x.to(torch.int32), x.to(memory_format=torch.contiguous_format), torch.zeros(2, device="cpu")


@program(floats(4, 3))
def unused_result(x):
    return torch.ops.aten.native_layer_norm(x, [3], None, None, 1e-5)[0]


@program(floats(4, 3))
def complex_scalar(x):
    return torch.view_as_real(x * (1.0 + 2.0j))


@program(floats(2, 8))
def fourier(x):
    return torch.view_as_real(torch.fft.rfft(x))


@program(floats(4, 3))
def pass_through(x):
    return x, x + 1


@program(floats(5, 3))
class signature(Layers):
    """With the signature of a part kept."""

    keep = ("inner",)

    def build(self):
        self.inner = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.GELU())

    def forward(self, x):
        return self.inner(x)


@program(floats(4, 3))
def map_(x):
    from torch._higher_order_ops.map import map as mapped

    return mapped(lambda row: row * 2, x)


@program(floats(4, 3))
def while_loop(x):
    from torch._higher_order_ops.while_loop import while_loop as loop

    return loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.zeros([], dtype=torch.int64), x))

@program(floats(4, 3))
def pad(x):
    return F.pad(x, [1, 2], "constant", 0.5)


@program(floats(4, 3))
def where(x):
    return torch.where(x > 0.1, x, x * 2)


@program(floats(4, 3))
def cumsum(x):
    return x.cumsum(0), x.mean(), x.var(0, False)


@program(floats(4, 3), ints(0, 2, 1))
def gather(x, at):
    return x.gather(0, at.unsqueeze(0)), x.scatter(0, at.unsqueeze(0), 1.0)


@program(floats(2, 4, 3))
class norms(Layers):
    def build(self):
        self.group = torch.nn.GroupNorm(2, 4)
        self.layer = torch.nn.LayerNorm(3)

    def forward(self, x):
        return self.layer(self.group(x))


@program(floats(1, 2, 6, 6))
def pools(x):
    return F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, [2, 3])


@program(floats(4, 3))
def stack(x):
    return torch.stack([x, x * 2]), x.unbind(0)[1], x.roll(1, 0)


@program(floats(4, 3))
def argmax(x):
    return x.argmax(1), x.sort(1).values, x.clamp(-0.5, 0.5)


@program(floats(4, 3))
def expand(x):
    return x.unsqueeze(0).expand(2, -1, -1).permute(0, 2, 1).contiguous().flatten(1)



def module(body):
    if isinstance(body, type):
        return body().eval()
    # A class with the function itself as its method: names of arguments stay.
    signature = inspect.signature(body)
    names = list(signature.parameters.values())
    first = ", ".join(one.name for one in names if one.kind == one.POSITIONAL_OR_KEYWORD)
    last = ", ".join(one.name for one in names if one.kind == one.KEYWORD_ONLY)
    head = ", ".join(part for part in ["self", first, "*, " + last if last else ""] if part)
    call = ", ".join([one.name if one.kind == one.POSITIONAL_OR_KEYWORD else one.name + "=" + one.name for one in names])
    scope = {"body": body}
    exec("def forward(%s):\n    return body(%s)" % (head, call), scope)
    return type("M", (torch.nn.Module,), {"forward": scope["forward"]})().eval()


def exported(body, inputs, options):
    given, keywords = arguments(inputs)
    more = {}
    if "dims" in options:
        dims = {}
        for at, bounds in options["dims"].items():
            name, *bounds = bounds if isinstance(bounds, tuple) else (bounds,)
            dims[at] = torch.export.Dim(name, **dict(zip(["min", "max"], bounds)))
        more["dynamic_shapes"] = (dims,) + (None,) * (len(given) - 1)
    if getattr(body, "keep", None):
        more["preserve_module_call_signature"] = body.keep
    try:
        return torch.export.export(module(body), given, keywords or None, **more)
    except Exception:
        if "strict" not in torch.export.export.__kwdefaults__:
            raise
        # Releases differ in which of the two is the default; some programs need the other.
        strict = not torch.export.export.__kwdefaults__["strict"]
        return torch.export.export(module(body), given, keywords or None, strict=strict, **more)


def run(program, inputs):
    given, keywords = arguments(inputs)
    module = program.module() if hasattr(program, "module") else program
    with torch.no_grad():
        return plain(module(*given, **keywords))


def main():
    folder, names = sys.argv[1], sys.argv[2:] or sorted(PROGRAMS)
    for name in names:
        body, inputs, options = PROGRAMS[name]
        begun = time.time()
        detail = {"name": name, "file": None, "inputs": list(inputs), "output": None, "refused": ""}
        try:
            program = exported(body, inputs, options)
            # Before it runs, because some programs write to their own buffers.
            torch.export.save(program, os.path.join(folder, name + ".pt2"))
            detail["output"] = run(program, inputs)
            detail["file"] = name + ".pt2"
        except BaseException as error:
            detail["refused"] = words(error)
        tell(name, detail, begun)


if __name__ == "__main__":
    main()
