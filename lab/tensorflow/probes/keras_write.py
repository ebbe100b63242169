"""Writes one small model for each of 60 layers with the Keras that runs this, as .h5, and as .keras and .weights.h5 where it can.

    keras_write.py FOLDER [CASE...]

Beside each file stands FILE.npy, what the model computes for `ramp` of its input shape, and beside weights FILE.json, the model. A layer or a form that this
Keras does not have is left out. Weights come from a fixed seed.
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf

keras = tf.keras
THREE = tuple(int(one) for one in tf.__version__.split(".")[:2]) >= (2, 16)
L = keras.layers
OUT = sys.argv[1]


def ramp(shape, dtype="float32"):
    """What a model is asked with: the same numbers in every release."""
    count = int(np.prod(shape))
    if "int" in str(dtype):
        return (np.arange(count) % 4).reshape(shape).astype(dtype)
    return np.sin(np.arange(count, dtype="float32") * 0.7).reshape(shape)


def seq(shape, *layers):
    return keras.Sequential([keras.Input(shape)] + list(layers))


def functional(shape, build):
    x = keras.Input(shape)
    return keras.Model(x, build(x))


def two(build, shape=(4,)):
    a, b = keras.Input(shape, name="a"), keras.Input(shape, name="b")
    return keras.Model([a, b], build(a, b))


def adapted(layer, data):
    layer.adapt(data)
    return layer


class Scale(L.Layer):
    """A layer of the user's own."""

    def call(self, x):
        return x * 2.0


def compiled(model, optimizer, loss="mse", metrics=("mae",)):
    model.compile(optimizer, loss, metrics=list(metrics))
    shape = [3] + list(model.input_shape[1:])
    model.fit(ramp(shape), np.zeros([3] + list(model.output_shape[1:]), "float32"), verbose=0)
    return model


def dense():
    return seq((4,), L.Dense(3, activation="relu"), L.Dense(2))


CASES = {
    "dense": lambda: seq((4,), L.Dense(3, activation="softmax")),
    "dense_inits": lambda: seq((4,), L.Dense(3, kernel_initializer="he_normal", bias_initializer=keras.initializers.Constant(0.1), kernel_regularizer=keras.regularizers.l2(0.01), kernel_constraint=keras.constraints.MaxNorm(2.0))),
    "conv1d": lambda: seq((8, 3), L.Conv1D(4, 3, dilation_rate=2, padding="causal")),
    "conv2d": lambda: seq((8, 8, 3), L.Conv2D(4, 3, padding="same", activation="elu")),
    "conv2d_groups": lambda: seq((8, 8, 4), L.Conv2D(4, 3, groups=2)),
    "conv3d": lambda: seq((4, 4, 4, 2), L.Conv3D(3, 2)),
    "conv1d_transpose": lambda: seq((8, 3), L.Conv1DTranspose(4, 3)),
    "conv2d_transpose": lambda: seq((8, 8, 3), L.Conv2DTranspose(4, 3, strides=2)),
    "conv3d_transpose": lambda: seq((4, 4, 4, 2), L.Conv3DTranspose(3, 2)),
    "separable1d": lambda: seq((8, 3), L.SeparableConv1D(4, 3)),
    "separable2d": lambda: seq((8, 8, 3), L.SeparableConv2D(4, 3, depth_multiplier=2)),
    "depthwise1d": lambda: seq((8, 3), L.DepthwiseConv1D(3)),
    "depthwise2d": lambda: seq((8, 8, 3), L.DepthwiseConv2D(3)),
    "locally1d": lambda: seq((8, 3), L.LocallyConnected1D(4, 3)),
    "embedding": lambda: functional((5,), lambda x: L.Embedding(10, 4)(x)),
    "embedding_mask": lambda: seq((5,), L.Embedding(10, 4, mask_zero=True), L.LSTM(3)),
    "lstm": lambda: seq((5, 3), L.LSTM(4)),
    "lstm_time_major": lambda: seq((5, 3), L.LSTM(4, return_sequences=True, time_major=False, unroll=True)),
    "gru": lambda: seq((5, 3), L.GRU(4)),
    "gru_old": lambda: seq((5, 3), L.GRU(4, reset_after=False)),
    "simple_rnn": lambda: seq((5, 3), L.SimpleRNN(4)),
    "rnn_cell": lambda: seq((5, 3), L.RNN(L.GRUCell(4))),
    "rnn_stacked": lambda: seq((5, 3), L.RNN([L.LSTMCell(4), L.LSTMCell(3)])),
    "bidirectional": lambda: seq((5, 3), L.Bidirectional(L.LSTM(4))),
    "bidirectional_sum": lambda: seq((5, 3), L.Bidirectional(L.GRU(4), merge_mode="sum")),
    "time_distributed": lambda: seq((5, 3), L.TimeDistributed(L.Dense(2))),
    "conv_lstm2d": lambda: seq((3, 6, 6, 2), L.ConvLSTM2D(3, 3)),
    "conv_lstm1d": lambda: seq((3, 6, 2), L.ConvLSTM1D(3, 3)),
    "batch_norm": lambda: seq((4,), L.BatchNormalization()),
    "layer_norm": lambda: seq((4,), L.LayerNormalization()),
    "group_norm": lambda: seq((4, 4), L.GroupNormalization(2)),
    "unit_norm": lambda: seq((4,), L.UnitNormalization()),
    "spectral_norm": lambda: seq((4,), L.SpectralNormalization(L.Dense(3))),
    "normalization": lambda: seq((4,), adapted(L.Normalization(), ramp((10, 4)))),
    "discretization": lambda: seq((4,), L.Discretization(bin_boundaries=[0.0, 0.5])),
    "rescaling": lambda: seq((4,), L.Rescaling(2.0, offset=1.0)),
    "resizing": lambda: seq((8, 8, 3), L.Resizing(4, 4)),
    "center_crop": lambda: seq((8, 8, 3), L.CenterCrop(4, 4)),
    "random_flip": lambda: seq((8, 8, 3), L.RandomFlip("horizontal", seed=1)),
    "random_rotation": lambda: seq((8, 8, 3), L.RandomRotation(0.1, seed=1)),
    "random_zoom": lambda: seq((8, 8, 3), L.RandomZoom(0.1, seed=1)),
    "random_crop": lambda: seq((8, 8, 3), L.RandomCrop(4, 4, seed=1)),
    "random_contrast": lambda: seq((8, 8, 3), L.RandomContrast(0.1, seed=1)),
    "category_encoding": lambda: functional((3,), lambda x: L.CategoryEncoding(4, output_mode="multi_hot")(x)),
    "hashing": lambda: two_int(),
    "string_lookup": lambda: lookup(),
    "activation_gelu": lambda: seq((4,), L.Dense(3, activation="gelu")),
    "activation_swish": lambda: seq((4,), L.Activation("swish")),
    "activation_mish": lambda: seq((4,), L.Activation("mish")),
    "leaky_relu": lambda: seq((4,), L.LeakyReLU(0.2)),
    "prelu": lambda: seq((4, 4), L.PReLU(shared_axes=[1])),
    "elu": lambda: seq((4,), L.ELU()),
    "relu": lambda: seq((4,), L.ReLU(6.0)),
    "thresholded_relu": lambda: seq((4,), L.ThresholdedReLU(0.5)),
    "softmax": lambda: seq((4,), L.Softmax()),
    "dropout": lambda: seq((4,), L.Dropout(0.5), L.GaussianNoise(0.1), L.GaussianDropout(0.1), L.AlphaDropout(0.1)),
    "spatial_dropout": lambda: seq((8, 8, 3), L.SpatialDropout2D(0.2)),
    "pooling1d": lambda: seq((8, 3), L.MaxPooling1D(), L.AveragePooling1D(), L.GlobalMaxPooling1D()),
    "pooling2d": lambda: seq((8, 8, 3), L.MaxPooling2D(), L.AveragePooling2D(), L.GlobalAveragePooling2D()),
    "pooling_keepdims": lambda: seq((8, 8, 3), L.GlobalAveragePooling2D(keepdims=True)),
    "flatten": lambda: seq((4, 4), L.Flatten(), L.RepeatVector(2), L.Permute((2, 1)), L.Reshape((4, 8))),
    "padding": lambda: seq((8, 8, 3), L.ZeroPadding2D(1), L.Cropping2D(2), L.UpSampling2D(2, interpolation="bilinear")),
    "upsampling1d": lambda: seq((8, 3), L.UpSampling1D(2), L.ZeroPadding1D(1), L.Cropping1D(1)),
    "masking": lambda: seq((5, 3), L.Masking(0.0), L.LSTM(2)),
    "activity": lambda: seq((4,), L.ActivityRegularization(l2=0.1)),
    "add": lambda: two(lambda a, b: L.Add()([a, b])),
    "concatenate": lambda: two(lambda a, b: L.Dense(2)(L.Concatenate()([a, b]))),
    "dot": lambda: two(lambda a, b: L.Dot(1, normalize=True)([a, b])),
    "merge_all": lambda: two(lambda a, b: L.Average()([L.Maximum()([a, b]), L.Minimum()([a, b]), L.Subtract()([a, b]), L.Multiply()([a, b])])),
    "attention": lambda: two(lambda a, b: L.Attention(use_scale=True)([a, b]), (4, 3)),
    "additive_attention": lambda: two(lambda a, b: L.AdditiveAttention()([a, b]), (4, 3)),
    "multi_head": lambda: two(lambda a, b: L.MultiHeadAttention(2, 3)(a, b), (4, 3)),
    "einsum_dense": lambda: seq((4, 3), L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d")),
    "functional_ops": lambda: two(lambda a, b: a + b * 2.0),
    "functional_slice": lambda: functional((4,), lambda x: L.Dense(2)(x[:, :2])),
    "functional_tf": lambda: functional((4,), lambda x: tf.nn.relu(x) if not THREE else keras.ops.relu(x)),
    "functional_two_out": lambda: functional((4,), lambda x: [L.Dense(2)(x), L.Dense(3)(x)]),
    "shared_layer": lambda: shared(),
    "nested_model": lambda: functional((4,), lambda x: dense()(x)),
    "nested_functional": lambda: nested_functional(),
    "nested_plain": lambda: nested_plain(),
    "nested_twice": lambda: nested_twice(),
    "operators": lambda: two(lambda a, b: tensors(a, b)),
    "nested_seq": lambda: seq((4,), dense(), L.Dense(2)),
    "two_dense": lambda: functional((4,), lambda x: L.Dense(2)(L.Dense(3)(x))),
    "two_conv": lambda: seq((8, 8, 3), L.Conv2D(4, 3), L.MaxPooling2D(), L.Conv2D(2, 2), L.Flatten(), L.Dense(2)),
    "two_norm": lambda: functional((4,), lambda x: L.BatchNormalization()(L.BatchNormalization()(x))),
    "two_lstm": lambda: seq((5, 3), L.LSTM(4, return_sequences=True), L.LSTM(3)),
    "two_bidirectional": lambda: seq((5, 3), L.Bidirectional(L.GRU(4, return_sequences=True)), L.Bidirectional(L.GRU(3))),
    "two_distributed": lambda: seq((5, 3), L.TimeDistributed(L.Dense(4)), L.TimeDistributed(L.Dense(2))),
    "two_rnn": lambda: seq((5, 3), L.RNN(L.GRUCell(4), return_sequences=True), L.RNN(L.GRUCell(3))),
    "two_heads": lambda: two(lambda a, b: L.MultiHeadAttention(2, 3)(L.MultiHeadAttention(2, 3)(a, b), b), (4, 3)),
    "two_prelu": lambda: seq((4,), L.PReLU(), L.PReLU()),
    "two_separable": lambda: seq((8, 8, 3), L.SeparableConv2D(4, 3), L.SeparableConv2D(2, 3)),
    "two_embedding": lambda: functional((5,), lambda x: L.Add()([L.Embedding(10, 4)(x), L.Embedding(10, 4)(x)])),
    "two_dropout": lambda: seq((4,), L.Dropout(0.5), L.Dense(3), L.Dropout(0.5)),
    "two_plain": lambda: seq((4,), L.Dense(3), L.ReLU(), L.ReLU()),
    "two_norm_plain": lambda: seq((4,), L.LayerNormalization(center=False, scale=False), L.LayerNormalization()),
    "two_nested": lambda: functional((4,), lambda x: dense()(x)),
    "two_models": lambda: seq((4,), seq((4,), L.Dense(3)), seq((3,), L.Dense(2))),
    "two_lookups": lambda: functional_ints(lambda x: L.Embedding(6, 2)(L.IntegerLookup(vocabulary=[1, 2, 3])(x))),
    "no_input": lambda: built(keras.Sequential([L.Dense(3, input_shape=(4,))] if not THREE else [L.Dense(3)])),
    "lambda": lambda: seq((4,), L.Lambda(lambda x: x * 2.0)),
    "custom": lambda: seq((4,), Scale()),
    "float16": lambda: seq((4,), L.Dense(3, dtype=keras.mixed_precision.Policy("mixed_float16") if hasattr(keras.mixed_precision, "Policy") else "mixed_float16")),
    "float64": lambda: seq((4,), L.Dense(3, dtype="float64")),
    "batch_size": lambda: keras.Sequential([keras.Input((4,), batch_size=2), L.Dense(3)]),
    "stateful": lambda: keras.Sequential([keras.Input((5, 3), batch_size=2), L.LSTM(4, stateful=True)]),
    "adam": lambda: compiled(dense(), "adam"),
    "sgd": lambda: compiled(dense(), keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True)),
    "rmsprop": lambda: compiled(dense(), "rmsprop", "mae"),
    "adam_schedule": lambda: compiled(dense(), keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9))),
    "adam_clip": lambda: compiled(dense(), keras.optimizers.Adam(clipnorm=1.0)),
    "adamax": lambda: compiled(dense(), "adamax"),
    "adagrad": lambda: compiled(dense(), "adagrad", "huber"),
    "ftrl": lambda: compiled(dense(), "ftrl"),
    "nadam": lambda: compiled(dense(), "nadam"),
    "adamw": lambda: compiled(dense(), keras.optimizers.AdamW()),
    "loss_object": lambda: compiled(dense(), "adam", keras.losses.MeanSquaredError(), [keras.metrics.RootMeanSquaredError()]),
    "loss_crossentropy": lambda: compiled(seq((4,), L.Dense(3, activation="softmax")), "adam", "categorical_crossentropy", ["accuracy"]),
    "loss_object_logits": lambda: compiled(seq((4,), L.Dense(3)), "adam", keras.losses.CategoricalCrossentropy(from_logits=True), ["accuracy", keras.metrics.AUC()]),
    "loss_binary": lambda: compiled(seq((4,), L.Dense(1, activation="sigmoid")), "sgd", "binary_crossentropy", ["acc", keras.metrics.Precision()]),
}


def nested_functional():
    """A model with a part that is trained and one that is not, as in transfer learning."""
    a = keras.Input((8, 8, 3))
    base = keras.Model(a, L.BatchNormalization()(L.Conv2D(4, 3)(L.BatchNormalization()(a))), name="base")
    base.trainable = False
    head = keras.Sequential([keras.Input((4,)), L.Dense(3), L.BatchNormalization(), L.Dense(2)], name="head")
    x = keras.Input((8, 8, 3))
    return keras.Model(x, head(L.GlobalAveragePooling2D()(base(x))))


def nested_plain():
    """A functional model inside of another, called once."""
    a = keras.Input((4,))
    inner = keras.Model(a, L.Dense(3)(a), name="inner")
    x = keras.Input((4,))
    return keras.Model(x, L.Dense(2)(inner(x)))


def nested_twice():
    """A model that calls one model twice, and a Bidirectional inside of a TimeDistributed."""
    a = keras.Input((4, 5, 3))
    inner = keras.Model(a, L.TimeDistributed(L.Bidirectional(L.GRU(2)))(a), name="inner")
    x = keras.Input((4, 5, 3))
    return keras.Model(x, L.Add()([inner(x), inner(L.Activation("tanh")(x))]))


def tensors(a, b):
    """Operators between tensors and with numbers."""
    tanh = keras.ops.tanh if THREE else tf.math.tanh
    maximum = keras.ops.maximum if THREE else tf.math.maximum
    return L.Dense(2)(maximum(tanh(a * b - 0.5) + 1.5, b - a))


def two_int():
    return keras.Sequential([keras.Input((3,), dtype="int64"), L.Hashing(4)])


def lookup():
    return keras.Sequential([keras.Input((3,), dtype="int64"), L.IntegerLookup(vocabulary=[1, 2, 3])])


def functional_ints(build):
    x = keras.Input((3,), dtype="int64")
    return keras.Model(x, build(x))


def shared():
    one = L.Dense(4)
    x = keras.Input((4,))
    return keras.Model(x, L.Add()([one(x), one(one(x))]))


def built(model):
    model.build((None, 4))
    return model


def inputs(model):
    """What the model is asked with."""
    made = []
    for tensor in model.inputs:
        shape = [3 if one is None else one for one in tensor.shape]
        made.append(ramp(shape, getattr(tensor.dtype, "name", tensor.dtype)))
    return made[0] if len(made) == 1 else made


def flat(answer):
    parts = answer if isinstance(answer, (list, tuple)) else [answer]
    return np.concatenate([np.asarray(part, "float64").ravel() for part in parts])


def write(name, make):
    tf.random.set_seed(7)
    np.random.seed(7)
    getattr(keras.utils, "set_random_seed", lambda seed: None)(7)
    keras.backend.clear_session()
    try:
        model = make()
        generator = np.random.RandomState(5)
        if name != "normalization":
            model.set_weights([generator.uniform(0.1, 0.9, one.shape).astype(one.dtype) if "float" in str(one.dtype) else one for one in model.get_weights()])
        answer = flat(model.predict(inputs(model), verbose=0, batch_size=2 if name in ("batch_size", "stateful") else None) if name not in ("batch_size", "stateful") else model(ramp((2, 4) if name == "batch_size" else (2, 5, 3))))
    except Exception as error:
        print("-", name, type(error).__name__, str(error).splitlines()[:1])
        return
    for ending in ("h5", "keras", "weights.h5"):
        if ending != "h5" and tuple(int(one) for one in tf.__version__.split(".")[:2]) < (2, 12):
            continue
        path = os.path.join(OUT, name + "." + ending)
        try:
            if ending == "weights.h5":
                model.save_weights(path)
                with open(path + ".json", "w", encoding="utf-8") as file:
                    file.write(model.to_json())
            else:
                model.save(path)
            np.save(path + ".npy", answer)
        except Exception as error:
            if os.path.exists(path):
                os.remove(path)
            print("-", name, ending, type(error).__name__, str(error).splitlines()[:1])


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    for name, make in CASES.items():
        # More names are these cases alone.
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        write(name, make)
    print("wrote", len([one for one in os.listdir(OUT) if not one.endswith((".npy", ".json"))]), "with TensorFlow", tf.__version__)
