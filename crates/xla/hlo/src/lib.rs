//! HLO modules in the text that XLA prints.
//!
//! A compiled program is asked of a plug-in with `PJRT_Executable_OptimizedProgram`, and comes as a
//! protobuf: a `HloModuleProto`, or one with its configuration. Whoever has XLA prints it
//! (`compiled.as_text()` in JAX). This crate does without XLA, and prints the same text.
//!
//! ```
//! let program = [10, 4, b'm', b'a', b'i', b'n'];
//! assert_eq!(unskew_hlo::text(&program, "hlo")?, "HloModule main\n\n");
//! # Ok::<(), unskew_hlo::TextError>(())
//! ```
//!
//! # What a text is
//!
//! ```text
//! HloModule NAME, ATTRIBUTES                          header
//!
//! FileNames ... StackFrames                           frames, where the module has some
//!
//! %COMPUTATION (PARAMETERS) -> RESULT {               module
//!   %NAME = SHAPE opcode(OPERANDS), ATTRIBUTES        instruction
//!   ROOT ...
//! }
//!
//! ENTRY %COMPUTATION ...
//! ```
//!
//! Computations stand behind those that they call, instructions in the order of the module's schedule, if it
//! has one.
//! Constants of more than ten elements are `{...}`, as XLA has them.
//!
//! Two things have another form here, which XLA reads as well: an asynchronous operation is
//! `async-start` of a computation and not `NAME-start`, and what a value was called before the compiler
//! changed it (`origin`) is left out, as are statistics.
//!
//! The text is held against the printer of a real jaxlib, word for word, on the programs that JAX makes
//! before and after three compilers (`tests/peers.rs`).

mod attributes;
mod collective;
mod escape;
mod frames;
mod header;
mod instruction;
mod literal;
mod messages;
mod metadata;
mod module;
mod names;
mod numbers;
mod order;
mod shape;
mod sharding;
mod window;

use prost::Message as _;

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The bytes are no such message.
    #[error("this is no HLO module: {0}")]
    NoModule(#[from] prost::DecodeError),
    /// A format that is not read here.
    #[error("programs are read in the formats hlo and hlo_with_config, and not in this one: {0}")]
    Format(String),
}

/// The text of a program in a format of `PJRT_Executable_OptimizedProgram`: `hlo` or `hlo_with_config`.
///
/// What a module refers to and does not have (a computation, an operand) stands there by its number.
///
/// # Errors
/// If it is of another format, or not what its format says.
pub fn text(program: &[u8], format: &str) -> Result<String, TextError> {
    let with_config = match format {
        "hlo_with_config" => messages::WithConfig::decode(program)?,
        "hlo" => {
            messages::WithConfig { module: Some(messages::Module::decode(program)?), config: None }
        }
        _ => return Err(TextError::Format(format.to_owned())),
    };
    let module = with_config.module.unwrap_or_default();
    Ok(module::text(&module, with_config.config.as_ref()))
}
