"""Writes files of drawn models with the Keras 3 that runs this, and reads those of other releases.

    keras_files.py write FOLDER SEED COUNT    COUNT models, each as NUMBER.keras, NUMBER.h5 and NUMBER.weights.h5
    keras_files.py read FILE...               a line for each: its path, what came of it, and the error
    keras_files.py read @LIST                 the same for the paths in a file, a line each

Beside the files of a model stand NUMBER.npy, what it computes, and NUMBER.json, its configuration, into which weights alone
are read. What comes of a file: `ok`, `differs` if it computes something else, `fails at the first call`, `fails`, or
`skipped`, where a configuration is not read and so its weights are not either.
"""
import json
import os
import random
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "numpy")
warnings.filterwarnings("ignore")

import keras
import numpy as np

import keras_forms


def ramp(shape):
    return np.sin(np.arange(int(np.prod(shape)), dtype="float32") * 0.7).reshape(shape)


def answer(model):
    """What a model computes, as one row of numbers."""
    inputs = []
    for one in model.inputs:
        made = ramp([2 if size is None else size for size in one.shape])
        inputs.append((np.arange(made.size) % 3).reshape(made.shape).astype(one.dtype) if "int" in str(one.dtype) else made)
    if isinstance(getattr(model, "_inputs_struct", None), dict):
        inputs = dict(zip(model._inputs_struct, inputs))
    elif len(inputs) == 1:
        inputs = inputs[0]
    parts = model(inputs, training=False)
    flat = [np.asarray(keras.ops.convert_to_numpy(part), "float64") for part in keras_forms.leaves(parts)]
    # The same numbers in another shape are another answer.
    return np.concatenate([np.concatenate([np.array((part.ndim,) + part.shape), part.ravel()]) for part in flat])


def random_weights(model, seed):
    generator = np.random.RandomState(seed)
    values = [generator.uniform(0.1, 0.9, one.shape).astype(one.dtype) if "float32" == str(one.dtype) else one for one in model.get_weights()]
    model.set_weights(values)


def write(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(seed)
    number = tries = 0
    while number < count and tries < 20 * count:
        tries += 1
        keras.backend.clear_session()
        keras.utils.set_random_seed(tries)
        model = keras_forms.model(draw)
        if model is None:
            continue
        base = os.path.join(folder, "%03d" % number)
        try:
            if not any("int" in str(one.dtype) for one in model.weights):
                random_weights(model, tries)
            known = answer(model)
            model.save(base + ".keras")
        except Exception:
            if os.path.exists(base + ".keras"):
                os.remove(base + ".keras")
            continue
        np.save(base + ".npy", known)
        with open(base + ".json", "w", encoding="utf-8") as file:
            json.dump(keras.saving.serialize_keras_object(model), file)
        for ending, save in ((".h5", model.save), (".weights.h5", model.save_weights)):
            try:
                save(base + ending)
            except Exception:
                if os.path.exists(base + ending):
                    os.remove(base + ending)
        number += 1


def base_of(path):
    for ending in (".weights.h5", ".from-keras.h5", ".keras", ".h5"):
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def said(error):
    return "%s: %s" % (type(error).__name__, " ".join(str(error).split()))


def read(path):
    keras.backend.clear_session()
    base = base_of(path)
    try:
        if path.endswith(".weights.h5"):
            try:
                with open(base + ".json", encoding="utf-8") as file:
                    model = keras.saving.deserialize_keras_object(json.load(file))
            except Exception as error:
                return "skipped", said(error)
            model.load_weights(path)
        else:
            model = keras.saving.load_model(path)
    except BaseException as error:
        return "fails", said(error)
    try:
        found = answer(model)
    except BaseException as error:
        return "fails at the first call", said(error)
    known = np.load(base + ".npy")
    if found.shape != known.shape:
        return "differs", "%s, not %s" % (found.shape, known.shape)
    if not np.allclose(found, known, rtol=2e-2 if half(model) else 1e-4, atol=2e-2 if half(model) else 1e-5, equal_nan=True):
        return "differs", "by %g" % np.nanmax(np.abs(found - known))
    return "ok", ""


def half(model):
    """Whether a part of it computes with few digits."""
    text = model.to_json()
    return any(name in text for name in ("float16", "int8", "int4", "float8"))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        paths = sys.argv[2:]
        if paths[0].startswith("@"):
            with open(paths[0][1:], encoding="utf-8") as file:
                paths = file.read().splitlines()
        for path in paths:
            outcome, error = read(path)
            print("\t".join([path, outcome, error if len(error) < 1500 else error[:700] + " ... " + error[-700:]]))
