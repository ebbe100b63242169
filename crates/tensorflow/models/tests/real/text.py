"""Messages of TensorFlow as text and back: with `print`, writes the message in each file `in` of `kind<TAB>in<TAB>out`
lines as text to `out`; with `compare`, says `kind<TAB>in<TAB>same` where both files hold the same message."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

KINDS = {"graph": graph_pb2.GraphDef, "meta": meta_graph_pb2.MetaGraphDef, "saved_model": saved_model_pb2.SavedModel}


def message(kind, path):
    with open(path, "rb") as file:
        return KINDS[kind].FromString(file.read())


for line in sys.stdin:
    kind, first, second = line.rstrip("\n").split("\t")
    if sys.argv[1] == "print":
        with open(second, "w") as file:
            file.write(text_format.MessageToString(message(kind, first)))
    else:
        same = message(kind, first) == message(kind, second)
        print(kind, first, "same" if same else "different", sep="\t")
