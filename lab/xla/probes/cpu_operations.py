"""Which operations the XLA of a jaxlib computes on CPUs with numbers of few bits.

cpu_operations.py [FIRST]

Compiles a program for each type and operation, of which the parameter and the result have 32 bits, and prints a line for each:
the type, the operation, and `ok` or what was said. A program may end the process: then start again with the number behind it.
To be run by a Python with JAX; `crates/xla/stablehlo/data/cpu-operations.tsv` was written from what several releases printed.
"""
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

TYPES = ["i2", "ui2", "i4", "ui4", "f4E2M1FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3B11FNUZ", "f8E4M3FNUZ", "f8E5M2",
         "f8E5M2FNUZ", "f8E8M0FNU", "f16", "bf16"]

# `T` is the type, `W` the one of 32 bits; %x is the parameter, %a the same as T, %z the result.
BACK = "%z = stablehlo.convert %b : (tensor<4x4xT>) -> tensor<4x4xW>"
OPERATIONS = {
    "convert": "%b = stablehlo.add %x, %x : tensor<4x4xW>\n%z = stablehlo.convert %a : (tensor<4x4xT>) -> tensor<4x4xW>",
    "add": "%b = stablehlo.add %a, %a : tensor<4x4xT>\n" + BACK,
    "multiply": "%b = stablehlo.multiply %a, %a : tensor<4x4xT>\n" + BACK,
    "maximum": "%b = stablehlo.maximum %a, %a : tensor<4x4xT>\n" + BACK,
    "negate": "%b = stablehlo.negate %a : tensor<4x4xT>\n" + BACK,
    "compare": "%p = stablehlo.compare LT, %a, %a : (tensor<4x4xT>, tensor<4x4xT>) -> tensor<4x4xi1>\n"
               "%z = stablehlo.convert %p : (tensor<4x4xi1>) -> tensor<4x4xW>",
    "select": "%p = stablehlo.constant dense<true> : tensor<4x4xi1>\n"
              "%b = stablehlo.select %p, %a, %a : tensor<4x4xi1>, tensor<4x4xT>\n" + BACK,
    "transpose": "%b = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xT>) -> tensor<4x4xT>\n" + BACK,
    "concatenate": "%c = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4x4xT>, tensor<4x4xT>) -> tensor<8x4xT>\n"
                   "%b = stablehlo.slice %c [2:6, 0:4] : (tensor<8x4xT>) -> tensor<4x4xT>\n" + BACK,
    "dot_general": "%b = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
                   "(tensor<4x4xT>, tensor<4x4xT>) -> tensor<4x4xT>\n" + BACK,
    "dot_general>": "%z = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
                    "(tensor<4x4xT>, tensor<4x4xT>) -> tensor<4x4xW>",
    "reduce": "%i = stablehlo.constant dense<ZERO> : tensor<T>\n"
              "%c = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : "
              "(tensor<4x4xT>, tensor<T>) -> tensor<4xT>\n"
              "%b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xT>) -> tensor<4x4xT>\n" + BACK,
    "iota": "%b = stablehlo.iota dim = 0 : tensor<4x4xT>\n" + BACK,
    "sort": '%b = "stablehlo.sort"(%a) ({\n^bb0(%l: tensor<T>, %m: tensor<T>):\n'
            "%c = stablehlo.compare LT, %l, %m : (tensor<T>, tensor<T>) -> tensor<i1>\n"
            "stablehlo.return %c : tensor<i1>\n"
            "}) {dimension = 0 : i64, is_stable = true} : (tensor<4x4xT>) -> tensor<4x4xT>\n" + BACK,
}


def program(element, body):
    wide = "i32" if element.lstrip("u").startswith("i") else "f32"
    text = ("module {\nfunc.func public @main(%x: tensor<4x4xW>) -> tensor<4x4xW> {\n"
            "%a = stablehlo.convert %x : (tensor<4x4xW>) -> tensor<4x4xT>\n" + body + "\nreturn %z : tensor<4x4xW>\n}\n}\n")
    zero = "0" if wide == "i32" else "1.0"
    return text.replace("ZERO", zero).replace("xW", f"x{wide}").replace("xT", f"x{element}").replace("<T>", f"<{element}>")


def compiler():
    """Compiles a text, by the interface of this jaxlib."""
    import jax
    from jaxlib import xla_client

    client = jax.devices()[0].client
    options = xla_client.CompileOptions()
    if not hasattr(client, "compile_and_load"):
        return lambda text: client.compile(text, options)
    try:
        from jaxlib._jax import DeviceList
    except ImportError:
        from jaxlib.xla_extension import DeviceList
    devices = DeviceList(tuple(client.local_devices()[:1]))
    return lambda text: client.compile_and_load(text, devices, options)


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    compiled = compiler()
    all_programs = [(element, name, body) for element in TYPES for name, body in OPERATIONS.items()]
    for at, (element, name, body) in enumerate(all_programs):
        if at < first:
            continue
        print(at, element, name, end=" ", flush=True)
        try:
            compiled(program(element, body))
            print("ok", flush=True)
        except Exception as error:  # Each release has classes of its own.
            print(" ".join(str(error).split())[:200], flush=True)


main()
