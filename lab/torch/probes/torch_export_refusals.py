"""Tells what `torch.export.load` of whatever PyTorch runs this refuses, 2.1 or later.

    torch_export_refusals.py FOLDER FILE...

The files are programs that this same PyTorch wrote. Each is loaded with one thing changed at a time, once for every kind of
change: without one of its records, and with a field more or less at the first place of every type of the schema, walked along
the dataclasses of this PyTorch. FOLDER is for the changed files. Standard output gets a line of JSON for each kind:

    {"step": "record version", "ok": true, "detail": "", "seconds": 0.0}

Steps are `whole FILE` (rewritten, and nothing changed), `record NAME` (without it), `more TYPE` (with a field that nobody
knows), `less TYPE.FIELD` (without it), and `schema` (ok, and the version as detail). `ok` says that it was loaded, `detail`
is what PyTorch said. NAME is the name from within the folder of the archive, with the name of the model as `*`.
"""

import dataclasses
import json
import os
import sys
import time
import typing
import warnings
import zipfile

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
import torch.export
from torch._export.serde import schema

from torch_values import words

torch.set_num_threads(1)
UNKNOWN = "unskew_unknown"
# Python 3.8, of which releases up to 2.2 are made, has none.
ANNOTATED = getattr(typing, "Annotated", None)


def read(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def write(path, records):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in records:
            archive.writestr(name, content)


def loads(path):
    try:
        program = torch.export.load(path)
        program.module() if hasattr(program, "module") else program
        return True, ""
    except BaseException as error:
        return False, words(error)


def within(name):
    """A record's name from within the folder of the archive, with the name of the model as `*`."""
    parts = name.split("/", 1)
    known = ("models/", "data/", "extra/", ".data/", "version", "byteorder", "archive_", ".format")
    if len(parts) == 2 and parts[1].startswith(known):
        name = parts[1]
    name = name.replace("/model_", "/*_").replace("models/model.json", "models/*.json")
    for folder in ("weights", "constants", "sample_inputs"):
        if name.startswith("data/%s/model" % folder):
            name = name.replace("/model", "/*", 1)
    return name


def is_program(name):
    return name.endswith("serialized_exported_program.json") or ("models/" in name and name.endswith(".json"))


def changes(value, ty, done):
    """Every kind of change at the first place of each type: yields its name; while it is yielded, it is made."""
    origin, arguments = typing.get_origin(ty), typing.get_args(ty)
    if origin is not None and origin is ANNOTATED:
        yield from changes(value, arguments[0], done)
    elif origin is typing.Union:
        if value is not None:
            yield from changes(value, [one for one in arguments if one is not type(None)][0], done)
    elif origin is list:
        for at, item in enumerate(value):
            yield from changes(item, arguments[0], done)
    elif origin is dict:
        for item in value.values():
            yield from changes(item, arguments[1], done)
    elif dataclasses.is_dataclass(ty) and isinstance(value, dict):
        hints = typing.get_type_hints(ty)
        name = ty.__name__
        if ("more", name) not in done:
            done.add(("more", name))
            value[UNKNOWN] = None
            yield "more " + name
            del value[UNKNOWN]
        for field, item in list(value.items()):
            is_union = len([one for one in value.values() if one is not None]) == 1 and "as_" in field
            if ("less", name, field) not in done and not is_union:
                done.add(("less", name, field))
                del value[field]
                yield "less %s.%s" % (name, field)
                value[field] = item
        for field, item in list(value.items()):
            if field in hints and item is not None:
                yield from changes(item, hints[field], done)


def tell(step, path, done=None):
    begun = time.time()
    ok, detail = loads(path) if done is None else done
    print(json.dumps({"step": step, "ok": ok, "detail": detail, "seconds": time.time() - begun}))
    sys.stdout.flush()


def main():
    folder, files = sys.argv[1], sys.argv[2:]
    tell("schema", None, (True, json.dumps(schema.SCHEMA_VERSION)))
    path, done = os.path.join(folder, "changed.pt2"), set()
    for file in files:
        records = read(file)
        write(path, records)
        tell("whole " + os.path.basename(file), path)
        for at, (name, _) in enumerate(records):
            if ("record", within(name)) not in done:
                done.add(("record", within(name)))
                write(path, records[:at] + records[at + 1 :])
                tell("record " + within(name), path)
        for at, (name, content) in enumerate(records):
            if is_program(name):
                program = json.loads(content)
                for step in changes(program, schema.ExportedProgram, done):
                    changed = json.dumps(program).encode()
                    write(path, records[:at] + [(name, changed)] + records[at + 1 :])
                    tell(step, path)


main()
