"""Writes the modules of JAX's own back-compatibility data into a folder: one file for each that JAX serialized.

    stablehlo_modules.py FOLDER

They stand in jax/_src/internal_test_util/export_back_compat_test_data, of which this JAX has what was there when it was
released: calls of LAPACK, cuSOLVER, Mosaic and Triton, shardings, dynamic shapes, written by releases since 2023.
"""

import datetime  # noqa: F401  the data name it
import importlib
import pathlib
import pkgutil
import sys

DATA = "jax._src.internal_test_util.export_back_compat_test_data"
MODULE = "mlir_module_serialized"


def modules(value, name, depth=0):
    """Every serialized module in a value, with the path to it."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == MODULE and isinstance(inner, (bytes, bytearray)):
                yield name, bytes(inner)
            else:
                yield from modules(inner, f"{name}.{key}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from modules(inner, f"{name}.{index}", depth + 1)
    elif hasattr(value, MODULE):
        yield name, bytes(getattr(value, MODULE))


def main():
    folder = pathlib.Path(sys.argv[1])
    package = importlib.import_module(DATA)
    seen = set()
    for _, name, _ in pkgutil.iter_modules(package.__path__):
        data = vars(importlib.import_module(f"{DATA}.{name}"))
        for key in sorted(data):
            if key.startswith("_"):
                continue
            for path, module in modules(data[key], f"{name}.{key}"):
                if module not in seen and module.startswith(b"ML\xefR"):
                    seen.add(module)
                    (folder / f"{path.replace('/', '_')}.bc").write_bytes(module)
    print(f"{len(seen)} modules", file=sys.stderr)


main()
