//! `config.pbtxt` of Triton, beside a model that is right.

use std::sync::LazyLock;

use unskew_core::Party;
use crate::{judge, source};

const MODEL: &[u8] = b"<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N] X) => (float[N] Y) {\n Y = Relu(X)\n}";

static PARTY: LazyLock<Option<Party>> =
    LazyLock::new(|| unskew_onnx::party(&source("model.onnxtxt", MODEL)).ok().flatten());

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Some(party) = PARTY.clone() else { return };
    let open = |name: &str| name.ends_with("config.pbtxt").then(|| source("config.pbtxt", bytes));
    if let Ok(party) = unskew_onnx::with_triton(party, "/models/net/1/model.onnx", &open) {
        judge(&party);
    }
}
