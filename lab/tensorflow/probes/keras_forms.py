"""Models that a seed draws with the Keras 3 that runs this: what `keras_files.py` writes, and `keras_configs.py` beside its lists.

A model is grown from an input, layer by layer: what a layer refuses is drawn again. So every form that a release has gets its
turn: chains, merges, one layer in several places, functions of `keras.ops`, models inside of models and of wrappers.
"""
import inspect

import keras
import numpy as np

from keras_configs import LAYERS, LOSSES, METRICS, OPERATION_ARGUMENTS, OPTIMIZERS, made

SHAPES = [(4,), (6,), (8, 3), (6, 4), (8, 8, 3), (6, 6, 4), (4, 6, 6, 2)]
RECURRENT = ("LSTM", "GRU", "SimpleRNN", "Bidirectional", "RNN", "ConvLSTM1D", "TimeDistributed")
ATTENTION = ("MultiHeadAttention", "Attention", "AdditiveAttention", "GroupQueryAttention")
COMMON = (
    "Dense", "Conv1D", "Conv2D", "DepthwiseConv2D", "SeparableConv2D", "BatchNormalization", "LayerNormalization", "Dropout", "Activation", "ReLU",
    "LeakyReLU", "PReLU", "Flatten", "Reshape", "GlobalAveragePooling2D", "GlobalMaxPooling1D", "MaxPooling2D", "AveragePooling1D", "ZeroPadding2D",
    "UpSampling2D", "EinsumDense", "Rescaling", "Normalization", "Resizing", "Embedding", "GroupNormalization", "SpectralNormalization", "Softmax",
)
MERGES = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")
OPERATIONS = sorted(
    name for name in dir(keras.ops)
    if not name.startswith("_") and inspect.isfunction(getattr(keras.ops, name)) and not name.startswith(("convert_to", "is_", "custom"))
)
# More elements than this in one tensor are no test of a configuration.
LARGEST = 4096


def leaves(value):
    """The parts of lists and maps in each other, as all releases order them."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


def small(tensor):
    shape = getattr(tensor, "shape", None)
    return shape is not None and None not in shape[1:] and 0 < int(np.prod(shape[1:])) <= LARGEST


def layer(draw, share=0.3):
    """A drawn layer; the common ones more often."""
    kind = draw.random()
    names = COMMON if kind < 0.45 else RECURRENT if kind < 0.6 else sorted(LAYERS)
    names = [name for name in names if name in LAYERS]
    return made(LAYERS[draw.choice(names)], draw, share if draw.random() < 0.6 else 0.0)


def operation(draw, tensor):
    """A function of `keras.ops` on a tensor, with arguments by their place or by their name."""
    function = getattr(keras.ops, draw.choice(OPERATIONS))
    kind = draw.random()
    if kind < 0.4:
        return function(tensor)
    if kind < 0.7:
        arguments = draw.choice(OPERATION_ARGUMENTS)
        return function(tensor, *[tensor if one == "x" else one for one in arguments if one != "swap"])
    keyword = draw.choice([{"axis": 1}, {"axis": -1, "keepdims": True}, {"keepdims": True}, {"axis": [1]}, {"dtype": "float32"}, {"name": "own"}])
    return function(tensor, **keyword)


def operator(draw, tensor):
    """An operator of Python, or a slice."""
    return draw.choice([
        lambda: tensor + 1.0, lambda: tensor * tensor, lambda: 2.0 - tensor, lambda: tensor[:, :2], lambda: tensor[:, 0:1], lambda: -tensor,
        lambda: tensor / 2.0, lambda: tensor[..., None], lambda: tensor > 0.5,
    ])()


def merge(draw, tensors):
    """Two tensors of one shape as one; now and then a single one, as Keras permits."""
    one = draw.choice(tensors)
    name = draw.choice(MERGES)
    if draw.random() < 0.15:
        return LAYERS[name]()([one])
    same = [other for other in tensors if tuple(other.shape) == tuple(one.shape)]
    return made(LAYERS[name], draw, 0.2)([one, draw.choice(same)])


def attention(draw, tensor):
    names = [name for name in ATTENTION if name in LAYERS]
    name = draw.choice(names)
    one = made(LAYERS[name], draw, 0.3)
    if name in ("Attention", "AdditiveAttention"):
        return one([tensor, tensor])
    return one(tensor, tensor, **draw.choice([{}, {}, {"use_causal_mask": True}]))


def grow(draw, tensors, count, depth=0):
    """Tensors made of these, in COUNT steps; what fails is left out."""
    tensors = list(tensors)
    used = []
    done = tries = 0
    while done < count and tries < 12 * count:
        tries += 1
        tensor = draw.choice(tensors[-2:])
        kind = draw.random()
        try:
            if kind < 0.55:
                one = layer(draw)
                if type(one).__name__.startswith("Random") and len(tensor.shape) < 4:
                    # Some releases look for an image, and others do not.
                    continue
                made_of = one(tensor)
                used.append(one)
            elif kind < 0.65:
                made_of = operation(draw, tensor)
            elif kind < 0.7:
                made_of = operator(draw, tensor)
            elif kind < 0.8:
                made_of = merge(draw, tensors)
            elif kind < 0.86:
                made_of = attention(draw, tensor)
            elif kind < 0.92 and used:
                made_of = draw.choice(used)(tensor)
            elif depth < 2:
                made_of = inner(draw, tuple(tensor.shape[1:]), depth + 1)(tensor)
            else:
                continue
        except Exception:
            continue
        for one in leaves(made_of):
            if isinstance(one, keras.KerasTensor) and small(one):
                tensors.append(one)
                done += 1
                break
    return tensors


def inner(draw, shape, depth=1):
    """A model to be called by another."""
    if draw.random() < 0.4:
        return chain(draw, shape, depth)
    x = keras.Input(shape)
    name = draw.choice([None, None, "inner", "base_model"])
    last = grow(draw, [x], 2, depth)[-1]
    return keras.Model(x, last, name=name)


def chain(draw, shape, depth=0):
    """A Sequential; models stand in it as layers do."""
    x = keras.Input(shape)
    parts = []
    tries = 0
    wanted = draw.randint(1, 4)
    while len(parts) < wanted and tries < 40:
        tries += 1
        try:
            one = inner(draw, tuple(x.shape[1:]), depth + 1) if depth < 2 and draw.random() < 0.2 else layer(draw)
            if type(one).__name__.startswith("Random") and len(x.shape) < 4:
                continue
            result = one(x)
            if not small(result):
                continue
        except Exception:
            continue
        parts.append(one)
        x = result
    first = [keras.Input(shape)] if draw.random() < 0.9 or not parts else []
    model = keras.Sequential(first + parts)
    if not first:
        model.build((None,) + tuple(shape))
    return model


def functional(draw):
    """One input or several, one output or several, as lists or by name."""
    count = draw.choice([1, 1, 1, 2, 3])
    shape = draw.choice(SHAPES)
    names = [None] * count if draw.random() < 0.6 else ["in_%d" % number for number in range(count)]
    inputs = [keras.Input(shape, name=name) for name in names]
    tensors = list(inputs)
    if count > 1:
        tensors.append(made(LAYERS[draw.choice(("Add", "Concatenate", "Average"))])(inputs))
    tensors = grow(draw, tensors, draw.randint(2, 6))
    outputs = [tensors[-1]] if draw.random() < 0.75 or len(tensors) < 3 else tensors[-2:]
    if draw.random() < 0.15:
        inputs = {"in_%d" % number: one for number, one in enumerate(inputs)}
    if len(outputs) == 1 and draw.random() < 0.7:
        outputs = outputs[0]
    elif draw.random() < 0.3:
        outputs = {"out_%d" % number: one for number, one in enumerate(outputs)}
    if isinstance(inputs, list) and len(inputs) == 1 and draw.random() < 0.7:
        inputs = inputs[0]
    return keras.Model(inputs, outputs)


def distributed(draw):
    """A model inside of a wrapper, as video and text models have them."""
    x = keras.Input((4, 6, 6, 3))
    part = inner(draw, (6, 6, 3))
    y = keras.layers.TimeDistributed(part)(x)
    return keras.Sequential([keras.Input((4, 6, 6, 3)), keras.layers.TimeDistributed(part)]) if draw.random() < 0.5 else keras.Model(x, y)


def transfer(draw):
    """The ordinary model of transfer learning: a model without its head, a pooling, a new head."""
    a = keras.Input((8, 8, 3))
    y = keras.layers.Conv2D(4, 3)(a)
    y = draw.choice([lambda: keras.layers.BatchNormalization()(y), lambda: keras.layers.ReLU(6.0)(y), lambda: y])()
    base = keras.Model(a, y, name=draw.choice(["base", "mobilenet", None]))
    base.trainable = draw.random() < 0.5
    head = [keras.layers.GlobalAveragePooling2D(), keras.layers.Dropout(0.2), keras.layers.Dense(2, activation="softmax")]
    kind = draw.random()
    if kind < 0.4:
        return keras.Sequential([keras.Input((8, 8, 3)), base] + head[draw.randint(0, 1):])
    if kind < 0.6:
        return keras.Sequential([base] + head)
    x = keras.Input((8, 8, 3))
    y = keras.layers.Rescaling(1 / 255.0)(x) if draw.random() < 0.5 else x
    y = base(y, training=False) if draw.random() < 0.5 else base(y)
    for one in head:
        y = one(y)
    return keras.Model(x, y)


FORMS = [chain, functional, functional, distributed, transfer]


def compile_drawn(draw, model):
    optimizer = made(OPTIMIZERS[draw.choice(sorted(OPTIMIZERS))], draw, 0.3)
    if hasattr(keras.optimizers, "LossScaleOptimizer") and draw.random() < 0.15:
        optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam())
    loss = draw.choice(["mse", "mean_squared_error", keras.losses.MeanSquaredError(), made(LOSSES[draw.choice(sorted(LOSSES))], draw, 0.4)])
    metrics = draw.choice([None, ["mae"], ["accuracy"], [made(METRICS[draw.choice(sorted(METRICS))], draw, 0.4)]])
    if len(model.outputs) > 1:
        loss, metrics = draw.choice(["mse", ["mse"] * len(model.outputs)]), None
    model.compile(optimizer=optimizer, loss=loss, metrics=metrics)
    if draw.random() < 0.5:
        model.optimizer.build(model.trainable_variables)


def model(draw):
    """A drawn model, or none where nothing came of it."""
    policy = draw.choice(["mixed_float16", "mixed_bfloat16", "float16", "bfloat16"]) if draw.random() < 0.1 else "float32"
    (getattr(keras, "config", None) or keras).set_dtype_policy(policy)
    try:
        form = draw.choice(FORMS)
        one = form(draw, draw.choice(SHAPES)) if form is chain else form(draw)
        if draw.random() < 0.12:
            one.quantize(draw.choice(["int8", "int8", "int4", "float8"]))
        if draw.random() < 0.4:
            compile_drawn(draw, one)
        return one
    except Exception:
        return None
    finally:
        (getattr(keras, "config", None) or keras).set_dtype_policy("float32")
