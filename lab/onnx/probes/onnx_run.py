"""What an ONNX Runtime makes of models: `python onnx_run.py FOLDER` prints `NAME\tOUTCOME\tERROR` for each.

`python onnx_run.py FOLDER OUT LEVEL` writes each as `OUT/NAME.VERSION.LEVEL.ort` instead, optimized as LEVEL says: `basic`,
`extended` or `all`; as `onnxruntime.tools.convert_onnx_models_to_ort` does.

OUTCOME: `ok` (a session, and outputs where there are inputs beside it), `session` (a session, nothing to run),
`load` (no session), `run` (a session, and no outputs), `crash` (the process ended).
"""

import os
import sys

from children import ask

LEVELS = {"basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED", "all": "ORT_ENABLE_ALL"}


def inputs_of(name):
    """The file of inputs: a node case `CASE@LABEL.onnx` has those of its case."""
    return (name.split("@")[0] if "@" in name else name.rsplit(".", 1)[0]) + ".npz"


def child(folder, names, out=None, level=None):
    import numpy as np
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    new = tuple(map(int, ort.__version__.split(".")[:2])) >= (1, 10)
    for name in names:
        print("@" + name, flush=True)
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        path = os.path.join(folder, name)
        if out:
            options.optimized_model_filepath = os.path.join(
                out, "%s.%s.%s.ort" % (name[:-len(".onnx")], ort.__version__, level))
            options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[level])
            options.add_session_config_entry("session.save_model_format", "ORT")
        outcome, said = "session", ""
        try:
            if new:
                session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            else:
                session = ort.InferenceSession(path, options)
        except Exception as error:
            outcome, said = "load", str(error)
        data = os.path.join(folder, inputs_of(name))
        # A node case with other element types has a label with `-`; a model that is no node case has none.
        label = name.replace("@as-is", "@asis").partition("@")[2]
        if outcome == "session" and not out and "-" not in label and os.path.exists(data):
            try:
                with np.load(data) as inputs:
                    session.run(None, {key: inputs[key] for key in inputs.files})
                outcome = "ok"
            except Exception as error:
                outcome, said = "run", str(error)
                if "No corresponding Numpy type" in said:
                    # It ran; Python has no such type.
                    outcome, said = "session", ""
        print("%s\t%s\t%s" % (name, outcome, said.replace("\n", " ").replace("\t", " ")[:400]), flush=True)


def main():
    folder, more = sys.argv[1], sys.argv[2:]
    if "child" in more:
        return child(folder, sys.stdin.read().split("\n"), *more[1:])
    names = sorted(name for name in os.listdir(folder) if name.endswith((".onnx", ".ort")))
    ask([__file__, folder, "child"] + more, names)
    return None


main()
