"""What the real serializer of a jaxlib makes of artifacts for other versions, and whether others read as its own do.

    stablehlo_lower.py write IN OUT VERSION...   `OUT/NAME@VERSION.bc` of each artifact `IN/NAME.bc`, where it succeeds
    stablehlo_lower.py compare REAL OURS          a line of JSON for each artifact of OURS

An artifact of OURS is read, and printed as text; so is the one of the same name in REAL, if it is there.
"""

import glob
import json
import os
import sys

from stablehlo_read import make_context, reader


def names(folder):
    return sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder, "*.bc")))


def content(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def write(stablehlo, context, source, out, versions):
    from jaxlib.mlir import ir

    for name in names(source):
        data = content(source, name)
        for version in versions:
            try:
                # The serializer changes the module that it is given, so each version gets its own.
                with context, ir.Location.unknown():
                    module = stablehlo.deserialize_portable_artifact(context, data)
                    try:
                        made = stablehlo.serialize_portable_artifact(module, version, True)
                    except TypeError:
                        made = stablehlo.serialize_portable_artifact(module, version)
            except Exception:
                continue
            with open(os.path.join(out, "%s@%s.bc" % (name[:-3], version)), "wb") as file:
                file.write(made)


def compare(real, ours):
    read = reader()

    def text(data):
        return str(read(data))

    there = set(names(real))
    for name in names(ours):
        row = {"file": name, "real": name in there, "reads": True, "equal": None, "said": ""}
        try:
            printed = text(content(ours, name))
        except Exception as error:
            row.update(reads=False, said=str(error)[-300:])
            printed = None
        if name in there:
            try:
                expected = text(content(real, name))
            except Exception as error:
                row.update(real=None, said=str(error)[-300:])
            else:
                row["equal"] = printed == expected
        print(json.dumps(row), flush=True)


def main():
    if sys.argv[1] == "write":
        from jaxlib.mlir.dialects import stablehlo

        write(stablehlo, make_context(), sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        compare(sys.argv[2], sys.argv[3])


main()
