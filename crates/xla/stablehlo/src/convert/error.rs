//! Errors of a program that is not rewritten.

use unskew_source::ReadError;

/// Why a program could not be rewritten. A caller does not pass such a program on to a newer reader: what
/// that does not understand it may leave out without a word.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    /// The bytes are no MLIR bytecode, or broken.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An attribute has neither its old nor its new form.
    #[error(
        "the attribute {attribute} of {operation} has a form that cannot be rewritten: {found}"
    )]
    Attribute {
        /// The operation that has it: `stablehlo.slice`.
        operation: String,
        /// The attribute that is not as it should be: `limit_indices`.
        attribute: String,
        /// What stands there instead.
        found: String,
    },
}
