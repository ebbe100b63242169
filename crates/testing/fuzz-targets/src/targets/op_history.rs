//! Tables of operators and ops over releases.

use unskew_tensorflow::OpHistory;
use unskew_torch_schemas::OperatorHistory;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(history) = OperatorHistory::from_text(text.to_owned()) {
        let _ = (history.validate().is_ok(), history.named("aten::add").len());
        let _ = history.has_namespace("aten");
    }
    if let Ok(history) = OpHistory::from_text(text.to_owned()) {
        let _ = (history.validate().is_ok(), history.named("Add").len());
    }
}
