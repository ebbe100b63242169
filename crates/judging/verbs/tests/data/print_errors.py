"""Prints what real releases print when they fail: the lines of `printed_errors.jsonl`.

    python3 print_errors.py UV FOLDER > printed_errors.jsonl

`UV` is the program `uv`, `FOLDER` where environments are made (2 GB). Each case installs releases, runs a few lines in
them, and keeps what the exception says with which they end. `rule` is the rule that `unskew explain` must
find in them, `verb` the verb where no rule is about it.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

#: How much of an error is kept, in letters.
KEPT = 1500

IR_10 = """
import onnx
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
def save(op, ir, opset, path, **more):
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], **more)], "g", [x], [y])
    onnx.save(helper.make_model(graph, ir_version=ir, opset_imports=[helper.make_opsetid("", opset)]), path)
save("Relu", 10, 13, "ir.onnx")
save("Relu", 8, 18, "opset.onnx")
save("Gelu", 8, 13, "early.onnx")
save("Nonsense", 8, 13, "never.onnx")
save("Relu", 3, 1, "old.onnx")
save("Relu", 8, 13, "attribute.onnx", allowzero=1)
"""

LOAD = "import onnxruntime; onnxruntime.InferenceSession({!r}, providers=['CPUExecutionProvider'])"

PICKLE = "import pickle, numpy; pickle.dump(numpy.arange(3), open('numpy.pkl', 'wb'))"

TOKENIZER = """
from tokenizers import Tokenizer, models
Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "ab": 2}, merges=[("a", "b")])).save("tokenizer.json")
"""

EIGHT_BITS = """
import json, struct
header = json.dumps({"a": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}).encode()
open("eight.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + b"0")
"""

#: What is made first: packages and program.
MADE = [
    ("3.11", ["onnx==1.17.0", "protobuf==4.25.8", "numpy==1.26.4"], IR_10),
    ("3.11", ["numpy==2.2.6"], PICKLE),
    ("3.11", ["tokenizers==0.21.0", "huggingface-hub==0.26.0"], TOKENIZER),
    ("3.11", [], EIGHT_BITS),
]

#: Rule or verb, Python, packages, program. Packages are installed without what they depend on.
CASES = [
    ("EN104", None, "3.9", ["protobuf==4.21.12", "tensorboard==1.14.0", "six"], "import tensorboard.compat.proto.tensor_shape_pb2"),
    ("EN104", None, "3.9", ["protobuf==4.25.8", "tensorboard==1.14.0", "six"], "import tensorboard.compat.proto.tensor_shape_pb2"),
    ("EN102", None, "3.11", ["protobuf==5.29.5", "grpcio-health-checking==1.76.0"], "import grpc_health.v1.health_pb2"),
    ("EN101", None, "3.11", ["protobuf==6.30.2", "grpcio-health-checking==1.76.0"], "import grpc_health.v1.health_pb2"),
    ("EN103", None, "3.9", ["protobuf==3.19.6"], "from google.protobuf.internal import builder"),
    ("EN106", None, "3.11", ["grpcio==1.60.0", "grpcio-health-checking==1.76.0", "protobuf==6.33.0", "typing-extensions"], "import grpc_health.v1.health_pb2_grpc"),
    ("EN107", None, "3.11", ["jax==0.4.30", "jaxlib==0.4.20", "numpy==1.26.4", "scipy==1.12.0", "ml-dtypes==0.4.0", "opt-einsum"], "import jax"),
    ("EN107", None, "3.11", ["jax==0.4.20", "jaxlib==0.4.30", "numpy==1.26.4", "scipy==1.12.0", "ml-dtypes==0.4.0", "opt-einsum"], "import jax"),
    ("EN108", None, "3.11", ["numpy==2.2.6", "bottleneck==1.3.8"], "import bottleneck"),
    ("EN118", None, "3.11", ["numpy==2.2.6"], "import numpy; numpy.float_"),
    ("EN118", None, "3.11", ["numpy==1.24.4"], "import numpy; numpy.bool"),
    ("EN118", None, "3.11", ["huggingface-hub==0.26.0", "tqdm", "requests", "pyyaml", "filelock", "fsspec", "packaging", "typing-extensions", "urllib3", "idna", "certifi", "charset-normalizer"], "from huggingface_hub import cached_download"),
    ("EN119", None, "3.11", ["huggingface-hub==0.26.0"], "import huggingface_hub.utils"),
    ("EN120", None, "3.11", ["transformers==4.30.0", "tokenizers==0.15.0", "huggingface-hub==0.17.0", "tqdm", "requests", "pyyaml", "filelock", "fsspec", "packaging", "typing-extensions", "numpy==1.26.4", "regex", "safetensors", "urllib3", "idna", "certifi", "charset-normalizer"], "import transformers"),
    ("PT502", None, "3.11", ["numpy==1.24.4"], "import pickle; pickle.load(open('numpy.pkl', 'rb'))"),
    ("ON001", None, "3.11", ["onnxruntime==1.15.1", "numpy==1.26.4"], LOAD.format("ir.onnx")),
    ("ON002", None, "3.8", ["onnxruntime==1.9.0", "numpy==1.24.4"], LOAD.format("opset.onnx")),
    ("ON102", None, "3.11", ["onnxruntime==1.18.1", "numpy==1.26.4"], LOAD.format("early.onnx")),
    ("ON104", None, "3.11", ["onnxruntime==1.18.1", "numpy==1.26.4"], LOAD.format("never.onnx")),
    ("ON104", None, "3.8", ["onnxruntime==1.9.0", "numpy==1.24.4"], LOAD.format("never.onnx")),
    ("ON105", None, "3.11", ["onnxruntime==1.18.1", "numpy==1.26.4"], LOAD.format("old.onnx")),
    ("ON105", None, "3.8", ["onnxruntime==1.8.1", "numpy==1.24.4"], LOAD.format("old.onnx")),
    ("ON201", None, "3.11", ["onnxruntime==1.18.1", "numpy==1.26.4"], LOAD.format("attribute.onnx")),
    ("PT503", None, "3.11", ["safetensors==0.3.3", "numpy==1.26.4"], "from safetensors import safe_open; safe_open('eight.safetensors', 'np')"),
    ("TK002", None, "3.11", ["tokenizers==0.15.0"], "from tokenizers import Tokenizer; Tokenizer.from_file('tokenizer.json')"),
    (None, "check", "3.11", [], "import pickle; pickle.loads(bytes([0x80, 9, 0x4e, 0x2e]))"),
    (None, "none", "3.11", ["safetensors==0.5.3", "numpy==1.26.4"], "open('page.safetensors', 'w').write('<html>' * 9); from safetensors import safe_open; safe_open('page.safetensors', 'np')"),
    (None, None, "3.11", [], "open('no such file')"),
    (None, None, "3.11", ["numpy==2.2.6"], "import numpy; numpy.zeros((2, 3)) @ numpy.zeros((2, 3))"),
]


def printed(uv, folder, python, packages, program):
    """What the exception says with which the program ends, without the lines of code above it."""
    place = folder / "-".join([python, *packages]).replace("=", "")
    if not place.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", python, place], check=True)
        if packages:
            command = [uv, "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--python", place, *packages]
            subprocess.run(command, check=True)
    run = subprocess.run([place / "bin" / "python", "-c", program], cwd=folder, capture_output=True, text=True)
    # Where it stands is of no interest.
    text = run.stderr.replace(str(folder), "FOLDER")
    begins = [found.start() for found in re.finditer(r"(?m)^[A-Za-z_][\w.]*: ", text)]
    last = text.rfind("Traceback")
    return text[next((at for at in begins if at > last), 0) :]


def main(uv, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for case in MADE:
        printed(uv, folder, *case)
    for rule, verb, python, packages, program in CASES:
        try:
            text = printed(uv, folder, python, packages, program)
        except subprocess.CalledProcessError as error:
            print(f"{packages}: {error}", file=sys.stderr)
            continue
        row = {"rule": rule, "verb": verb, "python": python, "packages": packages, "printed": text[:KEPT]}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
