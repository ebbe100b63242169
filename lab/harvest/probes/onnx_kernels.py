"""Which operators an ONNX Runtime really runs, with which types, on its CPU provider.

python onnx_kernels.py SCHEMAS [FIRST]

With UNSKEW_ASK_CUDA in the environment, which run on its CUDA provider instead.

For each schema of the file (a line each, as `onnx_schemas.py` writes them) models of one node are made, one for each
choice of element types, and a session is made of each. What is printed, a line each:

    #ir N            the highest IR version that is accepted
    #opset DOMAIN N  the highest opset of a domain
    #ort LOW HIGH    the versions of the format .ort that are read
    Abs.13\tfloat;double    the types that are accepted, in the order of the variables that inputs and `to` decide
    Foo.1\t?         a model could not be made that says anything
    Foo.1\t          known, but accepted with no types
    Foo.1\tfloat\tint8   the types behind the second tab are accepted under some opsets or with some inputs only

Nothing but ONNX Runtime is needed. A session may end the process: the form is asked again with a process for each session.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

from protobuf_fields import field

ELEMENTS = ("float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64 complex64 complex128 "
            "bfloat16 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz uint4 int4 float4e2m1 float8e8m0 uint2 "
            "int2 float6e2m3 float6e3m2").split()
MOST = 3200
# Whether the CUDA provider is asked; its libraries may be those of `cuda_stand_ins.py`.
CUDA = bool(os.environ.get("UNSKEW_ASK_CUDA"))
ON_CUDA = re.compile(r"All nodes (?:have been )?placed on \[CUDAExecutionProvider\]")
NO_KERNEL = ("ould not find an implementation", "Failed to find kernel", "is not currently registered or supported",
             "not implemented yet")
# Attributes that say the element type of an output.
TYPED = ("to", "dtype", "output_dtype", "output_datatype")
TEXTS = {"equation": "i->i", "body": "", "mode": None, "direction": None, "cast_to": "FLOAT", "to": "FLOAT",
         "activation": "Relu"}
INTS = {"axis": 0, "blocksize": 1, "block_size": 1, "num_heads": 1, "size": 3, "to": 1, "dtype": 1, "keepdims": 1,
        "num_scan_inputs": 1, "hidden_size": 1, "p": 2, "group": 1, "bits": 4, "N": 16, "K": 16, "domain": 0,
        "batch_dims": 0, "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0}


# Attributes that a schema calls optional, and without which no node says anything.
FIXED = {
    "ZipMap": {"classlabels_int64s": [0, 1]},
    "OneHotEncoder": {"cats_int64s": [0, 1]},
    "CategoryMapper": {"cats_int64s": [0], "cats_strings": ["a"]},
    "TreeEnsembleClassifier": {
        "nodes_treeids": [0], "nodes_nodeids": [0], "nodes_featureids": [0], "nodes_modes": ["LEAF"],
        "nodes_values": [0.0], "nodes_truenodeids": [0], "nodes_falsenodeids": [0], "class_treeids": [0],
        "class_nodeids": [0], "class_ids": [0], "class_weights": [1.0], "classlabels_int64s": [0, 1],
        "post_transform": "NONE"},
    "TreeEnsembleRegressor": {
        "nodes_treeids": [0], "nodes_nodeids": [0], "nodes_featureids": [0], "nodes_modes": ["LEAF"],
        "nodes_values": [0.0], "nodes_truenodeids": [0], "nodes_falsenodeids": [0], "target_treeids": [0],
        "target_nodeids": [0], "target_ids": [0], "target_weights": [1.0], "n_targets": 1, "post_transform": "NONE"},
}


def kind(text):
    """A TypeProto."""
    for head, number in (("seq(", 4), ("optional(", 9)):
        if text.startswith(head):
            return field(number, field(1, kind(text[len(head):-1])))
    if text.startswith("map("):
        key, value = text[4:-1].split(",", 1)
        return field(5, field(1, ELEMENTS.index(key) + 1) + field(2, kind(value)))
    if text.startswith("sparse_tensor("):
        return field(8, field(1, ELEMENTS.index(text[14:-1]) + 1))
    return field(1, field(1, ELEMENTS.index(text) + 1))


def tensor(element, values):
    data = b"".join(v.to_bytes(8, "little", signed=True) for v in values)
    return field(1, len(values)) + field(2, element) + field(9, data)


def attribute(name, kind_, value=None):
    out = field(1, name)
    if kind_ == "int":
        return out + field(3, INTS.get(name, 1) if value is None else value) + field(20, 2)
    if kind_ == "ints":
        values = {"perm": [0], "pads": [0, 0], "shape": [1]}.get(name, [1] if "axes" not in name else [0])
        return out + b"".join(field(8, v) for v in values) + field(20, 7)
    if kind_ == "float":
        return out + varint(2 << 3 | 5) + b"\x00\x00\x80\x3f" + field(20, 1)
    if kind_ == "floats":
        return out + (varint(7 << 3 | 5) + b"\x00\x00\x80\x3f") * 2 + field(20, 6)
    if kind_ == "string":
        return out + field(4, TEXTS.get(name) or "a") + field(20, 3)
    if kind_ == "strings":
        return out + field(9, "a") + field(20, 8)
    if kind_ == "tensor":
        return out + field(5, tensor(7, [1])) + field(20, 4)
    return None


def fixed(name, given):
    """An attribute with a value of FIXED."""
    import struct
    out = field(1, name)
    many = given if isinstance(given, list) else [given]
    if isinstance(many[0], float):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", v) for v in many) + field(20, 6)
    number = {int: (8, 7, 3, 2), str: (9, 8, 4, 3)}[type(many[0])]
    if isinstance(given, list):
        return out + b"".join(field(number[0], v) for v in many) + field(20, number[1])
    return out + field(number[2], given) + field(20, number[3])


def value(name, text):
    return field(1, name) + (field(2, kind(text)) if text else b"")


def body(op, types):
    """Subgraphs of operators that have such, for one type."""
    flow = types[-1]
    identity = lambda a, b: field(1, field(1, a) + field(2, b) + field(4, "Identity"))
    if op == "If":
        constant = field(1, field(2, "o") + field(4, "Constant") + field(5, attribute("value", "tensor")))
        graph = constant + field(2, "g") + field(12, value("o", "int64"))
        return [field(1, n) + field(6, graph) + field(20, 5) for n in ("then_branch", "else_branch")]
    if op == "Loop":
        graph = identity("c", "d") + identity("v", "w") + field(2, "g") + field(11, value("i", "int64"))
        graph += field(11, value("c", "bool")) + field(11, value("v", flow))
        graph += field(12, value("d", "bool")) + field(12, value("w", flow))
    else:
        graph = identity("v", "w") + field(2, "g") + field(11, value("v", flow)) + field(12, value("w", flow))
    out = [field(1, "body") + field(6, graph) + field(20, 5)]
    if op == "Scan":
        out.append(attribute("num_scan_inputs", "int"))
    return out


class Schema:
    """A line, parsed."""

    def __init__(self, line):
        self.line = line
        head, rest = line.split("(", 1)
        self.key = head
        name, since = head.rsplit(".", 1)
        self.domain, self.op = name.split(":") if ":" in name else ("", name)
        self.since = int(since)
        inputs, rest = rest.split(") -> (", 1)
        outputs = re.match(r"((?:[^()]|\([^()]*(?:\([^()]*(?:\([^()]*\))?[^()]*\))*[^()]*\))*)\)", rest)
        rest = rest[outputs.end():]
        self.inputs = self.side(inputs)
        self.outputs = self.side(outputs.group(1))
        self.types = {}
        types = re.search(r"\{([^}]*)\}", rest)
        for one in types.group(1).split("; ") if types else ():
            name, allowed = one.split(": ", 1)
            self.types[name] = allowed.split(" ")
        attributes = re.search(r"\[([^\]]*)\]", rest)
        pairs = [a.split(": ") for a in attributes.group(1).split(", ")] if attributes else []
        self.attributes = {name: (k.rstrip("!"), k.endswith("!")) for name, k in pairs}

    @staticmethod
    def side(text):
        out = []
        for one in re.split(r", (?=[^,]*: )", text) if text else ():
            name, t = one.split(": ", 1)
            mark = re.search(r"(\?|\.\.\.\d+|\*\d+)$", t)
            mark = mark.group(1) if mark else ""
            out.append((name, t[:len(t) - len(mark)] if mark else t, mark))
        return out

    def plan(self):
        """Which inputs a model gets, which variables are chosen, and by which attribute one of an output."""
        bound, used = [], []
        for name, t, mark in self.inputs:
            if mark == "?" and (t not in self.types or t in bound):
                used.append(None)
                continue
            used.append(t)
            if t in self.types and t not in bound:
                bound.append(t)
        while used and used[-1] is None:
            used.pop()
        by = None
        for _, t, _ in self.outputs:
            if t in self.types and t not in bound and by is None:
                name = next((n for n in TYPED if n in self.attributes), None)
                if name and self.attributes[name][0] == "int":
                    by, _ = (name, t), bound.append(t)
        return used, bound, by

    def model(self, choice, ir, base, opset, full):
        used, bound, by = self.plan()
        if full:
            used = [t for _, t, _ in self.inputs]
        of = dict(zip(bound, choice))
        node = b""
        inputs = []
        if self.op in ("If", "Loop", "Scan"):
            names = {"If": ["bool"], "Loop": ["int64", "bool", choice[-1]], "Scan": [choice[-1]]}[self.op]
            if self.op == "Scan" and self.since < 9:
                return None
            for i, t in enumerate(names):
                node += field(1, "x%d" % i)
                inputs.append(("x%d" % i, t))
            attributes = body(self.op, [choice[-1]])
        else:
            for i, t in enumerate(used):
                node += field(1, "" if t is None else "x%d" % i)
                if t is not None:
                    inputs.append(("x%d" % i, of.get(t, t)))
                    mark = self.inputs[i][2]
                    for more in range(1, int(mark.lstrip(".*") or 1) if mark and mark != "?" else 1):
                        node += field(1, "x%d_%d" % (i, more))
                        inputs.append(("x%d_%d" % (i, more), of.get(t, t)))
            attributes = []
            for name, (k, needed) in self.attributes.items():
                if by and name == by[0]:
                    attributes.append(attribute(name, "int", ELEMENTS.index(of[by[1]]) + 1))
                elif needed or self.op == "Constant" and name == "value" or name == "shape" and "Random" in self.op:
                    attributes.append(attribute(name, k))
        if any(a is None for a in attributes):
            return None
        given = dict(FIXED.get(self.op, {}))
        if self.op == "OneHotEncoder" and choice[0] == "string":
            given = {"cats_strings": ["a"]}
        attributes += [fixed(name, one) for name, one in given.items() if name in self.attributes]
        for i, (name, t, mark) in enumerate(self.outputs):
            if mark != "?":
                node += field(2, "y%d" % i)
        node += field(4, self.op) + b"".join(field(5, a) for a in attributes)
        if self.domain:
            node += field(7, self.domain)
        graph = field(1, node) + field(2, "g")
        graph += b"".join(field(11, value(n, t)) for n, t in inputs)
        graph += b"".join(field(12, value("y%d" % i, None)) for i, o in enumerate(self.outputs) if o[2] != "?")
        opsets = [("", base), (self.domain, opset)] if self.domain else [("", opset)]
        out = field(1, ir) + field(7, graph)
        return out + b"".join(field(8, (field(1, d) if d else b"") + field(2, v)) for d, v in opsets)


def on_cuda(ort, model, options):
    """The same where every node has to be on the CUDA provider, which only the log tells, after a failure too."""
    options.log_severity_level = 0
    options.log_verbosity_level = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    made, error, kept = None, "", os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            made = ort.InferenceSession(model, options, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        except Exception as one:
            error = str(one)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        log.seek(0)
        text = log.read().decode(errors="replace")
    if made and "CUDAExecutionProvider" not in made.get_providers():
        # Exceptions are answers here.
        sys.stderr.write(text[-2000:])
        os._exit(1)
    if ON_CUDA.search(text):
        return "ok", ""
    if error and "Exception during initialization" not in error:
        raise ValueError(error)
    return "kernel", "not on the CUDA provider"


def session(ort, model):
    """Whether a session is made; else why not, in one word, and the text."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        if CUDA:
            return on_cuda(ort, model, options)
        if tuple(map(int, ort.__version__.split(".")[:2])) >= (1, 10):
            ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        else:
            ort.InferenceSession(model, options)
        return "ok", ""
    except Exception as error:
        text = str(error)
    if any(said in text for said in NO_KERNEL):
        return "kernel", text
    if "not a registered" in text or "No Op registered" in text or "No opset import" in text or "No schema" in text:
        return "unknown", text
    if "Type Error" in text or "type inference failed" in text.lower() or "is invalid" in text or "TypeInference" in text:
        return "type", text
    if "INVALID_GRAPH" in text or "ailed to load model" in text or "InferenceError" in text or "This is an invalid model" in text or "Load model" in text:
        return "model", text
    return "later", text


def numbers(ort, quiet):
    """The highest IR version, and the opset of each domain."""
    said = (lambda text: None) if quiet else print
    # An operator that every opset has in its first form: a new form without a kernel would look like an opset too new.
    graph = field(1, field(1, "x") + field(2, "y") + field(4, "Not")) + field(2, "g")
    graph += field(11, value("x", "bool")) + field(12, value("y", "bool"))
    make = lambda ir, opset: field(1, ir) + field(7, graph) + field(8, field(2, opset))
    low = max((i for i in range(3, 40) if session(ort, make(i, 7))[0] == "ok"), default=0)
    said("#ir %d" % low)
    top = max((o for o in range(1, 90) if session(ort, make(min(low, 4), o))[0] == "ok"), default=0)
    said("#opset ai.onnx %d" % top)
    opsets = {"": top}
    for domain in ("ai.onnx.ml", "com.microsoft"):
        make = lambda v: field(1, 4) + field(7, graph) + field(8, field(2, 7)) + field(8, field(1, domain) + field(2, v))
        top = max((o for o in range(1, 20) if session(ort, make(o))[0] == "ok"), default=0)
        # ONNX Runtime 1.3 and 1.4 take any number, and know no operator under one above these.
        top = {"ai.onnx.ml": 2, "com.microsoft": 1}[domain] if top == 19 else top
        said("#opset %s %d" % (domain, top))
        opsets[domain] = top
    return low, opsets


def ort_format(ort):
    """The versions of the format .ort that are read: its own file is given other versions, a digit each."""
    import struct
    node = field(1, field(1, "x") + field(2, "y") + field(4, "Neg")) + field(2, "g")
    node += field(11, value("x", "float")) + field(12, value("y", "float"))
    model = field(1, 4) + field(7, node) + field(8, field(2, 11))
    path = os.path.join(tempfile.mkdtemp(), "net.ort")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        options.add_session_config_entry("session.save_model_format", "ORT")
        options.optimized_model_filepath = path
        ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        data = bytearray(open(path, "rb").read())
    except Exception:
        return
    root = struct.unpack_from("<I", data, 0)[0]
    vtable = root - struct.unpack_from("<i", data, root)[0]
    at = root + struct.unpack_from("<H", data, vtable + 4)[0]
    at += struct.unpack_from("<I", data, at)[0] + 4
    reads = []
    for version in range(1, 10):
        data[at] = ord("0") + version
        with open(path, "wb") as file:
            file.write(data)
        options = ort.SessionOptions()
        options.log_severity_level = 4
        try:
            ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            reads.append(version)
        except Exception as error:
            if "model version" not in str(error) and "models older than version" not in str(error):
                reads.append(version)
    if reads:
        print("#ort %d %d" % (min(reads), max(reads)))


WORDS = ("ok", "kernel", "unknown", "type", "model", "later")


def forked(ort, model):
    """The same in a process of its own, for what ends the process: that is no session."""
    sys.stdout.flush()
    child_id = os.fork()
    if child_id == 0:
        code = 9
        try:
            code = 10 + WORDS.index(session(ort, model)[0])
        finally:
            os._exit(code)
    _, status = os.waitpid(child_id, 0)
    code = os.WEXITSTATUS(status) - 10 if os.WIFEXITED(status) else -1
    return (WORDS[code], "") if 0 <= code < len(WORDS) else ("kernel", "ended the process")


def probe(ort, schema, ir, base, apart):
    _, bound, _ = schema.plan()
    if schema.op in ("If", "Loop", "Scan"):
        bound = ["V"]
    lists = [schema.types.get(b, ["float"]) for b in bound]
    _, _, by = schema.plan()
    if by and by[1] in bound:
        # What an attribute asks for is not held against the types that the form allows.
        lists[bound.index(by[1])] = ELEMENTS
    total = 1
    for one in lists:
        total *= len(one)
    if total > MOST:
        lists = [[t for t in one if "(" not in t] or one for one in lists]
        total = 1
        for one in lists:
            total *= len(one)
    if total > MOST:
        return "?"
    # Under the first and the last opset that has the form, and with all inputs as well as without those that may be
    # left out: a form without a kernel of its own runs by its function, which may be another one then.
    low = max(schema.since, min(7, schema.opset)) if not schema.domain else schema.opset
    variants = [(schema.opset, False)] + ([(low, False)] if low != schema.opset else [])
    if any(mark == "?" for _, _, mark in schema.inputs):
        variants.append((schema.opset, True))
    results = []
    for opset, full in variants:
        accepted, kinds, texts = set(), set(), {}
        for choice in itertools.product(*lists):
            try:
                model = schema.model(choice, ir, base, opset, full)
            except Exception:
                model = None
            if model is None:
                return "?"
            how, text = forked(ort, model) if apart else session(ort, model)
            kinds.add(how)
            texts.setdefault(how, text)
            if how in ("ok", "later"):
                accepted.add(",".join(choice) or "*")
        if not accepted and "kernel" not in kinds and "unknown" in kinds:
            kinds = {"unknown"}
        if accepted or "kernel" in kinds or kinds == {"unknown"}:
            results.append((accepted, kinds))
        elif full is False and opset == schema.opset:
            sys.stderr.write("%s: %s\n" % (schema.key, {k: t[:160] for k, t in texts.items()}))
    if not results:
        return "?"
    if all(kinds == {"unknown"} for _, kinds in results):
        return "!unknown"
    sure = set.intersection(*(accepted for accepted, _ in results))
    some = set.union(*(accepted for accepted, _ in results)) - sure
    return ";".join(sorted(sure)) + ("\t" + ";".join(sorted(some)) if some else "")


def child(path, first, apart):
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    ir, opsets = numbers(ort, quiet=first != 0)
    if first == 0 and not CUDA:
        # A release that reads no such files may end the process.
        sys.stdout.flush()
        reader = os.fork()
        if reader == 0:
            try:
                ort_format(ort)
                sys.stdout.flush()
            finally:
                os._exit(0)
        os.waitpid(reader, 0)
    schemas = [Schema(line) for line in open(path).read().splitlines() if not line.startswith("#")]
    # Each operator is tried under the last opset that has it in this form.
    known = {}
    for schema in schemas:
        known.setdefault((schema.domain, schema.op), []).append(schema.since)
    for at, schema in enumerate(schemas):
        top = opsets.get(schema.domain, 1)
        later = [since for since in known[schema.domain, schema.op] if since > schema.since]
        schema.opset = min([top] + [since - 1 for since in later])
        if at < first or schema.since > top:
            continue
        print("@%d" % at, flush=True)
        print("%s\t%s" % (schema.key, probe(ort, schema, min(ir, 8), min(opsets[""], 17), at == apart)), flush=True)
    print("@end", flush=True)


def main():
    path = sys.argv[1]
    if len(sys.argv) > 2:
        return child(path, int(sys.argv[2]), int(sys.argv[3]))
    first, apart, lines = 0, -1, [line for line in open(path).read().splitlines() if not line.startswith("#")]
    while True:
        run = subprocess.Popen([sys.executable, "-W", "ignore", __file__, path, str(first), str(apart)], stdout=subprocess.PIPE,
                               universal_newlines=True)
        last = None
        for said in run.stdout:
            if said.startswith("@"):
                last = said.strip()[1:]
            elif said.startswith("#") or "\t" in said:
                sys.stdout.write(said)
        run.wait()
        if last in ("end", None):
            return None
        first = int(last)
        if first == apart:
            print("%s\t?" % Schema(lines[first]).key)
            first += 1
        else:
            # The form is asked again, each choice in a process of its own.
            apart = first


if __name__ == "__main__":
    main()
