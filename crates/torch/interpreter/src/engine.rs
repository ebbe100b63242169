//! Engine whose arithmetic quantized operators have.

/// The library that calculates quantized products in a process of PyTorch. A file does not name one: its weights are
/// stored unpacked, and `torch.backends.quantized.engine` says at load what packs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantizedEngine {
    /// That of x86 servers, from the first release on: the bias is added as a float.
    #[default]
    Fbgemm,
    /// That of ARM and of phones: the bias is rounded to an integer first.
    Qnnpack,
}

impl QuantizedEngine {
    /// The engine of this name, as `torch.backends.quantized.engine` has it.
    ///
    /// ```
    /// use unskew_interpreter::QuantizedEngine;
    /// assert_eq!(QuantizedEngine::named("qnnpack"), Some(QuantizedEngine::Qnnpack));
    /// assert_eq!(QuantizedEngine::named("x86"), QuantizedEngine::named("fbgemm"));
    /// assert_eq!(QuantizedEngine::named("cudnn"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        match name {
            // x86 and oneDNN gave what fbgemm gives for every model that was made for them.
            "fbgemm" | "x86" | "onednn" => Some(Self::Fbgemm),
            "qnnpack" => Some(Self::Qnnpack),
            _ => None,
        }
    }
}
