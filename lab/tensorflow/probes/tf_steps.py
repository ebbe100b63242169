"""Things that a TensorFlow program does on a pluggable device, one after the other.

Each step checks its own result against numpy or against what is known, and prints one line of JSON:

    {"step": "eager_add", "ok": true, "detail": "[11.0, 22.0, 33.0]", "seconds": 0.08}

A step that raises is a line with `"ok": false` and the text of the exception; the next step runs all the
same, but for a plug-in that is not loaded. A process that dies leaves the lines that it had printed, so the
step after the last one is where it died. The program works with every TensorFlow from 2.5 on.

    python tf_steps.py PLUGIN.so [DEVICE_TYPE]
"""

import ctypes
import inspect
import json
import os
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

STEPS = []
FAILED = []

# The results go where the caller reads; what TensorFlow prints, which it does in the midst of lines, goes to a
# file, from which a step reads it.
RESULTS = os.fdopen(os.dup(1), "w")
OTHERS = tempfile.TemporaryFile()
os.dup2(OTHERS.fileno(), 1)
PLUGIN = os.path.abspath(sys.argv[1])
DEVICE_TYPE = sys.argv[2] if len(sys.argv) > 2 else "SOROBAN"
DEVICE = "/device:%s:0" % DEVICE_TYPE


def step(function):
    """Makes a function a step, under its own name."""
    STEPS.append(function)
    return function


def near(found, wanted, tolerance=1e-5):
    """The value as plain Python, if it is what it has to be."""
    found = np.asarray(found)
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape, "shape %s, not %s" % (found.shape, wanted.shape)
    worst = float(np.max(np.abs(found.astype(np.float64) - wanted.astype(np.float64)), initial=0.0))
    assert worst <= tolerance, "differs by %s: %s, not %s" % (
        worst,
        found.ravel()[:4].tolist(),
        wanted.ravel()[:4].tolist(),
    )
    return found.ravel()[:4].tolist()


def on_device(tensor):
    """The tensor, if it lies on the plug-in's device."""
    assert DEVICE.lower() in tensor.device.lower(), "it is on %s" % tensor.device
    return tensor


def random(*shape):
    return np.random.RandomState(len(shape)).rand(*shape).astype(np.float32) - 0.5


@step
def load_plugin():
    from tensorflow.python.framework import load_library

    load_library.load_pluggable_device_library(PLUGIN)
    return PLUGIN.rsplit("/", 1)[-1]


@step
def device_listed():
    names = [device.name for device in tf.config.list_physical_devices(DEVICE_TYPE)]
    assert names, "no device of the type %s" % DEVICE_TYPE
    return names


@step
def eager_add():
    with tf.device(DEVICE):
        x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, 20.0, 30.0])
        return near(on_device(tf.raw_ops.AddV2(x=x, y=y)), [11, 22, 33])


@step
def eager_matmul():
    a, b = random(33, 17), random(17, 9)
    with tf.device(DEVICE):
        turned = tf.linalg.matmul(tf.constant(a.T), tf.constant(b.T), transpose_a=True, transpose_b=True)
        near(on_device(turned), a @ b, 1e-4)
        return near(on_device(tf.linalg.matmul(tf.constant(a), tf.constant(b))), a @ b, 1e-4)


@step
def broadcasting():
    a, b = random(4, 1, 3), random(5, 1)
    with tf.device(DEVICE):
        return near(on_device(tf.constant(a) * tf.constant(b) - tf.constant(b)), a * b - b)


@step
def reductions():
    a = random(4, 5, 6)
    with tf.device(DEVICE):
        near(tf.reduce_sum(tf.constant(a), [0, 2]), a.sum((0, 2)), 1e-4)
        near(tf.reduce_mean(tf.constant(a), -1, keepdims=True), a.mean(-1, keepdims=True))
        return near(tf.reduce_max(tf.constant(a)), a.max())


@step
def softmax_cross_entropy():
    logits, labels = random(6, 4), np.array([0, 3, 2, 1, 1, 0])
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    wanted = -np.log(shares[np.arange(6), labels])
    with tf.device(DEVICE):
        near(tf.nn.softmax(tf.constant(logits)), shares)
        near(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.constant(logits)), wanted)
        one_hot = tf.constant(np.eye(4, dtype=np.float32)[labels])
        return near(tf.nn.softmax_cross_entropy_with_logits(one_hot, tf.constant(logits)), wanted)


@step
def gradient():
    x, w, b = random(5, 4), random(4, 3), random(3)
    with tf.device(DEVICE):
        weights, bias = tf.constant(w), tf.constant(b)
        with tf.GradientTape() as tape:
            tape.watch([weights, bias])
            out = tf.nn.relu(tf.nn.bias_add(tf.linalg.matmul(tf.constant(x), weights), bias))
            loss = tf.reduce_sum(out * out)
        by_weights, by_bias = tape.gradient(loss, [weights, bias])
    wanted = np.maximum(x @ w + b, 0) * 2
    near(by_bias, wanted.sum(0), 1e-4)
    return near(by_weights, x.T @ wanted, 1e-4)


@step
def error_is_told():
    with tf.device(DEVICE):
        try:
            tf.raw_ops.BiasAdd(value=tf.constant(random(2, 3)), bias=tf.constant(random(4)))
        except tf.errors.InvalidArgumentError as error:
            return str(error).splitlines()[0][:120]
    raise AssertionError("a bias of the wrong length was taken")


@step
def function():
    @tf.function
    def program(x, y):
        return tf.reduce_sum(tf.nn.relu(x - y) * 3.0 + y)

    x, y = random(4, 4), random(4)
    with tf.device(DEVICE):
        found = on_device(program(tf.constant(x), tf.constant(y)))
    return near(found, (np.maximum(x - y, 0) * 3 + np.broadcast_to(y, (4, 4))).sum(), 1e-4)


@step
def variable():
    with tf.device(DEVICE):
        counter = tf.Variable([1.0, 2.0, 3.0])
        counter.assign_add([1.0, 1.0, 1.0])
        counter.assign_sub([0.5, 0.5, 0.5])
        return "%s on %s" % (near(counter.read_value(), [1.5, 2.5, 3.5]), counter.device)


def train(place):
    """Trains a small model for some steps, and says how its loss went."""
    tf.keras.utils.set_random_seed(7) if hasattr(tf.keras.utils, "set_random_seed") else tf.random.set_seed(7)
    inputs = np.random.RandomState(0).rand(64, 8).astype(np.float32)
    labels = (inputs.sum(1) * 2).astype(np.int64) % 3
    with tf.device(place):
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu"),
                tf.keras.layers.Dense(3),
            ]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        # Keras 3 would have XLA compile the step, for which a pluggable device is nothing.
        compiled = inspect.signature(model.compile).parameters
        keywords = {"jit_compile": False} if "jit_compile" in compiled else {}
        model.compile(optimizer=tf.keras.optimizers.SGD(0.5), loss=loss, **keywords)
        history = model.fit(inputs, labels, batch_size=16, epochs=4, shuffle=False, verbose=0)
    losses = [round(value, 4) for value in history.history["loss"]]
    assert losses[-1] < losses[0], "the loss does not sink: %s" % losses
    return losses


@step
def keras_training():
    """The plug-in's device computes, and must come to what the CPU comes to."""
    return near(train(DEVICE), train("/device:CPU:0"), 1e-2)


@step
def keras_placed_by_tensorflow():
    """The same without a word about devices: TensorFlow decides what runs where."""
    return near(train(None), train("/device:CPU:0"), 1e-2)


def printed_by(body):
    """What TensorFlow printed meanwhile: where it placed which operation."""
    begun = OTHERS.seek(0, os.SEEK_END)
    body()
    ctypes.CDLL(None).fflush(None)
    OTHERS.seek(begun)
    return OTHERS.read().decode("utf-8", "replace").splitlines()


@step
def what_ran_on_the_device():
    """Trains once more, and reads which operations TensorFlow placed on the device."""
    lines = [line.split(": (") for line in printed_by(lambda: train(None)) if DEVICE.lower() in line.lower()]
    placed = set(parts[1].split(")")[0] for parts in lines if len(parts) == 2)
    wanted = {"MatMul", "BiasAdd", "BiasAddGrad", "Relu", "ReluGrad", "SparseSoftmaxCrossEntropyWithLogits"}
    assert wanted <= placed, "only: %s" % sorted(placed)
    return sorted(placed)


def fields(message):
    """The fields of a protobuf message: number and value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        length = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, message[at : at + length]
        at += length


def profiled(body):
    """What the plug-in's profiler wrote down meanwhile: how often which event, by line."""
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        body()
        tf.profiler.experimental.stop()
        files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
        spaces = [open(path, "rb").read() for path in files if path.endswith(".xplane.pb")]
    lines = {}
    for plane in [list(fields(value)) for space in spaces for number, value in fields(space) if number == 1]:
        if (2, DEVICE.encode()) not in plane:
            continue
        names = {}
        for metadata in [dict(fields(dict(fields(value))[2])) for number, value in plane if number == 4]:
            names[metadata[1]] = metadata[2].decode()
        for line in [list(fields(value)) for number, value in plane if number == 3]:
            counts = lines.setdefault(dict(line)[2].decode(), {})
            for event in [dict(fields(value)) for number, value in line if number == 4]:
                name = names[event[1]]
                counts[name] = counts.get(name, 0) + 1
    assert lines, "the profile has nothing of the plug-in"
    return lines


@step
def profile():
    """The profiler of the plug-in tells what ran on its device."""
    a = random(8, 8)
    with tf.device(DEVICE):
        one = tf.constant(a)
        lines = profiled(lambda: [near(tf.linalg.matmul(one, one), a @ a, 1e-4) for _ in range(3)])
    assert lines["kernels"].get("MatMul") == 3, lines
    return lines["kernels"]


@step
def graph_rewritten():
    """The graph optimizer of the plug-in is called, and what it leaves out does not run."""

    @tf.function
    def program(x, y):
        return tf.nn.relu(tf.nn.relu(x - y)) * 3.0 + y

    def run():
        return near(program(x_there, y_there), np.maximum(x - y, 0) * 3 + y, 1e-4)

    x, y = random(4, 4), random(4)
    with tf.device(DEVICE):
        x_there, y_there = tf.constant(x), tf.constant(y)
        left_out = ctypes.CDLL(PLUGIN).soroban_left_out
        before = left_out()
        run()
        assert left_out() == before + 1, "%d nodes were left out" % (left_out() - before)
        if profile not in FAILED:
            kernels = profiled(run)["kernels"]
            assert kernels.get("Unary<Relu>") == 1, kernels
            return kernels
    return "1 node left out"


@step
def many_calls():
    """Also says how long one call takes, in microseconds."""
    tf.debugging.set_log_device_placement(False)
    with tf.device(DEVICE):
        one, value = tf.constant([1.0, 1.0]), tf.constant([0.0, 0.0])
        begun = time.perf_counter()
        for _ in range(1000):
            value = value + one
        each = (time.perf_counter() - begun) / 1000
        near(value, [1000, 1000])
    return {"us": round(each * 1e6, 2)}


def attempt(name, function):
    """Runs one step and prints its line; says whether it passed."""
    begun = time.perf_counter()
    try:
        ok, detail = True, str(function())
    except Exception as error:  # Whatever a step raises is its result.
        ok, detail = False, "%s: %s" % (type(error).__name__, error)
    seconds = round(time.perf_counter() - begun, 3)
    RESULTS.write(json.dumps({"step": name, "ok": ok, "detail": detail[:2000], "seconds": seconds}) + "\n")
    RESULTS.flush()
    return ok


def load():
    """Imports TensorFlow, and what the steps use of it, into this module."""
    global np, tf
    import numpy as np
    import tensorflow as tf

    # Before anything is computed, or functions are not logged.
    tf.debugging.set_log_device_placement(True)
    return "tensorflow %s" % tf.__version__


if not attempt("import", load):
    sys.exit(3)
for function_of_step in STEPS:
    passed = attempt(function_of_step.__name__, function_of_step)
    if not passed:
        FAILED.append(function_of_step)
    if function_of_step in (load_plugin, device_listed) and not passed:
        # Every other step would say the same.
        sys.exit(3)
