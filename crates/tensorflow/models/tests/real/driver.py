"""What a real TensorFlow does with graphs: reads `name<TAB>path` lines of text graphs from the file named first,
prints `name<TAB>phase<TAB>message` for each. Every graph is loaded in a process of its own, because some kill it.
With a second argument, a folder, it also writes SavedModels there, changes them, and loads them as objects."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import saved_model_pb2

v1 = tf.compat.v1 if hasattr(getattr(tf, "compat", None), "v1") else tf
OWN = tf.version.GRAPH_DEF_VERSION if hasattr(tf, "version") else tf.GRAPH_DEF_VERSION


def say(name, phase, message=""):
    print(name, phase, " ".join(str(message).split())[:300], sep="\t", flush=True)


def graph(name, path):
    message = graph_pb2.GraphDef()
    with open(path) as file:
        text_format.Parse(file.read().replace("@own@", str(OWN)), message)
    with tf.Graph().as_default() as built:
        try:
            tf.import_graph_def(message, name="")
        except Exception as error:
            return say(name, "load", error)
        try:
            with v1.Session() as session:
                session.run(built.get_tensor_by_name("o:0"))
        except Exception as error:
            return say(name, "first use", error)
    say(name, "ok")


def graphs(listing):
    with open(listing) as file:
        for line in file:
            name, path = line.rstrip("\n").split("\t")
            child = os.fork()
            if child == 0:
                graph(name, path)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            if status:
                say(name, "died")


def module():
    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([2, 2], tf.float32, name="x")])
        def f(self, x):
            return tf.raw_ops.MatrixDeterminant(input=x) * self.w

    return Module()


def bodies(model):
    for function in model.meta_graphs[0].graph_def.library.function:
        yield from function.node_def


def deprecated(model):
    model.meta_graphs[0].graph_def.versions.producer = 0
    for node in bodies(model):
        if node.op == "MatrixDeterminant":
            node.op = "BatchMatrixDeterminant"


def unknown_in_graph(model):
    node = model.meta_graphs[0].graph_def.node.add()
    node.name, node.op = "extra", "NoSuchOp"


def unknown_in_function(model):
    for node in bodies(model):
        if node.op == "MatrixDeterminant":
            node.op = "NoSuchOp"


def closed(model):
    model.meta_graphs[0].graph_def.versions.bad_consumers.append(OWN)


def model_that_calls_nothing(model):
    for function in model.meta_graphs[0].graph_def.library.function:
        if any(node.op == "MatrixDeterminant" for node in function.node_def):
            node = function.node_def.add()
            node.name, node.op = "extra", "StatefulPartitionedCall"
            node.attr["Tin"].list.SetInParent()
            node.attr["Tout"].list.SetInParent()
            node.attr["f"].func.name = "gone"


def models(folder):
    changes = [deprecated, unknown_in_graph, unknown_in_function, closed, model_that_calls_nothing]
    for change in changes:
        place = os.path.join(folder, change.__name__)
        tf.saved_model.save(module(), place)
        path = os.path.join(place, "saved_model.pb")
        model = saved_model_pb2.SavedModel()
        with open(path, "rb") as file:
            model.ParseFromString(file.read())
        change(model)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        fingerprint = os.path.join(place, "fingerprint.pb")
        if os.path.exists(fingerprint):
            os.remove(fingerprint)
        try:
            loaded = tf.saved_model.load(place)
        except Exception as error:
            say(change.__name__, "load", error)
            continue
        try:
            loaded.f(tf.eye(2))
            say(change.__name__, "ok")
        except Exception as error:
            say(change.__name__, "first use", error)


graphs(sys.argv[1])
if len(sys.argv) > 2:
    models(sys.argv[2])
