"""Whether an ONNX Runtime gives what is written down: `python onnx_equal.py FOLDER` for each `NAME.onnx` and `NAME.npz`.

A line for each: `NAME\tOUTCOME\tERROR`. OUTCOME: `equal`, `DIFFERENT` (with the largest difference), `load`, `run`. Floats
may differ by a ten-thousandth of the largest output, as each release adds in an order of its own.
"""
import os
import sys

import numpy as np
import onnxruntime as ort

ort.set_default_logger_severity(4)


def outcome(path, arrays):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return "load", str(error)
    inputs = [arrays[key] for key in arrays.files if key[0] == "i"]
    wanted = [arrays[key] for key in arrays.files if key[0] == "o"]
    try:
        found = session.run(None, dict(zip([one.name for one in session.get_inputs()], inputs)))
    except Exception as error:
        return "run", str(error)
    if len(found) != len(wanted):
        return "DIFFERENT", "%d outputs for %d" % (len(found), len(wanted))
    for one, other in zip(found, wanted):
        if one.shape != other.shape or one.dtype != other.dtype:
            return "DIFFERENT", "%s %s for %s %s" % (one.dtype, one.shape, other.dtype, other.shape)
        if one.dtype.kind == "f":
            limit = 1e-4 * max(1.0, float(np.abs(other).max()) if other.size else 1.0)
            if not np.allclose(one, other, rtol=1e-4, atol=limit, equal_nan=True):
                return "DIFFERENT", str(float(np.abs(one - other).max()))
        elif not np.array_equal(one, other):
            return "DIFFERENT", ""
    return "equal", ""


for file in sorted(os.listdir(sys.argv[1])):
    name, ending = os.path.splitext(file)
    if ending != ".onnx":
        continue
    with np.load(os.path.join(sys.argv[1], name.split("@")[0] + ".npz")) as arrays:
        said = outcome(os.path.join(sys.argv[1], file), arrays)
    print("%s\t%s\t%s" % (name, said[0], said[1].replace("\n", " ").replace("\t", " ")[:300]), flush=True)
