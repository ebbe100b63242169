"""Makes StableHLO programs at random, and portable artifacts of them for versions at random.

    python stablehlo_make.py FOLDER SEED COUNT [--pieces PROGRAM:PIECE,PIECE...]

A program is a module of one to three functions, *pieces*, each of which holds one thing: an operation with an element
type and attributes, a type, an attribute of another dialect. What the real parser or the real serializer of this
jaxlib refuses is left out. `PROGRAM-PIECE_PIECE@VERSION.bc` is an artifact, and each program lies beside its
artifacts as text. `--pieces` makes artifacts of these pieces of one program only, for every version: what a
disagreement is narrowed down with. The same seed makes the same programs.
"""

import os
import random
import sys

FLOATS = ["f16", "bf16", "f32", "f64"]
SMALL_FLOATS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E4M3", "f8E3M4", "f4E2M1FN",
                "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"]  # fmt: skip
INTEGERS = ["i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64"]
UNARY = ["abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one",
         "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan",
         "tanh"]  # fmt: skip
ACCURATE = ["cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine",
            "sqrt", "tan", "tanh"]  # fmt: skip
BINARY = ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"]
BITS = ["and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"]


def unary(r):
    name, kind = r.choice(UNARY), r.choice(FLOATS)
    more = ""
    if name in ACCURATE and r.random() < 0.4:
        mode = r.choice(["DEFAULT", "HIGHEST"])
        more = " {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<%s>>}" % mode
    return "%%a: tensor<4x%s>" % kind, '%%0 = "stablehlo.%s"(%%a)%s : (tensor<4x%s>) -> tensor<4x%s>' % (
        name, more, kind, kind)  # fmt: skip


def binary(r):
    name, kind = r.choice([(r.choice(BINARY), r.choice(FLOATS)), (r.choice(BITS), r.choice(INTEGERS))])
    t = "tensor<2x3x%s>" % kind
    return "%%a: %s, %%b: %s" % (t, t), '%%0 = "stablehlo.%s"(%%a, %%b) : (%s, %s) -> %s' % (name, t, t, t)


def convert(r):
    every = FLOATS + SMALL_FLOATS + INTEGERS + ["i1"]
    a, b = r.choice(every), r.choice(every)
    return "%%a: tensor<4x%s>" % a, '%%0 = "stablehlo.convert"(%%a) : (tensor<4x%s>) -> tensor<4x%s>' % (a, b)


def constant(r):
    kind = r.choice(INTEGERS + FLOATS)
    value = "1.0" if "f" in kind else "1"
    return "", "%%0 = stablehlo.constant dense<%s> : tensor<4x%s>" % (value, kind)


def compare(r):
    way = r.choice(["EQ", "NE", "GE", "GT", "LE", "LT"])
    kind, how = r.choice([("f32", "FLOAT"), ("f32", "TOTALORDER"), ("i32", "SIGNED"), ("ui8", "UNSIGNED"), ("f32", None)])
    how = ", compare_type = #stablehlo<comparison_type %s>" % how if how else ""
    t = "tensor<4x%s>" % kind
    return "%%a: %s, %%b: %s" % (t, t), (
        '%%0 = "stablehlo.compare"(%%a, %%b) {comparison_direction = #stablehlo<comparison_direction %s>%s} : '
        "(%s, %s) -> tensor<4xi1>" % (way, how, t, t)
    )


def _sum(kind):
    return ('^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n %%s = "stablehlo.add"(%%x, %%y) : (tensor<%s>, tensor<%s>) -> '
            'tensor<%s>\n "stablehlo.return"(%%s) : (tensor<%s>) -> ()\n' % ((kind,) * 6))  # fmt: skip


def _widths(r):
    a = r.choice(["f32", "i8", "bf16"])
    return a, r.choice([a, a, {"f32": "f64", "i8": "i32", "bf16": "f32"}[a]])


def reduce(r):
    a, b = _widths(r)
    return "%%a: tensor<4x3x%s>, %%i: tensor<%s>" % (a, a), (
        '%%0 = "stablehlo.reduce"(%%a, %%i) ({\n%s}) {dimensions = array<i64: 0>} : (tensor<4x3x%s>, tensor<%s>) -> '
        "tensor<3x%s>" % (_sum(b), a, a, b)
    )


def reduce_window(r):
    a, b = _widths(r)
    return "%%a: tensor<4x%s>, %%i: tensor<%s>" % (a, a), (
        '%%0 = "stablehlo.reduce_window"(%%a, %%i) ({\n%s}) {window_dimensions = array<i64: 2>} : (tensor<4x%s>, '
        "tensor<%s>) -> tensor<3x%s>" % (_sum(b), a, a, b)
    )


def scatter(r):
    a, b = _widths(r)
    batching = r.random() < 0.4
    if batching:
        numbers = ("update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], "
                   "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1")  # fmt: skip
        t, i, u = "4x6x", "4x1xi32", "4x2x"
    else:
        numbers = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
        t, i, u = "4x6x", "2x1xi32", "2x6x"
    return "%%a: tensor<%s%s>, %%i: tensor<%s>, %%u: tensor<%s%s>" % (t, a, i, u, a), (
        '%%0 = "stablehlo.scatter"(%%a, %%i, %%u) ({\n%s}) {scatter_dimension_numbers = #stablehlo.scatter<%s>} : '
        "(tensor<%s%s>, tensor<%s>, tensor<%s%s>) -> tensor<%s%s>" % (_sum(b), numbers, t, a, i, u, a, t, b)
    )


def gather(r):
    if r.random() < 0.5:
        numbers = ("offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
                   "start_index_map = [1], index_vector_dim = 1")  # fmt: skip
        i, sizes, out = "4x1xi32", "1, 2", "4x2"
    else:
        numbers = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
        i, sizes, out = "3x1xi32", "1, 6", "3x6"
    return "%%a: tensor<4x6xf32>, %%i: tensor<%s>" % i, (
        '%%0 = "stablehlo.gather"(%%a, %%i) {dimension_numbers = #stablehlo.gather<%s>, slice_sizes = array<i64: %s>, '
        "indices_are_sorted = false} : (tensor<4x6xf32>, tensor<%s>) -> tensor<%sxf32>" % (numbers, sizes, i, out)
    )


def custom_call(r):
    version = r.choice([None, 1, 2, 3, 4])
    config = r.choice([None, '"text"', "{number = 4 : i64}", '{name = "x", on = true}', "{}"])
    operands = r.choice([None, "[dense<0> : tensor<1xindex>]", "[dense<> : tensor<0xindex>]"])
    results = r.choice([None, "[dense<0> : tensor<1xindex>]"])
    fields = ['call_target_name = "%s"' % r.choice(["Sharding", "lapack_sgetrf_ffi", "mine", "annotate_device_placement"])]
    fields += ["api_version = %d : i32" % version] if version else []
    fields += ["backend_config = %s" % config] if config else []
    fields += ["has_side_effect = true"] if r.random() < 0.3 else []
    fields += ["operand_layouts = %s" % operands] if operands else []
    fields += ["result_layouts = %s" % results] if results else []
    fields += ["mhlo.frontend_attributes = {a = \"b\"}"] if r.random() < 0.2 else []
    if r.random() < 0.2:
        return "%a: tensor<4xf32>", '"stablehlo.custom_call"(%%a) {%s} : (tensor<4xf32>) -> ()' % ", ".join(fields)
    return "%a: tensor<4xf32>", '%%0 = "stablehlo.custom_call"(%%a) {%s} : (tensor<4xf32>) -> tensor<4xf32>' % ", ".join(fields)


def collective(r):
    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
    channel = r.choice(["", ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"])
    name = r.choice(["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute",
                     "collective_broadcast", "cross-replica-sum"])  # fmt: skip
    a, b = _widths(r)
    count = r.choice([1, 1, 2])
    arguments = ", ".join("%%a%d: tensor<4x%s>" % (i, a) for i in range(count))
    given = ", ".join("%%a%d" % i for i in range(count))
    types = ", ".join(["tensor<4x%s>" % a] * count)
    if name == "all_reduce":
        out = ", ".join(["tensor<4x%s>" % b] * count)
        return arguments, '%%0:%d = "stablehlo.all_reduce"(%s) ({\n%s}) {%s%s} : (%s) -> (%s)' % (
            count, given, _sum(b), groups, channel, types, out)  # fmt: skip
    if name == "all_gather":
        out = ", ".join(["tensor<8x%s>" % a] * count)
        return arguments, '%%0:%d = "stablehlo.all_gather"(%s) {all_gather_dim = 0 : i64, %s%s} : (%s) -> (%s)' % (
            count, given, groups, channel, types, out)  # fmt: skip
    if name == "all_to_all":
        more = "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64"
        return arguments, '%%0:%d = "stablehlo.all_to_all"(%s) {%s, %s%s} : (%s) -> (%s)' % (
            count, given, more, groups, channel, types, types)  # fmt: skip
    one = "%%a: tensor<4x%s>" % a
    if name == "reduce_scatter":
        return one, ('%%0 = "stablehlo.reduce_scatter"(%%a) ({\n%s}) {scatter_dimension = 0 : i64, %s%s} : '
                     "(tensor<4x%s>) -> tensor<2x%s>" % (_sum(b), groups, channel, a, b))  # fmt: skip
    if name == "collective_permute":
        groups = "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>"
    if name == "cross-replica-sum":
        groups, channel = "replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>", ""
    return one, '%%0 = "stablehlo.%s"(%%a) {%s%s} : (tensor<4x%s>) -> tensor<4x%s>' % (name, groups, channel, a, a)


def dot(r):
    algorithm = r.choice(["", ", algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, "
                              "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
                              "num_primitive_operations = 1, allow_imprecise_accumulation = false>"])  # fmt: skip
    precision = r.choice(["", ", precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]"])
    return "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", (
        '%%0 = "stablehlo.dot_general"(%%a, %%b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], '
        "rhs_contracting_dimensions = [0]>%s%s} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>" % (precision, algorithm)
    )


SIMPLE = [
    ("%a: tensor<4xf32>", '%0 = "stablehlo.is_finite"(%a) : (tensor<4xf32>) -> tensor<4xi1>'),
    ("%a: tensor<4xcomplex<f32>>", '%0 = "stablehlo.real"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>'),
    ("%a: tensor<4xcomplex<f64>>", '%0 = "stablehlo.imag"(%a) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>'),
    ("%a: tensor<2x3xf32>", '%0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>'),
    ("%a: tensor<2x3xf32>", '%0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xf32>'),
    ("", '%0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>'),
    ("%a: tensor<4xf32>, %p: tensor<f32>", '%0 = "stablehlo.pad"(%a, %p) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>'),
    ("%a: tensor<4xf32>", '%0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>'),
    ("%a: tensor<4x4xf32>", '%0 = "stablehlo.cholesky"(%a) {lower = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>'),
    ("%a: tensor<4xcomplex<f32>>", '%0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>'),
    ("%a: tensor<4xf32>", '%0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<4xf32>) -> tensor<4xf32>'),
    ("%a: tensor<4xf32>, %b: tensor<4xi32>", '%0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)'),
    ("%a: tensor<?xf32>", '%0 = "stablehlo.get_dimension_size"(%a) {dimension = 0 : i64} : (tensor<?xf32>) -> tensor<i32>'),
    ("%a: tensor<?xf32, #stablehlo.bounds<4>>", '%0 = "stablehlo.abs"(%a) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>>'),
    ("%a: tensor<?xf32>, %s: tensor<1xi64>", '%0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>'),
    ("%a: tensor<4xf32>", '%0 = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>>'),
    ("", '%0 = "stablehlo.create_token"() : () -> !stablehlo.token'),
    ("%t: !stablehlo.token", '%0 = "stablehlo.after_all"(%t) : (!stablehlo.token) -> !stablehlo.token'),
    ("%a: tensor<4xf32>, %t: !stablehlo.token", '%0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token'),
    ("%t: !stablehlo.token", '%0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)'),
    ("%t: !stablehlo.token", '%0:2 = "stablehlo.infeed"(%t) {infeed_config = "x"} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)'),
    ("%a: tensor<4xf32>", '%0 = "chlo.erf"(%a) : (tensor<4xf32>) -> tensor<4xf32>'),
    ("%a: tensor<4xf32>", '%0 = "arith.negf"(%a) : (tensor<4xf32>) -> tensor<4xf32>'),
    ("%a: tensor<4xui8>", '%0 = "stablehlo.popcnt"(%a) : (tensor<4xui8>) -> tensor<4xui8>'),
    ("%a: tensor<2xui64>", '%0:2 = "stablehlo.rng_bit_generator"(%a) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)'),
    ("%a: tensor<4xf32>, %b: tensor<4xi32>", '%0:2 = "stablehlo.sort"(%a, %b) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<i32>, %w: tensor<i32>):\n %c = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>\n "stablehlo.return"(%c) : (tensor<i1>) -> ()\n}) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)'),
]  # fmt: skip

#: Attributes that a program may carry beside its own.
BESIDE = [
    'mhlo.sharding = "{replicated}"',
    "my.number = 3 : i64",
    "my.list = array<i64: 1, 2>",
    "my.flag",
    "my.map = affine_map<(d0) -> (d0)>",
    "my.elements = dense<1> : tensor<2xi32>",
    "my.names = [\"a\", 2 : i32]",
    "my.type = tensor<4xf32>",
    "tf.aliasing_output = 0 : i32",
    "jax.buffer_donor = true",
]


def simple(r):
    return r.choice(SIMPLE)


MAKERS = [unary, unary, binary, convert, convert, constant, compare, reduce, reduce_window, scatter, gather, custom_call,
          custom_call, custom_call, collective, collective, dot, simple, simple, simple]  # fmt: skip


def piece(seed):
    """The text of a function, but for its name."""
    r = random.Random(seed)
    arguments, line = r.choice(MAKERS)(r)
    if arguments and "," not in arguments and r.random() < 0.15:
        if r.random() < 0.3 and "tensor<4x" in arguments:
            arguments += ' {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
        else:
            arguments += " {%s}" % r.choice(BESIDE)
    return "func.func @NAME(%s) {\n%s\nreturn\n}" % (arguments, line)


def module(seeds):
    pieces = [piece(seed).replace("@NAME", "@p%d" % at) for at, seed in enumerate(seeds)]
    mesh = 'sdy.mesh @mesh = <["x"=2]>\n' if any("sdy." in text for text in pieces) else ""
    return "module {\n%s%s\n}\n" % (mesh, "\n".join(pieces))


def main():
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    only = sys.argv[5] if len(sys.argv) > 5 else None
    from stablehlo_read import make_context
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    context = make_context()
    newest = stablehlo.get_current_version()
    major, minor = (int(part) for part in newest.split(".")[:2])
    versions = ["0.%d.0" % n for n in range(9, 21)] + ["1.%d.0" % n for n in range(minor + 1)]
    if (major, newest) != (1, versions[-1]):
        versions.append(newest)

    def written(text, version):
        with context:
            try:
                parsed = ir.Module.parse(text)
                try:
                    return stablehlo.serialize_portable_artifact(parsed, version, True)
                except TypeError:
                    return stablehlo.serialize_portable_artifact(parsed, version)
            except Exception:
                return None

    def write(name, text, versions):
        made = 0
        for version in versions:
            data = written(text, version)
            if data:
                made += 1
                with open(os.path.join(folder, "%s@%s.bc" % (name, version)), "wb") as out:
                    out.write(data)
        if made:
            with open(os.path.join(folder, name + ".mlir"), "w") as out:
                out.write(text)

    def seeds_of(number):
        r = random.Random("%d/%d" % (seed, number))
        return ["%d/%d/%d" % (seed, number, at) for at in range(r.choice([1, 1, 2, 3]))]

    if only:
        number, at = only.split(":")
        seeds, at = seeds_of(int(number)), [int(one) for one in at.split(",")]
        write("%s-%s" % (number, "_".join(map(str, at))), module([seeds[one] for one in at]), versions)
        return
    for number in range(count):
        r = random.Random("%d/%d/versions" % (seed, number))
        seeds = seeds_of(number)
        name = "%d-%s" % (number, "_".join(str(at) for at in range(len(seeds))))
        write(name, module(seeds), r.sample(versions, 6) + [newest])


if __name__ == "__main__":
    main()
