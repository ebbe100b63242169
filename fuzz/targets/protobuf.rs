//! Protobuf files as texts: proto2, proto3, editions; two sides with a line of `=====` between them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::sides;
use unskew_protobuf::Protobuf;

fuzz_target!(|bytes: &[u8]| sides::compare(&Protobuf, "a.proto", bytes));
