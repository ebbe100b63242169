//! The programs that checks compile.

/// A program in both forms in which a plug-in may take it.
pub(crate) struct TestProgram {
    /// StableHLO as MLIR text.
    pub(crate) text: &'static str,
    /// The same as a portable artifact for version 0.9.0, the oldest that any plug-in reads; written by jaxlib 0.10
    /// (`serialize_portable_artifact_str`).
    pub(crate) artifact: &'static [u8],
}

/// Adds two vectors of four numbers.
pub(crate) const ADD: TestProgram =
    TestProgram { text: ADD_TEXT, artifact: include_bytes!("add.stablehlo") };

/// Adds one to a vector whose memory it takes over.
pub(crate) const DONATE: TestProgram =
    TestProgram { text: DONATE_TEXT, artifact: include_bytes!("donate.stablehlo") };

const ADD_TEXT: &str = "module @add {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
";

const DONATE_TEXT: &str = "module @donate {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %one : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
";

pub(crate) const NONSENSE: &str = "module @nonsense { this is no program }";

/// Compile options on the wire: one replica, one partition. Field 3 (build options) with 4 (replicas)
/// and 5 (partitions).
pub(crate) const OPTIONS: &[u8] = &[0x1a, 4, 0x20, 1, 0x28, 1];

/// The same for `replicas` replicas, below 128.
pub(crate) const fn replicated(replicas: u8) -> [u8; 6] {
    [0x1a, 4, 0x20, replicas & 0x7f, 0x28, 1]
}
