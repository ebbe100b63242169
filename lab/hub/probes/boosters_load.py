"""Loads models with the installed XGBoost, LightGBM or CatBoost and asks them, each in a child of this process.

boosters_load.py PACKAGE FILE...

Beside each file lie inputs.npy, asked.options and expected.npz, as boosters_write.py wrote them. Prints a line for each file: the path, `same`,
`other` (it answers otherwise), `load` (it cannot be loaded) or `run` (it cannot be asked), and the error.
"""
import json
import os
import pickle
import signal
import sys
import warnings

# Idle threads of OpenMP spin, and many models are small.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

SECONDS = 60


def load(package, path):
    if path.endswith(".pkl"):
        with open(path, "rb") as file:
            return pickle.load(file)
    if path.endswith(".joblib"):
        import joblib

        return joblib.load(path)
    if package == "xgboost":
        import xgboost

        booster = xgboost.Booster()
        booster.load_model(path)
        return booster
    if package == "lightgbm":
        import lightgbm

        return lightgbm.Booster(model_file=path)
    import catboost

    model = catboost.CatBoost()
    model.load_model(path, format="json" if path.endswith(".json") else "cbm")
    return model


def ask(package, model, x, options):
    if "_estimator" in options:
        inputs = [[float(value) for value in row] for row in x] if package == "catboost" else x
        return getattr(model, "predict_proba", model.predict)(inputs)
    if package == "xgboost":
        import xgboost

        more = {}
        if "_types" in options:
            more = {"feature_types": options["_types"], "enable_categorical": True}
        if "_names" in options:
            more["feature_names"] = options["_names"]
        try:
            matrix = xgboost.DMatrix(x, **more)
        except (TypeError, ValueError):
            # A release without categories is given numbers: what it cannot be given says nothing about the model.
            matrix = xgboost.DMatrix(x, feature_names=options.get("_names"))
        return model.predict(matrix)
    if package == "catboost":
        import catboost

        categories = options.get("_categories", [])
        rows = [[int(value) if at in categories else float(value) for at, value in enumerate(row)] for row in x]
        return model.predict(catboost.Pool(rows, cat_features=categories))
    return model.predict(x)


def judged(package, path):
    warnings.simplefilter("ignore")
    folder, file = os.path.split(path)
    name = os.path.splitext(file)[0]
    expected = np.load(f"{folder}/expected.npz")[name]
    with open(f"{folder}/asked.options") as file:
        options = json.load(file)[name]
    try:
        model = load(package, path)
    except Exception as error:
        return "load", f"{type(error).__name__}: {error}"
    try:
        answer = np.asarray(ask(package, model, np.load(f"{folder}/inputs.npy"), options))
    except Exception as error:
        return "run", f"{type(error).__name__}: {error}"
    if answer.shape == expected.shape and np.allclose(answer, expected, rtol=1e-4, atol=1e-5, equal_nan=True):
        return "same", ""
    return "other", f"{answer.shape} {answer.ravel()[:3]} instead of {expected.shape} {expected.ravel()[:3]}"


def main(package, *paths):
    __import__(package)
    for path in paths:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            signal.alarm(SECONDS)
            # The library prints warnings.
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.write(write, json.dumps(judged(package, path)).encode()[:60000])
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            said = pipe.read()
        status = os.waitpid(child, 0)[1]
        result, error = json.loads(said) if said else ("load", f"ended by signal {status & 127}")
        print(path, result, " ".join(error.split())[:300], sep="\t", flush=True)


main(*sys.argv[1:])
