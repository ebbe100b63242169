"""Writes the OpList of this TensorFlow to the file that is named: as text, or as bytes if it ends with .pb."""
import ctypes
import os
import sys

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import op_def_pb2


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


library = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_cc.so.2"))
library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
buffer = library.TF_GetAllOpList().contents
data = ctypes.string_at(buffer.data, buffer.length)
if sys.argv[1].endswith(".pb"):
    with open(sys.argv[1], "wb") as out:
        out.write(data)
else:
    ops = op_def_pb2.OpList.FromString(data)
    with open(sys.argv[1], "w") as out:
        out.write(text_format.MessageToString(ops))
