"""Writes models with the TensorFlow that runs this, for tests of what older releases make of them.

    tf_write.py FOLDER

Small Keras models as SavedModels, the same frozen, and graphs of single ops that older releases have under
another name. Their weights come from a fixed seed.
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

OUT = sys.argv[1]
layers = keras.layers
raw = tf.raw_ops


def models():
    """Keras models by name."""
    text = layers.StringLookup(vocabulary=["a", "b", "c"])
    query = keras.Input((6, 8))
    attended = layers.MultiHeadAttention(2, 4)(query, query)
    pooled = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(attended + query))
    return {
        "dense": keras.Sequential(
            [layers.Input((8,)), layers.Dense(16, activation="relu"), layers.Dense(4, activation="softmax")]
        ),
        "conv": keras.Sequential(
            [
                layers.Input((16, 16, 3)),
                layers.Conv2D(8, 3, padding="same"),
                layers.BatchNormalization(),
                layers.LeakyReLU(),
                layers.MaxPooling2D(),
                layers.DepthwiseConv2D(3),
                layers.GlobalAveragePooling2D(),
                layers.Dense(4),
            ]
        ),
        "lstm": keras.Sequential([layers.Input((10, 4)), layers.LSTM(8), layers.Dense(2)]),
        "lookup": keras.Sequential([layers.Input((3,), dtype="string"), text]),
        "attention": keras.Model(query, layers.Dense(2)(pooled)),
    }


def freeze(model, name):
    """The model as a graph of constants."""
    spec = [tf.TensorSpec([2] + list(tensor.shape[1:]), tensor.dtype) for tensor in model.inputs]
    function = tf.function(lambda *inputs: model(inputs[0])).get_concrete_function(*spec)
    frozen = convert_variables_to_constants_v2(function)
    write(frozen.graph.as_graph_def(), name)


def write(graph_def, name):
    with open(os.path.join(OUT, name + ".pb"), "wb") as file:
        file.write(graph_def.SerializeToString())


def renamed_ops():
    """One graph with the ops that older releases have under another name."""
    graph = tf.Graph()
    with graph.as_default():
        place = lambda shape, name: tf.compat.v1.placeholder(tf.float32, shape, name=name)
        x, y = place([2, 3, 4], "x"), place([2, 4, 5], "y")
        image, scale = place([2, 4, 4, 3], "image"), place([3], "scale")
        small = raw.Sub(x=x, y=tf.constant(0.3))
        condition = raw.Greater(x=small, y=tf.constant(0.0))
        results = {
            "add": raw.AddV2(x=x, y=small),
            "matmul": raw.BatchMatMulV2(x=x, y=y),
            "matmul_of_types": raw.BatchMatMulV3(x=x, y=y, Tout=tf.float32),
            "select": raw.SelectV2(condition=condition, t=x, e=raw.Neg(x=x)),
            "gather": raw.GatherV2(params=x, indices=tf.constant([1, 0, 1]), axis=tf.constant(0)),
            "pad": raw.PadV2(input=x, paddings=tf.constant([[0, 1], [1, 0], [2, 2]]), constant_values=tf.constant(0.0)),
        }
        for training in [False, True]:
            norm = raw.FusedBatchNormV3(
                x=image,
                scale=scale,
                offset=scale,
                mean=tf.zeros([0]) if training else scale,
                variance=tf.zeros([0]) if training else scale,
                epsilon=0.01,
                is_training=training,
            )
            gradient = raw.FusedBatchNormGradV3(
                y_backprop=image,
                x=image,
                scale=scale,
                # Only a norm in training fills its reserves.
                reserve_space_1=norm.reserve_space_1 if training else scale,
                reserve_space_2=norm.reserve_space_2 if training else scale,
                reserve_space_3=norm.reserve_space_3,
                epsilon=0.01,
                is_training=training,
            )
            results["norm_%s" % training] = norm.y
            results["norm_gradient_%s" % training] = gradient.x_backprop
        for name, tensor in results.items():
            tf.identity(tensor, name="out_" + name)
    write(graph.as_graph_def(), "renamed-ops")


def older_ops():
    """One graph with the ops whose older versions take other inputs: diagonals, counts, random numbers of a seed."""
    graph = tf.Graph()
    with graph.as_default():
        place = lambda shape, name, dtype=tf.float32: tf.compat.v1.placeholder(dtype, shape, name=name)
        c = tf.constant
        rows, matrix = place([2, 3], "rows"), place([2, 4, 4], "matrix")
        counted = place([6], "counted", tf.int32)
        one = dict(align="RIGHT_LEFT")
        whole = dict(num_rows=c(-1), num_cols=c(-1))
        results = {
            "diag": raw.MatrixDiagV3(diagonal=rows, k=c(0), padding_value=c(0.0), **whole, **one),
            "diag_above": raw.MatrixDiagV3(diagonal=rows, k=c(1), padding_value=c(7.0), **whole, **one),
            "diag_wide": raw.MatrixDiagV3(diagonal=rows, k=c([0]), num_rows=c(3), num_cols=c(5), padding_value=c(0.5), **one),
            "part": raw.MatrixDiagPartV3(input=matrix, k=c(0), padding_value=c(0.0), **one),
            "part_below": raw.MatrixDiagPartV3(input=matrix, k=c(-1), padding_value=c(0.0), **one),
            "set": raw.MatrixSetDiagV3(input=matrix, diagonal=c([[1.0, 2, 3, 4]] * 2), k=c(0), **one),
            "set_above": raw.MatrixSetDiagV3(input=matrix, diagonal=c([[1.0, 2, 3]] * 2), k=c(1), **one),
            "count": raw.DenseBincount(input=counted, size=c(3), weights=c([], tf.int32)),
            "weigh": raw.DenseBincount(input=counted, size=c(2), weights=c([0.5] * 6)),
        }
        for of_seed in [tf.int32, tf.int64]:
            seed = place([2], "seed_" + of_seed.name, of_seed)
            for dtype in [tf.half, tf.float32, tf.float64]:
                how = dict(shape=[3, 4], seed=seed, dtype=dtype)
                name = "_%s_%s" % (of_seed.name, dtype.name)
                results["uniform" + name] = tf.random.stateless_uniform(**how)
                results["normal" + name] = tf.random.stateless_normal(**how)
                results["truncated" + name] = tf.random.stateless_truncated_normal(**how)
            for dtype in [tf.int32, tf.int64]:
                how = dict(shape=[3, 4], seed=seed, dtype=dtype, minval=-5, maxval=90)
                results["integers_%s_%s" % (of_seed.name, dtype.name)] = tf.random.stateless_uniform(**how)
        for name, tensor in results.items():
            tf.identity(tensor, name="out_" + name)
    write(graph.as_graph_def(), "older-ops")


def arrays():
    """A graph with an array of tensors that says of its elements what releases before 1.5 do not know."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
        array = raw.TensorArrayV3(size=tf.constant(2), dtype=tf.float32, identical_element_shapes=True)
        flow = array.flow
        for at in range(2):
            flow = raw.TensorArrayWriteV3(handle=array.handle, index=tf.constant(at), value=x * (at + 1.0), flow_in=flow)
        read = raw.TensorArrayGatherV3(handle=array.handle, indices=tf.constant([1, 0]), flow_in=flow, dtype=tf.float32)
        tf.identity(read, name="out_read")
    write(graph.as_graph_def(), "arrays")


def main():
    os.makedirs(OUT, exist_ok=True)
    keras.utils.set_random_seed(7)
    for name, model in models().items():
        model.export(os.path.join(OUT, name), verbose=False)
        if name in ["dense", "conv", "attention"]:
            freeze(model, name + "-frozen")
    renamed_ops()
    older_ops()
    arrays()


main()
