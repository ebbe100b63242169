"""Fits every estimator of the installed scikit-learn on made data.

    python sklearn_write.py OUT SEED

writes OUT/NAME.joblib for each that can be fitted, OUT/NAME-binary.joblib for classifiers, which compute two classes in another
way than three, and OUT/expected.npz with what each answers to a part of the data
(NAME/METHOD). The last line of the output is the number of estimators, and the names of those that could not be fitted.
"""

import json
import os
import sys
import warnings

import joblib
import numpy as np
import sklearn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

try:
    from sklearn.utils import all_estimators
except ImportError:
    from sklearn.utils.testing import all_estimators

METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "transform",
    "score_samples",
    "kneighbors",
)


def data(seed):
    """The inputs to try, in the order in which they are: what fits, and what is asked then."""
    random = np.random.RandomState(seed)
    x = random.uniform(0.1, 2.0, (90, 6))
    classes = (x[:, 0] + x[:, 1] > x[:, 2] * 2).astype(int) + (x[:, 3] > 1.2)
    target = x.sum(axis=1) + 0.1 * random.normal(size=90)
    words = ["one two three", "two red cats", "three red dogs run", "one dog and two cats", "cats run"] * 6
    records = [{"a": float(i % 3), "b": "xyz"[i % 3]} for i in range(30)]
    small = x[:20]
    return [
        ((x, classes), small),
        ((x, target), small),
        ((x,), small),
        ((x, np.stack([target, target * 2], axis=1)), small),
        ((x, np.stack([classes > 0, classes > 1], axis=1).astype(int)), small),
        ((words,), words[:5]),
        ((records,), records[:5]),
        (([str(one) for one in classes],), [str(one) for one in classes[:9]]),
        (([[one, one + 1] for one in classes.tolist()],), [[one, one + 1] for one in classes[:9].tolist()]),
        ((x[:, 0], target), x[:20, 0]),
        ((np.cov(x.T) @ np.cov(x.T).T,), np.cov(x.T)),
        ((x, (classes > 0).astype(int)), small),
    ]


#: The last of the inputs is for classifiers, and no other one.
BINARY = 11


#: Given to every estimator that has the argument, by an odd seed: other attributes matter then.
OTHER = {
    "n_estimators": 7, "max_depth": 3, "C": 0.5, "alpha": 0.3, "n_neighbors": 3, "fit_intercept": False, "degree": 3,
    "n_clusters": 3, "n_bins": 4, "min_samples_leaf": 2, "learning_rate_init": 0.01, "subsample": 0.9, "max_features": 2,
    "shrinkage": 0.2, "whiten": True, "weights": "distance", "average": True, "warm_start": True, "with_mean": False,
}


def arguments(kind, seed):
    """What the constructor needs, for those that need something."""
    name = kind.__name__
    base = LogisticRegression() if "Classif" in name or "RFE" in name or "SelfTraining" in name else LinearRegression()
    if name in ("SelectFromModel", "OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier", "ClassifierChain"):
        base = LogisticRegression()
    pairs = [("first", base), ("second", DecisionTreeClassifier(random_state=0) if "Classifier" in name else LinearRegression())]
    known = {
        "Pipeline": {"steps": [("scale", StandardScaler()), ("model", LogisticRegression())]},
        "FeatureUnion": {"transformer_list": [("scale", StandardScaler())]},
        "ColumnTransformer": {"transformers": [("scale", StandardScaler(), [0, 1])], "remainder": "passthrough"},
        "GridSearchCV": {"estimator": LogisticRegression(), "param_grid": {"C": [0.1, 1.0]}},
        "RandomizedSearchCV": {"estimator": LogisticRegression(), "param_distributions": {"C": [0.1, 1.0]}, "n_iter": 2},
        "VotingClassifier": {"estimators": pairs},
        "VotingRegressor": {"estimators": pairs},
        "StackingClassifier": {"estimators": pairs},
        "StackingRegressor": {"estimators": pairs},
        "SparseCoder": {"dictionary": np.eye(6)},
        "SelectKBest": {"k": 3},
        "NuSVC": {"nu": 0.2},
        "GaussianRandomProjection": {"n_components": 3, "random_state": seed},
        "SparseRandomProjection": {"n_components": 3, "random_state": seed},
    }
    if name in known:
        return known[name]
    import inspect

    wanted = inspect.signature(kind.__init__).parameters
    given = {}
    for key, parameter in wanted.items():
        if key in ("self",) or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if key == "random_state":
            given[key] = seed
        elif seed % 2 and key in OTHER and type(parameter.default) in (type(OTHER[key]), type(None)):
            given[key] = OTHER[key]
        elif parameter.default is parameter.empty and key in ("estimator", "base_estimator"):
            given[key] = base
    return given


def answers(model, asked):
    """What the methods of a fitted model answer, as arrays."""
    found = {}
    for method in METHODS:
        try:
            value = getattr(model, method)(asked)
        except Exception:
            continue
        value = value[0] if method == "kneighbors" else value
        value = value.toarray() if hasattr(value, "toarray") else value
        if isinstance(value, list):
            value = np.concatenate([np.asarray(one) for one in value], axis=-1)
        value = np.asarray(value)
        if value.dtype.kind in "fiubU":
            found[method] = value
    return found


def main(out, seed):
    warnings.simplefilter("ignore")
    os.makedirs(out, exist_ok=True)
    expected, missing, inputs = {}, [], {}
    tries = [(name, kind, range(BINARY)) for name, kind in all_estimators()]
    classifiers = {name for name, _ in all_estimators(type_filter="classifier")}
    tries += [(name + "-binary", kind, [BINARY]) for name, kind, _ in tries if name in classifiers]
    for name, kind, places in tries:
        for place in places:
            given, asked = data(seed)[place]
            try:
                model = kind(**arguments(kind, seed)).fit(*given)
                found = answers(model, asked)
                again = answers(model, asked)
            except Exception:
                continue
            is_last = place == places[-1]
            if not found and not is_last and not hasattr(model, "fit_predict") and not hasattr(model, "fit_transform"):
                continue
            joblib.dump(model, os.path.join(out, name + ".joblib"))
            inputs[name] = place
            for method, value in found.items():
                # What does not answer the same twice tells nothing.
                if np.array_equal(value, again.get(method)):
                    expected[name + "/" + method] = value
            break
        else:
            missing.append(name)
    np.savez_compressed(os.path.join(out, "expected.npz"), **expected)
    with open(os.path.join(out, "written.json"), "w") as file:
        json.dump({"version": sklearn.__version__, "seed": seed, "inputs": inputs, "missing": missing}, file)
    print(len(inputs), " ".join(missing))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
