//! Files of the format `.ort`: each node by the kernel of the form that it names.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, check};
use unskew_onnx::ModelReader;
use unskew_source::{BytesSource, Source};

use crate::models::{outcome, runtime};

/// A file of version 5, under opset 17: `Relu` since 6 of `x`, of type float.
const RELU: &str = "140000004f52544d0c0010000c000800000004000c0000000c00000090\
    000000700000001efeffff040000000100000004000000e0ffffff1400\
    000004000000070000003a52656c753a3600010000000c00000008000c\
    0008000400080000001000000004000000010000005400000002000000\
    180000000c000000000006000800070006000000000000015cffffff01\
    00000035000000140018000c0008000000000000000000000004001400\
    00005800000010000000080000000000000000000000010000000c0000\
    0008001400100004000800000011000000000000000000000004000000\
    0700000061692e6f6e6e78000000120020001c0010000c001800140008\
    000400120000008c0000009000000030000000200000000c0000000100\
    0000700000000100000008000000040004000400000002000000a80000\
    0074000000010000002400000000001e0020000000000000001c000000\
    180000000000140010000c00080004001e00000024000000180000001c\
    0000001c00000020000000900000000600000001000000010000000000\
    00000100000084000000010000008400000000000a000c000800000004\
    000a0000000800000064000000ceffffff0c000000000106000a000400\
    060000000100000000000a000e000800000004000a000000140000003c\
    00000000000a000a000000090004000a0000000c000000000106000800\
    040006000000010000000400000052656c750000000001000000790000\
    000100000078000000";

/// Where in it stand a digit for the version of the format, the opset, and the version of the form of the node.
const VERSION: usize = 148;
const OPSET: usize = 216;
const SINCE: usize = 392;

fn file() -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&RELU[at..at + 2], 16).unwrap();
    (0..RELU.len()).step_by(2).map(digit).collect()
}

fn said(bytes: Vec<u8>) -> String {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.ort", bytes));
    let party = unskew_onnx::party(&source).unwrap().unwrap();
    let today = Context::for_tests();
    outcome(&check(&party, &runtime(ModelReader::OnnxRuntime), &today))
}

fn with(at: usize, byte: u8) -> Vec<u8> {
    let mut bytes = file();
    bytes[at] = byte;
    bytes
}

#[test]
fn a_form_with_a_kernel_runs_and_another_form_of_the_operator_does_not() {
    assert_eq!(said(file()), "compatible");
    assert_eq!(said(with(SINCE, 1)), "ON105");
    // No opset is asked which form is meant.
    assert_eq!(said(with(SINCE, 14)), "ON105");
}

#[test]
fn the_format_and_the_opset_of_a_domain_with_nodes_decide_first() {
    assert_eq!(said(with(VERSION, b'6')), "ON501");
    assert_eq!(said(with(OPSET, 18)), "ON002");
}

#[test]
fn an_operator_whose_types_of_kernels_are_not_told_is_not_judged() {
    let mut bytes = file();
    let at = bytes.windows(7).position(|part| part == b":Relu:6").unwrap();
    bytes[at + 6] = b'7';
    assert_eq!(said(bytes.clone()), "unjudged");
    // Before version 5 a file did not.
    bytes[VERSION] = b'4';
    assert_eq!(said(bytes), "compatible");
}

#[test]
fn a_file_without_a_model_is_broken() {
    let bytes =
        b"\x10\0\0\0ORTM\x06\0\x08\0\x04\0\0\0\x08\0\0\0\x08\0\0\0\0\0\0\0\x01\0\0\x006\0\0\0";
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.ort", bytes.to_vec()));
    assert!(unskew_onnx::party(&source).is_err());
}

proptest! {
    #[test]
    fn any_bytes_in_a_file_are_judged_or_an_error(
        edits in prop::collection::vec((8_usize..560, any::<u8>()), 1..8), cut in 0_usize..600,
    ) {
        let mut bytes = file();
        for (at, byte) in edits {
            bytes[at] = byte;
        }
        bytes.truncate(cut.max(8));
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("net.ort", bytes));
        if let Ok(Some(party)) = unskew_onnx::party(&source) {
            check(&party, &runtime(ModelReader::OnnxRuntime), &Context::for_tests());
        }
    }
}
