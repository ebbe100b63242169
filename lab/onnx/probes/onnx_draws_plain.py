"""What is drawn for operators of all other kinds."""

from onnx_draw import FLOATS
from onnx_draws import op


@op("Div", "Mod")
def divide(d):
    t = d.t("T", (1, 6, 7))
    at = {}
    if d.schema.name == "Mod":
        at = d.some("fmod", None, 0, 1) if t not in FLOATS else {"fmod": d.one(1, 1, 1, 0)}
    sizes = d.dims(d.int(0, 3), 2, 3)
    way = d.one("given", "stored", "stored", "zero", "some zero")
    if way == "zero":
        b = d.x(t, [], True, values=[0]) if t not in (16,) else d.x(t, [], True)
    elif way == "some zero":
        b = d.x(t, [2], True, values=[0, 1]) if t not in (16,) and sizes and sizes[-1:] == [2] else d.x(t, [1], True)
    else:
        b = d.x(t, d.one(sizes, [], [1]), way == "stored", 1, 3)
    return d.node(d.schema.name, [d.x(t, sizes), b], **at)


@op("Pow")
def power(d):
    t = d.t("T", (1, 11, 6, 7))
    t1 = t if d.opset < 12 else d.t("T1", (1, 7))
    sizes = d.dims(d.int(0, 3))
    return d.node("Pow", [d.x(t, sizes, low=1, high=2), d.x(t1, d.one(sizes, []), d.chance(0.5), low=1, high=2)])


@op("PRelu")
def prelu(d):
    t = d.t()
    sizes = d.dims(d.int(1, 4), 2, 3)
    return d.node("PRelu", [d.x(t, sizes), d.x(t, d.one([1], sizes[-1:], sizes, []), d.chance(0.7))])


@op("Clip")
def clip(d):
    if d.opset < 11:
        return d.node("Clip", [d.x(d.t(), d.dims(2))], **d.some("min", None, -0.5), **d.some("max", None, 0.5))
    t = d.t()
    bound = lambda v: d.one("", d.x(t, d.one([], [], [1]) if d.chance(0.2) else [], d.chance(0.6), v, v))
    return d.node("Clip", [d.x(t, d.dims(d.int(0, 3))), bound(0), bound(1)])


def axes_of(d, rank):
    return d.one([0], [-1], list(range(rank)), [rank - 1], [0, rank - 1] if rank > 1 else [0])


@op("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceSumSquare")
def reduce(d):
    name, t = d.schema.name, d.t("T", (1, 11, 6, 7))
    rank = d.int(0, 4)
    sizes = d.dims(rank, 1, 4)
    if rank and d.chance(0.25):
        sizes[d.int(0, rank - 1)] = 0
    x = d.x(t, sizes, low=1, high=3)
    at = d.some("keepdims", None, 0, 1)
    axes = axes_of(d, rank) if rank and d.chance(0.75) else None
    late = any(one.name == "axes" for one in d.schema.inputs)
    if late:
        at.update(d.some("noop_with_empty_axes", None, None, 0, 1))
        if axes is None and d.chance(0.3):
            return d.node(name, [x, d.x(7, [0], True, values=[])], **at)
        return d.node(name, [x, "" if axes is None else d.ints(axes, d.chance(0.7))], **at)
    return d.node(name, [x], axes=axes, **at)


@op("ArgMax", "ArgMin")
def arg(d):
    rank = d.int(1, 4)
    sizes = d.dims(rank, 1, 4)
    at = d.some("select_last_index", None, 0, 1) if d.opset >= 12 else {}
    return d.node(d.schema.name, [d.x(d.t(), sizes)], **d.some("axis", None, 0, -1), **d.some("keepdims", None, 0, 1), **at)


@op("Pad")
def pad(d):
    rank, t = d.int(1, 4), d.t("T", (1, 7), 0.3)
    mode = d.one(None, "constant", "reflect", "edge", "wrap" if d.opset >= 19 else "edge")
    low = d.one(0, 0, -1)
    sizes = d.dims(rank, 3, 5)
    if d.chance(0.1):
        sizes[0] = 0
    pads = [d.int(low, 2) for _ in range(2 * rank)]
    if d.opset < 11:
        return d.node("Pad", [d.x(t, sizes)], pads=pads, mode=mode, **d.some("value", None, 1.0))
    value = d.x(t, d.one([], [], [1]) if d.chance(0.2) else [], d.chance(0.7)) if d.chance(0.5) else ""
    axes = ""
    if d.opset >= 18 and d.chance(0.4):
        chosen = d.one([0], [-1], [rank - 1])
        pads = [d.int(low, 2) for _ in range(2)]
        axes = d.ints(chosen, d.chance(0.6), d.t("Tind"))
    return d.node("Pad", [d.x(t, sizes), d.ints(pads, d.chance(0.7)), value, axes], mode=mode)


@op("Slice")
def slice_(d):
    rank, t = d.int(1, 4), d.t("T", (1,), 0.3)
    x = d.x(t, d.dims(rank, 3, 5))
    if d.opset < 10:
        return d.node("Slice", [x], starts=[0], ends=[2], **d.some("axes", None, [rank - 1], [-1]))
    kind, stored = d.t("Tind"), d.chance(0.7)
    back = d.chance(0.3)
    one = lambda v: d.ints([v], stored, kind)
    axes = one(d.one(0, -1, rank - 1)) if d.chance(0.6) or back else ""
    return d.node("Slice", [x, one(-1 if back else 1), one(-100 if back else 3), axes, one(-1) if back else d.one("", one(1), one(2)) if axes else ""])


@op("Split", "SplitToSequence")
def split(d):
    rank = d.int(1, 3)
    sizes = d.dims(rank, 4, 5)
    axis = d.one(None, 0, -1)
    size = sizes[axis or 0]
    x = d.x(d.t(), sizes)
    if d.schema.name == "SplitToSequence":
        at = d.some("keepdims", None, 0, 1)
        way = d.one("none", "scalar", "list")
        how = "" if way == "none" else d.ints([2], True, d.t("I"), []) if way == "scalar" else d.ints([1, size - 1], True, d.t("I"))
        s = d.node("SplitToSequence", [x, how], axis=axis, **at)
        return d.node("SequenceAt", [s, d.ints([0], True, 7, [])])
    parts = [1, size - 1]
    way = d.one("equal", "given", "given")
    if d.opset < 13:
        return d.node("Split", [x], 2, axis=axis, split=parts if way == "given" or size % 2 else None)
    if way == "given" or d.opset < 18:
        return d.node("Split", [x, d.ints(parts, d.chance(0.8))], 2, axis=axis)
    return d.node("Split", [x], 2, axis=axis, num_outputs=2)


@op("Reshape")
def reshape(d):
    t = d.t("T", (1,), 0.3)
    zero = d.chance(0.2)
    sizes = [0, 3] if zero else [2, 3, 4]
    to = d.one([0, -1], [3, 0], [0, 3]) if zero else d.one([-1], [6, 4], [0, -1], [2, 12], [24])
    at = d.some("allowzero", None, 0, 1) if d.opset >= 14 else {}
    return d.node("Reshape", [d.x(t, sizes), d.ints(to, d.chance(0.6))], **at)


@op("Expand", "Tile")
def expand(d):
    x = d.x(d.t("T", (1,), 0.3), [1, 3])
    if d.schema.name == "Tile":
        return d.node("Tile", [x, d.ints([d.int(0, 2), 2], d.chance(0.6))])
    return d.node("Expand", [x, d.ints(d.one([4, 3], [2, 1, 3], [1], [0, 3]), d.chance(0.6))])


@op("Squeeze", "Unsqueeze")
def squeeze(d):
    x = d.x(d.t("T", (1,), 0.3), [1, 3, 1])
    axes = d.one([0], [-1], [0, 2])
    if d.opset < 13:
        return d.node(d.schema.name, [x], axes=[a for a in axes if a >= 0 or d.opset >= 11] or [0])
    return d.node(d.schema.name, [x, d.ints(axes, d.chance(0.6))])


@op("Transpose", "Flatten", "Shape", "Size", "NonZero", "Trilu", "EyeLike", "Identity", "IsNaN", "IsInf", "Not", "Cast")
def plain(d):
    name = d.schema.name
    variable = {"Cast": "T1", "EyeLike": "T1", "IsNaN": "T1", "IsInf": "T1", "Identity": "V" if d.opset >= 14 else "T"}.get(name, "T")
    t = d.t(variable, (1,), 0.3)
    rank = 2 if name in ("EyeLike", "Trilu") else d.int(0 if name != "NonZero" else 1, 4)
    x = d.x(t, d.dims(rank, 1, 3))
    at, more = {}, []
    if name == "Transpose" and d.chance(0.6):
        perm = list(range(rank))
        d.rng.shuffle(perm)
        at["perm"] = perm
    if name == "Flatten":
        at = d.some("axis", None, 0, rank, 1 if rank else 0, -1 if d.opset >= 11 and rank else None)
    if name == "Shape" and d.opset >= 15:
        at = dict(d.some("start", None, 0, 1, -1), **d.some("end", None, 2, -1))
    if name == "Trilu":
        at, more = d.some("upper", None, 0, 1), [d.one("", d.ints([d.int(-1, 1)], d.chance(0.5), 7, []))]
    if name == "EyeLike":
        at = dict(d.some("dtype", None, d.t("T2")), **d.some("k", None, 1, -1))
    if name == "IsInf":
        at = dict(d.some("detect_negative", None, 0), **d.some("detect_positive", None, 0))
    if name == "Cast":
        at["to"] = d.t("T2")
        if d.opset >= 19:
            at.update(d.some("saturate", None, 0, 1))
        if t == 8:
            d.feeds[x] = d.np.randint(0, 3, d.feeds[x].shape).astype(str).astype(object)
    return d.node(name, [x] + more, **at)


@op("OneHot")
def one_hot(d):
    t3 = d.t("T3")
    t2 = d.t("T2", (7, 6))
    return d.node("OneHot", [d.x(d.t("T1", (7, 6)), d.dims(d.int(0, 2)), low=0, high=2), d.ints([3], d.chance(0.7), t2, d.one([], [1])),
                             d.x(t3, [2], d.chance(0.6))], **d.some("axis", None, 0, -1))


@op("Unique")
def unique(d):
    return d.node("Unique", [d.x(d.t(), d.dims(d.int(1, 2), 3, 4))], d.int(1, 4), **d.some("axis", None, 0), **d.some("sorted", None, 0, 1))


@op("ReverseSequence")
def reverse(d):
    way = d.one({}, {"batch_axis": 0, "time_axis": 1})
    n = 2 if way else 3
    return d.node("ReverseSequence", [d.x(d.t(), [2, 3] + d.dims(d.int(0, 2))), d.ints([1] * n)], **way)


@op("DepthToSpace", "SpaceToDepth")
def depth(d):
    at = d.some("mode", None, "DCR", "CRD") if d.schema.name[0] == "D" and d.opset >= 11 else {}
    return d.node(d.schema.name, [d.x(d.t("T", (1,), 0.5), [1, 8, 4, 6])], blocksize=2, **at)


@op("Range")
def range_(d):
    t = d.t()
    one = lambda v: d.x(t, [], d.chance(0.5), values=[v])
    return d.node("Range", [one(1), one(7), one(2)])


@op("Bernoulli", "RandomNormalLike", "RandomUniformLike", "Multinomial")
def chance(d):
    name = d.schema.name
    t = d.t("T1")
    at = d.some("seed", None, 1.0)
    if name == "Multinomial":
        return d.node(name, [d.x(t, [2, 3], low=0, high=1)], sample_size=3, **d.some("dtype", None, d.t("T2")), **at)
    return d.node(name, [d.x(t, [2, 3], low=0, high=1)], **d.some("dtype", None, d.t("T2")), **at)


@op("RandomNormal", "RandomUniform")
def made(d):
    return d.node(d.schema.name, [], shape=[2, 3], **d.some("dtype", None, d.t()))


@op("HannWindow", "HammingWindow", "BlackmanWindow")
def windows(d):
    return d.node(d.schema.name, [d.ints([8], d.chance(0.5), d.t("T1"), [])], **d.some("output_datatype", None, d.t("T2")), **d.some("periodic", None, 0, 1))


@op("MelWeightMatrix")
def mel(d):
    k, f = d.t("T1"), d.t("T2")
    one = lambda v, kind: d.x(kind, [], d.chance(0.7), values=[v]) if kind != 16 else d.x(kind, [], True)
    return d.node("MelWeightMatrix", [one(4, k), one(16, k), one(16000, k), one(100, f), one(4000, f)], **d.some("output_datatype", None, d.t("T3")))


@op("BitShift")
def shift(d):
    t = d.t()
    return d.node("BitShift", [d.x(t, [2, 3]), d.x(t, d.one([2, 3], [], [3]), d.chance(0.5), 0, 2)], direction=d.one("LEFT", "RIGHT"))


@op("Concat")
def concat(d):
    t, rank = d.t(), d.int(1, 4)
    sizes = d.dims(rank)
    return d.node("Concat", [d.x(t, sizes, d.chance(0.3)) for _ in range(d.int(1, 3))], axis=d.one(0, rank - 1, -1 if d.opset >= 11 else 0))


@op("Where")
def where(d):
    t = d.t()
    sizes = d.dims(d.int(0, 3))
    return d.node("Where", [d.x(9, d.one(sizes, [])), d.x(t, sizes), d.x(t, d.one(sizes, []), d.chance(0.5))])


@op("Shrink", "Elu", "Selu", "LeakyRelu", "HardSigmoid", "ThresholdedRelu", "Celu", "Swish", "Gelu", "HardSwish", "Mish",
    "Softplus", "Softsign", "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Abs", "Neg", "Ceil", "Floor", "Round", "Sign",
    "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Erf", "Reciprocal", "Det",
    "BitwiseNot", "GlobalAveragePool1")
def unary(d):
    name, at = d.schema.name, {}
    variable = d.schema.type_constraints[0].type_param_str
    names = [a for a in d.schema.attributes if a in ("alpha", "beta", "lambd", "bias", "gamma")]
    for one in names:
        at.update(d.some(one, None, 0.5))
    if name == "Gelu":
        at = d.some("approximate", None, "none", "tanh")
    sizes = [d.int(1, 2)] * 0 + [3, 3] if name == "Det" else d.dims(d.int(0, 4))
    return d.node(name, [d.x(d.t(variable), sizes)], **at)


@op("Add", "Sub", "Mul", "Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "BitwiseAnd",
    "BitwiseOr", "BitwiseXor")
def binary(d):
    t = d.t()
    sizes = d.dims(d.int(0, 4))
    return d.node(d.schema.name, [d.x(t, sizes), d.x(t, d.one(sizes, [], [1], sizes[-1:]), d.chance(0.5))])


@op("Max", "Min", "Sum", "Mean")
def variadic(d):
    t, sizes = d.t(), d.dims(d.int(0, 3))
    return d.node(d.schema.name, [d.x(t, sizes) for _ in range(d.int(1, 3))])
