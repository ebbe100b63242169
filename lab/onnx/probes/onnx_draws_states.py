"""What is drawn for operators with states, sums, axes and quantized values."""

from onnx_draw import FLOATS
from onnx_draws import op


@op("ScatterElements", "Scatter", "ScatterND")
def scatter(d):
    name, t = d.schema.name, d.t("T", (1,), 0.25)
    at = {}
    since = d.schema.since_version
    if since >= 16:
        at.update(d.some("reduction", None, "none", "add", "mul", *(["min", "max"] if since >= 18 else [])))
    rank = d.one(1, 2, 3)
    sizes = d.dims(rank, 3, 4)
    x = d.x(t, sizes)
    if name == "ScatterND":
        depth = d.int(1, rank)
        i = d.x(7, [2, depth], d.chance(0.3), low=0, high=2)
        return d.node(name, [x, i, d.x(t, [2] + sizes[depth:])], **at)
    kind = d.t("Tind", (7,), 0.6)
    axis = d.one(None, 0, -1, rank - 1)
    if axis is not None:
        at["axis"] = axis
    small = [2] * rank
    return d.node(name, [x, d.x(kind, small, low=d.one(0, 0, -1), high=2), d.x(t, small)], **at)


@op("Gather", "GatherElements")
def gather(d):
    rank = d.one(1, 2, 3)
    x = d.x(d.t("T", (1,), 0.2), d.dims(rank, 3, 4))
    dims = d.dims(rank if d.schema.name == "GatherElements" else d.int(0, 2), 1, 2)
    axis = d.one(None, 0, -1)
    return d.node(d.schema.name, [x, d.x(d.t("Tind"), dims, d.chance(0.4), low=d.one(0, 0, -1), high=0)], axis=axis)


@op("GatherND")
def gather_nd(d):
    x = d.x(d.t("T", (1,), 0.2), [2, 3, 4])
    batch = d.one(None, 0, 1) if d.opset >= 12 else None
    return d.node("GatherND", [x, d.x(7, [2, 1] if batch else [2, 2], low=0, high=1)], batch_dims=batch)


def recurrent(d, gates, layout_since=14):
    name, t = d.schema.name, d.t("T", (1, 11), 0.7)
    way = d.one(None, "forward", "reverse", "bidirectional")
    ways, hidden, seq, batch, size = (2 if way == "bidirectional" else 1), 3, 4, 2, 5
    at = {"hidden_size": hidden}
    if way:
        at["direction"] = way
    layout = d.opset >= 14 and d.chance(0.2)
    if layout:
        at["layout"] = d.one(0, 1)
    first = at.get("layout") == 1
    x = d.x(t, [batch, seq, size] if first else [seq, batch, size])
    stored = d.chance(0.7)
    w, r = d.x(t, [ways, gates * hidden, size], stored), d.x(t, [ways, gates * hidden, hidden], stored)
    b = d.x(t, [ways, 2 * gates * hidden], stored) if d.chance(0.5) else ""
    lens = d.x(6, [batch], d.chance(0.5), values=[seq, seq - 1]) if d.chance(0.3) else ""
    state = [batch, ways, hidden] if first else [ways, batch, hidden]
    h = d.x(t, state) if d.chance(0.3) else ""
    acts = {"RNN": [["Tanh"], ["Relu"], ["Sigmoid"], ["Affine"], ["LeakyRelu"], ["ThresholdedRelu"], ["ScaledTanh"], ["HardSigmoid"], ["Elu"], ["Softsign"], ["Softplus"]],
            "GRU": [["Sigmoid", "Tanh"], ["HardSigmoid", "Tanh"], ["Sigmoid", "Relu"], ["Sigmoid", "Softplus"], ["Sigmoid", "ScaledTanh"]],
            "LSTM": [["Sigmoid", "Tanh", "Tanh"], ["HardSigmoid", "Tanh", "Tanh"], ["Sigmoid", "Relu", "Tanh"], ["Sigmoid", "Softsign", "Elu"]]}
    if d.chance(0.4):
        at["activations"] = d.one(*acts[name]) * ways
        if d.chance(0.3):
            at["activation_alpha"] = [0.5] * len(at["activations"])
            at["activation_beta"] = [0.5] * len(at["activations"])
    at.update(d.some("clip", None, None, 3.0))
    inputs = [x, w, r, b, lens, h]
    if name == "GRU":
        at.update(d.some("linear_before_reset", None, 0, 1))
    if name == "LSTM":
        at.update(d.some("input_forget", None, None, 0, 1))
        inputs += [d.x(t, state) if d.chance(0.3) else "", d.x(t, [ways, 3 * hidden], stored) if d.chance(0.3) else ""]
    return d.node(name, inputs, d.int(1, 3 if name == "LSTM" else 2), **at)


op("RNN")(lambda d: recurrent(d, 1))


op("GRU")(lambda d: recurrent(d, 3))


op("LSTM")(lambda d: recurrent(d, 4))


@op("Attention")
def attention(d):
    t1 = d.t("T1", (1, 10), 0.8)
    t2 = t1 if d.chance(0.8) else d.t("T2")
    four = d.chance(0.6)
    b, q_heads, kv_heads, s, k, h = 2, 4, d.one(4, 4, 2), d.one(1, 3), d.one(3, 5), 8
    at = {}
    if four:
        q, kk, v = d.x(t1, [b, q_heads, s, h]), d.x(t1, [b, kv_heads, k, h]), d.x(t2, [b, kv_heads, k, h])
    else:
        q, kk, v = d.x(t1, [b, s, q_heads * h]), d.x(t1, [b, k, kv_heads * h]), d.x(t2, [b, k, kv_heads * h])
        at.update(q_num_heads=q_heads, kv_num_heads=kv_heads)
    past = d.chance(0.35)
    total = k + (2 if past else 0)
    mask = ""
    if d.chance(0.5):
        mt = d.one(t1, 9)
        mask = d.x(mt, d.one([s, total], [b, 1, s, total], [b, q_heads, s, total], [1, 1, s, total], [1, s, total] if d.chance(0.3) else [s, total]))
    pk, pv = (d.x(t1, [b, kv_heads, 2, h]), d.x(t2, [b, kv_heads, 2, h])) if past else ("", "")
    at.update(d.some("is_causal", None, None, 1))
    at.update(d.some("scale", None, 0.5))
    at.update(d.some("softcap", None, None, 2.0))
    if d.chance(0.2):
        at["softmax_precision"] = d.one(1, 10, 11)
    lens = ""
    if d.opset >= 24 and d.chance(0.3) and not past:
        lens = d.x(7, [b], values=[k, k - 1])
    outputs = d.one(1, 1, 3, 4) if d.chance(0.5) or past else 1
    names = [d.name("y") for _ in range(outputs)]
    if outputs == 4:
        at.update(d.some("qk_matmul_output_mode", None, 0, 1, 2, 3))
        if not past and d.chance(0.6):
            names[1] = names[2] = ""
    return d.node("Attention", [q, kk, v, mask, pk, pv, lens], names, **at)


@op("RotaryEmbedding")
def rotary(d):
    t = d.t("T", (1, 10))
    four, pos, part = d.chance(0.5), d.chance(0.6), d.chance(0.3)
    rot = 4 if part else 8
    x = d.x(t, [2, 3, 4, 8] if four else [2, 4, 24])
    at = {}
    if not four or d.chance(0.3):
        at["num_heads"] = 3
    if part:
        at["rotary_embedding_dim"] = 4
    at.update(d.some("interleaved", None, 0, 1))
    if pos:
        return d.node("RotaryEmbedding", [x, d.x(t, [10, rot // 2]), d.x(t, [10, rot // 2]), d.x(7, [2, 4], low=0, high=5)], **at)
    return d.node("RotaryEmbedding", [x, d.x(t, [2, 4, rot // 2]), d.x(t, [2, 4, rot // 2])], **at)


@op("RMSNormalization", "LayerNormalization")
def norm(d):
    rms = d.schema.name[0] == "R"
    t = d.t("T", (1, 10, 11))
    rank, axis = d.one(2, 3, 4), None
    sizes = d.dims(rank, 2, 4)
    axis = d.one(None, -1, 1, -2)
    tail = sizes[-1 if axis is None else axis:]
    scale = d.x(d.t("V") if rms else t, tail, d.chance(0.5))
    b = d.x(t, tail, True) if d.chance(0.6) and not rms else ""
    at = d.some("stash_type", None, None, 1, 11, 10) if not rms else d.some("stash_type", None, 1)
    return d.node(d.schema.name, [d.x(t, sizes), scale, b], d.one(1, 1, 2, 3) if not rms else 1, axis=axis, **at)


@op("GroupNormalization")
def group_norm(d):
    t = d.t()
    per = 4 if d.opset >= 21 else 2
    return d.node("GroupNormalization", [d.x(t, [2, 4] + d.dims(d.int(1, 3), 2, 3)), d.x(t, [per], d.chance(0.5)), d.x(t, [per], d.chance(0.5))],
                  num_groups=2, **(d.some("stash_type", None, 1, 10, 11) if d.opset >= 21 else {}))


@op("InstanceNormalization")
def instance_norm(d):
    t = d.t()
    return d.node("InstanceNormalization", [d.x(t, [2, 3] + d.dims(d.int(0, 3), 2, 3)), d.x(t, [3], True), d.x(t, [3], True)])


@op("BatchNormalization")
def batch_norm(d):
    t = d.t("T", (1, 11, 10))
    t1, t2 = t, t
    if d.opset >= 15 and d.chance(0.3):
        t1, t2 = d.t("T1"), d.t("T2")
    at = d.some("epsilon", None, 1e-3)
    training = d.opset >= 14 and d.chance(0.3)
    if training:
        at["training_mode"] = d.one(1, 1, 0)
    if d.opset < 9:
        at.update(d.some("spatial", None, 0, 1))
    tail = d.dims(d.int(0, 3), 2, 3)
    per = [3] + tail if at.get("spatial") == 0 else [3]
    x = d.x(t, [2, 3] + tail)
    return d.node("BatchNormalization", [x] + [d.x(k, per, d.chance(0.8), 0.5, 1.5) for k in (t1, t1, t2, t2)],
                  3 if at.get("training_mode") and d.chance(0.6) else 1, **at)


@op("MeanVarianceNormalization", "LpNormalization")
def mvn(d):
    if d.schema.name[0] == "L":
        return d.node("LpNormalization", [d.x(d.t(), d.dims(d.int(1, 4)))], **d.some("axis", None, 0, -1), **d.some("p", None, 1, 2))
    rank = d.one(4, 4, 3, 5)
    return d.node("MeanVarianceNormalization", [d.x(d.t(), d.dims(rank, 2, 3))], **d.some("axes", None, [0, 2, 3] if rank > 3 else [0, 2], [0, 1], [-1]))


@op("QuantizeLinear", "DequantizeLinear")
def quantize(d):
    new = d.opset >= 21
    quant = d.schema.name[0] == "Q"
    rank = d.one(1, 2, 3, 4)
    sizes = d.dims(rank, 4, 4)
    way = d.one("scalar", "scalar", "axis", "axis", "one", "block" if new else "axis")
    at, per = {}, []
    if way == "one":
        per = [1]
    elif way != "scalar":
        axis = d.one(0, rank - 1, -1, 1 % rank)
        if axis != 1 or d.chance(0.5) or rank == 1:
            at["axis"] = axis
        per = [4]
        if way == "block":
            per = [2 if i == axis % rank else 4 for i in range(rank)]
            at["block_size"] = 2
    if d.opset < 13 and per not in ([], [1]):
        at, per = {}, []
    if quant:
        t1, t2 = d.t("T1", (1,)), d.t("T2" if d.opset < 23 else "T3", (2, 3))
        ts = t1 if d.opset < 23 else d.t("T2", (1,), 0.7)
        if ts not in FLOATS or t1 == 6:
            ts = 1
        if d.opset >= 19 and d.chance(0.2):
            at["saturate"] = d.one(0, 1)
        if new and d.chance(0.3):
            at["output_dtype"] = t2
            zero = ""
        else:
            zero = d.x(t2, per, True) if d.chance(0.75) else ""
        return d.node("QuantizeLinear", [d.x(t1, sizes), d.x(ts, per, d.chance(0.7), 0.1, 1.0), zero], **at)
    t1 = d.t("T1" if d.opset >= 19 else "T", (2, 3, 6))
    ts = d.t("T2", (1,), 0.6) if d.opset >= 19 else 1
    zero = d.x(t1, per, True, *([0, 0] if t1 == 6 else [])) if d.chance(0.7) else ""
    if d.opset >= 23 and d.chance(0.2):
        at["output_dtype"] = d.t("T3")
    return d.node("DequantizeLinear", [d.x(t1, sizes, d.chance(0.3)), d.x(ts, per, d.chance(0.7), 0.1, 1.0), zero], **at)


@op("DynamicQuantizeLinear")
def dynamic_quantize(d):
    return d.node("DynamicQuantizeLinear", [d.x(1, d.dims(d.int(0, 3)))], 3)


@op("TopK")
def topk(d):
    t = d.t()
    x = d.x(t, d.dims(d.int(1, 3), 3, 5))
    if d.opset < 10:
        return d.node("TopK", [x], 2, k=2, **d.some("axis", None, 0, -1))
    at = dict(d.some("largest", None, 0, 1), **d.some("sorted", None, 0, 1)) if d.opset >= 11 else {}
    return d.node("TopK", [x, d.ints([d.int(1, 3)], d.chance(0.7))], 2, **d.some("axis", None, 0, -1), **at)


@op("Softmax", "LogSoftmax", "Hardmax")
def softmax(d):
    rank = d.int(1, 4)
    return d.node(d.schema.name, [d.x(d.t(), d.dims(rank))], axis=d.one(None if d.opset >= 13 or rank > 1 else 0, 0, -1, rank - 1))


@op("CumSum", "CumProd")
def cumsum(d):
    return d.node(d.schema.name, [d.x(d.t(), d.dims(d.int(1, 3))), d.ints([d.one(0, -1)], d.chance(0.7), d.t("T2"), [])],
                  **d.some("exclusive", None, 0, 1), **d.some("reverse", None, 0, 1))


@op("Einsum")
def einsum(d):
    t = d.t("T", (1, 11, 6, 7))
    way = d.one("ij,jk->ik", "bij,bjk->bik", "ii->i", "ii", "ij->ji", "...ij,...jk->...ik", "i,j->ij", "ij,ij->", "ij->", "ij,jk,kl->il", "Ij,jK->IK", "bij, bjk -> bik")
    sides = way.split("->")[0].split(",")
    made = [d.x(t, [3] * (len(one.replace(".", "").strip()) + (1 if "..." in one else 0))) for one in sides]
    return d.node("Einsum", made, equation=way)


@op("NonMaxSuppression")
def nms(d):
    extra = [d.ints([2], d.chance(0.5)), d.x(1, [1], d.chance(0.5), values=[0.5]), d.x(1, [1], True, values=[0.0])][:d.int(0, 3)]
    return d.node("NonMaxSuppression", [d.x(1, [1, 4, 4]), d.x(1, [1, 2, 4])] + extra, **d.some("center_point_box", None, 0, 1))


@op("Dropout")
def dropout(d):
    t = d.t("T", (1, 11, 10))
    outputs = d.one(1, 2)
    if d.opset < 12:
        return d.node("Dropout", [d.x(t, [2, 3])], outputs, **d.some("ratio", None, 0.3))
    ratio = d.x(d.t("T1"), [], True, 0.0, 0.0) if d.chance(0.6) else ""
    train = d.x(9, [], d.chance(0.6), values=[d.one(True, False)]) if d.chance(0.5) else ""
    return d.node("Dropout", [d.x(t, [2, 3]), ratio, train], outputs)


@op("DFT")
def dft(d):
    t, last = d.t("T1", (1, 11)), d.one(1, 2)
    x = d.x(t, [1, 8, 4, last])
    at = d.some("inverse", None, 0, 1)
    at.update(d.some("onesided", None, 0, 1 if last == 1 else 0))
    length = d.one("", d.ints([d.int(6, 8)], d.chance(0.6), d.t("T2"), []))
    if d.opset < 20:
        return d.node("DFT", [x, length], **at, **d.some("axis", None, 1, 2, -2))
    return d.node("DFT", [x, length, d.one("", d.ints([d.one(1, 2, -2)], d.chance(0.7), 7, []))], **at)


@op("STFT")
def stft(d):
    t = d.t("T1", (1, 11))
    x = d.x(t, d.one([1, 32, 1], [1, 32, 1], [1, 32, 2], [1, 32]))
    w = d.x(t, [8], d.chance(0.6)) if d.chance(0.6) else ""
    length = d.ints([8], d.chance(0.7), d.t("T2"), []) if not w or d.chance(0.5) else ""
    return d.node("STFT", [x, d.ints([4], d.chance(0.7), 7, []), w, length], **d.some("onesided", None, 0, 1))


@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(d):
    t = d.t()
    tail = d.dims(d.int(0, 2), 2, 3)
    at = d.some("reduction", None, "none", "sum", "mean")
    at.update(d.some("ignore_index", None, 0, -1) if d.opset >= 12 else {})
    w = d.x(t, [3]) if d.chance(0.4) else ""
    outputs = d.one(1, 2) if d.schema.name[0] == "S" else 1
    return d.node(d.schema.name, [d.x(t, [2, 3] + tail), d.x(d.t("Tind", (7,)), [2] + tail, low=0, high=2), w], outputs, **at)


@op("TensorScatter")
def tensor_scatter(d):
    t = d.t("T", (1, 10), 0.6)
    at = dict(d.some("mode", None, "linear", "circular"), **d.some("axis", None, -2))
    return d.node("TensorScatter", [d.x(t, [2, 3, 6, 4]), d.x(t, [2, 3, 2, 4]), d.one("", d.x(7, [2], values=[1, 2]))], **at)
