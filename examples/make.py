"""Writes the TensorFlow examples of this folder, byte by byte, with nothing but Python.

    python3 examples/make.py
"""

import pathlib
import struct

HERE = pathlib.Path(__file__).parent


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A protobuf field: a number as a varint, a text or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    """An entry of a node's attributes; `value` is a field of AttrValue (type 6, b 5)."""
    return field(5, field(1, name) + field(2, value))


def node(name, op, inputs=(), attributes=()):
    text = field(1, name) + field(2, op) + b"".join(field(3, one) for one in inputs)
    return field(1, text + b"".join(attribute(*one) for one in attributes))


FLOAT, INT32 = field(6, 1), field(6, 3)


def graph():
    """A graph as TensorFlow 1.15 writes it: AddV2 and a Cast that says how it rounds."""
    nodes = [
        node("x", "Placeholder", attributes=[("dtype", FLOAT)]),
        node("sum", "AddV2", ["x", "x"], [("T", FLOAT)]),
        node("y", "Cast", ["sum"], [("SrcT", FLOAT), ("DstT", INT32), ("Truncate", field(5, 0))]),
    ]
    versions = field(1, 134) + field(2, 12)
    return b"".join(nodes) + field(4, versions)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def block(entries):
    """A block of a table file: entries, one restart, no compression, a masked checksum."""
    body = b""
    for key, value in entries:
        body += varint(0) + varint(len(key)) + varint(len(value)) + key + value
    body += struct.pack("<II", 0, 1)
    crc = crc32c(body + b"\0")
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return body, body + b"\0" + struct.pack("<I", masked)


def checkpoint():
    """The index of an empty V2 checkpoint: its header, format version 1, in a table file."""
    header = field(1, 1) + field(3, field(1, 1))
    body, data = block([(b"", header)])
    empty_body, empty = block([])
    meta_handle = varint(len(data)) + varint(len(empty_body))
    index_body, index = block([(b"\0", varint(0) + varint(len(body)))])
    index_handle = varint(len(data) + len(empty)) + varint(len(index_body))
    footer = (meta_handle + index_handle).ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
    return data + empty + index + footer


(HERE / "add-cast.pb").write_bytes(graph())
(HERE / "empty.index").write_bytes(checkpoint())
