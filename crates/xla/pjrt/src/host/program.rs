//! Program to be compiled, and the options.

use std::borrow::Cow;

use crate::convert::compile_options::CompileOptions;

/// A program to compile.
#[derive(Clone, Copy, Debug)]
pub struct PjrtProgram<'a> {
    /// Its code: MLIR as text or bytecode, a StableHLO portable artifact, or a serialized HLO module.
    pub code: &'a [u8],
    /// What the code is: `mlir`, `hlo` or `hlo_with_config`.
    pub format: &'a str,
}

impl<'a> PjrtProgram<'a> {
    /// A program in MLIR: text, bytecode, or a StableHLO portable artifact.
    pub fn mlir(code: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { code: code.as_ref(), format: "mlir" }
    }
}

/// The options of a compilation as a plug-in gets them: a serialized `CompileOptionsProto`.
#[derive(Clone, Debug)]
pub struct SerializedOptions<'o>(pub Cow<'o, [u8]>);

impl From<&CompileOptions> for SerializedOptions<'_> {
    fn from(options: &CompileOptions) -> Self {
        Self(Cow::Owned(options.write()))
    }
}

impl<'o> From<&'o [u8]> for SerializedOptions<'o> {
    fn from(bytes: &'o [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}

impl<'o> From<&'o Vec<u8>> for SerializedOptions<'o> {
    fn from(bytes: &'o Vec<u8>) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}

impl<'o, const N: usize> From<&'o [u8; N]> for SerializedOptions<'o> {
    fn from(bytes: &'o [u8; N]) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}
