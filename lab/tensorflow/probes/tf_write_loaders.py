"""Writes SavedModels that one loader takes and another refuses, with the TensorFlow 2 that runs this.

    tf_write_loaders.py FOLDER
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf

OUT = sys.argv[1]
VECTOR = tf.TensorSpec([2], tf.float32)
v1 = tf.compat.v1


class Numpy(tf.Module):
    @tf.function(input_signature=[VECTOR])
    def call(self, x):
        return tf.numpy_function(lambda values: values * 2, [x], tf.float32)


class Eager(tf.Module):
    @tf.function(input_signature=[VECTOR])
    def call(self, x):
        return tf.py_function(lambda values: values * 2, [x], tf.float32)


class Scaled(tf.Module):
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[VECTOR])
    def call(self, x):
        return x * self.scale


def objects(name, module):
    tf.saved_model.save(module, os.path.join(OUT, name), signatures={"serving_default": module.call})


def session(name, tags, device=None, text=False):
    """A model of TensorFlow 1, which has a saver and no objects."""
    graph = tf.Graph()
    with graph.as_default(), tf.device(device):
        x = v1.placeholder(tf.float32, [2], "x")
        weights = v1.get_variable("weights", [2], initializer=v1.ones_initializer(), use_resource=False)
        y = tf.add(x * 2.0, weights, name="y")
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as running:
            running.run(v1.global_variables_initializer())
            builder = v1.saved_model.Builder(os.path.join(OUT, name))
            signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
            builder.add_meta_graph_and_variables(running, tags, {"serving_default": signature})
            builder.save(text)


objects("numpy_function", Numpy())
objects("py_function", Eager())
objects("objects", Scaled())
session("session", ["serve"])
session("text", ["serve"], text=True)
session("on_gpu", ["serve"], "/device:GPU:0")
session("serve_gpu", ["serve", "gpu"])
session("train", ["train"])
