"""Runs single ops on whatever TensorFlow runs this, 1.4 or later, and says what each gave: the measurements behind
crates/tensorflow/models/data/behaviour.tsv.

    tf_operators.py run FORMS.jsonl OUT.tsv
    tf_operators.py plan FORMS.jsonl OUT.jsonl

A line of FORMS is {"op", "attrs", "args", "runs"}: attributes as [name, kind, value], the name, the type and the role of each
input, and what the inputs of each run get. `2,3:nan` is a shape and the name of its values, `=[0,1]` is given as it is, as a
constant that shape functions see. `run` writes a line for each form: what each run gave with tabs between: types, shapes and
values, `!` and the error at the first run, `!import: ` and the error at import, `NONE` where it has no kernel or
cannot be given such inputs, or `CRASH` where it did not end.
`plan` tries shapes and constants on the forms of each op and writes those that the release takes: {"op", "plans"}.
"""
from __future__ import print_function

import itertools
import json
import os
import resource
import signal
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.filterwarnings("ignore")

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2, node_def_pb2, types_pb2

import operator_numbers

v1 = tf.compat.v1 if hasattr(tf, "compat") and hasattr(tf.compat, "v1") and hasattr(tf.compat.v1, "Session") else tf

# Forms of one process, and of one graph.
PART = 240
CHUNK = 12
# A form has so many seconds.
LIMIT = 20
# The most attempts for the shapes of an op, and the most plans that are kept.
ATTEMPTS = 160
PLANS = 5

FLOATING = ("float", "half", "bfloat16", "double", "complex64", "complex128")


def config():
    made = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    made.graph_options.optimizer_options.opt_level = -1
    # One node without a kernel is not to stop the others.
    made.graph_options.place_pruned_graph = True
    options = made.graph_options.rewrite_options
    if hasattr(options, "disable_meta_optimizer"):
        options.disable_meta_optimizer = True
    return made


def dtype(name):
    return getattr(types_pb2, "DT_" + name.upper())


def numpy_type(name):
    return tf.as_dtype(dtype(name)).as_numpy_dtype


def numbers(kind, n, name):
    floating = name in FLOATING
    unsigned = name.startswith(("uint", "quint"))
    common = operator_numbers.numbers(kind, n, floating)
    if common is not None:
        return common
    if kind == "zeros":
        return [(-0.0 if floating and i % 2 else 0) for i in range(n)]
    if kind == "large":
        if name in ("half",):
            return [60000.0 - i for i in range(n)]
        if floating:
            return [1e30 + i for i in range(n)]
        bits = 8 * np.dtype(numpy_type(name)).itemsize if not name.startswith("q") else 8
        return [2 ** (bits - (0 if unsigned else 1)) - 1 - i % 3 for i in range(n)]
    if kind == "spd":
        side = int(round(n ** 0.5))
        return [4.0 if i // side == i % side else 0.5 for i in range(n)]
    if kind == "boxes":
        flat = [0.0, 0.0, 1.0, 1.0, 0.0, 0.1, 1.0, 1.1, 0.0, 2.0, 1.0, 3.0]
        return [flat[i % 12] for i in range(n)]
    if kind == "sorted":
        return [i // 2 for i in range(n)]
    raise ValueError(kind)


def made(text, name):
    """The values of an input."""
    if text.startswith("="):
        return np.array(json.loads(text[1:]), dtype=numpy_type(name))
    shape, kind = text.split(":")
    shape = [int(one) for one in shape.split(",") if one]
    n = operator_numbers.count(shape)
    if name == "string":
        words = {"zeros": [b""], "neg": [b"-1", b"x"], "ties": [b"b", b"a", b"b"]}.get(kind, [b"1", b"ab", b"2.5"])
        return np.array([words[i % len(words)] for i in range(n)], dtype=object).reshape(shape)
    if name == "bool":
        return np.array([i % 2 == 0 for i in range(n)], dtype=bool).reshape(shape)
    flat = numbers(kind, n, name)
    if name not in FLOATING:
        flat = [int(one) for one in flat]
        if name.startswith("q"):
            return np.array([(one,) for one in flat], dtype=numpy_type(name)).reshape(shape)
        return np.array(flat, dtype="int64" if name != "uint64" else "uint64").astype(numpy_type(name)).reshape(shape)
    return np.array(flat, dtype="float64").astype(numpy_type(name)).reshape(shape)


def attr(kind, value):
    """An attribute as its message."""
    found = attr_value_pb2.AttrValue()
    is_list, one = kind.startswith("list("), kind.replace("list(", "").rstrip(")")
    items = value if is_list else [value]
    if is_list:
        found.list.SetInParent()
    into = found.list if is_list else found
    field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}[one]
    items = [dtype(item) if one == "type" else item.encode() if one == "string" else item for item in items]
    if is_list:
        getattr(into, field).extend(items)
    else:
        setattr(into, field, items[0])
    return found


def nodes(form, run, prefix):
    """The nodes of one run, what is fed, and its name."""
    graph, feed, names = [], {}, []
    for at, (arg, text) in enumerate(zip(form["args"], run)):
        node = node_def_pb2.NodeDef(name="%s_i%d" % (prefix, at))
        value = made(text, arg["dtype"])
        node.attr["dtype"].type = dtype(arg["dtype"])
        if text.startswith("="):
            node.op = "Const"
            node.attr["value"].tensor.CopyFrom(v1.make_tensor_proto(value, dtype=tf.as_dtype(dtype(arg["dtype"]))))
        else:
            node.op = "Placeholder"
            node.attr["shape"].shape.SetInParent()
            for size in value.shape:
                node.attr["shape"].shape.dim.add(size=size)
            feed[node.name + ":0"] = value
        graph.append(node)
        names.append(node.name)
    node = node_def_pb2.NodeDef(name=prefix, op=form["op"], input=names)
    for name, kind, value in form["attrs"]:
        node.attr[name].CopyFrom(attr(kind, value))
    graph.append(node)
    return graph, feed


def number(one):
    if isinstance(one, (bool, np.bool_)):
        return str(int(one))
    if isinstance(one, (complex, np.complexfloating)):
        return number(float(one.real)) + " " + number(float(one.imag))
    if isinstance(one, bytes):
        return repr(one.decode("latin1"))[1:].replace(" ", "_")
    if isinstance(one, tuple):
        return str(int(one[0]))
    return "%.7g" % float(one) if not isinstance(one, (int, np.integer)) else str(one)


def plain(value, name):
    value = np.asarray(value)
    head = "%s[%s]" % (name, ",".join(str(one) for one in value.shape))
    return head + " ".join(number(one) for one in value.reshape(-1)[:32].tolist())


MISSING = ("No OpKernel was registered", "Could not find device for node", "OpKernel for '", "Cannot assign a device",
           "No registered '", "not registered", "No op named", "in defined operations")


def word(error, phase):
    lines = [one.strip() for one in str(error).strip().splitlines() if one.strip()] or [type(error).__name__]
    text = lines[0].replace("\t", " ")
    if any(one in str(error) for one in MISSING):
        return "NONE"
    for mark in (" [[", " for '", " (op: ", ", in which case"):
        text = text.split(mark)[0]
    return "!" + phase + text[:110]


def outcome_of(fetched, tensors):
    return "(" + ";".join(plain(value, types_pb2.DataType.Name(tensor.dtype.as_datatype_enum)[3:].lower())
                          for value, tensor in zip(fetched, tensors)) + ")"


def one_run(form, run):
    made_graph = tf.Graph()
    with made_graph.as_default():
        try:
            some, feed = nodes(form, run, "r")
        except Exception as error:
            return "NONE"
        message = graph_pb2.GraphDef()
        message.node.extend(some)
        message.versions.producer = form.get("producer", 0)
        try:
            v1.import_graph_def(message, name="")
        except Exception as error:
            return word(error, "import: ")
    tensors = made_graph.get_operation_by_name("r").outputs
    with v1.Session(graph=made_graph, config=config()) as session:
        try:
            return outcome_of(session.run(list(tensors), feed), tensors)
        except Exception as error:
            return word(error, "")


class Chunk:
    """The runs of some forms in one graph and one session: making either is what takes time."""

    def __init__(self, forms):
        self.forms, self.graph, self.told, self.feeds = forms, tf.Graph(), [], []
        with self.graph.as_default():
            for number, form in enumerate(forms):
                self.add(number, form)
        self.session = v1.Session(graph=self.graph, config=config())
        # Errors are not to be told with the places in Python that made each node, which takes longest.
        self.session._do_call = lambda call, *arguments: call(*arguments)

    def add(self, number, form):
        parts = []
        for at, run in enumerate(form["runs"]):
            try:
                parts.append(nodes(form, run, "f%d_%d" % (number, at)))
            except Exception:
                parts.append(None)
        self.feeds.append([part and part[1] for part in parts])
        try:
            self.take([node for some, _ in parts for node in some], form)
            self.told.append([None] * len(parts))
        except Exception:
            told = []
            for part in parts:
                try:
                    told.append("UNMADE" if part is None else self.take(part[0], form))
                except Exception as error:
                    told.append(word(error, "import: "))
            self.told.append(told)

    def take(self, some, form):
        message = graph_pb2.GraphDef()
        message.versions.producer = form.get("producer", 0)
        message.node.extend(some)
        v1.import_graph_def(message, name="")

    def outputs(self, number, at):
        return list(self.graph.get_operation_by_name("f%d_%d" % (number, at)).outputs)

    def run(self, number):
        """What each run of a form gave: in one step if all work. What has no kernel for one has none for the others."""
        told, feeds = list(self.told[number]), self.feeds[number]
        open_runs = [at for at, one in enumerate(told) if one is None]
        if len(open_runs) > 1:
            tensors, feed = [self.outputs(number, at) for at in open_runs], {}
            for at in open_runs:
                feed.update(feeds[at])
            try:
                for at, values, ends in zip(open_runs, self.session.run(tensors, feed), tensors):
                    told[at] = outcome_of(values, ends)
                return told
            except Exception:
                pass
        for at in open_runs:
            if "NONE" in told[:at]:
                told[at] = "NONE"
                continue
            tensors = self.outputs(number, at)
            try:
                told[at] = outcome_of(self.session.run(tensors, feeds[at]), tensors)
            except Exception as error:
                told[at] = word(error, "")
        return told


def clean(text):
    return text.replace("\n", " ").replace("\t", " ")


def child(work, into):
    """Runs something in a process of its own: the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.dup2(null, 1)
        out = os.open(into, os.O_WRONLY | os.O_APPEND)
        work(lambda text: os.write(out, text.encode("utf-8")))
        os._exit(0)
    return os.waitpid(pid, 0)[1] & 127


def run(lines, into):
    open(into, "w").close()
    at = 0
    while at < len(lines):
        part = lines[at : at + PART]
        begin = os.path.getsize(into)

        def work(say):
            for first in range(0, len(part), CHUNK):
                some = part[first : first + CHUNK]
                signal.alarm(LIMIT * 3)
                chunk = Chunk([json.loads(line) for line in some if line != "-"])
                number = 0
                for line in some:
                    signal.alarm(LIMIT)
                    if line == "-":
                        say("-\n")
                        continue
                    say("\t".join(clean(one).replace("UNMADE", "NONE") for one in chunk.run(number)) + "\n")
                    number += 1
                chunk.session.close()

        child(work, into)
        with open(into, "rb") as file:
            file.seek(begin)
            done = file.read().count(b"\n")
        at += done
        if done == len(part):
            continue
        # A run of this form ended the process: each in one of its own.
        form, told = json.loads(lines[at]), []
        for one in form["runs"]:
            single = into + ".one"
            open(single, "w").close()

            def alone(say):
                signal.alarm(LIMIT)
                say(clean(one_run(form, one)))

            ended = child(alone, single)
            with open(single, "rb") as file:
                text = file.read().decode("utf-8")
            if ended == signal.SIGALRM:
                text = "CRASH"
            told.append(text if not ended else text if text == "CRASH" else "!ends the process")
        with open(into, "ab") as file:
            file.write(("\t".join(told) + "\n").encode("utf-8"))
        at += 1


SHAPES = ["2,3", "3", "3,3", "", "1,4,4,2", "1,5,5,2", "2,3,3", "1,4,4,4,2", "4,2,2,1", "2,4,4,4"]

# What constants of these names are tried with.
CONSTANTS = {
    "shape": ["=[3,2]", "=[2,3]", "=[6]", "=[4]"],
    "dims": ["=[2,3]", "=[3]"],
    "size": ["=[4,4]", "=[1,2]", "=2", "=[3]"],
    "axis": ["=0", "=[0]", "=1"],
    "dim": ["=0", "=1"],
    "dimension": ["=0", "=1"],
    "reduction_indices": ["=0", "=[1]", "=[0]"],
    "concat_dim": ["=0"],
    "split_dim": ["=0"],
    "perm": ["=[1,0]"],
    "multiples": ["=[1,2]", "=[2]"],
    "paddings": ["=[[0,1],[1,0]]", "=[[1,1]]", "=[[0,0],[1,1],[1,1],[0,0]]"],
    "begin": ["=[0,1]", "=[0]"],
    "end": ["=[2,3]", "=[2]"],
    "strides": ["=[1,1]", "=[1]"],
    "segment_ids": ["=[0,1]", "=[0,0,1]"],
    "num_segments": ["=3"],
    "indices": ["=[0,1]", "=[[0,1],[1,0]]", "=[[0],[1]]", "=1", "=[0,1,0]"],
    "k": ["=2", "=0", "=1"],
    "n": ["=1", "=0"],
    "depth": ["=3"],
    "input_sizes": ["=[1,5,5,2]", "=[1,4,4,4,2]", "=[2,3]"],
    "filter_sizes": ["=[3,3,2,2]", "=[3,3,2,1]", "=[2,2,2,2,2]"],
    "orig_input_shape": ["=[1,5,5,2]", "=[1,4,4,4,2]"],
    "max_output_size": ["=3", "=2"],
    "block_shape": ["=[1,1]", "=[2,1]"],
    "crops": ["=[[0,0],[0,0]]"],
    "num_rows": ["=-1", "=3"],
    "num_cols": ["=-1", "=3"],
    "shift": ["=1", "=[1]"],
    "seq_lengths": ["=[1,2]", "=[2,3]"],
    "labels": ["=[0,2]", "=[1,0]"],
    "targets": ["=[0,2]"],
    "box_ind": ["=[0,0]"],
    "crop_size": ["=[2,2]"],
    "input_h": ["2,3:plain"],
    "lower": ["=0"],
    "upper": ["=1"],
    "num_lower": ["=0", "=1"],
    "num_upper": ["=0", "=1"],
    "num": ["=3"],
    "start": ["=0", "=1"],
    "limit": ["=5"],
    "delta": ["=1"],
    "weights": ["6:plain", "0:plain"],
    "a_indices": ["=[[0,1],[1,0]]"],
    "b_indices": ["=[[0,1],[1,0]]"],
    "sp_indices": ["=[[0,1],[1,0]]"],
    "a_shape": ["=[2,3]"],
    "b_shape": ["=[2,3]"],
    "sp_shape": ["=[2,3]"],
    "dense_shape": ["=[2,3]"],
    "input_indices": ["=[[0,1],[1,0]]"],
    "input_shape": ["=[2,3]"],
    "output_shape": ["=[2,3]"],
    "sparse_indices": ["=[0,1]", "=[[0,1],[1,0]]"],
    "new_shape": ["=[3,2]", "=[3,4]"],
    "ids": ["=[0,1]"],
    "sizes": ["=[2,2]"],
    "rt_nested_splits": ["=[0,1,2]"],
    "partitions": ["=[0,1]"],
}
ANY = ["=0", "=[0,1]", "=1", "=[1,0]", "=[2,3]", "=[[0,1],[1,0]]", "=[1]", "=2", "=[0]"]

# Inputs of ops whose inputs have several shapes, by how their names begin.
SPECIAL = [
    ("Conv2DBackpropInput", ["=[1,5,5,2]", "3,3,2,2:plain", "1,5,5,2:plain"]),
    ("Conv2DBackpropInput", ["=[1,5,5,2]", "3,3,2,2:plain", "1,3,3,2:plain"]),
    ("Conv2DBackpropFilter", ["1,5,5,2:plain", "=[3,3,2,2]", "1,5,5,2:plain"]),
    ("Conv2DBackpropFilter", ["1,5,5,2:plain", "=[3,3,2,2]", "1,3,3,2:plain"]),
    ("Conv2D", ["1,5,5,2:plain", "3,3,2,2:plain"]),
    ("Conv2D", ["1,5,5,4:plain", "3,3,2,2:plain"]),
    ("Conv3D", ["1,4,4,4,2:plain", "2,2,2,2,2:plain"]),
    ("DepthwiseConv2dNativeBackpropInput", ["=[1,5,5,2]", "3,3,2,1:plain", "1,5,5,2:plain"]),
    ("DepthwiseConv2dNativeBackpropFilter", ["1,5,5,2:plain", "=[3,3,2,1]", "1,5,5,2:plain"]),
    ("DepthwiseConv2dNative", ["1,5,5,2:plain", "3,3,2,1:plain"]),
    ("Dilation2D", ["1,5,5,2:plain", "3,3,2:plain"]),
    ("BiasAdd", ["2,3:plain", "3:plain"]),
    ("BiasAdd", ["1,2,2,3:plain", "3:plain"]),
    ("FusedBatchNormGrad", ["2,3,3,2:plain"] * 2 + ["2:plain"] * 4),
    ("FusedBatchNorm", ["2,3,3,2:plain", "2:plain", "2:plain", "0:plain", "0:plain"]),
    ("FusedBatchNorm", ["2,3,3,2:plain"] + ["2:plain"] * 4),
    ("NonMaxSuppressionWithOverlaps", ["3,3:spd", "3:plain", "=3", ":plain", ":plain"]),
    ("NonMaxSuppression", ["3,4:boxes", "3:plain", "=3"] + [":plain"] * 3),
    ("CropAndResize", ["1,4,4,2:plain", "2,4:boxes", "=[0,0]", "=[2,2]"]),
    ("QuantizeAndDequantize", ["2,3:plain", ":zeros", ":plain", "=8"]),
    ("QuantizeAndDequantize", ["2,3:plain", "3:zeros", "3:plain", "=8"]),
    ("QuantizeAndDequantize", ["2,3:plain", "2:zeros", "2:plain", "=8"]),
    ("FakeQuantWithMinMaxVars", ["2,3:neg", ":zeros", ":plain"]),
    ("SparseSoftmaxCrossEntropy", ["2,3:plain", "=[0,2]"]),
    ("SparseTensorDenseMatMul", ["=[[0,1],[1,0]]", "2:plain", "=[2,3]", "3,3:plain"]),
    ("SparseToDense", ["=[0,1]", "=[3]", "2:plain", ":plain"]),
    ("SparseReorder", ["=[[1,0],[0,1]]", "2:plain", "=[2,3]"]),
    ("SparseSoftmax", ["=[[0,1],[1,0]]", "2:plain", "=[2,3]"]),
    ("DenseBincount", ["=[1,2,2,0]", "=3", "0:plain"]),
    ("DenseBincount", ["=[1,2,2,0]", "=3", "4:plain"]),
    ("Bincount", ["=[1,2,2,0]", "=3", "0:plain"]),
    ("ResizeBilinear", ["1,4,4,2:plain", "=[3,5]"]),
    ("Resize", ["1,4,4,2:plain", "=[3,5]"]),
    ("ScatterNd", ["=[[0],[2]]", "2:plain", "=[4]"]),
    ("TensorScatter", ["4:plain", "=[[0],[2]]", "2:plain"]),
    ("GatherV2", ["3,2:plain", "=[0,2]", "=0"]),
    ("GatherV2", ["3,2:plain", "=[[0,1]]", "=1"]),
    ("OneHot", ["=[0,2,-1]", "=3", ":plain", ":zeros"]),
    ("Select", ["2,3:plain"] * 3),
    ("ClipByValue", ["2,3:neg", ":zeros", ":plain"]),
    ("MatrixDiagV", ["3:plain", "=0", "=-1", "=-1", ":zeros"]),
    ("MatrixDiagPartV", ["3,3:plain", "=0", ":zeros"]),
    ("MatrixSetDiagV", ["3,3:plain", "3:zeros", "=0"]),
    ("MatrixBandPart", ["3,3:plain", "=1", "=0"]),
    ("TopKV2", ["2,3:plain", "=2"]),
    ("InTopK", ["2,3:plain", "=[0,2]", "=2"]),
    ("SearchSorted", ["2,3:plain", "2,2:plain"]),
    ("UpperBound", ["2,3:plain", "2,2:plain"]),
    ("LowerBound", ["2,3:plain", "2,2:plain"]),
    ("Cholesky", ["3,3:spd"]),
    ("MatrixSolveLs", ["3,3:spd", "3,2:plain", ":zeros"]),
    ("MatrixSolve", ["3,3:spd", "3,2:plain"]),
    ("MatrixTriangularSolve", ["3,3:spd", "3,2:plain"]),
    ("TridiagonalSolve", ["3,3:spd", "3,1:plain"]),
    ("LinSpace", [":zeros", ":plain", "=4"]),
    ("Range", [":zeros", "=[5]", ":plain"]),
    ("Einsum", ["2,3:plain", "3,2:plain"]),
    ("StridedSlice", ["3,3:plain", "=[0,1]", "=[2,3]", "=[1,1]"]),
    ("Slice", ["3,3:plain", "=[0,1]", "=[2,1]"]),
    ("BatchToSpaceND", ["4,2,2,1:plain", "=[2,2]", "=[[0,0],[0,0]]"]),
    ("SpaceToBatchND", ["1,4,4,1:plain", "=[2,2]", "=[[0,0],[0,0]]"]),
    ("MaxPoolGradGrad", ["1,4,4,2:plain"] * 3),
    ("MaxPoolV2", ["1,4,4,2:plain", "=[1,2,2,1]", "=[1,2,2,1]"]),
    ("MaxPool3D", ["1,4,4,4,2:plain"] * 3),
    ("AvgPool3DGrad", ["=[1,4,4,4,2]", "1,4,4,4,2:plain"]),
    ("AvgPoolGrad", ["=[1,4,4,2]", "1,4,4,2:plain"]),
    ("UnsortedSegment", ["3,2:plain", "=[0,2,0]", "=3"]),
    ("SparseSegment", ["3,2:plain", "=[0,2]", "=[0,1]", "=3"]),
    ("Segment", ["3,2:plain", "=[0,0,2]"]),
    ("DynamicPartition", ["4:plain", "=[0,1,0,1]"]),
    ("MatMul", ["2,3:plain", "3,2:plain"]),
    ("BatchMatMul", ["2,2,3:plain", "2,3,2:plain"]),
    ("SparseMatMul", ["2,3:plain", "3,2:plain"]),
    ("LRN", ["1,3,3,2:plain"] * 3),
    ("ExtractImagePatches", ["1,4,4,2:plain"]),
    ("ReverseSequence", ["2,3:plain", "=[1,2]"]),
    ("ReverseV2", ["2,3:plain", "=[0]"]),
    ("Roll", ["2,3:plain", "=1", "=0"]),
    ("Tile", ["2,3:plain", "=[1,2]"]),
    ("DrawBoundingBoxes", ["1,4,4,3:plain", "1,1,4:boxes", "2,3:plain"]),
    ("AdjustContrast", ["1,2,2,3:plain", ":plain"]),
    ("AdjustHue", ["1,2,2,3:plain", ":plain"]),
    ("AdjustSaturation", ["1,2,2,3:plain", ":plain"]),
    ("RGBToHSV", ["2,3:plain"]),
    ("HSVToRGB", ["2,3:plain"]),
]

SP = ["=[[0,1],[1,0]]", "2:plain", "=[2,3]"]
QUANTIZED = [":zeros", ":plain"]
SPECIAL += [
    ("Conv3DBackpropInput", ["=[1,4,4,4,2]", "2,2,2,2,2:plain", "1,4,4,4,2:plain"]),
    ("Conv3DBackpropInput", ["=[1,4,4,4,2]", "2,2,2,2,2:plain", "1,3,3,3,2:plain"]),
    ("Conv3DBackpropFilter", ["1,4,4,4,2:plain", "=[2,2,2,2,2]", "1,4,4,4,2:plain"]),
    ("Conv3DBackpropFilter", ["1,4,4,4,2:plain", "=[2,2,2,2,2]", "1,3,3,3,2:plain"]),
    ("Dilation2DBackprop", ["1,5,5,2:plain", "3,3,2:plain", "1,5,5,2:plain"]),
    ("Dilation2DBackprop", ["1,5,5,2:plain", "3,3,2:plain", "1,3,3,2:plain"]),
    ("Conv", ["1,5,5,2:plain", "3,3,2,2:plain"]),
    ("FusedPadConv2D", ["1,5,5,2:plain", "=[[0,0],[1,1],[1,1],[0,0]]", "3,3,2,2:plain"]),
    ("FusedResizeAndPadConv2D", ["1,5,5,2:plain", "=[4,4]", "=[[0,0],[1,1],[1,1],[0,0]]", "3,3,2,2:plain"]),
    ("QuantizedConv2D", ["1,5,5,2:plain", "3,3,2,2:plain"] + QUANTIZED * 2),
    ("QuantizedDepthwiseConv2D", ["1,5,5,2:plain", "3,3,2,1:plain"] + QUANTIZED * 2),
    ("QuantizedMatMul", ["2,3:plain", "3,2:plain"] + QUANTIZED * 2),
    ("QuantizedAdd", ["2,3:plain", "2,3:plain"] + QUANTIZED * 2),
    ("QuantizedMul", ["2,3:plain", "2,3:plain"] + QUANTIZED * 2),
    ("QuantizedBiasAdd", ["2,3:plain", "3:plain"] + QUANTIZED * 2),
    ("QuantizedReshape", ["2,3:plain", "=[3,2]"] + QUANTIZED),
    ("QuantizedReluX", ["2,3:plain", ":plain"] + QUANTIZED),
    ("QuantizedInstanceNorm", ["1,4,4,2:plain"] + QUANTIZED),
    ("QuantizedConcat", ["=0", "2,3:plain", "2,3:plain", ":zeros", ":zeros", ":plain", ":plain"]),
    ("Requantize", ["2,3:plain"] + QUANTIZED * 2),
    ("SplitV", ["3,2:plain", "=[3]", "=0"]),
    ("Split", ["=0", "3,2:plain"]),
    ("TopK", ["2,3:plain"]),
    ("KthOrderStatistic", ["2,3:plain"]),
    ("InvertPermutation", ["=[1,2,0]"]),
    ("DataFormatVecPermute", ["=[1,2,3,4]"]),
    ("DataFormatDimMap", ["=[0,1,3]"]),
    ("DynamicPartition", ["4:plain", "=[0,0,0,0]"]),
    ("DynamicStitch", ["=[0,1]", "=[2,3]", "2,2:plain", "2,2:plain"]),
    ("StridedSliceGrad", ["=[3,3]", "=[0,1]", "=[2,3]", "=[1,1]", "2,2:plain"]),
    ("TensorStridedSliceUpdate", ["3,3:plain", "=[0,1]", "=[2,3]", "=[1,1]", "2,2:plain"]),
    ("SparseSegmentSumGrad", ["2,2:plain", "=[0,2]", "=[0,1]", "=3"]),
    ("SparseSegmentMeanGrad", ["2,2:plain", "=[0,2]", "=[0,1]", "=3"]),
    ("SparseReduce", SP + ["=[1]"]),
    ("SparseAdd", SP + SP + [":zeros"]),
    ("SparseDenseCwise", SP + ["2,3:plain"]),
    ("SparseSparse", SP + SP),
    ("SparseTensorDenseAdd", SP + ["2,3:plain"]),
    ("SparseReshape", ["=[[0,1],[1,0]]", "=[2,3]", "=[3,2]"]),
    ("SparseConcat", ["=[[0,1],[1,0]]", "=[[0,1],[1,0]]", "2:plain", "2:plain", "=[2,3]", "=[2,3]"]),
    ("SparseSlice", SP + ["=[0,0]", "=[2,2]"]),
    ("SparseSplit", ["=0"] + SP),
    ("SparseFillEmptyRows", SP + [":plain"]),
    ("SparseBincount", ["=[[0,1],[1,0]]", "=[1,2]", "=[2,3]", "=3", "0:plain"]),
    ("RaggedBincount", ["=[0,2,3]", "=[1,2,0]", "=3", "0:plain"]),
    ("SegmentSumV2", ["3,2:plain", "=[0,0,2]", "=3"]),
    ("SegmentProdV2", ["3,2:plain", "=[0,0,2]", "=3"]),
    ("SegmentMinV2", ["3,2:plain", "=[0,0,2]", "=3"]),
    ("SegmentMaxV2", ["3,2:plain", "=[0,0,2]", "=3"]),
    ("FakeQuantWithMinMaxVarsPerChannelGradient", ["2,3:plain", "2,3:neg", "3:zeros", "3:plain"]),
    ("FakeQuantWithMinMaxVarsPerChannel", ["2,3:neg", "3:zeros", "3:plain"]),
    ("FakeQuantWithMinMaxVarsGradient", ["2,3:plain", "2,3:neg", ":zeros", ":plain"]),
    ("CTCGreedyDecoder", ["4,1,3:plain", "=[4]"]),
    ("CTCBeamSearchDecoder", ["4,1,3:plain", "=[4]"]),
    ("CTCLoss", ["4,1,3:plain", "=[[0,0]]", "=[1]", "=[4]"]),
    ("GRUBlockCell", ["2,3:plain", "2,2:plain", "5,4:plain", "5,2:plain", "4:plain", "2:plain"]),
    ("LSTMBlockCell", ["2,3:plain", "2,2:plain", "2,2:plain", "5,8:plain", "2:plain", "2:plain", "2:plain", "8:plain"]),
    ("BlockLSTM", ["=2", "2,2,3:plain", "2,2:plain", "2,2:plain", "5,8:plain", "2:plain", "2:plain", "2:plain", "8:plain"]),
    ("ImageProjectiveTransformV", ["1,4,4,2:plain", "1,8:zeros", "=[4,4]", ":plain"]),
    ("CropAndResizeGradImage", ["2,2,2,2:plain", "2,4:boxes", "=[0,0]", "=[1,4,4,2]"]),
    ("CropAndResizeGradBoxes", ["2,2,2,2:plain", "1,4,4,2:plain", "2,4:boxes", "=[0,0]"]),
    ("CombinedNonMaxSuppression", ["1,3,1,4:boxes", "1,3,1:plain", "=2", "=2", ":plain", ":zeros"]),
    ("Fractional", ["1,4,4,2:plain"]),
    ("MaxPoolGradV2", ["1,4,4,2:plain", "1,4,4,2:plain", "1,4,4,2:plain", "=[1,1,1,1]", "=[1,1,1,1]"]),
    ("MaxPoolGradGradV2", ["1,4,4,2:plain", "1,4,4,2:plain", "1,4,4,2:plain", "=[1,1,1,1]", "=[1,1,1,1]"]),
    ("BatchToSpace", ["4,2,2,1:plain", "=[[0,0],[0,0]]"]),
    ("SpaceToBatch", ["1,4,4,1:plain", "=[[0,0],[0,0]]"]),
    ("EditDistance", ["=[[0,0]]", "1:plain", "=[1,1]", "=[[0,0]]", "1:ties", "=[1,1]"]),
    ("MakeUnique", ["2,4:plain"]),
    ("TopKUnique", ["2,4:plain"]),
    ("TopKWithUnique", ["2,4:plain"]),
    ("ExtractGlimpse", ["1,4,4,2:plain", "=[2,2]", "1,2:zeros"]),
    ("RFFT3D", ["2,4,4,4:plain", "=[4,4,4]"]),
    ("RFFT2D", ["4,4:plain", "=[4,4]"]),
    ("RFFT", ["2,4:plain", "=[4]"]),
    ("IRFFT3D", ["2,4,4,3:plain", "=[4,4,4]"]),
    ("IRFFT2D", ["4,3:plain", "=[4,4]"]),
    ("IRFFT", ["2,3:plain", "=[4]"]),
    ("TridiagonalMatMul", ["1,3:plain", "1,3:plain", "1,3:plain", "3,2:plain"]),
    ("Bucketize", ["2,3:plain"]),
    ("AudioSpectrogram", ["8,1:plain"]),
    ("BatchNormWithGlobalNormalizationGrad", ["1,4,4,2:plain", "2:plain", "2:plain", "2:plain", "1,4,4,2:plain"]),
    ("BatchNormWithGlobalNormalization", ["1,4,4,2:plain", "2:plain", "2:plain", "2:plain", "2:plain"]),
    ("DenseToDenseSetOperation", ["2,3:plain", "2,3:ties"]),
    ("SetSize", SP),
    ("ScaleAndTranslateGrad", ["1,4,4,2:plain", "1,4,4,2:plain", "2:plain", "2:zeros"]),
    ("SobolSample", ["=2", "=3", "=0"]),
    ("LinearSpace", [":zeros", ":plain", "=4"]),
    ("Multinomial", ["2,3:plain", "=2"]),
]


def attempts(form):
    """What the inputs of an op may be, likely things first."""
    args = form["args"]
    special = [one for one in SPECIAL if form["op"].startswith(one[0]) and len(one[1]) >= len(args)]
    # Those for the longest beginning of the name are meant.
    longest = max([len(prefix) for prefix, _ in special] or [0])
    for prefix, one in special:
        if len(prefix) == longest:
            yield one[: len(args)]

    def constants(arg):
        name = arg["name"]
        named = CONSTANTS.get(name) or CONSTANTS.get(name.split("_")[-1])
        return named or ANY

    fixed = [constants(arg) if arg["role"] == "index" else None for arg in args]
    datas = [at for at, one in enumerate(fixed) if one is None]
    # Scalars and vectors beside tensors.
    layouts = [[shape] * len(datas) for shape in SHAPES]
    if len(datas) > 1:
        for first, rest in [("2,3", ""), ("2,3", "3"), ("3", ""), ("2,3", "2"), ("1,4,4,2", "2"), ("1,4,4,2", "")]:
            layouts.append([first] + [rest] * (len(datas) - 1))
        layouts.append(["2,3"] + ["2,3"] * (len(datas) - 2) + [""])
    products = list(itertools.islice(itertools.product(*[one for one in fixed if one is not None]), 30))
    for layout in layouts:
        for product in products[: 12 if len(layouts) > 1 else 30]:
            left, right = iter(layout), iter(product)
            yield [next(left) + ":plain" if one is None else next(right) for one in fixed]


def ranks(plan):
    return tuple(text.split(":")[0].count(",") + bool(text.split(":")[0]) for text in plan if ":" in text)


def plans(forms):
    """Inputs that the release takes for an op, of several numbers of dimensions."""
    found, tries = [], 0
    for form in forms[:3]:
        for plan in attempts(form):
            tries += 1
            if tries > ATTEMPTS or len(found) >= PLANS:
                return found
            if plan in found or (found and ranks(plan) in [ranks(one) for one in found]):
                continue
            text = one_run(form, plan)
            if not text.startswith(("!", "NONE")):
                found.append(plan)
        if found:
            return found
    return found


def plan(lines, into):
    by_op = {}
    for line in lines:
        form = json.loads(line)
        by_op.setdefault(form["op"], []).append(form)
    open(into, "w").close()
    rest = sorted(by_op)
    while rest:
        begin = os.path.getsize(into)
        part = rest[:20]

        def work(say):
            for op in part:
                signal.alarm(120)
                say(json.dumps({"op": op, "plans": plans(by_op[op])}) + "\n")

        child(work, into)
        with open(into, "rb") as file:
            file.seek(begin)
            done = file.read().count(b"\n")
        if done < len(part):
            with open(into, "a") as file:
                file.write(json.dumps({"op": part[done], "plans": []}) + "\n")
            done += 1
        rest = rest[done:]


def main():
    with open(sys.argv[2]) as file:
        lines = file.read().splitlines()
    {"run": run, "plan": plan}[sys.argv[1]](lines, sys.argv[3])


main()
