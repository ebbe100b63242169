//! Operator schemas and op definitions: what is read prints as text that reads the same.

use unskew_tensorflow::OpDef;
use unskew_torch_schemas::FunctionSchema;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(schema) = text.parse::<FunctionSchema>() {
        assert_eq!(schema.to_string().parse::<FunctionSchema>().as_ref(), Ok(&schema));
    }
    if let Ok(op) = text.parse::<OpDef>() {
        let printed = op.to_string();
        let again = printed.parse::<OpDef>().expect("what was printed reads");
        assert_eq!(again.to_string(), printed);
    }
}
