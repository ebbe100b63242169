"""Which versions of XlaCallModule, and which programs in it, a TensorFlow runs.

tf_call_module.py ARTIFACT...     StableHLO artifacts of `f(x: tensor<4xf32>) -> tensor<4xf32>`, the oldest first
tf_call_module.py --save FOLDER ARTIFACT...   writes SavedModels of one function for each artifact and version
tf_call_module.py --load FOLDER               loads and calls each of them

Prints a line for each version with the first artifact, and for each artifact with the newest version that runs: `ok`, or
the error. The release is that of the Python that runs it.
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import inspect  # noqa: E402

import tensorflow as tf  # noqa: E402
from tensorflow.compiler.tf2xla.ops import gen_xla_ops  # noqa: E402

VERSIONS = [0, *range(2, 13), 1000]
PARAMETERS = inspect.signature(gen_xla_ops.xla_call_module).parameters
GIVEN = tf.constant([0.0, 1.0, 2.0, 3.0])


def call(x, version, program):
    given = {"args": [x], "version": version, "module": program, "Sout": [[4]], "Tout": [tf.float32]}
    # What is not given has a default only in some releases.
    given.update({name: value for name, value in [("platforms", ["CPU"]), ("dim_args_spec", [])] if name in PARAMETERS})
    return gen_xla_ops.xla_call_module(**given)[0]


def said(function):
    try:
        return f"ok {function().numpy().tolist()}"
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"


def program(path):
    with open(path, "rb") as file:
        return file.read()


def save(folder, artifacts):
    for path in artifacts:
        for version in VERSIONS:
            module = tf.Module()
            inner = tf.function(lambda x: call(x, version, program(path)), input_signature=[tf.TensorSpec([4], tf.float32)])
            module.f = inner
            tf.saved_model.save(module, os.path.join(folder, f"{version}-{os.path.basename(path)}"))


def load(folder):
    for name in sorted(os.listdir(folder)):
        print(name, said(lambda: tf.saved_model.load(os.path.join(folder, name)).f(GIVEN)), sep="\t")


def main(artifacts):
    print("tensorflow", tf.__version__, sep="\t")
    newest = None
    for version in VERSIONS:
        answer = said(lambda: call(GIVEN, version, program(artifacts[0])))
        newest = version if answer.startswith("ok") else newest
        print(version, answer, sep="\t")
    for path in artifacts if newest else []:
        print(os.path.basename(path), said(lambda: call(GIVEN, newest, program(path))), sep="\t")


if sys.argv[1] == "--save":
    save(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "--load":
    load(sys.argv[2])
else:
    main(sys.argv[1:])
