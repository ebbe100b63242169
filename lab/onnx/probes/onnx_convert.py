"""Conversions of the node cases of onnx, ours beside those of its own converter.

python onnx_convert.py cases OUT EVERY         writes NAME.onnx and NAME.npz, of cases that only use ONNX's own domain
python onnx_convert.py models OUT FOLDER       copies the models of a folder, with inputs that ONNX Runtime takes
python onnx_convert.py wheel OUT               copies the models in the wheel of onnx, with the data beside them
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
import onnx.numpy_helper

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


def models(out, folder):
    """Copies models with inputs: random, of the first sizes for unknown dimensions that a run takes."""
    os.makedirs(out, exist_ok=True)
    for file in sorted(os.listdir(folder)):
        if file.endswith(".onnx"):
            copied(os.path.join(folder, file), os.path.join(out, file))


def copied(model, to):
    import shutil
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    shutil.copy(model, to)
    try:
        session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    except Exception:
        return
    for size in (1, 2, 64, 128, 320, 512, 640):
        arrays = dict(("i%d" % at, made(one, size)) for at, one in enumerate(session.get_inputs()))
        try:
            session.run(None, dict((one.name, arrays["i%d" % at]) for at, one in enumerate(session.get_inputs())))
        except Exception:
            continue
        np.savez(to[:-len(".onnx")] + ".npz", **arrays)
        break


def wheel(out):
    """The models in the wheel. ONNX Runtime does not run what is below opset 7, so outputs come from the data there."""
    import shutil
    os.makedirs(out, exist_ok=True)
    root = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(files):
            if not file.endswith(".onnx"):
                continue
            path = os.path.join(folder, file)
            name = os.path.relpath(path, root)[:-len(".onnx")].replace(os.sep, ".")
            to = os.path.join(out, name + ".onnx")
            arrays = dict(recorded(os.path.join(folder, "test_data_set_0")))
            if file == "model.onnx" and any(key.startswith("o") for key in arrays):
                shutil.copy(path, to)
                np.savez(os.path.join(out, name + ".npz"), **arrays)
            else:
                copied(path, to)


def recorded(folder):
    """Inputs and outputs beside a model; nothing if one of them is no tensor."""
    found = []
    for kind in ("input", "output"):
        at = 0
        while os.path.exists(os.path.join(folder, "%s_%d.pb" % (kind, at))):
            tensor = onnx.TensorProto()
            with open(os.path.join(folder, "%s_%d.pb" % (kind, at)), "rb") as file:
                try:
                    tensor.ParseFromString(file.read())
                    found.append(("%s%d" % (kind[0], at), onnx.numpy_helper.to_array(tensor)))
                except Exception:
                    return []
            at += 1
    return found


def made(value, size):
    """A tensor for an input of a session; the first unknown dimension is a batch of one."""
    shape = [one if isinstance(one, int) else 1 if at == 0 else size for at, one in enumerate(value.shape)]
    if "string" in value.type:
        return np.full(shape, "a text", dtype=object)
    dtype = {"tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
             "tensor(int32)": np.int32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8,
             "tensor(bool)": np.bool_}.get(value.type, np.float32)
    if np.issubdtype(dtype, np.floating):
        return np.random.default_rng(size).random(shape).astype(dtype)
    # A number alone is a rate of samples more often than not, several are lengths or words.
    return np.full(shape, 16000 if not shape and dtype == np.int64 else size if len(shape) == 1 else 1, dtype=dtype)


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
                inputs = [arrays[key] for key in arrays.files if key[0] == "i"]
                wanted = [arrays[key] for key in arrays.files if key[0] == "o"] or None
            try:
                wanted = run(model.SerializeToString(), inputs)
            except Exception:
                pass
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
elif sys.argv[1] == "models":
    models(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "wheel":
    wheel(sys.argv[2])
else:
    compare(sys.argv[2], [int(one) for one in sys.argv[3:]])
