"""What StableHLO makes of the mathematical functions of CHLO, as a table.

    python stablehlo_chlo.py > crates/xla/stablehlo/data/chlo.txt

Each function is lowered by the pass of this jaxlib, for numbers without dimensions. What a lowering is for 16-bit floats
that are converted to 32 bits and back, and what is the same for several types but for its constants, stands once.
"""

import os
import struct

from stablehlo_read import make_context

ONE = (
    "acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma "
    "sinh square"
).split()
TWO = "mulhi next_after polygamma zeta".split()
FLOATS = ["f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>"]
INTEGERS = [sign + bits for sign in ("i", "ui") for bits in ("8", "16", "32", "64")]
BITS = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64"}

HEAD = """\
# What mathematical functions of CHLO are in StableHLO. Made by `cargo lab stablehlo-chlo` with jaxlib %s: changes are lost.
# A head has the name of the function and the types that it is for. Each line below is a value; the operands are the first
# values, the last value is the result. `k TYPE BYTES...` is a constant, with its bytes for each type of the head or for all.
# Another line is an operation, what it compares behind an equals sign, the numbers of its operands, and behind a colon the
# type of the result where it is not that of the first operand. T is the type of the function, R the type of its real part, I
# the integer that is as wide. `via f32`: as for that type, between conversions.
"""


def element(kind):
    text = str(kind)
    return text[len("tensor<") : -1]


def names(kind, of):
    """How a type is called in a function for `of`."""
    real = of[len("complex<") : -1] if of.startswith("complex<") else of
    if kind == of:
        return "T"
    if kind == real:
        return "R"
    return "I" if kind == BITS.get(of) else kind


def parts(text, kind):
    """The bits of a constant: `dense<1.0> : tensor<f32>`."""
    value = text[len("dense<") : text.rindex("> : tensor")]
    if kind.startswith("complex<"):
        inner = kind[len("complex<") : -1]
        return "".join(bits(one.strip(), inner) for one in value.strip("()").split(","))
    return bits(value, kind)


def bits(value, kind):
    import ml_dtypes
    import numpy

    if value.startswith("0x"):
        return bytes.fromhex(value[2:])[::-1].hex()
    if kind == "i1":
        return "01" if value == "true" else "00"
    if kind.lstrip("u").startswith("i"):
        width = int(kind.lstrip("ui"))
        return (int(value) % (1 << width)).to_bytes(width // 8, "little").hex()
    types = {"f16": numpy.float16, "bf16": ml_dtypes.bfloat16, "f32": numpy.float32, "f64": numpy.float64}
    raw = numpy.array(float(value)).astype(types[kind]).tobytes()
    if kind == "f32":
        raw = struct.pack("<f", float(numpy.float32(value)))
    return raw.hex()


def lowered(name, kind):
    """The lines of a function with placeholders, and what stands in the place of each constant."""
    from jaxlib.mlir import ir, passmanager

    count = 2 if name in TWO else 1
    result = "i1" if name.startswith("is_") else kind
    one, all_of = "tensor<%s>" % kind, ", ".join(["tensor<%s>" % kind] * count)
    arguments = ", ".join("%%%s: %s" % (letter, one) for letter in "ab"[:count])
    text = "func.func @f(%s) -> tensor<%s> {\n  %%0 = chlo.%s %s : %s -> tensor<%s>\n  return %%0 : tensor<%s>\n}" % (
        arguments, result, name, ", ".join(["%a", "%b"][:count]), all_of, result, result,
    )
    context = make_context()
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        pass_name = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
        passmanager.PassManager.parse(pass_name).run(module.operation)
        block = list(module.body.operations)[0].regions[0].blocks[0]
        numbers = list(block.arguments)
        kinds = [element(value.type) for value in numbers]
        lines = []
        *operations, end = list(block.operations)
        place = lambda value: next(at for at, one in enumerate(numbers) if one == value)
        for operation in operations:
            own = element(operation.results[0].type)
            short = operation.operation.name[len("stablehlo.") :]
            if short == "constant":
                said = str(operation).split("stablehlo.constant ", 1)[1]
                lines.append(("k", names(own, kind), parts(said.strip(), own)))
            else:
                at = [place(value) for value in operation.operands]
                attributes = operation.attributes
                said = ""
                if short == "compare":
                    direction, compared = (str(attributes[key]) if key in attributes else "NOTYPE" for key in ("comparison_direction", "compare_type"))
                    said = "=" + direction.split()[-1].rstrip(">") + "," + compared.split()[-1].rstrip(">")
                else:
                    own_names = [getattr(one, "name", one) for one in attributes]
                    assert set(own_names) <= {"result_accuracy"}, (short, own_names)
                words = [short + said, *map(str, at)]
                if own != kinds[at[0]]:
                    words.append(":" + names(own, kind))
                lines.append(("o", " ".join(words), ""))
            numbers.append(operation.results[0])
            kinds.append(own)
        last = place(end.operands[0])
        assert last == len(numbers) - 1 or not operations, (name, kind)
        return lines if last == len(numbers) - 1 else None


def shape(lines):
    return [line[:2] for line in lines]


def written(group):
    """The lines of a function that is the same for several types."""
    for line in zip(*group):
        if line[0][0] == "k":
            values = [one[2] for one in line]
            yield "k %s %s" % (line[0][1], " ".join(values if len(set(values)) > 1 else values[:1]))
        else:
            yield line[0][1]


def main():
    import jaxlib.version
    from jaxlib.mlir.dialects import stablehlo

    stablehlo.register_stablehlo_passes()
    print(HEAD % jaxlib.version.__version__, end="")
    for name in ONE + TWO:
        groups = []
        for kind in INTEGERS if name == "mulhi" else FLOATS:
            try:
                lines = lowered(name, kind)
            except Exception:
                continue  # The function is not for this type, or has no lowering.
            if lines is None:
                continue
            match = [group for group in groups if shape(group[1][0]) == shape(lines)]
            if match:
                match[0][0].append(kind)
                match[0][1].append(lines)
            else:
                groups.append(([kind], [lines]))
        wide = next((group for group in groups if "f32" in group[0]), None)
        for kinds, group in groups:
            if kinds == ["f16", "bf16"] and wide and is_via(group[0], wide[1][wide[0].index("f32")], 2 if name in TWO else 1):
                print("\n%s %s via f32" % (name, " ".join(kinds)))
                continue
            print("\n%s %s" % (name, " ".join(kinds)))
            print("\n".join(written(group)))


def is_via(narrow, wide, count):
    """Whether a lowering converts its operands, does what another does, and converts back."""
    if len(narrow) != len(wide) + count + 1:
        return False
    def moved(line):
        if line[0] == "k":
            return ("k", "f32" if line[1] in "TR" else line[1].replace("I", "i32"), line[2])
        words = []
        for at, word in enumerate(line[1].split()):
            word = str(int(word) + count) if at and word.isdigit() else word
            words.append({":T": ":f32", ":R": ":f32", ":I": ":i32"}.get(word, word))
        return ("o", " ".join(words), "")

    return all(line[1].startswith("convert") for line in narrow[:count] + narrow[-1:]) and narrow[count:-1] == [
        moved(line) for line in wide
    ]


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    main()
