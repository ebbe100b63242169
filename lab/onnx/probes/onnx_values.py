"""What an ONNX Runtime answers: `python onnx_values.py FOLDER OUT` prints `NAME\tOUTCOME\tERROR` for each model of a folder.

Each model runs twice, optimized as usual and not at all. OUT gets a pickle: name to the outputs of both, as lists of arrays. The
outcomes are those of `onnx_run.py`; what ends the process at the second time is `crash` of no model.
"""

import os
import pickle
import sys

import numpy as np

from children import ask


def session(ort, path, plain):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if plain:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if tuple(map(int, ort.__version__.split(".")[:2])) >= (1, 10):
        return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return ort.InferenceSession(path, options)


def inputs(path):
    with np.load(path) as given:
        return {name: one.astype(object) if one.dtype.kind == "U" else one for name, one in given.items()}


def child(folder, out, names):
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    answers = open(out, "ab")
    for name in names:
        print("@" + name, flush=True)
        path = os.path.join(folder, name)
        data = path[:-len(".onnx")] + ".npz"
        outcome, said, both = "session", "", []
        try:
            made = session(ort, path, False)
        except Exception as error:
            outcome, said = "load", str(error)
        if outcome == "session" and os.path.exists(data):
            given = inputs(data)
            try:
                wanted = {one.name for one in made.get_inputs()}
                given = {key: one for key, one in given.items() if key in wanted}
                both.append(made.run(None, given))
                outcome = "ok"
            except Exception as error:
                outcome, said = "run", str(error)
                if "No corresponding Numpy type" in said:
                    outcome, said = "session", ""
        print("%s\t%s\t%s" % (name, outcome, said.replace("\n", " ").replace("\t", " ")[:300]), flush=True)
        if outcome == "ok":
            try:
                both.append(session(ort, path, True).run(None, given))
            except Exception as error:
                both.append(str(error)[:200])
            pickle.dump((name, both), answers, 2)
            answers.flush()
    return None


def main():
    folder, out, more = sys.argv[1], sys.argv[2], sys.argv[3:]
    if more:
        return child(folder, out, sys.stdin.read().split("\n"))
    if os.path.exists(out):
        os.remove(out)
    names = sorted(name for name in os.listdir(folder) if name.endswith(".onnx"))
    ask([__file__, folder, out, "child"], names, lambda name: print("#ended without optimization\t%s" % name))
    return None


main()
