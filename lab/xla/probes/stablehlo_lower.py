"""What the real serializer of a jaxlib makes of artifacts for other versions, and how artifacts read.

    stablehlo_lower.py parse IN OUT              artifacts of the programs in `IN/**/*.mlir`, for the newest version
    stablehlo_lower.py write IN OUT VERSION...   `OUT/NAME@VERSION.bc` of each artifact `IN/NAME.bc`, where it succeeds
    stablehlo_lower.py text IN OUT               `OUT/NAME.pretty.mlir` and `OUT/NAME.generic.mlir` of each artifact `IN/NAME.bc`
    stablehlo_lower.py print IN                  a line of JSON for each artifact: a digest of its text, if it is read

Programs of one file stand between lines of `// -----`. Other dialects are allowed from 1.11.0 on, which let them in.
A program that takes the process down is passed over when it is started again: `OUT/at` has its name.
"""

import glob
import hashlib
import json
import os
import sys

from stablehlo_read import make_context, reader


def artifacts(folder):
    return sorted(glob.glob(os.path.join(folder, "*.bc")))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def serialize(stablehlo, module, version):
    if tuple(int(part) for part in version.split(".")) < (1, 11, 0):
        return stablehlo.serialize_portable_artifact(module, version)
    return stablehlo.serialize_portable_artifact(module, version, True)


class Progress:
    """What was done, by name, so that a program that took the process down is not tried again."""

    def __init__(self, out):
        self.at, self.passed = os.path.join(out, "at"), os.path.join(out, "passed")
        if os.path.exists(self.at):
            with open(self.at) as last, open(self.passed, "a") as passed:
                passed.write(last.read() + "\n")
        self.done = set()
        if os.path.exists(self.passed):
            with open(self.passed) as passed:
                self.done = {name.split("@")[0] for name in passed.read().split("\n")}

    def begins(self, place):
        if place.split("@")[0] in self.done or os.path.exists(place):
            return False
        with open(self.at, "w") as file:
            file.write(place)
        return True

    def ends(self):
        if os.path.exists(self.at):
            os.remove(self.at)


def parse(source, out):
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    context, newest, progress = make_context(), stablehlo.get_current_version(), Progress(out)
    for path in sorted(glob.glob(os.path.join(source, "**", "*.mlir"), recursive=True)):
        name = os.path.relpath(path, source)[: -len(".mlir")].replace(os.sep, "_")
        with open(path, errors="replace") as file:
            programs = file.read().split("// -----")
        for index, text in enumerate(programs):
            place = os.path.join(out, "%s-%d.bc" % (name, index))
            if not progress.begins(place):
                continue
            try:
                with context, ir.Location.unknown():
                    made = serialize(stablehlo, ir.Module.parse(text), newest)
                    # What its writer cannot read again has no meaning that others could keep.
                    stablehlo.deserialize_portable_artifact(context, made)
            except Exception:
                continue
            with open(place, "wb") as file:
                file.write(made)
    progress.ends()


def write(source, out, versions):
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    context, progress = make_context(), Progress(out)
    for path in artifacts(source):
        data = content(path)
        for version in versions:
            place = "%s@%s.bc" % (os.path.basename(path)[: -len(".bc")], version)
            if not progress.begins(os.path.join(out, place)):
                continue
            try:
                # The serializer changes the module that it is given, so each version gets its own.
                with context, ir.Location.unknown():
                    made = serialize(stablehlo, stablehlo.deserialize_portable_artifact(context, data), version)
            except Exception:
                continue
            with open(os.path.join(out, place), "wb") as file:
                file.write(made)
    progress.ends()


def text(source, out):
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    context, progress = make_context(), Progress(out)
    for path in artifacts(source):
        place = os.path.join(out, os.path.basename(path)[: -len(".bc")])
        if not progress.begins(place + ".pretty.mlir"):
            continue
        try:
            with context, ir.Location.unknown():
                module = stablehlo.deserialize_portable_artifact(context, content(path))
                pretty, generic = str(module), module.operation.get_asm(print_generic_op_form=True)
                # Some of what is printed says too little to be parsed again.
                ir.Module.parse(pretty)
        except Exception:
            continue
        for form, said in (("generic", generic), ("pretty", pretty)):
            with open("%s.%s.mlir" % (place, form), "w") as file:
                file.write(said)
    progress.ends()


def print_all(source):
    read = reader()
    for path in artifacts(source):
        row = {"file": os.path.basename(path), "text": None, "said": ""}
        try:
            row["text"] = hashlib.sha256(str(read(content(path))).encode()).hexdigest()
        except Exception as error:
            row["said"] = str(error)[-200:]
        print(json.dumps(row), flush=True)


def main():
    verb, *rest = sys.argv[1:]
    {"parse": parse, "text": text, "write": lambda a, b, *c: write(a, b, c), "print": print_all}[verb](*rest)


main()
