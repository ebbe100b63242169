//! Protobuf files as texts: proto2, proto3, editions; two sides with a line of `=====` between them.

use crate::sides;
use unskew_protobuf::Protobuf;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    sides::compare(&Protobuf, "a.proto", bytes);
}
