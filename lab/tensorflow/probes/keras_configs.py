"""Writes models of a Keras 3 as their configuration, and reads those of other releases.

    keras_configs.py write every 0           a line of JSON for each model, on stdout
    keras_configs.py write SEED COUNT        the same for COUNT models that SEED draws
    keras_configs.py read FILE               a line for each line of FILE: its number, `ok` or `fails`, and the error

`every`: a model for each layer, activation, initializer, regularizer, constraint, optimizer, schedule, loss, metric, dtype
policy and function of `keras.ops` that the release has, with its defaults. A drawn model has one object with drawn arguments,
or is one of `keras_forms.py`. A model has no weights here: what is looked at is whether its objects can be made again. The
numpy backend is enough for that.
"""
import inspect
import json
import os
import random
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "numpy")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
warnings.filterwarnings("ignore")

import keras
import numpy as np

SHAPES = {"1D": (8, 3), "2D": (8, 8, 3), "3D": (6, 6, 6, 3)}
# Values of arguments without a default, by their names.
NEEDED = {
    "units": 3, "filters": 3, "kernel_size": 2, "rate": 0.5, "stddev": 0.5, "target_shape": (-1,), "dims": (2, 1), "n": 2,
    "input_dim": 9, "output_dim": 3, "num_heads": 2, "key_dim": 2, "num_tokens": 9, "num_bins": 9, "bin_boundaries": [0.5, 1.5],
    "height": 4, "width": 4, "scale": 0.5, "factor": 0.2, "axes": 1, "groups": 1, "head_dim": 2, "num_query_heads": 2,
    "num_key_value_heads": 1, "min_value": 0.1, "max_value": 0.9, "output_size": 4, "cutoff": 1.0,
    "initial_learning_rate": 0.1, "decay_steps": 9, "decay_rate": 0.9, "end_learning_rate": 0.01, "boundaries": [3], "values": [0.1, 0.01],
    "first_decay_steps": 9, "bounding_box_format": "xyxy", "function": "relu", "num_classes": 2, "target_class_ids": [0], "name": "it",
    "precision": 0.5, "recall": 0.5, "sensitivity": 0.5, "specificity": 0.5, "factors": 0.2, "equation": "abc,cd->abd", "output_shape": (None, 4),
    "num_parallel_calls": 1, "padding": 1,
}
# Other values than the default, by the name of an argument.
OTHERS = {
    "activation": ["relu", "gelu", "hard_sigmoid", "leaky_relu", "silu"], "recurrent_activation": ["hard_sigmoid", "tanh"],
    "padding": ["same", "valid"], "strides": [2], "dilation_rate": [2], "seed": [1], "axis": [-1, 1, [1]], "trainable": [False],
    "dtype": ["float16", "mixed_float16", "mixed_bfloat16", "bfloat16", "policy"], "data_format": ["channels_last"],
    "return_sequences": [True], "go_backwards": [True], "dropout": [0.5], "merge_mode": ["sum", "concat", None], "name": ["own", "a_b"],
    "weight_decay": [0.01], "clipnorm": [1.0], "use_ema": [True], "ema_momentum": [0.9], "amsgrad": [True], "learning_rate": ["schedule", 0.1],
    "reduction": ["sum", "none", "mean"], "from_logits": [True], "label_smoothing": [0.1], "interpolation": ["nearest"],
    "output_mode": ["one_hot", "count"], "kernel_size": [3], "mask_zero": [True], "lora_rank": [2], "gradient_accumulation_steps": [2],
    "loss_scale_factor": [2.0], "unit_norm": [True], "rms_scaling": [True], "scale": [False], "center": [False],
}


def public(module, base):
    """The classes of a public module, by name."""
    found = {}
    for name in dir(module):
        one = getattr(module, name)
        if inspect.isclass(one) and issubclass(one, base) and one is not base and not name.startswith("_"):
            found[name] = one
    return found


KINDS = {
    "initializer": public(keras.initializers, keras.initializers.Initializer),
    "regularizer": public(keras.regularizers, keras.regularizers.Regularizer),
    "constraint": public(keras.constraints, keras.constraints.Constraint),
}
LAYERS = public(keras.layers, keras.layers.Layer)
OPTIMIZERS = public(keras.optimizers, keras.optimizers.Optimizer)
SCHEDULES = public(keras.optimizers.schedules, keras.optimizers.schedules.LearningRateSchedule)
LOSSES = public(keras.losses, keras.losses.Loss)
METRICS = public(keras.metrics, keras.metrics.Metric)
RNN = ("RNN", "StackedRNNCells", "Bidirectional", "TimeDistributed", "Wrapper", "SpectralNormalization", "ConvLSTM1D")


def parameters(one):
    try:
        return [p for p in inspect.signature(one.__init__).parameters.values() if p.name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    except (TypeError, ValueError):
        return []


def object_of(kind, draw):
    """A drawn object of a kind."""
    classes = KINDS[kind]
    return made(classes[draw.choice(sorted(classes))], draw, 0.3)


def value(name, default, draw):
    """Another value for an argument; the default if there is none."""
    for kind in KINDS:
        if name.endswith(kind):
            return object_of(kind, draw)
    if name == "dtype" and draw.random() < 0.3 and hasattr(keras, "DTypePolicy"):
        return keras.DTypePolicy("float32")
    if name in OTHERS:
        other = draw.choice(OTHERS[name])
        if other == "schedule":
            return made(SCHEDULES[draw.choice(sorted(SCHEDULES))], draw, 0.3)
        return keras.DTypePolicy("mixed_float16") if other == "policy" else other
    if isinstance(default, bool):
        return not default
    if isinstance(default, float) and default:
        return default / 2
    return default


def made(one, draw=None, share=0.0):
    """An object with its defaults, and other values for a share of its arguments."""
    arguments = {}
    for parameter in parameters(one):
        if parameter.default is parameter.empty:
            if parameter.name in ("layer", "forward_layer"):
                arguments[parameter.name] = inner(one.__name__)
            elif parameter.name == "cell":
                arguments["cell"] = keras.layers.LSTMCell(2)
            elif parameter.name == "cells":
                arguments["cells"] = [keras.layers.GRUCell(2), keras.layers.LSTMCell(2)]
            elif parameter.name in NEEDED:
                arguments[parameter.name] = NEEDED[parameter.name]
        elif draw and draw.random() < share:
            arguments[parameter.name] = value(parameter.name, parameter.default, draw)
    return one(**arguments)


def inner(wrapper):
    if wrapper == "Bidirectional":
        return keras.layers.LSTM(2, return_sequences=True)
    return keras.layers.Dense(2)


def sequential(layer, shape, dtype=None):
    return keras.Sequential([keras.Input(shape, dtype=dtype), layer])


def layer_model(name, draw=None, share=0.0):
    """A model with one layer of this class, for the first shape that it takes."""
    for shape in [SHAPES[key] for key in SHAPES if key in name] or [(8, 3), (8,), (8, 8, 3), (6, 6, 6, 3)]:
        try:
            return sequential(made(LAYERS[name], draw, share), shape)
        except Exception:
            pass
    try:
        x = keras.Input((8, 4))
        return keras.Model(x, made(LAYERS[name], draw, share)([x, x]))
    except Exception:
        pass
    try:
        x = keras.Input((8, 4))
        return keras.Model(x, made(LAYERS[name], draw, share)(x, x))
    except Exception:
        return None


def dense(**arguments):
    return sequential(keras.layers.Dense(3, **arguments), (4,))


def compiled(**arguments):
    model = dense()
    model.compile(**{"loss": "mse", **arguments})
    return model


OPERATION_ARGUMENTS = [
    (), (1,), (2,), (-1,), ("x",), (2.0,), (0.5, 1.5), (3, 2), (((0, 0), (1, 1), (0, 0)),), ((-1,),), ((0, 2, 1),), ("abc,abd->acd", "swap"), (2, "max"),
]


def operation_models(draw=None):
    """A functional model for each function of `keras.ops` that takes a tensor."""
    for name in sorted(dir(keras.ops)):
        function = getattr(keras.ops, name)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        done = 0
        for shape in ((4, 4), (4, 4, 3), (4,)):
            for more in OPERATION_ARGUMENTS:
                try:
                    x = keras.Input(shape)
                    arguments = [x if one == "x" else one for one in more if one != "swap"]
                    result = function(*arguments, x, x) if "swap" in more else function(x, *arguments)
                    model = keras.Model(x, result)
                except Exception:
                    continue
                yield "op %s" % name, model
                done += 1
                break
            if done:
                break
        for keyword in ({"axis": 1}, {"keepdims": True}, {"dtype": "float32"}, {"name": "own"}):
            try:
                x = keras.Input((4, 4))
                model = keras.Model(x, function(x, **keyword))
            except Exception:
                continue
            yield "op %s %s" % (name, sorted(keyword)[0]), model


def forms():
    """Ways to put models together."""
    layers = keras.layers

    def small(flat=True):
        x = keras.Input((8, 8, 3))
        y = layers.Conv2D(2, 3)(x)
        return keras.Model(x, layers.GlobalAveragePooling2D()(y) if flat else y)

    yield "functional in sequential", lambda: keras.Sequential([keras.Input((8, 8, 3)), small(), layers.Dense(2)])
    yield "functional first in sequential", lambda: keras.Sequential([small(), layers.Dense(2)])
    yield "sequential in sequential", lambda: keras.Sequential([keras.Input((4,)), keras.Sequential([layers.Dense(2)]), layers.Dense(2)])

    def nested():
        x = keras.Input((8, 8, 3))
        return keras.Model(x, layers.Dense(2)(small()(x)))

    yield "functional in functional", nested
    yield "functional in time distributed", lambda: keras.Sequential([keras.Input((5, 8, 8, 3)), layers.TimeDistributed(small()), layers.Dense(2)])
    yield "sequential in time distributed", lambda: keras.Sequential([keras.Input((5, 4)), layers.TimeDistributed(keras.Sequential([layers.Dense(2)]))])

    def shared():
        a, b = keras.Input((4,)), keras.Input((4,))
        one = layers.Dense(3)
        return keras.Model([a, b], layers.Concatenate()([one(a), one(b)]))

    yield "shared layer", shared

    def named():
        a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
        y = layers.Add()([a, b])
        return keras.Model({"a": a, "b": b}, {"y": layers.Dense(2)(y), "z": y})

    yield "dict inputs and outputs", named

    def tree():
        a, b = keras.Input((4,)), keras.Input((4,))
        return keras.Model([a, [b]], [layers.Add()([a, b]), (a,)])

    yield "nested lists", tree

    def merge_of_one(name):
        def build():
            x = keras.Input((4,))
            return keras.Model(x, getattr(layers, name)()([x]))

        return build

    for name in ("Concatenate", "Add", "Average", "Maximum", "Multiply"):
        yield "%s of one input" % name, merge_of_one(name)

    def operators():
        x = keras.Input((4, 4))
        return keras.Model(x, (x[:, 0] + 1.0) * 2.0 - x[:, 1] / 3.0)

    yield "operators", operators
    for at in (0, -1, slice(1, 3), (slice(None), 0), (Ellipsis, None), (slice(None), slice(None, None, 2))):
        def sliced(at=at):
            x = keras.Input((4, 4))
            return keras.Model(x, x[at])

        yield "slice %s" % (at,), sliced

    def two_axes(name):
        def build():
            x = keras.Input((8, 4))
            return keras.Model(x, getattr(layers, name)(axis=[1, 2])(x))

        return build

    for name in ("LayerNormalization", "Normalization", "UnitNormalization", "Softmax"):
        yield "%s over two axes" % name, two_axes(name)

    def called(arguments):
        def build():
            x = keras.Input((8, 4))
            return keras.Model(x, layers.MultiHeadAttention(2, 2)(x, x, **arguments))

        return build

    yield "attention", called({})
    yield "attention causal", called({"use_causal_mask": True})

    def masked():
        x = keras.Input((8,), dtype="int32")
        y = layers.Embedding(9, 4, mask_zero=True)(x)
        return keras.Model(x, layers.LSTM(2)(layers.Masking()(y)))

    yield "masked", masked

    def state():
        x = keras.Input((8, 4))
        y, h, c = layers.LSTM(3, return_state=True, return_sequences=True)(x)
        return keras.Model(x, layers.LSTM(3)(y, initial_state=[h, c]))

    yield "initial state", state
    for name in ("a/b", "a b", "a.b", "a>b"):
        yield "name %s" % name, lambda name=name: dense(name=name)
    yield "batch size", lambda: keras.Sequential([keras.Input(batch_shape=(2, 4)), layers.Dense(2)])
    yield "input optional", lambda: keras.Sequential([keras.layers.InputLayer(shape=(4,), optional=True), layers.Dense(2)])
    yield "input sparse", lambda: keras.Sequential([keras.Input((4,), sparse=True), layers.Dense(2)])
    yield "input ragged", lambda: keras.Sequential([keras.Input((None,), ragged=True), layers.Dense(2)])
    yield "input integers", lambda: keras.Sequential([keras.Input((4,), dtype="int32"), layers.Embedding(9, 2)])
    yield "lambda of a function", lambda: keras.Sequential([keras.Input((4,)), layers.Lambda(keras.ops.abs)])
    yield "lambda of an activation", lambda: keras.Sequential([keras.Input((4,)), layers.Lambda(keras.activations.relu)])
    yield "layer as activation", lambda: dense(activation=layers.LeakyReLU(negative_slope=0.1))
    for mode in ("int8", "float8", "int4"):
        def quantized(mode=mode):
            model = keras.Sequential([keras.Input((4,)), layers.Dense(4), layers.Dense(2)])
            model.build()
            model.quantize(mode)
            return model

        yield "quantized %s" % mode, quantized
    for policy in ("mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float64", "int8_from_float32", "float8_from_mixed_bfloat16"):
        yield "policy %s" % policy, lambda policy=policy: dense(dtype=policy)

    def lora():
        model = keras.Sequential([keras.Input((4,)), layers.Dense(4)])
        model.layers[0].enable_lora(2)
        return model

    yield "lora", lora
    yield "frozen", lambda: keras.Sequential([keras.Input((4,)), layers.Dense(2, trainable=False)])
    yield "compiled with lists", lambda: compiled(loss=["mse"], metrics=[["mae"]])
    yield "compiled with weights", lambda: compiled(loss_weights=[0.5], weighted_metrics=["mae"])
    yield "compiled with jit", lambda: compiled(jit_compile=False, steps_per_execution=2, run_eagerly=False)
    yield "compiled with scaling", lambda: compiled(optimizer=keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam()))
    yield "compiled with functions", lambda: compiled(loss=keras.losses.mean_squared_error, metrics=[keras.metrics.mean_absolute_error])
    yield "augmentation", lambda: keras.Sequential([keras.Input((8, 8, 3)), layers.Pipeline([layers.RandomFlip(), layers.Rescaling(0.5)])])


def every():
    """A model for everything that the release has."""
    for name in sorted(LAYERS):
        yield "layer %s" % name, lambda name=name: layer_model(name)
    for name in sorted(KINDS["initializer"]):
        yield "initializer %s" % name, lambda name=name: dense(kernel_initializer=made(KINDS["initializer"][name]))
    for name in sorted(KINDS["regularizer"]):
        yield "regularizer %s" % name, lambda name=name: dense(kernel_regularizer=made(KINDS["regularizer"][name]))
    for name in sorted(KINDS["constraint"]):
        yield "constraint %s" % name, lambda name=name: dense(kernel_constraint=made(KINDS["constraint"][name]))
    for name in sorted(name for name in dir(keras.activations) if inspect.isfunction(getattr(keras.activations, name))):
        if name not in ("get", "serialize", "deserialize"):
            yield "activation %s" % name, lambda name=name: dense(activation=name)
    for name in sorted(OPTIMIZERS):
        yield "optimizer %s" % name, lambda name=name: compiled(optimizer=made(OPTIMIZERS[name]))
    for name in sorted(SCHEDULES):
        yield "schedule %s" % name, lambda name=name: compiled(optimizer=keras.optimizers.SGD(made(SCHEDULES[name])))
    for name in sorted(LOSSES):
        yield "loss %s" % name, lambda name=name: compiled(loss=made(LOSSES[name]))
    for name in sorted(METRICS):
        yield "metric %s" % name, lambda name=name: compiled(metrics=[made(METRICS[name])])
    for module, key in ((keras.losses, "loss"), (keras.metrics, "metrics")):
        for name in sorted(dir(module)):
            if inspect.isfunction(getattr(module, name)) and name not in ("get", "serialize", "deserialize"):
                yield "%s function %s" % (key, name), lambda name=name, key=key: compiled(**{key: name if key == "loss" else [name]})
    yield from forms()


def drawn(seed, count):
    # It stands on this module.
    import keras_forms

    draw = random.Random(seed)
    names = sorted(LAYERS)
    for number in range(count):
        kind = draw.random()
        if kind < 0.35:
            yield "drawn layer", lambda: layer_model(draw.choice(names), draw, 0.35)
        elif kind < 0.7:
            yield "drawn form", lambda: keras_forms.model(draw)
        elif kind < 0.77:
            yield "drawn optimizer", lambda: compiled(optimizer=made(OPTIMIZERS[draw.choice(sorted(OPTIMIZERS))], draw, 0.4))
        elif kind < 0.84:
            yield "drawn loss", lambda: compiled(loss=made(LOSSES[draw.choice(sorted(LOSSES))], draw, 0.4))
        elif kind < 0.91:
            yield "drawn metric", lambda: compiled(metrics=[made(METRICS[draw.choice(sorted(METRICS))], draw, 0.4)])
        else:
            yield "drawn objects", lambda: dense(**{"kernel_" + kind: object_of(kind, draw) for kind in KINDS if draw.random() < 0.6})


def written(model):
    return json.loads(json.dumps(keras.saving.serialize_keras_object(model)))


def all_models(what, count):
    """Each model by its name."""
    for name, build in every() if what == "every" else drawn(int(what), count):
        keras.backend.clear_session()
        try:
            model = build()
        except Exception:
            continue
        yield name, model
    keras.backend.clear_session()
    if what == "every":
        yield from operation_models()


def write(what, count):
    lines = set()
    for name, model in all_models(what, count):
        if model is None:
            continue
        try:
            line = json.dumps({"writer": keras.__version__, "name": name, "config": written(model)}, sort_keys=True)
        except Exception:
            continue
        if line not in lines:
            lines.add(line)
            print(line)


def read(path):
    for number, line in enumerate(open(path, encoding="utf-8")):
        keras.backend.clear_session()
        try:
            keras.saving.deserialize_keras_object(json.loads(line)["config"], safe_mode=True)
            print("%d\tok\t" % number)
        except BaseException as error:
            print("%d\tfails\t%s: %s" % (number, type(error).__name__, " ".join(str(error).split())[:400]))


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]))
    else:
        read(sys.argv[2])
