"""What TensorFlow does on a PJRT plug-in: a line of JSON for each function that was taken away, and one before that.

    tensorflow_steps.py DEVICE [OFFSET ...]

DEVICE is `tensorflow_device.c`, compiled; what it reads from the environment stands there. Each line is a copy of the process
in which DEVICE was loaded, with the function at that offset of the table taken away.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework import load_library  # noqa: E402


def steps():
    load_library.load_pluggable_device_library(sys.argv[1])
    with tf.device("/device:XNPD:0"):
        half = tf.constant(np.full((3, 3), 0.5, np.float32))
        twice = tf.constant(np.eye(3, dtype=np.float32) * 2)
        function = tf.function(lambda x, y: tf.nn.relu(x @ y) + tf.math.tanh(x))
        return {
            "sum": np.allclose((half + twice).numpy(), 0.5 + np.eye(3) * 2),
            "product": np.allclose(tf.linalg.matmul(half, twice).numpy(), np.ones((3, 3))),
            "function": np.allclose(function(half, twice).numpy(), 1.0 + np.tanh(0.5), rtol=1e-5),
        }


def in_a_copy(offset):
    copy = os.fork()
    if copy:
        status = os.waitpid(copy, 0)[1]
        if os.WIFSIGNALED(status):
            print(json.dumps({"without": offset, "signal": os.WTERMSIG(status)}), flush=True)
        return
    if offset is not None:
        os.environ["UNSKEW_TAKE"] = str(offset)
    try:
        said = {"right": [name for name, right in steps().items() if right]}
    except Exception as error:
        said = {"failed": str(error)[:300]}
    print(json.dumps({"without": offset, **said}), flush=True)
    os._exit(0)


for one in [None, *(int(offset) for offset in sys.argv[2:])]:
    sys.stdout.flush()
    in_a_copy(one)
