"""Writes made models: `python onnx_made.py OUT SEED COUNT OWN [NAME...]`.

For each form of each operator that has an entry in `onnx_draws.py`, COUNT models `OP_OPSET_N.onnx` with their inputs `.npz`; the
same for the operators of `onnx_draws_own.py`, whose forms stand in the table OWN, and for the nodes side by side of
`onnx_draws_pairs.py`. `cases.tsv` has the name, the operator and the form of each. SEED decides everything that is drawn; NAME:
only these. Drawn models that onnx itself refuses are left out.
"""

import json
import os
import sys
import zlib

import numpy as np
import onnx
from onnx import helper

import onnx_draws
import onnx_draws_own
import onnx_draws_pairs
from onnx_draw import Draw

DRAWS = onnx_draws.load()
PAIR_OPSETS = (7, 9, 10, 11, 12, 13, 15, 17, 18, 19, 21, 22, 23, 25)


class OwnSchema:
    """A line of the table of operators that ONNX Runtime adds."""

    class Types:
        def __init__(self, text):
            self.type_param_str, types = text.split(": ")
            self.allowed_type_strs = ["tensor(%s)" % one for one in types.split(" ")]

    def __init__(self, line):
        self.name, self.since_version = line.split("(")[0].split(":")[1].rsplit(".", 1)
        self.since_version = int(self.since_version)
        types = line.split("{")[1].split("}")[0].split("; ") if "{" in line else []
        self.type_constraints = [self.Types(one) for one in types]


def ir_for(opset):
    rows = [row for row in helper.VERSION_TABLE if row[2] >= opset]
    return max(4, min((row[1] for row in rows), default=onnx.IR_VERSION))


def forms():
    """Each form: name, schema, the last opset that has it."""
    top = onnx.defs.onnx_opset_version()
    every = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.name in DRAWS:
            every.setdefault(schema.name, []).append(schema)
    for name, all_forms in sorted(every.items()):
        since = sorted(one.since_version for one in all_forms)
        for schema in sorted(all_forms, key=lambda one: one.since_version):
            later = [one for one in since if one > schema.since_version]
            last = min(later) - 1 if later else top
            if last >= 7 and not schema.deprecated:
                yield name, schema, max(last, 7)


def write(out, label, draw, ends, rows, op, since, checked=True):
    draw.ends(*([ends] if isinstance(ends, str) else ends))
    model = draw.model(ir_for(draw.opset))
    if checked:
        known = onnx.shape_inference.infer_shapes(model, strict_mode=True, check_type=True)
        for one, other in zip(model.graph.output, known.graph.output):
            one.type.CopyFrom(other.type)
        checked = onnx.ModelProto()
        checked.CopyFrom(model)
        for one in checked.graph.output:
            # The checker wants a shape; ONNX Runtime holds what is said against what comes out.
            one.type.tensor_type.shape.SetInParent()
        onnx.checker.check_model(checked)
    with open(os.path.join(out, label + ".onnx"), "wb") as file:
        file.write(model.SerializeToString())
    if draw.runs:
        feeds = {name: one.astype(str) if one.dtype == object else one for name, one in draw.feeds.items()}
        np.savez(os.path.join(out, label + ".npz"), **feeds)
    rows.append("%s\t%s\t%d\n" % (label, op, since))


class Made:
    """Models that are drawn of one form."""

    def __init__(self, out, seed, name, opset, rows, failed):
        self.out, self.first, self.name, self.opset, self.rows, self.failed = out, seed, name, opset, rows, failed
        self.seen = set()

    def seed(self, number):
        return zlib.crc32(("%s %s %d %d" % (self.first, self.name, self.opset, number)).encode())

    def draw(self, function, draw, count, op, since, checked=True):
        for number in range(count):
            try:
                one = draw(number)
                ends = function(one)
                key = json.dumps([str(n) for n in one.nodes]) + str([str(i) for i in one.inputs])
                if key not in self.seen:
                    write(self.out, "%s_%d_%d" % (self.name, self.opset, number), one, ends, self.rows, op, since, checked)
                    self.seen.add(key)
            except Exception as error:
                self.failed.setdefault("%s.%d" % (self.name, self.opset), []).append(str(error)[-150:])


def own_forms(path):
    seen = {}
    for line in open(path):
        if line.startswith("com.microsoft:") and line.split("\t")[0]:
            schema = OwnSchema(line.split("\t")[0])
            if schema.name in onnx_draws_own.OPS:
                # The form that allows most.
                seen[schema.name] = max(seen.get(schema.name, schema), schema, key=lambda one: len(str([t.allowed_type_strs for t in one.type_constraints])))
    return sorted(seen.items())


def main():
    out, seed, count, own = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    only = sys.argv[5:]
    os.makedirs(out, exist_ok=True)
    rows, failed = [], {}
    for name, schema, last in forms():
        if not only or name in only:
            made = Made(out, seed, name, last, rows, failed)
            # Half under the first opset that has the form, which older releases take.
            low = max(schema.since_version, 7)
            made.draw(DRAWS[name], lambda number: Draw(made.seed(number), schema, (low, last)[number % 2]), count, name, schema.since_version)
    for name, schema in own_forms(own):
        if not only or name in only:
            made = Made(out, seed, "ms" + name, 1, rows, failed)
            made.draw(onnx_draws_own.OPS[name], lambda number: Draw(made.seed(number), schema, (12, 17)[number % 2], [("com.microsoft", 1)]),
                      count * 3, "com.microsoft:" + name, 1, False)
    for name, function in sorted(onnx_draws_pairs.OPS.items()):
        if not only or name in only:
            for opset in PAIR_OPSETS:
                made = Made(out, seed, "pair-" + name.replace("_", "-"), opset, rows, failed)
                made.draw(function, lambda number: Draw(made.seed(number), None, opset), max(2, count // 2), "pair", opset)
    with open(os.path.join(out, "cases.tsv"), "w") as file:
        file.writelines(rows)
    print(len(rows), "models")
    for name, texts in sorted(failed.items()):
        if len(texts) > count * 0.3:
            print(name, len(texts), max(set(texts), key=texts.count)[-120:].replace("\n", " "))


if __name__ == "__main__":
    main()
