//! `cargo lab`, what there is about C headers and protobuf files.
#![forbid(unsafe_code)]

mod headers;
mod protobuf;
mod stream_executor_abi;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("headers-differential", headers::run)
        .with("proto-differential", protobuf::run)
        .with("se", stream_executor_abi::run)
        .run()
}
