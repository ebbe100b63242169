"""Converts models for TensorFlow.js with the converter that runs this, into a folder each.

    tfjs_write.py OUT KERAS.h5...

Files of Keras become layers models, OUT/layers/NAME. A SavedModel is made here for each of FUNCTIONS and becomes a graph
model, OUT/graphs/NAME, whether or not the newest TensorFlow.js has its ops. Three of them are packed too. A model that the
converter does not take is left out, with a line that says so.
"""
import os
import sys
import tempfile
from unittest import mock

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

# The converter imports them for inputs that are not used here.
for name in ["tensorflow_decision_forests", "tensorflow_hub", "jax", "jax.experimental", "jax.experimental.jax2tf"]:
    sys.modules[name] = mock.MagicMock()

import tensorflow as tf
import tensorflowjs as tfjs
from tensorflowjs.converters import converter, tf_saved_model_conversion_v2

OUT = sys.argv[1]
F = tf.float32

# The table of the model that is made.
TABLES = []


def loop(x):
    return tf.while_loop(lambda at, value: at < 3, lambda at, value: (at + 1, value * 2.0), [0, x])[1]


def listed(x):
    array = tf.TensorArray(F, 2)
    for at in range(2):
        array = array.write(at, x[at])
    return array.stack()


# The function, and the type and the shape of its input; the first dimension may be any.
FUNCTIONS = {
    "matmul": (lambda x: tf.matmul(x, tf.ones([4, 3])), F, [4]),
    "batch_matmul": (lambda x: tf.matmul(x, x, transpose_b=True), F, [3, 4]),
    "dense_relu": (lambda x: tf.nn.relu(tf.nn.bias_add(tf.matmul(x, tf.ones([4, 3])), tf.ones([3]))), F, [4]),
    "conv2d": (lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 3, 4]), 1, "SAME"), F, [6, 6, 3]),
    "conv2d_fused": (lambda x: tf.nn.relu6(tf.nn.bias_add(tf.nn.conv2d(x, tf.ones([2, 2, 3, 4]), 1, "SAME"), tf.ones([4]))), F, [6, 6, 3]),
    "depthwise": (lambda x: tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "SAME"), F, [6, 6, 3]),
    "conv3d": (lambda x: tf.nn.conv3d(x, tf.ones([2, 2, 2, 1, 2]), [1] * 5, "SAME"), F, [4, 4, 4, 1]),
    "max_pool": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), F, [6, 6, 3]),
    "pool_with_argmax": (lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[0], F, [6, 6, 3]),
    "batch_norm": (lambda x: tf.compat.v1.nn.fused_batch_norm(x, tf.ones([3]), tf.ones([3]), tf.ones([3]), tf.ones([3]), is_training=False)[0], F, [6, 6, 3]),
    "einsum": (lambda x: tf.einsum("bij,bkj->bik", x, x), F, [3, 4]),
    "softmax": (lambda x: tf.nn.softmax(x), F, [4]),
    "erf": (lambda x: tf.math.erf(x), F, [4]),
    "erfinv": (lambda x: tf.math.erfinv(x), F, [4]),
    "lgamma": (lambda x: tf.math.lgamma(x), F, [4]),
    "is_nan": (lambda x: tf.math.is_nan(x), F, [4]),
    "is_finite": (lambda x: tf.math.is_finite(x), F, [4]),
    "leaky_relu": (lambda x: tf.nn.leaky_relu(x), F, [4]),
    "prelu": (lambda x: tf.nn.relu(x) - 0.2 * tf.nn.relu(-x), F, [4]),
    "cumsum": (lambda x: tf.cumsum(x, 1), F, [4]),
    "cumprod": (lambda x: tf.math.cumprod(x, 1), F, [4]),
    "top_k": (lambda x: tf.math.top_k(x, 2).values, F, [4]),
    "where": (lambda x: tf.where(x > 0.5), F, [4]),
    "select": (lambda x: tf.where(x > 0.5, x, -x), F, [4]),
    "gather": (lambda x: tf.gather(x, [1, 0], axis=1), F, [4]),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1]]), F, [4]),
    "scatter_nd": (lambda x: tf.scatter_nd([[1], [3]], x[0, :2], [8]), F, [4]),
    "scatter_update": (lambda x: tf.tensor_scatter_nd_update(x, [[0, 1]], [9.0]), F, [4]),
    "one_hot": (lambda x: tf.one_hot(tf.cast(x, tf.int32), 3), F, [4]),
    "cast": (lambda x: tf.cast(x, tf.int32), F, [4]),
    "cast_64": (lambda x: tf.cast(x, tf.int64), F, [4]),
    "unique": (lambda x: tf.unique(tf.reshape(x, [-1])).y, F, [4]),
    "bincount": (lambda x: tf.math.bincount(tf.cast(x[0], tf.int32), minlength=4, maxlength=4), F, [4]),
    "searchsorted": (lambda x: tf.searchsorted([0.0, 0.5, 1.0], x[0]), F, [4]),
    "resize": (lambda x: tf.image.resize(x, [3, 3]), F, [6, 6, 3]),
    "resize_nearest": (lambda x: tf.image.resize(x, [3, 3], "nearest"), F, [6, 6, 3]),
    "crop": (lambda x: tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [3, 3]), F, [6, 6, 3]),
    "suppress": (lambda x: tf.image.non_max_suppression(x, tf.ones([4]), 2), F, None),
    "rotate": (lambda x: tf.raw_ops.ImageProjectiveTransformV3(images=x, transforms=[[1.0, 0, 0, 0, 1, 0, 0, 0]], output_shape=[6, 6], fill_value=0.0, interpolation="NEAREST"), F, [6, 6, 3]),
    "fft": (lambda x: tf.math.real(tf.signal.rfft(x)), F, [4]),
    "matrix_inverse": (lambda x: tf.linalg.inv(x), F, [3, 3]),
    "band_part": (lambda x: tf.linalg.band_part(x, 1, 1), F, [3, 3]),
    "space_to_batch": (lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]), F, [4, 4, 1]),
    "depth_to_space": (lambda x: tf.nn.depth_to_space(x, 2), F, [2, 2, 4]),
    "mirror_pad": (lambda x: tf.pad(x, [[0, 0], [1, 1]], "REFLECT"), F, [4]),
    "reverse": (lambda x: tf.reverse(x, [1]), F, [4]),
    "split": (lambda x: tf.split(x, 2, 1)[0], F, [4]),
    "stack": (lambda x: tf.stack([x, x], 1), F, [4]),
    "strided": (lambda x: x[:, ::2], F, [4]),
    "broadcast": (lambda x: tf.broadcast_to(x[0], [2, 4]), F, None),
    "linspace": (lambda x: tf.linspace(0.0, tf.reduce_sum(x), 3), F, [4]),
    "segment_sum": (lambda x: tf.math.unsorted_segment_sum(x[0], [0, 1, 0, 1], 2), F, [4]),
    "loop": (loop, F, [4]),
    "condition": (lambda x: tf.cond(tf.reduce_sum(x) > 1.0, lambda: x + 1.0, lambda: x - 1.0), F, [4]),
    "array": (listed, F, None),
    "table": (lambda x: TABLES[0].lookup(x), tf.string, [2]),
    "texts": (lambda x: tf.strings.split(x[0]).flat_values, tf.string, [2]),
    "text_length": (lambda x: tf.strings.length(x), tf.string, [2]),
    "random": (lambda x: x + tf.random.uniform([4]), F, [4]),
    "stateless_random": (lambda x: x + tf.random.stateless_uniform([4], [1, 2]), F, [4]),
    "argsort": (lambda x: tf.argsort(x), F, [4]),
    "norm": (lambda x: tf.norm(x, axis=1), F, [4]),
    "complex": (lambda x: tf.abs(tf.complex(x, x)), F, [4]),
    "atan2": (lambda x: tf.atan2(x, x + 1.0), F, [4]),
    "bitwise": (lambda x: tf.bitwise.bitwise_and(tf.cast(x, tf.int32), 1), F, [4]),
    "round": (lambda x: tf.round(x), F, [4]),
    "swish": (lambda x: tf.nn.swish(x), F, [4]),
    "gelu": (lambda x: tf.nn.gelu(x), F, [4]),
    "digamma": (lambda x: tf.math.digamma(x), F, [4]),
    "qr": (lambda x: tf.linalg.qr(x).r, F, [3, 3]),
}


class Module(tf.Module):
    def __init__(self, function, dtype, shape, asks_table):
        super().__init__()
        spec = tf.TensorSpec([4, 4] if shape is None else [None] + shape, dtype, name="x")
        self.weight = tf.Variable(1.0)
        if asks_table:
            pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
            self.table = tf.lookup.StaticHashTable(pairs, 0)
            TABLES[:] = [self.table]
        scale = (lambda y: y * self.weight) if dtype == F else (lambda y: y)
        self.run = tf.function(lambda x: function(scale(x)), input_signature=[spec])


def graph(name, function, dtype, shape, **packed):
    with tempfile.TemporaryDirectory() as folder:
        module = Module(function, dtype, shape, name == "table")
        tf.saved_model.save(module, folder, signatures=module.run)
        out = os.path.join(OUT, "graphs", name)
        tf_saved_model_conversion_v2.convert_tf_saved_model(folder, out, skip_op_check=True, **packed)


def attempt(name, work):
    try:
        work()
    except BaseException as error:
        print("left out", name, type(error).__name__, " ".join(str(error).split())[:200], sep="\t", flush=True)


def main():
    for path in sys.argv[2:]:
        name = os.path.basename(os.path.dirname(path)) + "-" + os.path.basename(path)[:-3]
        out = os.path.join(OUT, "layers", name)
        attempt(name, lambda: converter.dispatch_keras_h5_to_tfjs_layers_model_conversion(path, out))
    for name, (function, dtype, shape) in FUNCTIONS.items():
        attempt(name, lambda: graph(name, function, dtype, shape))
    for packed in ["float16", "uint8", "uint16"]:
        name = "matmul-" + packed
        attempt(name, lambda: graph(name, *FUNCTIONS["matmul"], quantization_dtype_map={packed: True}))


main()
