"""Loads what other releases of scikit-learn wrote, and asks it the same.

    python sklearn_read.py FOLDER...

FOLDER is what sklearn_write.py wrote. One JSON line for each estimator: `load` or `use` with the error if there is one,
`differs` with the method and the largest relative difference if an answer is another one, `warns` with the categories.
"""

import json
import os
import sys
import warnings

import joblib
import numpy as np
import sklearn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sklearn_write import METHODS, data  # noqa: E402

#: Sums are not always made in the same order.
TOLERANCE = 1e-6


def difference(one, other):
    """The largest difference relative to the values; none if they are not of one shape."""
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return float("inf")
    if one.dtype.kind in "U" or other.dtype.kind in "U":
        return 0.0 if np.array_equal(one, other) else float("inf")
    one, other = one.astype(float), other.astype(float)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    scale = np.maximum(np.maximum(np.abs(one), np.abs(other)), 1e-3)
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other) / scale)
    return float(np.nan_to_num(apart, nan=float("inf")).max(initial=0.0))


def one(path, asked, expected):
    said = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = joblib.load(path)
        except Exception as error:
            return {"load": type(error).__name__ + ": " + str(error)[:300]}
        for method in METHODS:
            if method not in expected:
                continue
            try:
                value = getattr(model, method)(asked)
            except Exception as error:
                said.setdefault("use", method + ": " + type(error).__name__ + ": " + str(error)[:300])
                continue
            value = value[0] if method == "kneighbors" else value
            value = value.toarray() if hasattr(value, "toarray") else value
            if isinstance(value, list):
                value = np.concatenate([np.asarray(part) for part in value], axis=-1)
            apart = difference(value, expected[method])
            if apart > TOLERANCE:
                said.setdefault("differs", [method, apart])
        try:
            repr(model)
        except Exception as error:
            said["shows"] = type(error).__name__ + ": " + str(error)[:200]
    said["warns"] = sorted({one.category.__name__ for one in caught})
    return said


def main(folders):
    for folder in folders:
        with open(os.path.join(folder, "written.json")) as file:
            written = json.load(file)
        inputs = data(written["seed"])
        with np.load(os.path.join(folder, "expected.npz")) as arrays:
            expected = {}
            for key in arrays.files:
                name, method = key.split("/")
                expected.setdefault(name, {})[method] = arrays[key]
        for name, place in sorted(written["inputs"].items()):
            path = os.path.join(folder, name + ".joblib")
            said = one(path, inputs[place][1], expected.get(name, {}))
            line = {"name": name, "writer": written["version"], "reader": sklearn.__version__}
            print(json.dumps({**line, **said}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
