"""What is drawn for operators with windows, grids and products."""

from onnx_draws import op


def window(d, spatial):
    """Attributes of a window: kernel, strides, dilations, padding."""
    kernel = [d.int(1, 3) for _ in range(spatial)]
    at = {}
    if d.chance(0.4):
        at["strides"] = [d.int(1, 2) for _ in range(spatial)]
    if d.chance(0.3):
        at["dilations"] = [d.int(1, 2) for _ in range(spatial)]
    way = d.one("none", "none", "pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    if way == "pads":
        at["pads"] = [d.int(0, 1) if kernel[i % spatial] > 1 else 0 for i in range(2 * spatial)]
    elif way != "none":
        at["auto_pad"] = way
    return kernel, at


def spatial_rank(d):
    return d.one(1, 2, 2, 2, 3, 4)


@op("Conv")
def conv(d):
    n, t = spatial_rank(d), d.t("T", (1, 1, 11, 10))
    kernel, at = window(d, n)
    group = d.one(1, 1, 2)
    x = d.x(t, [d.int(1, 2), 2 * group] + d.dims(n, 5, 7))
    w = d.x(t, [2 * group, 2] + kernel, d.chance(0.6))
    b = d.x(t, [2 * group], d.chance(0.6)) if d.chance(0.5) else ""
    at.update(d.some("group", group if group > 1 else None, group))
    if d.chance(0.5):
        at["kernel_shape"] = kernel
    return d.node("Conv", [x, w, b], **at)


@op("ConvTranspose")
def conv_transpose(d):
    n, t = spatial_rank(d), d.t("T", (1, 1, 11, 10))
    kernel, at = window(d, n)
    group = d.one(1, 1, 2)
    x = d.x(t, [1, 2 * group] + d.dims(n, 3, 5))
    w = d.x(t, [2 * group, 2] + kernel, d.chance(0.6))
    b = d.x(t, [2 * group], True) if d.chance(0.5) else ""
    at["group"] = group
    strides = at.get("strides")
    if strides and d.chance(0.4):
        at["output_padding"] = [d.int(0, s - 1) for s in strides]
    return d.node("ConvTranspose", [x, w, b], **at)


@op("ConvInteger")
def conv_integer(d):
    n = d.one(1, 2, 2, 3)
    kernel, at = window(d, n)
    t1, t2 = d.t("T1", (2,)), d.t("T2", (2,))
    x = d.x(t1, [1, 2] + d.dims(n, 4, 6))
    w = d.x(t2, [3, 2] + kernel, d.chance(0.7))
    xz = d.x(t1, [], d.chance(0.7)) if d.chance(0.6) else ""
    wz = d.x(t2, d.one([], [1], [3]), d.chance(0.7)) if d.chance(0.6) else ""
    return d.node("ConvInteger", [x, w, xz, wz], **at)


@op("QLinearConv")
def qlinear_conv(d):
    n = d.one(1, 2, 2, 2, 3)
    kernel, at = window(d, n)
    t1, t2, t3 = d.t("T1", (2, 3)), d.t("T2", (2, 3)), d.t("T3", (2, 3))
    group = d.one(1, 1, 2)
    x = d.x(t1, [1, 2 * group] + d.dims(n, 4, 6))
    w = d.x(t2, [2 * group, 2] + kernel, True)
    many = [2 * group]
    scale = lambda dims: d.x(1, dims, True, 0.01, 0.1)
    ws, wz = d.one(([], []), (many, many), ([1], [1]), (many, many), (many, []))
    at["group"] = group
    bias = d.x(6, many, True) if d.chance(0.5) else ""
    constant = d.chance(0.5)
    zero = d.x(t2, wz, True, values=[0] * (2 * group if wz == many else 1)) if constant else d.x(t2, wz, True)
    return d.node("QLinearConv", [x, scale([]), d.x(t1, [], True), w, scale(ws), zero, scale(d.one([], [], [1])),
                                  d.x(t3, [], True), bias], **at)


@op("QLinearMatMul")
def qlinear_matmul(d):
    new = d.opset >= 21
    t1, t2, t3 = d.t("T1", (2, 3)), d.t("T2", (2, 3)), d.t("T3", (2, 3))
    ts = d.t("TS", (1,), 0.7) if new else 1
    lead = d.one([], [], [2])
    a, b = d.x(t1, lead + [3, 4]), d.x(t2, lead + [4, 5], d.chance(0.6))
    def pair(t, options):
        dims = d.one(*options)
        zero = d.one(dims, dims)
        return d.x(ts, dims, True, 0.01, 0.1), d.x(t, zero, True)
    asc, az = pair(t1, ([], [], [1], [3], lead + [3, 1]))
    bsc, bz = pair(t2, ([], [], [1], [5], lead + [1, 5]))
    ysc, yz = pair(t3, ([], [], [1], [3]))
    return d.node("QLinearMatMul", [a, asc, az, b, bsc, bz, ysc, yz])


@op("MatMulInteger")
def matmul_integer(d):
    t1, t2 = d.t("T1", (2, 3)), d.t("T2", (2, 3))
    lead = d.one([], [], [2])
    a, b = d.x(t1, lead + [3, 4]), d.x(t2, d.one(lead, []) + [4, 5], d.chance(0.5))
    az = d.x(t1, d.one([], [1], [3], lead + [3, 1]), d.chance(0.5)) if d.chance(0.6) else ""
    bz = d.x(t2, d.one([], [1], [5], lead + [1, 5]), d.chance(0.5)) if d.chance(0.6) else ""
    return d.node("MatMulInteger", [a, b, az, bz])


@op("MaxPool")
def max_pool(d):
    n, t = spatial_rank(d), d.t("T", (1, 1, 11, 2, 3))
    kernel, at = window(d, n)
    if d.schema.since_version < 10:
        at.pop("dilations", None)
    if d.schema.since_version >= 10:
        at.update(d.some("ceil_mode", None, 0, 1))
    if d.schema.since_version >= 8:
        at.update(d.some("storage_order", None, None, 0, 1))
    two = d.chance(0.35) and d.schema.since_version >= 8
    return d.node("MaxPool", [d.x(t, [d.int(1, 2), 2] + d.dims(n, 4, 7))], 2 if two else 1, kernel_shape=kernel, **at)


@op("AveragePool", "LpPool")
def average_pool(d):
    name = d.schema.name
    n, t = spatial_rank(d), d.t("T", (1, 1, 11))
    kernel, at = window(d, n)
    newer = d.schema.since_version >= (19 if name == "AveragePool" else 18)
    if not newer:
        at.pop("dilations", None)
    if newer or name == "AveragePool" and d.schema.since_version >= 10:
        at.update(d.some("ceil_mode", None, 0, 1))
    if name == "AveragePool" and d.schema.since_version >= 7:
        at.update(d.some("count_include_pad", None, 0, 1))
    if name == "LpPool":
        at.update(d.some("p", None, 1, 2, 3))
    return d.node(name, [d.x(t, [1, 2] + d.dims(n, 4, 7))], kernel_shape=kernel, **at)


@op("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(d):
    at = d.some("p", None, 1, 3) if d.schema.name == "GlobalLpPool" else {}
    return d.node(d.schema.name, [d.x(d.t(), [1, 2] + d.dims(d.int(0, 4), 1, 4))], **at)


@op("MaxUnpool")
def max_unpool(d):
    n = d.one(1, 2, 2, 3)
    kernel = [2] * n
    t = d.t("T1")
    x = d.x(t, [1, 1] + [2] * n)
    i = d.x(7, [1, 1] + [2] * n, values=[k * 2 for k in range(2 ** n)])
    shape = d.ints([1, 1] + [d.int(4, 5)] * n, d.chance(0.6)) if d.chance(0.5) else ""
    return d.node("MaxUnpool", [x, i, shape], kernel_shape=kernel, strides=[2] * n)


@op("MaxRoiPool")
def max_roi_pool(d):
    t = d.t()
    return d.node("MaxRoiPool", [d.x(t, [1, 2, 6, 6]), d.x(t, [2, 5], values=[0, 0, 0, 3, 3, 0, 1, 1, 5, 5])],
                  pooled_shape=[2, 2], **d.some("spatial_scale", None, 0.5))


@op("RoiAlign")
def roi_align(d):
    t = d.t("T1")
    at = d.some("mode", None, "avg", "max")
    if d.opset >= 16:
        at.update(d.some("coordinate_transformation_mode", None, "half_pixel", "output_half_pixel"))
    at.update(d.some("sampling_ratio", None, 2))
    return d.node("RoiAlign", [d.x(t, [1, 2, 6, 6]), d.x(t, [1, 4], values=[0, 0, 4, 4]), d.x(7, [1], values=[0])],
                  output_height=2, output_width=2, **at)


@op("LRN")
def lrn(d):
    return d.node("LRN", [d.x(d.t(), [1, 3] + d.dims(d.int(0, 3), 2, 4))], size=d.one(1, 3, 2))


@op("Resize")
def resize(d):
    rank, t = d.one(1, 2, 3, 4, 4, 4, 5), d.t("T1" if d.opset > 10 else "T", (1, 1, 2, 3, 11))
    sizes = d.dims(rank, 2, 5)
    mode = d.one("nearest", "linear", "linear", "cubic") if d.opset >= 11 else d.one("nearest", "linear")
    at = {"mode": mode}
    free = [d.one(1.0, 2.0, 1.5, 0.5) for _ in sizes]
    shape = d.one("all", "inner", "inner", "last")
    if shape != "all":
        edge = rank - (2 if shape == "inner" else 1)
        free = [1.0 if i < edge else s for i, s in enumerate(free)]
        if shape == "inner" and rank == 4 and d.chance(0.3):
            free = [1.0] + [d.one(2.0, 0.5)] * 2 + [1.0]
    stored = d.chance(0.75)
    if d.opset < 11:
        return d.node("Resize", [d.x(t, sizes), d.x(1, [rank], stored, values=free)], **at)
    at.update(d.some("coordinate_transformation_mode", None, None, "half_pixel", "align_corners", "asymmetric",
                     "pytorch_half_pixel", "tf_crop_and_resize", "tf_half_pixel_for_nn" if d.opset < 13 else None,
                     "half_pixel_symmetric" if d.opset >= 19 else None))
    if mode == "nearest":
        at.update(d.some("nearest_mode", None, "floor", "ceil", "round_prefer_ceil"))
    if mode == "cubic":
        at.update(d.some("exclude_outside", None, 1))
        at.update(d.some("cubic_coeff_a", None, -0.5))
    axes = None
    if d.opset >= 18:
        at.update(d.some("antialias", None, None, 1) if mode != "nearest" else {})
        if d.chance(0.3) and rank > 1:
            axes = d.one([rank - 1], [rank - 2, rank - 1], [rank - 1, rank - 2], [-2, -1], [0])
            at["axes"] = axes
            free = [free[a] for a in axes]
        if d.chance(0.2):
            at["keep_aspect_ratio_policy"] = d.one("not_larger", "not_smaller", "stretch")
    of = axes or list(range(rank))
    roi = ""
    if at.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        roi = d.x(1, [2 * len(of)], True, values=[0.1] * len(of) + [0.9] * len(of))
        at.update(d.some("extrapolation_value", None, 2.0))
    if d.opset < 13 and not roi:
        roi = d.x(1, [0], True, values=[])
    by_size = d.chance(0.4) or at.get("keep_aspect_ratio_policy")
    if by_size:
        said = d.ints([max(1, int(sizes[a] * s)) for a, s in zip(of, free)], stored)
        return d.node("Resize", [d.x(t, sizes), roi, "" if d.opset >= 13 else d.x(1, [0], True, values=[]), said], **at)
    return d.node("Resize", [d.x(t, sizes), roi, d.x(1, [len(free)], stored, values=free)], **at)


@op("Upsample")
def upsample(d):
    rank = d.one(2, 3, 4, 4, 5)
    s = [1.0 if i < rank - 2 else 2.0 for i in range(rank)] if d.chance(0.7) else [d.one(1.0, 2.0) for _ in range(rank)]
    x = d.x(d.t(), d.dims(rank, 2, 3))
    mode = d.one("nearest", "linear")
    if d.opset < 9:
        return d.node("Upsample", [x], scales=s, mode=mode)
    return d.node("Upsample", [x, d.x(1, [rank], True, values=s)], mode=mode)


@op("GridSample")
def grid_sample(d):
    n = d.one(2, 2, 3) if d.opset >= 20 else 2
    mode = d.one(None, "linear", "nearest", "cubic") if d.opset >= 20 else d.one(None, "bilinear", "nearest", "bicubic")
    t1, t2 = d.t("T1"), d.t("T2")
    x = d.x(t1, [1, 2] + d.dims(n, 3, 4))
    grid = d.x(t2, [1] + [2] * n + [n], False, -1, 1)
    return d.node("GridSample", [x, grid], mode=mode, **d.some("padding_mode", None, "zeros", "border", "reflection"),
                  **d.some("align_corners", None, 0, 1))


@op("AffineGrid")
def affine_grid(d):
    n = d.one(2, 3)
    return d.node("AffineGrid", [d.x(d.t("T1"), [1, n, n + 1]), d.ints([1, 2] + [3] * n, d.chance(0.5))],
                  **d.some("align_corners", None, 0, 1))


@op("Col2Im")
def col2im(d):
    n = d.one(2, 2, 1, 3)
    block, image = [2] * n, [4] * n
    return d.node("Col2Im", [d.x(d.t(), [1, 2 * 2 ** n, 3 ** n]), d.ints(image), d.ints(block)])


@op("CenterCropPad")
def center(d):
    return d.node("CenterCropPad", [d.x(d.t(), [4, 5, 3]), d.ints(d.one([2, 6], [6, 6]), d.chance(0.7), d.t("Tind"))], axes=d.one([0, 1], [1, 2], [-3, -2]))


@op("Gemm")
def gemm(d):
    t = d.t("T", (1, 11, 10))
    a, b = d.one(0, 1), d.one(0, 1)
    x = d.x(t, [4, 3] if a else [3, 4])
    w = d.x(t, [5, 4] if b else [4, 5], d.chance(0.6))
    c = d.x(t, d.one([5], [3, 5], [1], [], [3, 1]), d.chance(0.6)) if d.opset < 11 or d.chance(0.7) else ""
    return d.node("Gemm", [x, w, c], transA=a or None, transB=b or None, **d.some("alpha", None, 0.5), **d.some("beta", None, 0.5))


@op("MatMul")
def matmul(d):
    t = d.t("T", (1, 11, 6, 7, 10))
    a, b = d.one(([3, 4], [4, 5]), ([2, 3, 4], [4, 5]), ([2, 3, 4], [2, 4, 5]), ([4], [4]), ([4], [4, 5]), ([3, 4], [4]), ([0, 4], [4, 5]), ([1, 2, 3, 4], [2, 1, 4, 5]))
    return d.node("MatMul", [d.x(t, a), d.x(t, b, d.chance(0.5))])


@op("DeformConv")
def deform(d):
    t = d.t()
    n = d.one(2, 2, 1)
    k = 2 ** n
    mask = d.x(t, [1, k] + [3] * n) if d.chance(0.4) else ""
    return d.node("DeformConv", [d.x(t, [1, 2] + [4] * n), d.x(t, [3, 2] + [2] * n, True), d.x(t, [1, n * k] + [3] * n), d.x(t, [3], True) if d.chance(0.5) or mask else "", mask])
