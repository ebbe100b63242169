"""Which operators the ONNX frontend of an OpenVINO release knows, under each opset.

python openvino_operators.py SCHEMAS OPSET

SCHEMAS is data/onnx/operators.tsv, of which the names are taken; OPSET the highest opset that is asked for. Prints the
release, then a line for each operator: `Abs(1-)`, `Bernoulli(!)`.

The frontend says which operators of a model it does not know before it looks at anything else, so a node without any
sense is enough: only that message counts.
"""

import os
import sys

import openvino

from protobuf_fields import field


def model(domain, op, opset):
    """A model of one node with one input and one output."""
    node = field(1, "x") + field(2, "y") + field(4, op) + (field(7, domain) if domain else b"")
    shape = field(2, field(1, field(1, 1)))
    value = lambda name: field(1, name) + field(2, field(1, field(1, 1) + shape))
    graph = field(1, node) + field(2, "g") + field(11, value("x")) + field(12, value("y"))
    opsets = field(8, field(2, opset))
    if domain:
        opsets = field(8, field(2, 17)) + field(8, field(1, domain) + field(2, opset))
    return field(1, 8) + field(7, graph) + opsets


# How releases say it, the first up to 2025.
SAID = ("does not support the following ONNX operations", "No conversion rule found for operations")


def asked(core, domain, op, opset):
    try:
        core.read_model(model(domain, op, opset), b"")
    except Exception as error:
        return not any(said in str(error) for said in SAID)
    return True


def knows(core, domain, op, opset):
    """Asks in a process of its own: what has no sense may end it, and then the operator was known."""
    child = os.fork()
    if child == 0:
        os.close(2)
        os._exit(0 if asked(core, domain, op, opset) else 3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 3


def ranges(known):
    """Opsets in a row as `6-12`; what goes on to the highest that was asked for goes on: `13-`."""
    out, start = [], None
    for opset, yes in enumerate(known + [None], 1):
        if yes and start is None:
            start = opset
        if not yes and start is not None:
            end = opset - 1
            out.append("%d-" % start if yes is None else "%d" % start if end == start else "%d-%d" % (start, end))
            start = None
    return " ".join(out)


def main(schemas, highest):
    core = openvino.Core()
    if asked(core, "", "NoSuchOperator", 13):
        sys.exit("this release says in another way what it does not know")
    names = set()
    with open(schemas) as lines:
        for line in lines:
            if not line.startswith("#"):
                names.add(line.split("(")[0].rsplit(".", 1)[0])
    print("#openvino " + openvino.__version__.split("-")[0])
    for name in sorted(names):
        domain, _, op = name.rpartition(":")
        most = highest if not domain else 5 if domain == "ai.onnx.ml" else 1
        known = [knows(core, domain, op, opset) for opset in range(1, most + 1)]
        print("%s(%s)" % (name, "" if all(known) else ranges(known) or "!"), flush=True)


main(sys.argv[1], int(sys.argv[2]))
