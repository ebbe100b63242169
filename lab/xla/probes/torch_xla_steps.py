"""What PyTorch/XLA does on a PJRT plug-in: a line of JSON for each step.

    torch_xla_steps.py PLUGIN [OFFSET ...]

A step that fails has the text of the error. A plug-in that takes the process down ends the output. The results are compared
with those of PyTorch itself. With offsets, PLUGIN is `pjrt_table.c`, compiled, and each line is a copy of the process in which
the function at that offset of the table was taken away: the steps that were right, or the signal that ended it.
"""

import json
import os
import sys

PLATFORM = "VPLUGIN"
os.environ["PJRT_DEVICE"] = PLATFORM
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_USE_SPMD"] = "0"

import torch  # noqa: E402
import torch_xla  # noqa: E402
import torch_xla.core.xla_model as xm  # noqa: E402
from torch_xla.experimental import plugins  # noqa: E402


class Plugin(plugins.DevicePlugin):
    def library_path(self):
        return sys.argv[1]


def equal(one, other):
    one = one.detach().cpu()
    if not torch.allclose(one, other.detach(), rtol=1e-4, atol=1e-4):
        raise AssertionError(f"differs by {(one - other).abs().max().item()}")


def on(function, *arguments):
    """What the function gives on the plug-in, against what it gives without."""
    device = xm.xla_device()
    equal(function(*[one.to(device) for one in arguments]), function(*arguments))


def trained(device):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data, target = torch.linspace(-1, 1, 80).reshape(10, 8).to(device), torch.ones(10, 1).to(device)
    for _ in range(5):
        optimizer.zero_grad()
        loss = ((net(data) - target) ** 2).mean()
        loss.backward()
        optimizer.step()
        xm.mark_step()
    return loss


def stablehlo():
    """The StableHLO version that is written, from the producer in the head of an artifact."""
    from torch_xla.stablehlo import exported_program_to_stablehlo

    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    code = exported_program_to_stablehlo(program).get_stablehlo_bytecode("forward")
    return code[5:40].split(b"\0")[0].decode()


STEPS = {
    "device": lambda: str(xm.xla_device()),
    "kind": lambda: xm.xla_device_hw(xm.xla_device()),
    "add": lambda: on(lambda a, b: a + b, torch.arange(6.0), torch.ones(6)),
    "matrix product": lambda: on(lambda a, b: a @ b, torch.eye(5) * 2, torch.ones(5, 5)),
    "sort": lambda: on(lambda a: a.sort().values, torch.tensor([3.0, 1.0, 2.0])),
    "convolution": lambda: on(lambda a, b: torch.conv2d(a, b), torch.ones(1, 3, 8, 8), torch.ones(4, 3, 3, 3)),
    "integers": lambda: on(lambda a: (a * 3 // 2).to(torch.int64), torch.arange(5)),
    "bfloat16": lambda: on(lambda a: (a.bfloat16() * 2).float(), torch.arange(5.0)),
    "training": lambda: equal(trained(xm.xla_device()), trained(torch.device("cpu"))),
    "linear algebra": lambda: on(lambda a: torch.linalg.cholesky(a), torch.eye(3) * 4),
    "stablehlo": stablehlo,
}


def results():
    plugins.register_plugin(PLATFORM, Plugin())
    for name, step in STEPS.items():
        print(json.dumps({"begins": name}), flush=True)
        try:
            yield {"step": name, "ok": True, "said": step()}
        except Exception as error:
            yield {"step": name, "ok": False, "said": str(error)[:400]}


def without(offset):
    """What a copy of the process gets right without a function."""
    reader, writer = os.pipe()
    copy = os.fork()
    if not copy:
        os.dup2(writer, 1)
        os.environ["UNSKEW_TAKE"] = offset
        for row in results():
            print(json.dumps(row), flush=True)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        rows = [json.loads(line) for line in lines]
    status = os.waitpid(copy, 0)[1]
    right = [row["step"] for row in rows if row.get("ok")]
    said = {"signal": os.WTERMSIG(status)} if os.WIFSIGNALED(status) else {}
    print(json.dumps({"without": int(offset), "right": right, **said}), flush=True)


def main():
    print(json.dumps({"torch_xla": torch_xla.__version__}), flush=True)
    if len(sys.argv) > 2:
        for offset in sys.argv[2:]:
            without(offset)
        return
    for row in results():
        print(json.dumps(row), flush=True)


main()
