//! Sets of protobuf descriptors, as `protoc --descriptor_set_out` writes them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::sides;
use unskew_protobuf::Protobuf;

fuzz_target!(|bytes: &[u8]| sides::compare(&Protobuf, "a.binpb", bytes));
