"""The C structs that a handler and its registration need, as ctypes.

Two interfaces meet here. The *PJRT C API* is the table that `GetPjrtApi` returns; its FFI extension takes
handlers. The *XLA FFI* is what a handler is called with: a call frame with arguments, results, attributes
and a table of functions to call back. Only fields that are used have names.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p

#: A handler: takes a call frame, returns NULL or an error.
Handler = ctypes.CFUNCTYPE(c_void_p, c_void_p)

#: The type of the FFI extension in the extension chain of the PJRT table.
PJRT_EXTENSION_FFI = 5
#: The type of the metadata extension of a call frame.
FFI_EXTENSION_METADATA = 1
#: The stage of a call in which it computes.
STAGE_EXECUTE = 3
#: The element type of a token, which has no data.
DATA_TYPE_TOKEN = 17
#: The element type of the number in a call.
DATA_TYPE_U64 = 9
#: The kind of an attribute that is one number: behind arrays and dictionaries.
ATTRIBUTE_SCALAR = 3
#: The element types of less than a byte, of which a buffer has several in each byte, and their bits: S4, U4, S2,
#: U2, S1, U1, F4E2M1FN.
BITS_OF_PACKED = {21: 4, 22: 4, 26: 2, 27: 2, 30: 1, 31: 1, 32: 4}
#: The bits of the other element types.
BITS = {
    1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64, 15: 64, 16: 16, 18: 128,
    19: 8, 20: 8, 23: 8, 24: 8, 25: 8, 28: 8, 29: 8, 33: 8,
}  # fmt: skip
#: The error code for a fault of the callee.
ERROR_INTERNAL = 13


class PjrtApi(ctypes.Structure):
    """The head of the PJRT table, which no version has moved since 0.29."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("version_struct_size", c_size_t),
        ("version_extension_start", c_void_p),
        ("major", c_int32),
        ("minor", c_int32),
        ("error_destroy", c_void_p),
        ("error_message", c_void_p),
        ("error_get_code", c_void_p),
    ]


class PjrtExtension(ctypes.Structure):
    """The head of every extension since 0.45, with the slots of the FFI extension of 0.81 and later."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("type", c_int32),
        ("next", c_void_p),
        ("type_register", c_void_p),
        ("user_data_add", c_void_p),
        ("register_handler", c_void_p),
    ]


class RegisterHandlerArgs(ctypes.Structure):
    """Unlike every other struct of arguments, this one has no chain of extensions."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("name_size", c_size_t),
        ("handler", c_void_p),
        ("platform", c_char_p),
        ("platform_size", c_size_t),
        ("traits", c_uint32),
    ]

    #: The size that counts ends with the last field, without padding.
    USED = 52


class ErrorMessageArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("error", c_void_p),
        ("message", c_void_p),
        ("message_size", c_size_t),
    ]


class ErrorDestroyArgs(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("extension_start", c_void_p), ("error", c_void_p)]


class FfiVersion(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("major", c_int32),
        ("minor", c_int32),
    ]


class FfiApi(ctypes.Structure):
    """The head of the table that a handler may call."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("version", FfiVersion),
        ("internal_api", c_void_p),
        ("error_create", c_void_p),
    ]


class FfiExtension(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int32), ("next", c_void_p), ("metadata", c_void_p)]


class FfiMetadata(ctypes.Structure):
    """What a handler says of itself; the state type came with version 0.2."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("version", FfiVersion),
        ("traits", c_uint32),
        ("state_type", c_int64),
    ]

    #: The size that counts ends with the traits.
    USED = 36


class FfiValues(ctypes.Structure):
    """Arguments or results."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("size", c_int64),
        ("types", c_void_p),
        ("values", POINTER(c_void_p)),
    ]


class FfiAttributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("size", c_int64),
        ("types", c_void_p),
        ("names", POINTER(c_void_p)),
        ("values", POINTER(c_void_p)),
    ]


class FfiFrame(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("api", c_void_p),
        ("context", c_void_p),
        ("stage", c_int32),
        ("arguments", FfiValues),
        ("results", FfiValues),
        ("attributes", FfiAttributes),
    ]


class FfiBuffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("data_type", c_int32),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dimensions", POINTER(c_int64)),
    ]


class FfiText(ctypes.Structure):
    _fields_ = [("at", c_void_p), ("len", c_size_t)]


class FfiScalar(ctypes.Structure):
    _fields_ = [("data_type", c_int32), ("value", c_void_p)]


class FfiErrorCreateArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension_start", c_void_p),
        ("message", c_char_p),
        ("code", c_int32),
    ]

    #: The size that counts ends with the last field.
    USED = 28


def metadata_of(frame: FfiFrame) -> FfiMetadata | None:
    """The struct to fill in, if the frame only asks the handler what it is."""
    at = frame.extension_start
    while at:
        extension = FfiExtension.from_address(at)
        if extension.type == FFI_EXTENSION_METADATA:
            return FfiMetadata.from_address(extension.metadata)
        at = extension.next
    return None


def unsigned(attributes: FfiAttributes, name: bytes) -> int | None:
    """The attribute of this name, if it is a number of 64 bits without a sign."""
    for i in range(attributes.size):
        text = FfiText.from_address(attributes.names[i])
        if ctypes.string_at(text.at, text.len) != name:
            continue
        kind = ctypes.c_int32.from_address(attributes.types + 4 * i).value
        scalar = FfiScalar.from_address(attributes.values[i])
        if (kind, scalar.data_type) == (ATTRIBUTE_SCALAR, DATA_TYPE_U64):
            return ctypes.c_uint64.from_address(scalar.value).value
    return None


def error(frame: FfiFrame, text: str) -> int | None:
    """Makes the error that a handler returns."""
    create = ctypes.CFUNCTYPE(c_void_p, c_void_p)(FfiApi.from_address(frame.api).error_create)
    arguments = FfiErrorCreateArgs(FfiErrorCreateArgs.USED, None, text.encode(), ERROR_INTERNAL)
    return create(ctypes.addressof(arguments))
