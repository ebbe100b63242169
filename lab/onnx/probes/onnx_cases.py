"""Writes models for `cargo lab onnx-differential`: the node cases of the installed onnx, as they are and changed.

python onnx_cases.py OUT EVERY OPSET...

Each case is written as it is, under its opset with the oldest IR version that has it, under every OPSET without any
conversion, and with other element types for its floats. EVERY: only each so-manieth case. Beside a model that keeps
its types stands `NAME.npz` with its inputs, where these are arrays that every numpy reads.
"""

import os
import sys

import numpy as np
import onnx
import onnx.backend.test.case.node as node_cases
from onnx import TensorProto, helper

PLAIN = set("?bBhHiIlLqQefdFD") - set("FD")


def opset(model):
    return next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), None)


def ir_for(version):
    rows = [row for row in helper.VERSION_TABLE if row[2] >= version]
    return max(4, min((row[1] for row in rows), default=onnx.IR_VERSION))


def stamped(model, version):
    other = onnx.ModelProto()
    other.CopyFrom(model)
    for one in other.opset_import:
        if one.domain in ("", "ai.onnx"):
            one.version = version
    other.ir_version = ir_for(version)
    return other


def typed(model, element):
    """Floats of the inputs and outputs as another type; none if there are none."""
    other = onnx.ModelProto()
    other.CopyFrom(model)
    changed = False
    for value in list(other.graph.input) + list(other.graph.output):
        kind = value.type
        if kind.HasField("tensor_type") and kind.tensor_type.elem_type == TensorProto.FLOAT:
            kind.tensor_type.elem_type = element
            changed = True
    return other if changed else None


def main():
    out, every, opsets = sys.argv[1], int(sys.argv[2]), [int(one) for one in sys.argv[3:]]
    os.makedirs(out, exist_ok=True)
    seen = set()
    cases = sorted(node_cases.collect_testcases(None), key=lambda case: case.name)
    for case in cases[::every]:
        if case.model is None or case.name in seen or opset(case.model) is None:
            continue
        seen.add(case.name)
        own = opset(case.model)

        def write(label, model):
            with open(os.path.join(out, "%s@%s.onnx" % (case.name, label)), "wb") as file:
                file.write(model.SerializeToString())

        write("as-is", case.model)
        base = stamped(case.model, own)
        write(str(own), base)
        for version in opsets:
            if version != own:
                write(str(version), stamped(case.model, version))
        for name, element in (("double", 11), ("float16", 10), ("bfloat16", 16), ("int32", 6), ("int64", 7)):
            for version in sorted({own, min(own, 17)}):
                other = typed(stamped(case.model, version), element)
                if other is not None:
                    write("%d-%s" % (version, name), other)
        if case.data_sets:
            inputs = case.data_sets[0][0]
            names = [value.name for value in case.model.graph.input]
            plain = all(isinstance(one, np.ndarray) and one.dtype.char in PLAIN for one in inputs)
            if plain and len(inputs) == len(names):
                np.savez(os.path.join(out, case.name + ".npz"), **dict(zip(names, inputs)))


main()
