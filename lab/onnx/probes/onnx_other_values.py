"""Where releases give other values: `python onnx_other_values.py FOLDER VERSION...` prints `NAME\tVERSION\tHOW`.

FOLDER has `VERSION.pickle` of each, as `onnx_values.py` writes it, the newest version last. A case is held against the newest
release that runs it, without optimization. HOW: `optimized`, `unoptimized` or both.
"""

import os
import pickle
import sys

import numpy as np

# Operators that draw: no two runs of them give the same.
DRAWN = ("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")


def answers(path):
    found = {}
    with open(path, "rb") as file:
        while True:
            try:
                name, both = pickle.load(file, encoding="latin1")
            except EOFError:
                return found
            if name.split("_")[0] not in DRAWN:
                found[name] = both


def differs(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return False
    return len(one) != len(other) or any(differ(a, b) for a, b in zip(one, other))


def differ(one, other):
    if isinstance(one, (list, dict)) or isinstance(other, (list, dict)):
        return False
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return True
    if one.dtype.kind in "fc":
        near = 2e-2 if one.dtype == np.float16 else 1e-3
        return not np.allclose(one.astype(np.float64), other.astype(np.float64), rtol=near, atol=near, equal_nan=True)
    if one.dtype.kind in "iu" and one.dtype.itemsize == 1:
        # Quantized values may be rounded to either side.
        return bool((np.abs(one.astype(int) - other.astype(int)) > 1).any())
    return not (one == other).all()


def main():
    folder, versions = sys.argv[1], sys.argv[2:]
    found = {version: answers(os.path.join(folder, version + ".pickle")) for version in versions}
    wanted = {}
    for version in versions:
        for name, both in found[version].items():
            if len(both) > 1 and not isinstance(both[1], str):
                wanted[name] = both[1]
    for version in versions:
        for name, both in sorted(found[version].items()):
            if name in wanted:
                how = [what for what, one in zip(("optimized", "unoptimized"), both) if differs(one, wanted[name])]
                if how:
                    print("%s\t%s\t%s" % (name, version, ",".join(how)))


main()
