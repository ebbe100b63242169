"""Fields of protobuf messages, byte by byte, with nothing but Python."""


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A number, negative ones with 64 bits, as a varint; a text, or the bytes of a message, with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (2**64 - 1))
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value
