"""Conversions of the node cases of onnx, ours beside those of its own converter.

python onnx_convert.py cases OUT EVERY         writes NAME.onnx and NAME.npz, of cases that only use ONNX's own domain
python onnx_convert.py compare OUT OPSET...    prints a line for each: NAME, own opset, OPSET, official, ours

OUT/converted/NAME@OPSET.onnx is what was made of a case, and NAME@OPSET.none stands where that was refused. Outcomes:
`refused`, `invalid` (the checker refuses it), `same`, `DIFFERENT`, `not run` (ONNX Runtime refuses what was made),
`source` (it refuses the case itself).
"""

import os
import sys
import warnings

import numpy as np
import onnx

warnings.filterwarnings("ignore")


def opset(model):
    return next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), None)


def cases(out, every):
    import onnx.backend.test.case.node as node_cases
    os.makedirs(out, exist_ok=True)
    found = sorted(node_cases.collect_testcases(None), key=lambda case: case.name)
    found = [case for case in found if case.model is not None and opset(case.model)
             and all(one.domain in ("", "ai.onnx") for one in case.model.opset_import)]
    for case in found[::every]:
        # Cases carry the IR version of the newest onnx, which ONNX Runtime may not know yet.
        with open(os.path.join(out, case.name + ".onnx"), "wb") as file:
            file.write(case.model.SerializeToString())
        if case.data_sets:
            inputs, outputs = case.data_sets[0]
            if all(isinstance(one, np.ndarray) for one in list(inputs) + list(outputs)):
                arrays = dict(("i%d" % at, one) for at, one in enumerate(inputs))
                np.savez(os.path.join(out, case.name + ".npz"), **arrays)


def run(model, inputs):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip([one.name for one in session.get_inputs()], inputs)))


def close(one, other):
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return True
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind in "fc":
        loose = one.dtype.itemsize < 4
        return np.allclose(one, other, rtol=1e-2 if loose else 1e-4, atol=1e-3 if loose else 1e-5, equal_nan=True)
    return np.array_equal(one, other)


def outcome(made, wanted, inputs):
    try:
        onnx.checker.check_model(onnx.load_model_from_string(made), full_check=True)
    except Exception as error:
        return "invalid", str(error)
    if inputs is None:
        return "unrun", ""
    if wanted is None:
        return "source", ""
    try:
        found = run(made, inputs)
    except Exception as error:
        return "not run", str(error)
    return ("same" if all(map(close, wanted, found)) else "DIFFERENT"), ""


RANDOM = ("bernoulli", "dropout", "random", "multinomial", "training")


def compare(out, opsets):
    import onnx.version_converter as converter
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    for file in sorted(os.listdir(out)):
        name, ending = os.path.splitext(file)
        if ending != ".onnx":
            continue
        model = onnx.load(os.path.join(out, file))
        own = opset(model)
        inputs = wanted = None
        data = os.path.join(out, name + ".npz")
        if os.path.exists(data) and not any(word in name for word in RANDOM):
            with np.load(data, allow_pickle=True) as arrays:
                inputs = [arrays[key] for key in arrays.files]
            try:
                wanted = run(model.SerializeToString(), inputs)
            except Exception:
                wanted = None
        for to in opsets:
            if to == own:
                continue
            try:
                official = outcome(converter.convert_version(model, to).SerializeToString(), wanted, inputs)
            except Exception as error:
                official = "refused", str(error)
            made = os.path.join(out, "converted", "%s@%d.onnx" % (name, to))
            if os.path.exists(made):
                with open(made, "rb") as bytes_of:
                    ours = outcome(bytes_of.read(), wanted, inputs)
            else:
                ours = "refused", ""
            said = (ours[1] or official[1]).replace("\n", " ").replace("\t", " ")[:200]
            print("%s\t%d\t%d\t%s\t%s\t%s" % (name, own, to, official[0], ours[0], said), flush=True)


if sys.argv[1] == "cases":
    cases(sys.argv[2], int(sys.argv[3]))
else:
    compare(sys.argv[2], [int(one) for one in sys.argv[3:]])
