"""Nodes that the optimizer of ONNX Runtime may join, move or drop: drawn with the element types and values that decide it."""

from onnx_draw import Skip

OPS = {}


def pair(function):
    OPS[function.__name__] = function
    return function


ACTIVATIONS = ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "HardSigmoid", "Selu", "Softplus", "Softsign", "Clip", "Gelu", "HardSwish", "ThresholdedRelu")


def kind(d, *usual):
    return d.one(*(usual or (1, 1, 11, 10)))


def pads(d, rank, low=0):
    return [0] * (4 if rank > 2 else 0) and [0, 0] + [d.int(low, 2) for _ in range(rank - 2)] + [0, 0] + [d.int(low, 2) for _ in range(rank - 2)]


def padded(d, t, sizes, low=0):
    rank = len(sizes)
    wanted = [0, 0] + [d.int(low, 2) for _ in range(rank - 2)]
    wanted = wanted + [0, 0] + [d.int(low, 2) for _ in range(rank - 2)]
    mode = d.one("constant", "constant", "constant", "reflect", "edge")
    x = d.x(t, sizes)
    if d.opset < 11:
        return d.node("Pad", [x], pads=wanted, mode=mode, **d.some("value", None, 0.0, 1.0))
    value = d.one("", d.x(t, [], True, values=[d.one(0.0, 0.0, 1.0, -1.0)]))
    return d.node("Pad", [x, d.ints(wanted), value], mode=mode)


@pair
def pad_pool(d):
    t, n = kind(d, 1, 1, 11), d.one(1, 2, 2, 3)
    x = padded(d, t, [1, 2] + d.dims(n, 4, 6), d.one(0, 0, -1))
    op = d.one("MaxPool", "AveragePool", "AveragePool")
    at = d.some("count_include_pad", None, 0, 1) if op == "AveragePool" else {}
    if d.opset >= 10:
        at.update(d.some("ceil_mode", None, None, 1))
    return d.node(op, [x], kernel_shape=[2] * n, **d.some("strides", None, [2] * n), **d.some("pads", None, [1] * 2 * n), **at)


@pair
def pad_conv(d):
    t, n = kind(d), d.one(1, 2, 2, 3)
    x = padded(d, t, [1, 2] + d.dims(n, 4, 6), d.one(0, 0, -1))
    at = d.one({}, {"pads": [1] * 2 * n}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "VALID"})
    return d.node("Conv", [x, d.x(t, [2, 2] + [2] * n, d.chance(0.8))], **at)


@pair
def conv_activation(d):
    t, n = kind(d), d.one(1, 2, 2, 3)
    x, w = d.x(t, [1, 2] + d.dims(n, 4, 6)), d.x(t, [3, 2] + [2] * n, d.chance(0.8))
    y = d.node("Conv", [x, w] + ([d.x(t, [3], True)] if d.chance(0.6) else []))
    return activated(d, y, t)


def activated(d, y, t):
    act = d.one(*ACTIVATIONS)
    if act in ("Gelu",) and d.opset < 20 or act == "HardSwish" and d.opset < 14:
        raise Skip(act)
    if act == "Clip":
        if d.opset < 11:
            return d.node("Clip", [y], min=0.0, max=6.0)
        return d.node("Clip", [y, d.x(t, [], True, values=[0.0]), d.x(t, [], True, values=[6.0])])
    return d.node(act, [y])


@pair
def gemm_activation(d):
    t = kind(d)
    c = d.x(t, [5], True) if d.opset < 11 or d.chance(0.6) else ""
    return activated(d, d.node("Gemm", [d.x(t, [3, 4]), d.x(t, [4, 5], d.chance(0.7)), c]), t)


@pair
def matmul_add(d):
    t = kind(d, 1, 1, 11, 10, 6, 7)
    y = d.node("MatMul", [d.x(t, d.one([3, 4], [2, 3, 4])), d.x(t, [4, 5], d.chance(0.7))])
    z = d.node("Add", [y, d.x(t, d.one([5], [1], [], [3, 5]), True)])
    return d.one(z, z) if d.chance(0.5) else activated(d, z, t) if t in (1, 10, 11) else z


@pair
def conv_batch_norm(d):
    t, n = kind(d), d.one(1, 2, 2, 3)
    y = d.node(d.one("Conv", "Conv", "ConvTranspose"), [d.x(t, [1, 2] + d.dims(n, 4, 6)), d.x(t, [2, 2] + [2] * n, True)] + ([d.x(t, [2], True)] if d.chance(0.5) else []))
    z = d.node("BatchNormalization", [y] + [d.x(t, [2], True, 0.5, 1.5) for _ in range(4)])
    return activated(d, z, t) if d.chance(0.4) else z


@pair
def conv_add_mul(d):
    t = kind(d)
    n = d.one(1, 2, 3)
    y = d.node("Conv", [d.x(t, [1, 2] + d.dims(n, 4, 5)), d.x(t, [3, 2] + [2] * n, True)] + ([d.x(t, [3], True)] if d.chance(0.5) else []))
    z = d.node(d.one("Add", "Mul"), [y, d.x(t, d.one([1, 3] + [1] * n, [3] + [1] * n, [1], []), True)])
    return activated(d, z, t) if d.chance(0.4) else z


@pair
def conv_residual(d):
    t, n = kind(d), d.one(2, 2, 1)
    x = d.x(t, [1, 2] + [5] * n)
    y = d.node("Conv", [x, d.x(t, [2, 2] + [3] * n, True)], pads=[1] * 2 * n)
    z = d.node("Add", [y, d.one(x, d.x(t, [1, 2] + [5] * n))])
    return activated(d, z, t) if d.chance(0.7) else z


@pair
def transpose_matmul(d):
    t = kind(d, 1, 1, 11, 10, 6)
    lead = d.one([], [2], [2, 3])
    perm = list(range(len(lead))) + [len(lead) + 1, len(lead)]
    a, b = d.x(t, lead + [4, 3]), d.x(t, lead + [5, 4])
    one, other = d.chance(0.7), d.chance(0.5)
    left = d.node("Transpose", [a], perm=perm) if one else d.x(t, lead + [3, 4])
    right = d.node("Transpose", [b], perm=perm) if other else d.x(t, lead + [4, 5])
    y = d.node("MatMul", [left, right])
    return d.node("Mul", [y, d.x(t, [], True, values=[2])]) if d.chance(0.3) else y


@pair
def transpose_gemm(d):
    t = kind(d, 1, 1, 11, 10)
    a = d.node("Transpose", [d.x(t, [4, 3])], perm=[1, 0])
    b = d.x(t, [4, 5])
    y = d.node("Gemm", [a, b] + ([d.x(t, [5], True)] if d.opset < 11 or d.chance(0.5) else []))
    return d.node("Transpose", [y], perm=[1, 0]) if d.chance(0.4) else y


@pair
def transposes(d):
    t = kind(d, 1, 1, 6, 10)
    x = d.node("Transpose", [d.x(t, [2, 3, 4, 5])], perm=[0, 2, 3, 1])
    way = d.one("Softmax", "ReduceMean", "ReduceSum", "Concat", "Split", "Pad", "Slice", "ArgMax", "Squeeze", "Add", "Resize", "Flatten", "TopK", "LogSoftmax", "Reshape")
    if t == 6 and way in ("Softmax", "LogSoftmax", "Resize"):
        raise Skip(way)
    if way in ("Softmax", "LogSoftmax", "ArgMax"):
        y = d.node(way, [x], **d.some("axis", None, 1, -1, 2))
        if way == "ArgMax":
            return y
    elif way == "Flatten":
        return d.node("Flatten", [x], axis=d.one(1, 2))
    elif way == "Reshape":
        return d.node("Reshape", [x, d.ints(d.one([2, -1], [0, 0, -1], [24, 5]))])
    elif way in ("ReduceMean", "ReduceSum"):
        late = d.opset >= (18 if way == "ReduceMean" else 13)
        keep = d.one(0, 1)
        y = d.node(way, [x, d.ints(d.one([1, 2], [-1], [3]))] if late else [x], axes=None if late else d.one([1, 2], [3], [1]), keepdims=keep)
        if not keep:
            return y
    elif way == "Concat":
        y = d.node("Concat", [x, x], axis=d.one(1, 3, 0))
    elif way == "Split":
        if d.opset < 13:
            raise Skip(way)
        y = d.node("Split", [x, d.ints([1, 2])], 2, axis=3)[d.one(0, 1)]
    elif way == "Pad":
        if d.opset < 11:
            raise Skip(way)
        y = d.node("Pad", [x, d.ints([0, 1, 0, 0, 0, 1, 2, 0])], mode=d.one("constant", "edge", "reflect"))
    elif way == "Slice":
        if d.opset < 10:
            raise Skip(way)
        y = d.node("Slice", [x, d.ints([1]), d.ints([3]), d.ints([d.one(1, 3, -1)])])
    elif way == "Squeeze":
        y = d.node("Add", [x, d.x(t, [1, 1, 3], True)])
    elif way == "Add":
        y = d.node("Add", [x, d.x(t, d.one([3], [5, 3], [1], [1, 4, 5, 1]), True)])
    elif way == "Resize":
        if d.opset < 13 or t == 10:
            raise Skip(way)
        y = d.node("Resize", [x, "", d.x(1, [4], True, values=[1, 2, 2, 1])], mode=d.one("nearest", "linear"))
    else:
        if d.opset < 10:
            raise Skip(way)
        return d.node("TopK", [x, d.ints([2])], 2, axis=d.one(-1, 1))[0]
    return d.node("Transpose", [y], perm=[0, 3, 1, 2]) if d.chance(0.8) else y


def quantized(d, x, q, scale=(), ts=1, axis=None):
    """x through QuantizeLinear and DequantizeLinear."""
    s, z = d.x(ts, list(scale), True, 0.02, 0.1), d.x(q, list(scale), True, *((0, 0) if d.chance(0.5) else (1, 5)))
    return d.node("DequantizeLinear", [d.node("QuantizeLinear", [x, s, z], axis=axis), s, z], axis=axis)


def stored_weight(d, q, sizes, per, ts=1, axis=None):
    return d.node("DequantizeLinear", [d.x(q, sizes, True, None if q != 2 else 0, 10), d.x(ts, per, True, 0.02, 0.1), d.x(q, per, True, 0, 0 if d.chance(0.7) else 3)], axis=axis)


@pair
def qdq_conv(d):
    if d.opset < 10:
        raise Skip("QDQ")
    q, w, n = d.one(2, 2, 3), d.one(3, 3, 2), d.one(1, 2, 2)
    per = d.one([], [3]) if d.opset >= 13 else []
    x = quantized(d, d.x(1, [1, 2] + [5] * n), q)
    wd = stored_weight(d, w, [3, 2] + [3] * n, per, axis=0 if per else None)
    bias = d.one("", "float", "int", "int", "int per channel")
    b = ""
    if bias == "float":
        b = d.x(1, [3], True)
    elif bias:
        dims = [3] if bias.endswith("channel") and d.opset >= 13 else []
        b = d.node("DequantizeLinear", [d.x(6, [3], True, low=-40, high=40), d.x(1, dims, True, d.one(0.001, 0.05), 0.1)], axis=0 if dims else None)
    y = d.node("Conv", [x, wd, b], **d.some("pads", None, [1] * 2 * n))
    y = activated(d, y, 1) if d.chance(0.25) else y
    return quantized(d, y, d.one(q, q, 2, 3)) if d.chance(0.8) else y


@pair
def qdq_matmul(d):
    if d.opset < 10:
        raise Skip("QDQ")
    q, w = d.one(2, 3), d.one(3, 2)
    if d.opset >= 21 and d.chance(0.3):
        w = d.one(21, 22)
    per = d.one([], [5]) if d.opset >= 13 else []
    x = quantized(d, d.x(1, d.one([3, 4], [2, 3, 4])), q) if d.chance(0.8) else d.x(1, [3, 4])
    y = d.node("MatMul", [x, stored_weight(d, w, [4, 5], per, axis=1 if per else None)])
    return quantized(d, y, d.one(q, q, 2, 3)) if d.chance(0.7) else y


@pair
def qdq_unary(d):
    if d.opset < 13:
        raise Skip("QDQ")
    q = d.one(2, 3, 3, 4 if d.opset >= 21 else 2)
    op = d.one("Relu", "Sigmoid", "LeakyRelu", "Softmax", "AveragePool", "MaxPool", "GlobalAveragePool", "Reshape", "Transpose", "Clip", "Add", "Mul", "Concat", "Gemm", "Where", "Split", "Resize", "Gather", "Argmax", "Slice", "Unsqueeze", "ReduceMean")
    x = quantized(d, d.x(1, [1, 2, 4, 4]), q)
    if op in ("AveragePool", "MaxPool"):
        y = d.node(op, [x], kernel_shape=[2, 2], **d.some("strides", None, [2, 2]), **d.some("ceil_mode", None, 1), **d.some("pads", None, [1, 1, 1, 1]))
    elif op == "Reshape":
        y = d.node(op, [x, d.ints([2, -1])])
    elif op == "Transpose":
        y = d.node(op, [x], perm=[0, 2, 3, 1])
    elif op == "Clip":
        y = d.node(op, [x, d.x(1, [], True, values=[d.one(0.0, -1.0)]), d.x(1, [], True, values=[6.0])])
    elif op in ("Add", "Mul", "Concat"):
        other = quantized(d, d.x(1, [1, 2, 4, 4]), q)
        y = d.node(op, [x, other], **({"axis": 1} if op == "Concat" else {}))
    elif op == "Gemm":
        y = d.node(op, [quantized(d, d.x(1, [3, 4]), q), stored_weight(d, 3, [4, 5], [])] + ([d.x(1, [5], True)] if d.chance(0.5) else []))
    elif op == "Where":
        y = d.node(op, [d.x(9, [1, 2, 4, 4]), x, quantized(d, d.x(1, [1, 2, 4, 4]), q)])
    elif op == "Split":
        y = d.node(op, [x, d.ints([1, 1])], 2, axis=1)[0]
    elif op == "Resize":
        y = d.node(op, [x, "", d.x(1, [4], True, values=[1, 1, 2, 2])], mode=d.one("nearest", "linear"))
    elif op == "Gather":
        y = d.node(op, [x, d.ints([1, 0])], axis=1)
    elif op == "Argmax":
        return d.node("ArgMax", [x], axis=1)
    elif op == "Slice":
        y = d.node(op, [x, d.ints([1]), d.ints([3]), d.ints([2])])
    elif op == "Unsqueeze":
        y = d.node(op, [x, d.ints([0])])
    elif op == "ReduceMean":
        y = d.node(op, [x], axes=[2, 3]) if d.opset < 18 else d.node(op, [x, d.ints([2, 3])])
    else:
        y = d.node(op, [x])
    return quantized(d, y, q)


@pair
def relu_quantize(d):
    if d.opset < 10:
        raise Skip("QDQ")
    x = d.x(1, [2, 3])
    y = activated(d, x, 1)
    q = d.one(2, 3)
    return d.node("QuantizeLinear", [y, d.x(1, [], True, 0.02, 0.1), d.x(q, [], True, 0, 0 if q == 2 else 3)])


@pair
def layer_norm_parts(d):
    t = kind(d, 1, 1, 10, 11)
    x = d.x(t, [2, 3, 8])
    late = d.opset >= 18
    mean = lambda v: d.node("ReduceMean", [v, d.ints([-1])] if late else [v], axes=None if late else [-1])
    c = d.node("Sub", [x, mean(x)])
    v = mean(d.node("Pow", [c, d.x(t, [], True, values=[2])]))
    y = d.node("Div", [c, d.node("Sqrt", [d.node("Add", [v, d.x(t, [], True, values=[1e-3])])])])
    y = d.node("Mul", [y, d.x(t, [8], True)])
    return d.node("Add", [y, d.x(t, [8], True)]) if d.chance(0.7) else y


@pair
def gelu_parts(d):
    t = kind(d, 1, 1, 10, 11)
    if d.opset < 9:
        raise Skip("Erf")
    x = d.x(t, [2, 8])
    e = d.node("Erf", [d.node("Div", [x, d.x(t, [], True, values=[1.4142135])])])
    y = d.node("Mul", [d.node("Mul", [x, d.node("Add", [e, d.x(t, [], True, values=[1])])]), d.x(t, [], True, values=[0.5])])
    return y


@pair
def reshapes(d):
    t = kind(d, 1, 6)
    x = d.x(t, [2, 3, 4])
    y = d.node("Reshape", [x, d.ints(d.one([6, 4], [2, -1], [0, 12]))])
    z = d.node("Reshape", [y, d.ints(d.one([24], [4, -1], [2, 3, 4]))])
    return d.node("Unsqueeze", [z, d.ints([0])]) if d.opset >= 13 and d.chance(0.4) else z


@pair
def casts(d):
    a, b = d.one(1, 6, 7, 11, 10, 9), d.one(6, 7, 10, 2, 3, 9)
    x = d.x(a, [4], low=-3 if a != 9 else None, high=3 if a != 9 else None)
    y = d.node("Cast", [x], to=b)
    return d.node("Cast", [y], to=d.one(a, 1, 7))


@pair
def nothing(d):
    t = kind(d, 1, 6, 11, 10)
    x = d.x(t, [2, 3])
    way = d.one("add0", "mul1", "div1", "sub0", "identity", "notnot", "dropout", "slice", "expand")
    if way == "add0":
        return d.node("Add", [x, d.x(t, d.one([], [1], [1, 1, 1]), True, values=[0])])
    if way == "mul1":
        return d.node("Mul", [x, d.x(t, d.one([], [1], [1, 1, 1]), True, values=[1])])
    if way == "div1":
        return d.node("Div", [x, d.x(t, [], True, values=[1])])
    if way == "sub0":
        return d.node("Sub", [x, d.x(t, [], True, values=[0])])
    if way == "dropout":
        if t == 6:
            raise Skip(way)
        return d.node("Relu", [d.node("Dropout", [x])])
    if way == "slice":
        if d.opset < 10:
            raise Skip(way)
        return d.node("Slice", [x, d.ints([0]), d.ints([2 ** 31 - 1]), d.ints([1])])
    if way == "expand":
        return d.node("Expand", [x, d.ints([1, 1])])
    return d.node("Identity", [d.node("Identity", [x])])


@pair
def clip_relu(d):
    t = kind(d, 1, 1, 11, 10)
    x = d.node("Relu", [d.x(t, [2, 3])])
    if d.opset < 11:
        return d.node("Clip", [x], **d.some("min", None, -1.0, 0.5), **d.some("max", None, 6.0))
    return d.node("Clip", [x, d.one("", d.x(t, [], True, values=[d.one(-1.0, 0.5)])), d.one("", d.x(t, [], True, values=[6.0]))])


@pair
def softmax_add(d):
    t = kind(d, 1, 1, 11, 10)
    x = d.node("Add", [d.x(t, [2, 4, 3, 3]), d.x(t, d.one([2, 1, 1, 3], [3, 3], [2, 4, 3, 3]))])
    return d.node("Softmax", [x], **d.some("axis", None, 3, -1))


@pair
def shape_gather(d):
    x = d.x(d.one(1, 7), [2, 3, 4])
    s = d.node("Shape", [x])
    g = d.node("Gather", [s, d.ints([d.one(0, 1, -1)], True, 7, d.one([], [1]))], axis=0)
    return d.node("Div", [g, d.ints([2], True, 7, [])]) if d.chance(0.4) else g
