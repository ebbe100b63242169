"""Loads and runs PyTorch files on whatever PyTorch runs this, 1.4 or later, and says what each gave.

    torch_run.py JOBS.json

A job is {"name", "path", "loader", "inputs"}: `script` loads with `torch.jit.load`, `mobile` with the mobile
interpreter, `exported` with `torch.export.load`. With `engine` quantized operators are those of that engine. Inputs and
outputs are numbers, lists of them, and tensors:
{"dtype": "float32", "shape": [2], "values": [1.0, 2.0]}. One line of JSON for each job:

    {"step": name, "ok": true, "detail": {"phase": "ok", "output": {...}, "said": ""}, "seconds": 0.1}

`detail` is text that is JSON. Its phase is `none` if this PyTorch has no such loader, `load` if loading failed, `run`
if running did, `crash` if the process ended on the way. Jobs run in processes that are forked from one that has
PyTorch loaded, because some files kill theirs; only exported programs share one.
"""
from __future__ import print_function

import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

from torch_process import in_a_process
from torch_values import arguments, plain

# No threads: a process that has some cannot be forked.
torch.set_num_threads(1)
try:
    # Imported by the loader at its first call, which takes seconds.
    import torch._export.serde.serialize
    import torch.fx.experimental.symbolic_shapes
except ImportError:
    pass


def mobile(path):
    try:
        from torch.jit.mobile import _load_for_lite_interpreter as load
    except ImportError:
        load = getattr(torch._C, "_load_for_lite_interpreter")
    return load(path)


def exported(path):
    program = getattr(torch.export, "load")(path)
    return program.module() if hasattr(program, "module") else program


LOADERS = {
    "script": lambda path: torch.jit.load(path),
    "mobile": mobile,
    "exported": exported,
}


def first_lines(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (type(error).__name__ + ": " + " ".join(lines[:6]))[:500]


def outcome(job):
    engine = job.get("engine")
    if engine:
        if engine not in torch.backends.quantized.supported_engines:
            return {"phase": "none", "output": None, "said": "no engine " + engine}
        torch.backends.quantized.engine = engine
    try:
        model = LOADERS[job["loader"]](job["path"])
    except AttributeError as error:
        lacking = "_load_for_lite" in str(error) or "'load'" in str(error) or "'export'" in str(error)
        return {"phase": "none" if lacking else "load", "output": None, "said": first_lines(error)}
    except BaseException as error:
        return {"phase": "load", "output": None, "said": first_lines(error)}
    try:
        with torch.no_grad():
            given, keywords = arguments(job["inputs"])
            output = plain(model(*given, **keywords))
    except BaseException as error:
        return {"phase": "run", "output": None, "said": first_lines(error)}
    return {"phase": "ok", "output": output, "said": ""}


# Loading an exported program imports modules for seconds, and does not end the process: some share one.
TOGETHER = 200


def main():
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    while jobs:
        some = 1
        while jobs[0]["loader"] == "exported" and some < min(TOGETHER, len(jobs)) and jobs[some]["loader"] == "exported":
            some += 1
        done = 0
        for job, (found, seconds) in zip(jobs, in_a_process(jobs[:some], outcome)):
            line = {"step": job["name"], "ok": found["phase"] == "ok", "detail": json.dumps(found), "seconds": seconds}
            print(json.dumps(line))
            sys.stdout.flush()
            done += 1
        jobs = jobs[done:]


main()
