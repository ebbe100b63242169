//! Sets of protobuf descriptors, as `protoc --descriptor_set_out` writes them.

use crate::sides;
use unskew_protobuf::Protobuf;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    sides::compare(&Protobuf, "a.binpb", bytes);
}
