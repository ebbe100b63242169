"""What is drawn for the operators that ONNX Runtime adds, in the domain `com.microsoft`."""

from onnx_draws import registry

OPS, op = registry()
MS = "com.microsoft"


def node(d, name, inputs, outputs=1, **at):
    return d.node(name, inputs, outputs, domain=MS, **at)


@op("Gelu", "FastGelu", "BiasGelu", "QuickGelu")
def gelu(d):
    t = d.t("T", (1,), 0.6)
    sizes = d.dims(d.int(1, 4))
    bias = [d.x(t, sizes[-1:], d.chance(0.6))] if d.schema.name == "BiasGelu" or d.schema.name == "FastGelu" and d.chance(0.5) else []
    return node(d, d.schema.name, [d.x(t, sizes)] + bias, **(d.some("alpha", None, 1.0) if d.schema.name == "QuickGelu" else {}))


@op("MatMulNBits")
def nbits(d):
    t = d.t("T1", (1,), 0.75)
    bits, block, k, n = d.one(2, 3, 4, 4, 4, 8, 8, 5), d.one(16, 32, 64, 128, 8), d.one(32, 64, 80), d.one(4, 16)
    blocks, size = -(-k // block), block * bits // 8
    at = d.some("accuracy_level", None, None, 0, 1, 4)
    a = d.x(t, d.one([2, k], [1, 2, k], [2, 1, k]))
    b = d.x(2, [n, blocks, size], d.chance(0.8), 0, 255)
    scale_dims = d.one([n * blocks], [n, blocks])
    inputs = [a, b, d.x(t, scale_dims, d.chance(0.8), 0.01, 0.1)]
    packed = -(-blocks * bits // 8)
    zero = d.one("", "", d.x(2, d.one([n * packed], [n, packed]), d.chance(0.8), 0, 100), d.x(t, scale_dims, True, 1.0, 2.0))
    group = d.x(6, [k], True, low=0, high=blocks - 1) if d.chance(0.15) else ""
    bias = d.x(t, [n], True) if d.chance(0.2) else ""
    return node(d, "MatMulNBits", inputs + [zero, group, bias], K=k, N=n, bits=bits, block_size=block, **at)


@op("MatMulBnb4", "MatMulFpQ4")
def bnb4(d):
    t = d.t("T1", (1,), 0.7)
    k, n, block = 64, 8, d.one(16, 32, 64)
    return node(d, "MatMulBnb4", [d.x(t, [2, k]), d.x(2, [k * n // 2], True, 0, 255), d.x(t, [k * n // block], True, 0.1, 1.0)],
                K=k, N=n, block_size=block, quant_type=d.one(0, 1, 2))


@op("FusedMatMul", "TransposeMatMul")
def fused_matmul(d):
    t = d.t("T", (1, 11), 0.7)
    at = dict(d.some("alpha", None, 0.5), **d.some("transA", None, 0, 1), **d.some("transB", None, 0, 1))
    if d.schema.name == "FusedMatMul":
        at.update(dict(d.some("transBatchA", None, None, 0, 1), **d.some("transBatchB", None, None, 0, 1)))
    lead = d.one([], [3], [3])
    square = [3, 3]
    return node(d, d.schema.name, [d.x(t, lead + square), d.x(t, d.one(lead, []) + square, d.chance(0.5))], **at)


@op("FusedGemm")
def fused_gemm(d):
    t = d.t("T", (1, 11), 0.8)
    act = d.one("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Gelu", "Elu", "HardSigmoid", "Softplus", "Clip")
    c = d.x(t, [5], True) if d.chance(0.6) else ""
    return node(d, "FusedGemm", [d.x(t, [3, 4]), d.x(t, [4, 5], d.chance(0.6)), c], activation=act, **d.some("activation_alpha", None, 0.1))


@op("FusedConv")
def fused_conv(d):
    t = d.t("T", (1,), 0.8)
    act = d.one("Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Clip", "HardSwish", "Elu")
    n = d.one(1, 2, 3)
    at = {"LeakyRelu": [0.1], "HardSigmoid": [0.2, 0.5], "Clip": [0.0, 6.0], "HardSwish": [0.2, 0.5]}.get(act)
    z = d.x(t, [1, 2] + [3] * n) if d.chance(0.3) else ""
    return node(d, "FusedConv", [d.x(t, [1, 2] + [5] * n), d.x(t, [2, 2] + [3] * n, d.chance(0.7)), d.x(t, [2], True) if d.chance(0.6) or z else "", z],
                activation=act, activation_params=at)


@op("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def skip(d):
    t = d.t("T", (1,), 0.7)
    simple = "Simpl" in d.schema.name
    sizes = d.one([2, 3, 8], [2, 3, 8], [3, 8])
    x = [d.x(t, sizes), d.x(t, d.one(sizes, sizes, [1] + sizes[1:] if len(sizes) == 3 else sizes, sizes[1:])), d.x(t, [8], d.chance(0.6))]
    if not simple:
        x.append(d.x(t, [8], True) if d.chance(0.6) else "")
    x.append(d.x(t, [8], True) if d.chance(0.4) else "")
    outputs = d.one(1, 1, 4, 2)
    names = [d.name("y") for _ in range(outputs)]
    if outputs == 4 and d.chance(0.6):
        names[1] = names[2] = ""
    return node(d, d.schema.name, x, names, **d.some("epsilon", None, 1e-5))


@op("EmbedLayerNormalization")
def embed(d):
    t = d.t("T", (1,), 0.8)
    ids = d.x(6, [2, 3], low=0, high=4)
    seg = d.x(6, [2, 3], low=0, high=1) if d.chance(0.6) else ""
    x = [ids, seg, d.x(t, [5, 4], True), d.x(t, [6, 4], True), d.x(t, [2, 4], True) if seg else "", d.x(t, [4], True), d.x(t, [4], True),
         d.x(6, [2, 3], low=1, high=1) if d.chance(0.4) else "", d.x(6, [2, 3], low=0, high=2) if d.chance(0.3) else ""]
    return node(d, "EmbedLayerNormalization", x, d.one(1, 2, 3), **d.some("mask_index_type", None, None, 0, 1))


@op("Attention")
def attention(d):
    t = d.t("T", (1,), 0.85)
    b, s, h, heads = 2, 3, 8, 2
    x = [d.x(t, [b, s, h]), d.x(t, [h, 3 * h], d.chance(0.7)), d.x(t, [3 * h], True) if d.chance(0.7) else ""]
    past = d.chance(0.25)
    total = s + (2 if past else 0)
    mask = d.one("", "", d.x(6, [b], values=[s, s - 1]), d.x(6, [b, total], low=1, high=1), d.x(6, [b, s, total], low=1, high=1),
                 d.x(6, [b, 1, 8, 8], low=1, high=1), d.x(6, [2 * b], values=[s, s, 0, 0]), d.x(6, [3 * b + 2], low=1, high=1))
    x += [mask, d.x(t, [2, b, heads, 2, h // heads]) if past else "", d.x(t, d.one([b, heads, s, total], [1, heads, s, total])) if d.chance(0.25) else ""]
    at = dict(d.some("unidirectional", None, 0, 1), **d.some("scale", None, None, 0.5))
    at.update(d.some("do_rotary", None, None, None, 1))
    if d.chance(0.15):
        at["qkv_hidden_sizes"] = [8, 8, 8]
    return node(d, "Attention", x, 2 if past or d.chance(0.2) else 1, num_heads=heads, **at)


@op("MultiHeadAttention")
def mha(d):
    t = d.t("T", (1,), 0.85)
    b, s, k, heads, size = 2, 3, d.one(3, 4), 2, 4
    h = heads * size
    pack = d.one("none", "none", "none", "kv", "qkv", "4d")
    q, kk, v = d.x(t, [b, s, h]), "", ""
    if pack == "none":
        kk, v = d.x(t, [b, k, h]), d.x(t, [b, k, h])
    elif pack == "4d":
        kk, v = d.x(t, [b, heads, k, size]), d.x(t, [b, heads, k, size])
    elif pack == "kv":
        kk = d.x(t, [b, k, heads, 2, size])
    else:
        d.inputs.pop()
        d.feeds.popitem()
        q, k = d.x(t, [b, s, heads, 3, size]), s
    past = pack == "none" and d.chance(0.3)
    total = k + (2 if past else 0)
    mask = d.one("", "", d.x(6, [b], values=[k] * b), d.x(6, [b, total], low=1, high=1), d.x(6, [b, s, total], low=1, high=1)) if d.opset else ""
    x = [q, kk, v, d.x(t, [3 * h], True) if d.chance(0.3) else "", mask, d.x(t, d.one([b, heads, s, total], [1, heads, s, total])) if d.chance(0.3) else ""]
    if past:
        x += [d.x(t, [b, heads, 2, size]), d.x(t, [b, heads, 2, size])]
    at = dict(d.some("unidirectional", None, None, 0, 1), **d.some("scale", None, None, 0.5))
    return node(d, "MultiHeadAttention", x, 3 if past or d.chance(0.2) else 1, num_heads=heads, **at)


@op("GroupQueryAttention")
def gqa(d):
    t = d.t("T", (1, 10), 0.9)
    b, s, heads, kv, size = d.one(1, 2), d.one(1, 3), 4, d.one(2, 4, 1), 8
    past_len = d.one(0, 2) if s == 1 else 0
    packed = d.chance(0.3)
    if packed:
        x = [d.x(t, [b, s, (heads + 2 * kv) * size]), "", ""]
    else:
        x = [d.x(t, [b, s, heads * size]), d.x(t, [b, s, kv * size]), d.x(t, [b, s, kv * size])]
    if d.chance(0.7) or past_len:
        x += [d.x(t, [b, kv, past_len, size]), d.x(t, [b, kv, past_len, size])]
    else:
        x += ["", ""]
    total = past_len + s
    x += [d.x(6, [b], False, values=[total - 1] * b), d.x(6, d.one([], [1]), d.chance(0.5), values=[total])]
    at = {}
    if d.chance(0.4):
        at["do_rotary"] = 1
        x += [d.x(t, [16, size // 2], True), d.x(t, [16, size // 2], True)]
        at.update(d.some("rotary_interleaved", None, 0, 1))
    elif d.chance(0.2):
        x += ["", "", d.x(7, [b, s], low=0, high=1)]
        if d.chance(0.6):
            x += [d.x(t, [b, heads, s, total])]
    at.update(d.some("local_window_size", None, None, 2, -1))
    at.update(d.some("softcap", None, None, 5.0))
    at.update(d.some("smooth_softmax", None, None, None, 1))
    at.update(d.some("scale", None, None, 0.3))
    return node(d, "GroupQueryAttention", x, 3, num_heads=heads, kv_num_heads=kv, **at)


@op("RotaryEmbedding")
def rotary(d):
    t = d.t("T", (1,), 0.8)
    b, s, heads, size = 2, 3, 2, 8
    part = d.chance(0.25)
    rot = 4 if part else 8
    four = d.chance(0.4)
    at = dict(d.some("interleaved", None, 0, 1), **d.some("scale", None, 1.0))
    if part:
        at.update(rotary_embedding_dim=4)
    if part or d.chance(0.4):
        at["num_heads"] = heads
    pos = d.one(d.x(7, [1], values=[0]), d.x(7, [b, s], low=0, high=5))
    return node(d, "RotaryEmbedding", [d.x(t, [b, heads, s, size] if four else [b, s, heads * size]), pos, d.x(t, [10, rot // 2], True), d.x(t, [10, rot // 2], True)], **at)


@op("QuantizeLinear", "DequantizeLinear")
def quantize(d):
    per = d.one([], [], [4], [4])
    at = d.some("axis", None, 0, 1, -1) if per else {}
    if d.schema.name[0] == "Q":
        t1, t2 = d.t("T1", (1,)), d.t("T2", (2, 3))
        return node(d, "QuantizeLinear", [d.x(t1, [4, 4]), d.x(t1, per, True, 0.1, 1.0), d.x(t2, per, True) if d.chance(0.8) else ""], **at)
    t1, t2 = d.t("T1", (2, 3)), d.t("T2", (1,))
    return node(d, "DequantizeLinear", [d.x(t1, [4, 4]), d.x(t2, per, True, 0.1, 1.0), d.x(t1, per, True, *([0, 0] if t1 == 6 else [])) if d.chance(0.7) else ""], **at)


def scale_zero(d, t, per=()):
    return [d.x(1, list(per), True, 0.01, 0.1), d.x(t, list(per), True)]


@op("QLinearAdd", "QLinearMul")
def qbinary(d):
    t = d.t("T", (2, 3))
    sizes = d.dims(d.int(1, 3), 2, 3)
    x = [d.x(t, sizes)] + scale_zero(d, t) + [d.x(t, d.one(sizes, [1], sizes[-1:]), d.chance(0.4))] + scale_zero(d, t) + scale_zero(d, t)
    if d.chance(0.2):
        x[2] = ""
    return node(d, d.schema.name, x)


@op("QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearAveragePool", "QLinearReduceMean", "QLinearSoftmax")
def qunary(d):
    name, t = d.schema.name, d.t("T", (2, 3))
    n = d.one(1, 2, 2, 3)
    sizes = [1, 2] + d.dims(n, 3, 4)
    x = [d.x(t, sizes)] + scale_zero(d, t) + scale_zero(d, t)
    at = {}
    if name == "QLinearLeakyRelu":
        at = d.some("alpha", None, 0.2)
    if "Pool" in name:
        at = d.some("channels_last", None, 0, 1)
    if name == "QLinearAveragePool":
        at.update(dict(kernel_shape=[2] * n, **d.some("ceil_mode", None, 0, 1), **d.some("count_include_pad", None, 0, 1)))
    if name == "QLinearReduceMean":
        at = dict(axes=d.one([-1], [1], [0, 2]), keepdims=d.one(0, 1))
    if name == "QLinearSoftmax":
        at = dict(opset=d.one(11, 13), **d.some("axis", None, 1, -1))
        x[2] = d.one(x[2], "")
    return node(d, name, x, **at)


@op("QLinearConcat")
def qconcat(d):
    t = d.t("T8", (2, 3))
    x = scale_zero(d, t)
    for _ in range(2):
        x += [d.x(t, [2, 3])] + scale_zero(d, t)
    return node(d, "QLinearConcat", x, axis=d.one(0, 1, -1))


@op("QLinearWhere")
def qwhere(d):
    t = d.t("T", (2, 3))
    x = [d.x(9, [2, 3]), d.x(t, [2, 3])] + scale_zero(d, t) + [d.x(t, [2, 3])] + scale_zero(d, t) + scale_zero(d, t)
    return node(d, "QLinearWhere", x)


@op("QGemm")
def qgemm(d):
    ta, tb = d.t("TA", (2, 3)), d.t("TB", (2, 3))
    per = d.one([], [5])
    x = [d.x(ta, [3, 4])] + scale_zero(d, ta) + [d.x(tb, [4, 5], d.chance(0.8))] + scale_zero(d, tb, per) + [d.x(6, [5], True) if d.chance(0.5) else ""]
    if d.chance(0.6):
        x += scale_zero(d, ta)
    return node(d, "QGemm", x, **d.some("alpha", None, 1.0), **d.some("transB", None, 0))


@op("DynamicQuantizeMatMul", "MatMulIntegerToFloat", "MatMulInteger16")
def qmatmul(d):
    name = d.schema.name
    per = d.one([], [5])
    if name == "MatMulInteger16":
        return node(d, name, [d.x(d.t("T1"), [3, 4]), d.x(d.t("T2"), [4, 5])])
    tb = d.t("T2", (2, 3))
    b = d.x(tb, [4, 5], d.chance(0.8))
    bias = d.x(1, [5], True) if d.chance(0.4) else ""
    if name == "DynamicQuantizeMatMul":
        return node(d, name, [d.x(1, d.one([3, 4], [2, 3, 4])), b, d.x(1, per, True, 0.1, 1), d.x(tb, per, True) if d.chance(0.6) else "", bias])
    ta = d.t("T1", (2, 3))
    return node(d, name, [d.x(ta, [3, 4]), b, d.x(1, [], True, 0.1, 1), d.x(1, per, True, 0.1, 1),
                          d.x(ta, d.one([], [3]) if d.chance(0.3) else [], True) if d.chance(0.6) else "", d.x(tb, per, True) if d.chance(0.6) else "", bias])


@op("QAttention")
def qattention(d):
    t1, t2 = d.t("T1", (2,)), d.t("T2", (2, 3))
    h = 8
    per = d.one([], [3 * h])
    x = [d.x(t1, [2, 3, h]), d.x(t2, [h, 3 * h], d.chance(0.8)), d.x(1, [3 * h], True), d.x(1, [], True, 0.1, 1), d.x(1, per, True, 0.1, 1),
         d.one("", d.x(6, [2], values=[3, 2])), d.one("", d.x(t1, [], True)), d.one("", d.x(t2, per, True))]
    return node(d, "QAttention", x, num_heads=2, **d.some("unidirectional", None, 0, 1))


@op("DynamicQuantizeLSTM")
def qlstm(d):
    t = d.t("T2", (2, 3))
    way = d.one(None, "bidirectional", "reverse")
    n, h, i = 2 if way == "bidirectional" else 1, 3, 4
    per = d.one([n], [n, 4 * h])
    x = [d.x(1, [5, 2, i]), d.x(t, [n, i, 4 * h], d.chance(0.9)), d.x(t, [n, h, 4 * h], d.chance(0.9)), d.x(1, [n, 8 * h], True) if d.chance(0.5) else "", "", "", "", "",
         d.x(1, per, True, 0.01, 0.1), d.x(t, per, True), d.x(1, per, True, 0.01, 0.1), d.x(t, per, True)]
    return node(d, "DynamicQuantizeLSTM", x, d.int(1, 3), hidden_size=h, direction=way)


@op("GatherBlockQuantized")
def gather_block(d):
    t1, t2 = d.t("T1", (22, 21, 2)), d.t("T2", (1,))
    bits = d.one(4, 8) if t1 == 2 else None
    data = d.x(t1, [4, 16 if bits == 4 else 32], True)
    at = dict(d.some("block_size", 16, 32), gather_axis=d.one(0, 0, 1), quantize_axis=1, bits=bits)
    blocks = 32 // at["block_size"]
    zero = d.one("", d.x(t1, [4, (blocks + 1) // 2 if bits == 4 else blocks], True))
    return node(d, "GatherBlockQuantized", [data, d.x(d.t("Tind"), [2], low=0, high=3), d.x(t2, [4, blocks], True, 0.1, 1), zero], **at)


@op("CDist", "Inverse", "Trilu", "Unique", "ExpandDims", "Range", "Pad", "GatherND", "MurmurHash3", "UnfoldTensor", "GridSample", "NhwcMaxPool", "BiasSoftmax", "BiasAdd")
def others(d):
    name = d.schema.name
    t = d.t("T" if name not in ("GridSample", "MurmurHash3") else "T1")
    if name == "CDist":
        return node(d, name, [d.x(t, [3, 4]), d.x(t, [5, 4])], metric=d.one("euclidean", "sqeuclidean", "minkowski"))
    if name == "Trilu":
        return node(d, name, [d.x(t, [3, 4]), d.one("", d.ints([1], True, 7, []))], **d.some("upper", None, 0, 1))
    if name == "Unique":
        return node(d, name, [d.x(t, [6])], 3)
    if name == "ExpandDims":
        return node(d, name, [d.x(t, [2, 3]), d.ints([d.one(0, 1, -1)], d.chance(0.6), 6, [])])
    if name == "Range":
        return node(d, name, [d.ints([0], False, t, []), d.ints([6], False, t, []), d.one("", d.ints([2], False, t, []))])
    if name == "Pad":
        return node(d, name, [d.x(t, [2, 3]), d.ints([0, 1, 0, 1], d.chance(0.6))], **d.some("mode", None, "constant", "edge", "reflect"))
    if name == "GatherND":
        return node(d, name, [d.x(t, [2, 3]), d.x(d.t("Tind"), [2, 1], low=0, high=1)])
    if name == "MurmurHash3":
        return node(d, name, [d.x(t, [3])], **d.some("positive", None, 0, 1), **d.some("seed", None, 2))
    if name == "UnfoldTensor":
        return node(d, name, [d.x(t, [2, 6])], size=2, **d.some("step", None, 2), **d.some("dim", None, 1))
    if name == "GridSample":
        u = d.one(1, 11, 10)
        return node(d, name, [d.x(u, [1, 1, 4, 4]), d.x(u, [1, 2, 2, 2], False, -1, 1)], **d.some("mode", None, "bilinear", "nearest", "bicubic"))
    if name == "NhwcMaxPool":
        return node(d, name, [d.x(d.one(2, 3), [1, 4, 4, 2])], kernel_shape=[2, 2])
    if name == "BiasSoftmax":
        return node(d, name, [d.x(t, [2, 3]), d.x(t, [2, 3])], is_inner_broadcast=1, **d.some("axis", None, 1))
    if name == "BiasAdd":
        return node(d, name, [d.x(t, [1, 2, 320]), d.x(t, [320]), d.x(t, [1, 2, 320])])
    return node(d, name, [d.x(t, d.one([3, 3], [2, 3, 3]))])
