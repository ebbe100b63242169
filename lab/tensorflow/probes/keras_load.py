"""Loads files of Keras with `load_model` of the Keras that runs this, and says what came of each.

    keras_load.py FILE...

A line for each file: its path, `ok`, `differs` or `fails`, and the error. `differs` is a model that loads and computes
something else than FILE.npy says. Weights alone are loaded into the model of FILE.json; `skipped` is one that is not made.
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import warnings

warnings.filterwarnings("ignore")

import numpy as np
import tensorflow as tf

sys.argv[1:], FILES = ["/nowhere"], sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from keras_write import flat, inputs, keras, ramp



def load(path):
    keras.backend.clear_session()
    tf.random.set_seed(7)
    model = None
    if path.endswith(".weights.h5"):
        try:
            with open(path + ".json", encoding="utf-8") as file:
                model = keras.models.model_from_json(file.read())
        except BaseException as error:
            return "skipped", type(error).__name__ + ": " + " ".join(str(error).split())
    try:
        if model is None:
            model = keras.models.load_model(path)
        else:
            model.load_weights(path)
    except BaseException as error:
        return "fails", type(error).__name__ + ": " + " ".join(str(error).split())
    if not os.path.exists(path + ".npy"):
        return "ok", ""
    try:
        name = os.path.basename(path)
        if name.startswith(("batch_size", "stateful")):
            answer = flat(model(ramp((2, 4) if name.startswith("batch_size") else (2, 5, 3))))
        else:
            answer = flat(model.predict(inputs(model), verbose=0))
    except BaseException as error:
        return "fails at the first call", type(error).__name__ + ": " + " ".join(str(error).split())
    known = np.load(path + ".npy")
    if answer.shape != known.shape:
        return "differs", "%s, not %s" % (answer.shape, known.shape)
    # Half precision has three digits.
    tolerance = 1e-2 if name.startswith("float16") else 1e-6
    far = float(np.max(np.abs(answer - known))) if answer.size else 0.0
    return ("ok", "") if far <= tolerance else ("differs", "by %g" % far)


for path in FILES:
    outcome, error = load(path)
    print("\t".join([path, outcome, error if len(error) < 1500 else error[:700] + " ... " + error[-700:]]), flush=True)
