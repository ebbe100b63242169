"""Which StableHLO artifacts the PyTorch/XLA of this Python reads.

torch_xla_read.py ARTIFACT...

Prints the release, and a line for each artifact: 1 or 0, its name, and what was said where it was not read. Each is run in a
process of its own, because one that is not read ends the process. What becomes of an artifact after it was read, which is given
no arguments, is another matter. It needs a Python with PyTorch and PyTorch/XLA; no command makes that environment.
"""
import os
import subprocess
import sys

# Of the library, before the process ends.
REFUSED = "failed to deserialize portable artifact"


def run(path):
    import torch_xla

    with open(path, "rb") as file:
        torch_xla._XLAC._run_stablehlo(file.read(), [])


def main(paths):
    import torch_xla

    print("torch_xla", torch_xla.__version__, flush=True)
    for path in paths:
        done = subprocess.run([sys.executable, __file__, "--run", path], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PJRT_DEVICE": "CPU"})
        said = [line for line in done.stderr.splitlines() if "error: " in line]
        is_read = REFUSED not in done.stderr
        print(int(is_read), os.path.basename(path), "" if is_read else said[0][:160], sep="\t", flush=True)


if sys.argv[1] == "--run":
    run(sys.argv[2])
else:
    main(sys.argv[1:])
