"""One made model: a node of an operator with drawn attributes, types, sizes and inputs, and values to run it with."""

import random

import numpy as np
from onnx import TensorProto, helper

NUMPY = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_,
         10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}
FLOATS = (1, 10, 11, 16)
SIGNED = (3, 5, 6, 7)


class Skip(Exception):
    """What was drawn is no model."""


class Draw:
    """The model that one seed makes of an operator under an opset."""

    def __init__(self, seed, schema, opset, domains=()):
        self.rng = random.Random(seed)
        self.np = np.random.RandomState(self.rng.randrange(1 << 30))
        self.schema, self.opset = schema, opset
        self.domains = list(domains)
        self.inputs, self.stored, self.feeds, self.nodes, self.outputs = [], [], {}, [], []
        self.runs = True
        self.count = 0

    def one(self, *options):
        return self.rng.choice(options)

    def chance(self, share):
        return self.rng.random() < share

    def int(self, low, high):
        return self.rng.randint(low, high)

    def dims(self, rank, low=1, high=5):
        return [self.int(low, high) for _ in range(rank)]

    def t(self, variable="T", usual=(1,), share=0.45):
        """An element type that the form allows of a variable."""
        allowed = self.allowed(variable)
        usual = [one for one in usual if one in allowed]
        if usual and self.chance(share):
            return self.rng.choice(usual)
        return self.rng.choice(allowed)

    def allowed(self, variable):
        for one in self.schema.type_constraints:
            if one.type_param_str == variable:
                names = [t[7:-1].upper() for t in one.allowed_type_strs if t.startswith("tensor(")]
                found = [getattr(TensorProto, {"FLOAT16": "FLOAT16"}.get(n, n), None) for n in names]
                found = [n for n in found if n not in (None, 14, 15)]
                if found:
                    return found
        raise Skip(variable)

    def name(self, base="v"):
        self.count += 1
        return "%s%d" % (base, self.count)

    def values(self, elem, dims, low=None, high=None):
        if elem == 8:
            return np.array(["s%d" % self.int(0, 3) for _ in range(int(np.prod(dims)))], dtype=object).reshape(dims)
        kind = NUMPY.get(elem)
        if kind is None:
            return None
        if elem == 9:
            return self.np.rand(*dims).__gt__(0.5) if dims else np.bool_(self.chance(0.5))
        if elem in FLOATS:
            if low is not None:
                return np.asarray(self.np.uniform(low, high, dims)).astype(kind)
            return np.asarray(self.np.normal(size=dims)).astype(kind)
        low = (-3 if elem in SIGNED else 0) if low is None else low
        return np.asarray(self.np.randint(low, (4 if high is None else high) + 1, dims)).astype(kind)

    def x(self, elem, dims, stored=False, low=None, high=None, values=None):
        """A value that the node takes: given from outside, or stored in the model."""
        name = self.name("x")
        dims = list(dims)
        if values is None:
            values = self.values(elem, dims, low, high)
        else:
            values = np.array(values, dtype=NUMPY.get(elem, object)).reshape(dims)
        if stored:
            if values is None:
                some = [1.0] * int(np.prod(dims)) if elem in (16, 17, 18, 19, 20, 23, 24) else [1] * int(np.prod(dims))
                self.stored.append(helper.make_tensor(name, elem, dims, some))
            elif elem == 8:
                self.stored.append(helper.make_tensor(name, 8, dims, [one.encode() for one in values.ravel()]))
            else:
                self.stored.append(helper.make_tensor(name, elem, dims, values.tobytes(), raw=True))
            return name
        self.inputs.append(helper.make_tensor_value_info(name, elem, dims))
        if values is None:
            self.runs = False
        else:
            self.feeds[name] = values
        return name

    def ints(self, values, stored=True, elem=7, dims=None):
        return self.x(elem, [len(values)] if dims is None else dims, stored, values=values)

    def some(self, name, *values):
        """An attribute with one of these values; None leaves it out."""
        value = self.rng.choice(values)
        return {} if value is None else {name: value}

    def node(self, op, inputs, outputs=1, domain="", **attributes):
        inputs = list(inputs)
        while inputs and inputs[-1] == "":
            inputs.pop()
        names = [self.name("y") for _ in range(outputs)] if isinstance(outputs, int) else outputs
        node = helper.make_node(op, inputs, names, domain=domain,
                                **{k: v for k, v in attributes.items() if v is not None})
        self.nodes.append(node)
        return names[0] if len(names) == 1 else names

    def ends(self, *names):
        for name in names:
            if name:
                self.outputs.append(helper.make_empty_tensor_value_info(name))

    def model(self, ir):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.stored)
        opsets = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(d, v) for d, v in self.domains]
        return helper.make_model(graph, opset_imports=opsets, ir_version=ir)
