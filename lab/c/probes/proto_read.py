"""What a real protobuf runtime does with bytes that were written by the other state of a schema.

    proto_read.py FOLDER

Every folder in FOLDER has old.proto and new.proto, each with a message M. Values at the ends of their types are written
by one and read by the other. A line of JSON for each says which fields, by their numbers, are read as something else:
`backward` what the old one wrote and the new one reads, `forward` the other way round. A field that the reader does not
have is kept by it, which is no fault. `refused` says why the compiler does not take one of the two.
"""

import json
import pathlib
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

INTEGERS = {
    "int32": (-(2**31), 2**31 - 1), "sint32": (-(2**31), 2**31 - 1), "sfixed32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1), "sint64": (-(2**63), 2**63 - 1), "sfixed64": (-(2**63), 2**63 - 1),
    "uint32": (1, 2**32 - 1), "fixed32": (1, 2**32 - 1), "uint64": (1, 2**64 - 1), "fixed64": (1, 2**64 - 1),
}


def kind(field):
    """The name of a type in a .proto."""
    names = {value.number: name[5:].lower() for name, value in
             descriptor_pb2.FieldDescriptorProto.Type.DESCRIPTOR.values_by_name.items()}
    return names[field.type]


def repeated(field):
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def load(path, folder):
    """The class of the message M, and what the compiler says if there is none."""
    out = pathlib.Path(folder, "set")
    if protoc.main(["protoc", f"-I{path.parent}", f"--descriptor_set_out={out}", str(path)]) != 0:
        return None
    files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindMessageTypeByName("M")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(found)
    return message_factory.MessageFactory(pool).GetPrototype(found)


def values(field):
    """What a field of this type is set to, one after the other."""
    name = kind(field)
    if name in INTEGERS:
        low, high = INTEGERS[name]
        return [low, high, 1, 200]
    return {
        "bool": [True], "float": [1.5, -2.0], "double": [1e300, -0.25], "string": ["text", "\u00e9"],
        "bytes": [b"text", b"\xff\xfe"],
        "enum": [value.number for value in field.enum_type.values] if field.enum_type else [],
    }.get(name, [])


def assign(message, field, chosen):
    if kind(field) == "message":
        inner = getattr(message, field.name)
        (inner.add() if repeated(field) else inner).SetInParent()
    elif repeated(field):
        getattr(message, field.name).extend(chosen)
    else:
        setattr(message, field.name, chosen[-1])


def meaning(field, value):
    """A value as one that types with the same meaning share."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return value.encode()
    # Bytes of a message are what a field of bytes holds.
    return value if isinstance(value, (int, float, bytes)) else value.SerializeToString()


def read(message, field):
    """What a message says of a field: a list of values."""
    if repeated(field):
        return [meaning(field, value) for value in getattr(message, field.name)]
    if field.has_presence and not message.HasField(field.name):
        return ["default", meaning(field, getattr(message, field.name))]
    return [meaning(field, getattr(message, field.name))]


def same(one, other):
    """Whether two readings agree. Where one side knows no presence, its default is as good as none."""
    plain = lambda reading: reading[1:] if reading[:1] == ["default"] else reading
    one, other = plain(one), plain(other)
    zero = lambda reading: reading in ([], [0], [0.0], [b""])
    return one == other or (zero(one) and zero(other))


def renumbered(reading, one, other):
    """Whether a number stands for one name in one enumeration, and for another in the other, which has both numbers and
    names of them. A value that only has another name is the same value."""
    if one.type != one.TYPE_ENUM or other.type != other.TYPE_ENUM:
        return False
    for value in reading:
        here, there = (field.enum_type.values_by_number.get(value) for field in (one, other))
        if here and not there and here.name in other.enum_type.values_by_name:
            return True
        if here and there and here.name != there.name:
            known = (here.name in other.enum_type.values_by_name, there.name in one.enum_type.values_by_name)
            if any(known):
                return True
    return False


def materials(cls):
    """Messages with one field set, with two, with all and with none."""
    fields = list(cls.DESCRIPTOR.fields)
    required = [field for field in fields if getattr(field, "label", 0) == field.LABEL_REQUIRED]

    def made(chosen):
        message = cls()
        for field, picked in chosen:
            assign(message, field, picked)
        for field in required:
            if not message.HasField(field.name):
                assign(message, field, values(field)[-1:] or [None])
        return message

    yield made([])
    for field in fields:
        options = values(field) or [None]
        for option in options:
            yield made([(field, [option])])
        yield made([(field, options)])
    yield made([(field, (values(field) or [None])[-1:]) for field in fields])


def broken(writer, reader):
    """The numbers of the fields that the reader reads as something else."""
    found = set()
    known = {field.number: field for field in reader.DESCRIPTOR.fields}
    for message in materials(writer):
        data = message.SerializeToString()
        there = reader()
        try:
            there.ParseFromString(data)
            if not there.IsInitialized():
                raise ValueError("a required field is missing")
        except Exception:  # DecodeError of either implementation
            touched = {field.number for field, _ in message.ListFields()}
            missing = {number for number, field in known.items() if getattr(field, "label", 0) == field.LABEL_REQUIRED}
            found |= touched & set(known) if touched & set(known) else touched | missing
            found |= missing - touched
            continue
        for field in writer.DESCRIPTOR.fields:
            if field.number not in known:
                continue
            written, other = read(message, field), known[field.number]
            if not same(written, read(there, other)) or renumbered(written, field, other):
                found.add(field.number)
    return sorted(found)


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for pair in sorted(path for path in root.iterdir() if path.is_dir()):
            old, new = load(pair / "old.proto", folder), load(pair / "new.proto", folder)
            if old is None or new is None:
                answer = {"pair": pair.name, "refused": True}
            else:
                answer = {"pair": pair.name, "backward": broken(old, new), "forward": broken(new, old)}
            print(json.dumps(answer), flush=True)


main()
