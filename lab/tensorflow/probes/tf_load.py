"""Loads graphs and SavedModels on whatever TensorFlow runs this, 0.12 or later, and says how far each came.

    tf_load.py JOBS.json

A job is {"name", "path", "loader", "strict"}: `graph` and `meta` import a GraphDef or a MetaGraphDef, `place` imports a
GraphDef whose node `asked` is placed on a device and waits for what is not fed, `session` loads a
SavedModel for a session, `objects` with `tf.saved_model.load`, `fingerprint` reads its fingerprint and computes it
anew. What was loaded is run once on inputs made from
their shapes. One line of JSON for each job:

    {"step": name, "ok": true, "detail": {"phase": "ok", "values": {...}}, "seconds": 0.1}

`detail` is text that is JSON. Its phase is `import` if loading failed, `run` if the first run failed in a way
that is the graph's fault, `ok` else: that a variable has no value or an input an odd size says nothing about
whether the release knows the graph. With `strict` every failure is.
"""
from __future__ import print_function

import json
import os
import sys
import time
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.filterwarnings("ignore")

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import meta_graph_pb2

v1 = tf.compat.v1 if hasattr(tf, "compat") and hasattr(tf.compat, "v1") and hasattr(tf.compat.v1, "Session") else tf

# Sums of several threads come out in any order.
ONE_THREAD = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)

# What TensorFlow says when it does not take a node, whatever is fed to it.
FAULTS = [
    "mentions attr",
    "not registered",
    "not available in GraphDef version",
    "missing attr",
    "No OpKernel",
    "Unsupported kernel",
    "not in the list of allowed values",
    "must be at most rank 1",
    "Invalid reduction",
    "nodes in a cycle",
    "min consumer version",
    "min producer version",
    "disallows consumer",
    "do not match",
    "had value with type",
    "is neither a type of a primitive operation",
    "is not defined",
    "Could not find callback",
    "callback pyfunc_",
]


def made(shape, dtype):
    """Values that depend on nothing but the shape and the type."""
    count = int(np.prod(shape)) if len(shape) else 1
    numbers = np.arange(count)
    if dtype == tf.string:
        values = np.array(["abcz"[i % 4] for i in numbers], dtype=object)
    elif dtype == tf.bool:
        values = numbers % 2 == 0
    elif dtype.is_floating:
        values = ((numbers * 37) % 101 / 101.0).astype(dtype.as_numpy_dtype)
    else:
        values = (numbers % 3).astype(dtype.as_numpy_dtype)
    return values.reshape(shape)


def sizes(shape):
    """A shape without unknown dimensions."""
    if shape.ndims is None:
        return [2]
    known = [None if dim is None else int(dim) for dim in shape.as_list()]
    return [(2 if at == 0 else 16) if dim is None else dim for at, dim in enumerate(known)]


def plain(value):
    """The first values of a result as JSON has them."""
    flat = np.asarray(value).ravel()[:64]
    if flat.dtype.kind in "OSU":
        return [v.decode("latin1") if isinstance(v, bytes) else str(v) for v in flat]
    # Types of 16 bits that NumPy does not have are numbers, too.
    if flat.dtype.kind in "fiub" or flat.dtype.name == "bfloat16":
        # JSON has no NaN and no infinity.
        return [float(v) if np.isfinite(float(v)) else str(float(v)) for v in flat]
    return [str(v) for v in flat]


def sinks(graph):
    """The outputs that nothing reads."""
    used = set()
    for op in graph.get_operations():
        used.update(tensor.name for tensor in op.inputs)
    found = []
    for op in graph.get_operations():
        found += [tensor for tensor in op.outputs if tensor.name not in used and tensor.dtype._is_ref_dtype is False]
    # A graph may say which of them mean something.
    return [tensor for tensor in found if tensor.name.startswith("out_")] or found


def run_graph(session, graph, fetches, strict):
    """Runs every fetch by itself, so that one which cannot run hides no other."""
    feed = {}
    for op in graph.get_operations():
        if op.type in ("Placeholder", "PlaceholderV2"):
            tensor = op.outputs[0]
            feed[tensor] = made(sizes(tensor.get_shape()), tensor.dtype.base_dtype)
    values, fault = {}, None
    for tensor in fetches:
        try:
            values[tensor.name] = plain(session.run(tensor, feed))
        except Exception as error:
            text = str(error)
            if fault is None and (strict or any(word in text for word in FAULTS)):
                fault = text
    return values, fault


def graph(path, meta, strict):
    message = meta_graph_pb2.MetaGraphDef() if meta else graph_pb2.GraphDef()
    with open(path, "rb") as file:
        message.ParseFromString(file.read())
    made_graph = tf.Graph()
    with made_graph.as_default():
        if meta:
            v1.train.import_meta_graph(message, clear_devices=True)
        else:
            v1.import_graph_def(message, name="")
    yield None
    with v1.Session(graph=made_graph, config=ONE_THREAD) as session:
        yield run_graph(session, made_graph, sinks(made_graph), strict)


def place(path):
    message = graph_pb2.GraphDef()
    with open(path, "rb") as file:
        message.ParseFromString(file.read())
    made_graph = tf.Graph()
    with made_graph.as_default():
        v1.import_graph_def(message, name="")
    yield None
    with v1.Session(graph=made_graph, config=ONE_THREAD) as session:
        try:
            session.run(made_graph.get_operation_by_name("asked"))
        except Exception as error:
            text = str(error)
            yield {}, None if "must feed a value" in text or "feed placeholder tensor" in text else text
            return
    yield {}, None


def session(path):
    made_graph = tf.Graph()
    with v1.Session(graph=made_graph, config=ONE_THREAD) as running:
        loader = v1.saved_model.loader
        tags = ["serve"]
        meta = loader.load(running, tags, path)
        yield None
        signatures = meta.signature_def
        names = [info.name for key in sorted(signatures) for _, info in sorted(signatures[key].outputs.items())]
        names = [name for name in names if name and not name.endswith("NoOp")]
        fetches = []
        for name in names:
            try:
                fetches.append(made_graph.get_tensor_by_name(name))
            except Exception:
                pass
        yield run_graph(running, made_graph, fetches, False)


def objects(path):
    model = tf.saved_model.load(path)
    yield None
    values, fault = {}, None
    for name, function in sorted(model.signatures.items()):
        try:
            specs = function.structured_input_signature[1]
            inputs = {key: tf.constant(made(sizes(spec.shape), spec.dtype)) for key, spec in specs.items()}
            for key, value in sorted(function(**inputs).items()):
                values[name + "/" + key] = plain(value.numpy())
        except Exception as error:
            if fault is None and any(word in str(error) for word in FAULTS):
                fault = str(error)
    yield values, fault


def fingerprint(path):
    from tensorflow.core.protobuf import fingerprint_pb2
    from tensorflow.python.saved_model.pywrap_saved_model import fingerprinting

    read = tf.saved_model.experimental.read_fingerprint(path)
    yield None
    computed = fingerprint_pb2.FingerprintDef.FromString(fingerprinting.CreateFingerprintDef(path))
    names = [field.name for field in computed.DESCRIPTOR.fields if field.name.endswith(("hash", "checksum"))]
    same = {name: str(getattr(read, name) == getattr(computed, name)) for name in names}
    yield {name: [value] for name, value in same.items()}, None


def outcome(job):
    loaders = {
        "graph": lambda path: graph(path, False, job["strict"]),
        "place": place,
        "meta": lambda path: graph(path, True, job["strict"]),
        "session": session,
        "objects": objects,
        "fingerprint": fingerprint,
    }
    steps = loaders[job["loader"]](job["path"])
    try:
        next(steps)
    except BaseException as error:
        return {"phase": "import", "values": {}, "said": type(error).__name__ + ": " + str(error)[:600]}
    try:
        values, fault = next(steps)
    except BaseException as error:
        return {"phase": "run", "values": {}, "said": type(error).__name__ + ": " + str(error)[:600]}
    return {"phase": "run" if fault else "ok", "values": values, "said": (fault or "")[:600]}


def main():
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    for job in jobs:
        begun = time.time()
        found = outcome(job)
        line = {"step": job["name"], "ok": found["phase"] == "ok", "detail": json.dumps(found)}
        line["seconds"] = time.time() - begun
        print(json.dumps(line))
        sys.stdout.flush()


main()
