"""Loads SavedModels with TensorFlow's C++ library and no Python of TensorFlow's, and says how far each came.

    tf_library.py JOBS.json

A job is {"name", "path"}. It is loaded by `TF_LoadSessionFromSavedModel` for the tag `serve`, and each of its
signatures is run once, all inputs zero; one that reads text is not. Lines are those of tf_load.py. In wheels from 2.10 on
the library is libtensorflow_cc.so.2; in older ones it is a part of the module for Python, which is loaded without being
imported.
"""
from __future__ import print_function

import ctypes
import importlib.util
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

POINTER = ctypes.c_void_p
TEXT = 7


def library():
    """Opens the library of the environment, found without importing its package."""
    names = [name for name in ("tensorflow_core", "tensorflow") if importlib.util.find_spec(name)]
    folder = os.path.dirname(importlib.util.find_spec(names[0]).origin)
    whole = os.path.join(folder, "libtensorflow_cc.so.2")
    if not os.path.exists(whole):
        whole = os.path.join(folder, "python", "_pywrap_tensorflow_internal.so")
    for name in ("libtensorflow_framework.so.1", "libtensorflow_framework.so.2"):
        if os.path.exists(os.path.join(folder, name)):
            ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(whole, mode=ctypes.RTLD_GLOBAL)


class Buffer(ctypes.Structure):
    _fields_ = [("data", POINTER), ("length", ctypes.c_size_t), ("free", POINTER)]


class Output(ctypes.Structure):
    _fields_ = [("operation", POINTER), ("index", ctypes.c_int)]


LIBRARY = library()


def call(name, result, *arguments):
    """Calls a function of the C API; numbers are given with their C types."""
    function = getattr(LIBRARY, name)
    function.restype = result
    return function(*arguments)


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
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield key >> 3, message[at:at + size]
        at += size


def one(message, number, default=b""):
    return dict(fields(message)).get(number, default)


def tensors(definition, number):
    """Name, type and shape of the inputs or outputs of a signature."""
    for field, entry in fields(definition):
        if field == number:
            info = one(entry, 2)
            dims = [one(dim, 1, 0) for field, dim in fields(one(info, 3)) if field == 2]
            sizes = [2 if size >= 1 << 63 else size for size in dims]
            yield one(info, 1).decode(), one(info, 2, 0), sizes


def output(graph, name):
    operation, _, index = name.partition(":")
    found = call("TF_GraphOperationByName", POINTER, POINTER(graph), operation.encode())
    return Output(found, int(index or 0))


def run(session, graph, definition, status):
    """Runs a signature with zeros; what the library says if it fails."""
    inputs, outputs = list(tensors(definition, 1)), list(tensors(definition, 2))
    if not outputs or not outputs[0][0] or any(dtype == TEXT for _, dtype, _ in inputs):
        return None
    values = []
    for _, dtype, sizes in inputs:
        count = 1
        for size in sizes:
            count *= size
        length = count * call("TF_DataTypeSize", ctypes.c_size_t, ctypes.c_int(dtype))
        dims = (ctypes.c_int64 * len(sizes))(*sizes)
        tensor = call("TF_AllocateTensor", POINTER, ctypes.c_int(dtype), dims, ctypes.c_int(len(sizes)),
                      ctypes.c_size_t(length))
        ctypes.memset(call("TF_TensorData", POINTER, POINTER(tensor)), 0, length)
        values.append(tensor)
    fed = (Output * len(inputs))(*[output(graph, name) for name, _, _ in inputs])
    wanted = (Output * len(outputs))(*[output(graph, name) for name, _, _ in outputs])
    results = (POINTER * len(outputs))()
    call("TF_SessionRun", None, POINTER(session), None, fed, (POINTER * len(values))(*values),
         ctypes.c_int(len(values)), wanted, results, ctypes.c_int(len(outputs)), None, ctypes.c_int(0), None,
         POINTER(status))
    return said(status)


def said(status):
    """What went wrong, if anything did."""
    if call("TF_GetCode", ctypes.c_int, POINTER(status)) == 0:
        return None
    return call("TF_Message", ctypes.c_char_p, POINTER(status)).decode("utf-8", "replace")[:600]


def outcome(path):
    status = call("TF_NewStatus", POINTER)
    graph, options, buffer = call("TF_NewGraph", POINTER), call("TF_NewSessionOptions", POINTER), Buffer()
    session = call("TF_LoadSessionFromSavedModel", POINTER, POINTER(options), None, path.encode(),
                   (ctypes.c_char_p * 1)(b"serve"), ctypes.c_int(1), POINTER(graph), ctypes.byref(buffer),
                   POINTER(status))
    fault = said(status)
    if fault is not None:
        return {"phase": "import", "values": {}, "said": fault}
    meta = ctypes.string_at(buffer.data, buffer.length)
    for field, entry in fields(meta):
        if field == 5 and not one(entry, 1).startswith(b"__"):
            fault = fault or run(session, graph, one(entry, 2), status)
    return {"phase": "run" if fault else "ok", "values": {}, "said": fault or ""}


def main():
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    for job in jobs:
        begun = time.time()
        found = outcome(job["path"])
        line = {"step": job["name"], "ok": found["phase"] == "ok", "detail": json.dumps(found)}
        line["seconds"] = time.time() - begun
        print(json.dumps(line))
        sys.stdout.flush()


main()
