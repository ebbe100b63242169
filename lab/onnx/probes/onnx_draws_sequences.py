"""What is drawn for operators of sequences and strings, and for those whose output type another input decides."""

from onnx import helper

from onnx_draws import op

ELEMENTS = (1, 10, 11, 7, 6, 9, 8, 3)


@op("Compress")
def compress(d):
    t = d.t("T", (1, 7))
    sizes = d.dims(d.int(1, 3), 2, 4)
    axis = d.one(None, 0, -1, len(sizes) - 1)
    size = d.int(1, 3) if axis is None else sizes[axis]
    return d.node("Compress", [d.x(t, sizes), d.x(9, [size], d.chance(0.5))], axis=axis)


@op("CastLike")
def cast_like(d):
    one, other = d.t("T1", (1, 7, 10)), d.t("T2", (1, 6, 11))
    at = d.some("saturate", None, None, 0, 1) if d.opset >= 19 else {}
    return d.node("CastLike", [d.x(one, d.dims(d.int(0, 3)), low=0, high=3), d.x(other, [1], d.chance(0.5))], **at)


@op("BitCast")
def bit_cast(d):
    return d.node("BitCast", [d.x(d.t("T1", (1, 6)), d.dims(2))], to=d.one(1, 6, 12, 7, 10))


@op("ConstantOfShape")
def constant_of_shape(d):
    t = d.t("T2", (1, 7))
    at = {} if d.chance(0.3) else {"value": helper.make_tensor("v", t, [1], [1])}
    return d.node("ConstantOfShape", [d.ints(d.one([2, 3], [0, 2], [1], [])) if d.chance(0.6) else d.x(7, [2], low=1, high=3)], **at)


@op("StringConcat")
def string_concat(d):
    sizes = d.dims(d.int(0, 3), 1, 3)
    return d.node("StringConcat", [d.x(8, sizes), d.x(8, d.one(sizes, [], [1]), d.chance(0.5))])


@op("RegexFullMatch")
def regex(d):
    return d.node("RegexFullMatch", [d.x(8, d.dims(d.int(0, 3)))], pattern=d.one("s.*", "s[0-2]", "(s)(1)", "\\d+"))


@op("StringSplit")
def split(d):
    at = {**d.some("delimiter", None, "1", ""), **d.some("maxsplit", None, 1, 0)}
    return d.node("StringSplit", [d.x(8, d.dims(d.int(0, 2)))], 2, **at)


def sequence(d):
    """A sequence of two or three tensors, and their element type."""
    t, sizes = d.one(*ELEMENTS), d.dims(d.int(0, 2), 1, 3)
    return t, d.node("SequenceConstruct", [d.x(t, sizes) for _ in range(d.int(2, 3))])


@op("SequenceAt")
def at(d):
    _, made = sequence(d)
    return d.node("SequenceAt", [made, d.x(d.one(6, 7), [], d.chance(0.5), values=[d.one(0, 1, -1)])])


@op("SequenceConstruct", "SequenceLength")
def length(d):
    return d.node("SequenceLength", [sequence(d)[1]])


@op("SequenceInsert", "SequenceErase", "SequenceEmpty")
def changed(d):
    t, made = sequence(d)
    if d.schema.name == "SequenceEmpty":
        made = d.node("SequenceEmpty", [], **({} if t == 1 and d.chance(0.5) else {"dtype": t}))
    where = d.one("", d.x(d.one(6, 7), [], d.chance(0.5), values=[0]))
    if d.schema.name == "SequenceErase":
        made = d.node("SequenceErase", [made, where])
    else:
        made = d.node("SequenceInsert", [made, d.x(t, d.dims(2, 1, 3)), where])
    return d.node("SequenceLength", [made])


@op("ConcatFromSequence")
def concat(d):
    t, rank = d.one(*ELEMENTS), d.int(1, 3)
    sizes = d.dims(rank, 1, 3)
    made = d.node("SequenceConstruct", [d.x(t, sizes) for _ in range(2)])
    return d.node("ConcatFromSequence", [made], axis=d.one(0, -1, rank - 1), **d.some("new_axis", None, 0, 1))
