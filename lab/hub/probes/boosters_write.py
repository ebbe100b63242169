"""Trains small models with the installed XGBoost, LightGBM or CatBoost.

boosters_write.py PACKAGE FOLDER SEED

writes FOLDER/MODEL.ENDING for each model and each format that the release writes, pickles among them, and FOLDER/expected.npz with
what each model answers, by its name; FOLDER/inputs.npy and FOLDER/asked.options have what they are asked. With a seed other than 1
each model also has an option of another one, which is drawn. A model that the release cannot train is left out, and named in the
last line of the output.
"""
import json
import os
import pickle
import sys
import warnings

# Idle threads of OpenMP spin, and many models are small.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

# How many rows each model is asked.
ASKED = 30


def data(seed):
    """Inputs with missing values and one column of categories, and the targets: real, two classes, three classes, counts."""
    random = np.random.RandomState(seed)
    x = random.uniform(0.1, 2.0, (120, 5)).astype(np.float32)
    x[:, 4] = random.randint(0, 6, 120)
    real = (x[:, 0] * 2 + x[:, 1] - (x[:, 4] % 2)).astype(np.float32)
    three = (x[:, 0] > 0.8).astype(int) + (x[:, 1] > 1.2)
    counts = random.poisson(x[:, 0])
    x[random.uniform(size=x.shape) < 0.05] = np.nan
    x[:, 4] = np.nan_to_num(x[:, 4])
    return x, real, (real > np.median(real)).astype(int), three, counts


def dump(model, path):
    """Pickles a model as the oldest Python that is used here can read it."""
    with open(f"{path}.pkl", "wb") as file:
        pickle.dump(model, file, protocol=4)


def estimators(names, base, two, three, real):
    """Models with the interface of scikit-learn, which are pickled: a classifier of two classes and one of three, a regressor."""
    classifier, regressor = names
    found = {}
    for name, wrapper, target in (("classifier", classifier, two), ("classifier-three", classifier, three), ("regressor", regressor, real)):
        found[name] = dict(base, _estimator=wrapper), target
    return found


def write_estimator(path, module, parameters, inputs, target):
    """Fits an estimator and pickles it, by joblib too."""
    import joblib

    options = {key: value for key, value in parameters.items() if not key.startswith("_")}
    model = getattr(module, parameters["_estimator"])(**options)
    groups = {"group": parameters["_groups"]} if "_groups" in parameters else {}
    model.fit(inputs, target, **groups)
    dump(model, path)
    joblib.dump(model, f"{path}.joblib", compress=3)
    return getattr(model, "predict_proba", model.predict)(inputs[:ASKED])


def xgboost_models(x, real, two, three, counts):
    """Parameters and targets of each model; keys that begin with an underscore are for this script."""
    tree = {"max_depth": 3, "eta": 0.5, "nthread": 1}
    objectives = {
        "regression": ("reg:squarederror", real), "linear-objective": ("reg:linear", real), "logistic": ("binary:logistic", two),
        "raw": ("binary:logitraw", two), "hinge": ("binary:hinge", two), "poisson": ("count:poisson", counts),
        "gamma": ("reg:gamma", real + 3), "tweedie": ("reg:tweedie", counts), "log-error": ("reg:squaredlogerror", real + 3),
        "huber": ("reg:pseudohubererror", real), "absolute": ("reg:absoluteerror", real), "cox": ("survival:cox", real + 3),
        "rank": ("rank:pairwise", two), "ndcg": ("rank:ndcg", two), "quantile": ("reg:quantileerror", real),
        "expectile": ("reg:expectileerror", real),
    }
    found = {name: (dict(tree, objective=objective), target) for name, (objective, target) in objectives.items()}
    found["quantile"][0]["quantile_alpha"] = 0.4
    found["expectile"][0]["expectile_alpha"] = 0.4
    for name in ("softprob", "softmax"):
        found[name] = dict(tree, objective=f"multi:{name}", num_class=3), three
    base = dict(tree, objective="reg:squarederror")
    found["base-score"] = dict(base, base_score=0.25), real
    found["dart"] = dict(base, booster="dart", rate_drop=0.3), real
    found["linear"] = {"booster": "gblinear", "objective": "reg:squarederror", "nthread": 1}, np.nan_to_num(real)
    found["forest"] = dict(base, num_parallel_tree=3, subsample=0.7), real
    found["exact"] = dict(base, tree_method="exact"), real
    found["hist"] = dict(base, tree_method="hist", grow_policy="lossguide", max_leaves=6), real
    found["monotone"] = dict(base, monotone_constraints="(1,0,0,0,0)"), real
    found["categories"] = dict(base, tree_method="hist", _types=["q"] * 4 + ["c"], max_cat_to_onehot=1), real
    found["one-hot"] = dict(base, tree_method="approx", _types=["q"] * 4 + ["c"]), real
    found["targets"] = dict(base, tree_method="hist"), np.stack([real, real * 2], axis=1)
    found["target-trees"] = dict(base, tree_method="hist", multi_strategy="multi_output_tree"), np.stack([real, real * 2], axis=1)
    found["quantiles"] = dict(tree, objective="reg:quantileerror", quantile_alpha=[0.2, 0.8]), real
    found["names"] = dict(base, _names=["a", "b b", "c", "d", "é"]), real
    found["attributes"] = dict(base, _attributes={"best_iteration": "1", "note": "x"}), real
    found["aft"] = dict(tree, objective="survival:aft", _bounds=True), real + 3
    small = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1}
    found.update(estimators(("XGBClassifier", "XGBRegressor"), small, two, three, real))
    found["forest-regressor"] = dict(small, _estimator="XGBRFRegressor"), real
    found["ranker"] = dict(small, _estimator="XGBRanker", _groups=[40, 40, 40]), two
    return found


def write_xgboost(path, x, parameters, target):
    import xgboost

    if "_estimator" in parameters:
        return write_estimator(path, xgboost, parameters, x, target)
    options = {key: value for key, value in parameters.items() if not key.startswith("_")}
    more = {}
    if "_types" in parameters:
        more = {"feature_types": parameters["_types"], "enable_categorical": True}
    if "_names" in parameters:
        more = {"feature_names": parameters["_names"]}
    matrix = xgboost.DMatrix(x, label=target, **more)
    if "_bounds" in parameters:
        matrix.set_float_info("label_lower_bound", target)
        matrix.set_float_info("label_upper_bound", target + 1)
    if "rank" in options["objective"]:
        matrix.set_group([40, 40, 40])
    booster = xgboost.train(options, matrix, 4)
    booster.set_attr(**parameters.get("_attributes", {}))
    for ending in ("json", "ubj", "bin"):
        # Releases that do not know an ending write another format under it.
        booster.save_model(f"{path}.{ending}")
        with open(f"{path}.{ending}", "rb") as file:
            start = file.read(2)
        written = "json" if start == b'{"' else "ubj" if start[:1] == b"{" else "bin"
        if written != ending:
            os.remove(f"{path}.{ending}")
    dump(booster, path)
    return booster.predict(xgboost.DMatrix(x[:ASKED], **more))


def lightgbm_models(x, real, two, three, counts):
    tree = {"num_leaves": 6, "min_data_in_leaf": 3, "verbose": -1, "num_threads": 1, "seed": 1}
    objectives = {
        "regression": real, "regression_l1": real, "huber": real, "fair": real, "poisson": counts, "quantile": real, "mape": real + 3,
        "gamma": real + 3, "tweedie": counts, "binary": two, "cross_entropy": two, "cross_entropy_lambda": two,
    }
    found = {name: (dict(tree, objective=name), target) for name, target in objectives.items()}
    for name in ("multiclass", "multiclassova"):
        found[name] = dict(tree, objective=name, num_class=3), three
    for name in ("lambdarank", "rank_xendcg"):
        found[name] = dict(tree, objective=name, _groups=[40, 40, 40]), two
    base = dict(tree, objective="regression")
    for name in ("dart", "goss"):
        found[name] = dict(base, boosting=name), real
    found["forest"] = dict(base, boosting="rf", bagging_freq=1, bagging_fraction=0.7), real
    found["categories"] = dict(base, _categories=[4], min_data_per_group=1, cat_smooth=1.0), real
    found["linear-trees"] = dict(base, linear_tree=True), real
    found["zero-as-missing"] = dict(base, zero_as_missing=True), real
    found["monotone"] = dict(base, monotone_constraints=[1, 0, 0, 0, 0]), real
    found["extra"] = dict(base, extra_trees=True), real
    found["no-objective"] = dict(tree, objective="none", _gradient=True), real
    found["names"] = dict(base, _names=["a", "b b", "c", "d", "é"]), real
    small = {"n_estimators": 4, "num_leaves": 6, "min_child_samples": 3, "n_jobs": 1}
    found.update(estimators(("LGBMClassifier", "LGBMRegressor"), small, two, three, real))
    found["ranker"] = dict(small, _estimator="LGBMRanker", _groups=[40, 40, 40]), two
    return found


def write_lightgbm(path, x, parameters, target):
    import lightgbm

    if "_estimator" in parameters:
        return write_estimator(path, lightgbm, parameters, x, target)
    options = {key: value for key, value in parameters.items() if not key.startswith("_")}
    more = {}
    if "_categories" in parameters:
        more["categorical_feature"] = parameters["_categories"]
    if "_names" in parameters:
        more["feature_name"] = parameters["_names"]
    train = lightgbm.Dataset(x, label=target, group=parameters.get("_groups"), params={"verbose": -1}, **more)
    if "_gradient" in parameters:
        booster = lightgbm.Booster(options, train)
        for _ in range(4):
            booster.update(fobj=lambda predicted, _: (predicted - target, np.ones(len(target))))
    else:
        booster = lightgbm.train(options, train, 4)
    booster.save_model(f"{path}.txt")
    dump(booster, path)
    return booster.predict(x[:ASKED])


def catboost_models(x, real, two, three, counts):
    base = {"iterations": 4, "depth": 3, "learning_rate": 0.5, "verbose": False, "thread_count": 1, "random_seed": 1,
            "allow_writing_files": False}
    found = {name.split(":")[0]: (dict(base, loss_function=name), target) for name, target in {
        "RMSE": real, "MAE": real, "Quantile": real, "LogLinQuantile": real + 3, "Poisson": counts, "MAPE": real + 3, "Logloss": two,
        "CrossEntropy": two, "MultiClass": three, "MultiClassOneVsAll": three, "Huber:delta=1": real, "Expectile:alpha=0.3": real,
        "Tweedie:variance_power=1.5": counts, "RMSEWithUncertainty": real, "Focal:focal_alpha=0.5;focal_gamma=1": two,
    }.items()}
    found["Lossguide"] = dict(base, loss_function="RMSE", grow_policy="Lossguide"), real
    found["Depthwise"] = dict(base, loss_function="RMSE", grow_policy="Depthwise"), real
    found["categories"] = dict(base, loss_function="RMSE", _categories=[4]), real
    found["one-hot"] = dict(base, loss_function="RMSE", one_hot_max_size=20, _categories=[4]), real
    found["targets"] = dict(base, loss_function="MultiRMSE"), np.stack([real, real * 2], axis=1)
    found.update(estimators(("CatBoostClassifier", "CatBoostRegressor"), base, two, three, real))
    return found


def catboost_inputs(x, categories):
    return [[int(value) if at in categories else float(value) for at, value in enumerate(row)] for row in x]


def write_catboost(path, x, parameters, target):
    import catboost

    options = {key: value for key, value in parameters.items() if not key.startswith("_")}
    categories = parameters.get("_categories", [])
    rows = catboost_inputs(x, categories)
    if "_estimator" in parameters:
        return write_estimator(path, catboost, parameters, catboost_inputs(x, []), target)
    model = catboost.CatBoost(options)
    model.fit(catboost.Pool(rows, target, cat_features=categories))
    model.save_model(f"{path}.cbm")
    model.save_model(f"{path}.json", format="json")
    dump(model, path)
    return model.predict(catboost.Pool(rows[:ASKED], cat_features=categories))


PACKAGES = {
    "xgboost": (xgboost_models, write_xgboost),
    "lightgbm": (lightgbm_models, write_lightgbm),
    "catboost": (catboost_models, write_catboost),
}


# What a model may have, too.
OPTIONS = {
    "xgboost": [{"booster": "dart", "rate_drop": 0.2}, {"tree_method": "hist"}, {"base_score": 0.3}, {"num_parallel_tree": 2},
                {"_names": ["u", "v", "w", "x", "y"]}, {"max_depth": 1}, {"_attributes": {"a": "b"}}, {"min_child_weight": 3}],
    "lightgbm": [{"boosting": "dart"}, {"linear_tree": True}, {"_categories": [4], "min_data_per_group": 1}, {"max_depth": 2},
                 {"lambda_l2": 3}, {"extra_trees": True}, {"_names": ["u", "v", "w", "x", "y"]}, {"num_leaves": 3}],
    "catboost": [{"depth": 2}, {"l2_leaf_reg": 9}, {"grow_policy": "Depthwise"}, {"_categories": [4]}, {"iterations": 2}],
}


def main(package, folder, seed):
    warnings.simplefilter("ignore")
    os.makedirs(folder, exist_ok=True)
    x, *targets = data(int(seed))
    random = np.random.RandomState(int(seed))
    np.save(f"{folder}/inputs.npy", x[:ASKED])
    models, write = PACKAGES[package]
    expected, asked, left_out = {}, {}, []
    for name, (parameters, target) in models(x, *targets).items():
        if int(seed) != 1:
            options = OPTIONS[package]
            parameters = {**options[random.randint(len(options))], **parameters}
        try:
            expected[name] = np.asarray(write(f"{folder}/{name}", x, parameters, target))
        except Exception as error:
            # A release has its own classes of errors, and not all options.
            left_out.append(f"{name} ({type(error).__name__}: {str(error).strip()[:60]!r})")
            for file in os.listdir(folder):
                if file.startswith(f"{name}."):
                    os.remove(f"{folder}/{file}")
        asked[name] = {key: parameters[key] for key in ("_types", "_names", "_categories", "_estimator") if key in parameters}
    np.savez(f"{folder}/expected.npz", **expected)
    with open(f"{folder}/asked.options", "w") as file:
        json.dump(asked, file)
    print(f"{package}: {len(expected)} models; left out: {', '.join(left_out) or 'none'}")


main(*sys.argv[1:])
