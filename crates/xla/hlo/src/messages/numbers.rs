//! Dimension numbers, and other numbers of operations.

use prost::Message;

/// What is read of XLA's `Window`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Window {
    #[prost(message, repeated, tag = "1")]
    pub dims: Vec<WindowDimension>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct WindowDimension {
    #[prost(int64, tag = "1")]
    pub size: i64,
    #[prost(int64, tag = "2")]
    pub stride: i64,
    #[prost(int64, tag = "3")]
    pub low: i64,
    #[prost(int64, tag = "4")]
    pub high: i64,
    #[prost(int64, tag = "5")]
    pub window_dilation: i64,
    #[prost(int64, tag = "6")]
    pub base_dilation: i64,
    #[prost(bool, tag = "7")]
    pub reversal: bool,
}

/// What is read of XLA's `ConvolutionDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConvolutionNumbers {
    #[prost(int64, tag = "3")]
    pub kernel_input: i64,
    #[prost(int64, tag = "4")]
    pub kernel_output: i64,
    #[prost(int64, repeated, tag = "6")]
    pub kernel_spatial: Vec<i64>,
    #[prost(int64, tag = "7")]
    pub input_batch: i64,
    #[prost(int64, tag = "8")]
    pub input_feature: i64,
    #[prost(int64, tag = "9")]
    pub output_batch: i64,
    #[prost(int64, tag = "10")]
    pub output_feature: i64,
    #[prost(int64, repeated, tag = "11")]
    pub input_spatial: Vec<i64>,
    #[prost(int64, repeated, tag = "12")]
    pub output_spatial: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Slice {
    #[prost(int64, tag = "1")]
    pub start: i64,
    #[prost(int64, tag = "2")]
    pub limit: i64,
    #[prost(int64, tag = "3")]
    pub stride: i64,
}

/// What is read of XLA's `PaddingConfig`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Padding {
    #[prost(message, repeated, tag = "1")]
    pub dims: Vec<PaddingDimension>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct PaddingDimension {
    #[prost(int64, tag = "1")]
    pub low: i64,
    #[prost(int64, tag = "2")]
    pub high: i64,
    #[prost(int64, tag = "3")]
    pub interior: i64,
}

/// What is read of XLA's `DotDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DotNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub lhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub rhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub lhs_batch: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    pub rhs_batch: Vec<i64>,
}

/// What is read of XLA's `RaggedDotDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RaggedNumbers {
    #[prost(message, optional, tag = "1")]
    pub dot: Option<DotNumbers>,
    #[prost(int64, repeated, tag = "2")]
    pub lhs_ragged: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub rhs_group: Vec<i64>,
}

/// What is read of XLA's `GatherDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GatherNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub offset: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub collapsed: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub start_index_map: Vec<i64>,
    #[prost(int64, tag = "4")]
    pub index_vector: i64,
    #[prost(int64, repeated, tag = "5")]
    pub operand_batching: Vec<i64>,
    #[prost(int64, repeated, tag = "6")]
    pub indices_batching: Vec<i64>,
}

/// What is read of XLA's `ScatterDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ScatterNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub update_window: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub inserted_window: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub to_operand: Vec<i64>,
    #[prost(int64, tag = "4")]
    pub index_vector: i64,
    #[prost(int64, repeated, tag = "5")]
    pub input_batching: Vec<i64>,
    #[prost(int64, repeated, tag = "6")]
    pub indices_batching: Vec<i64>,
}

/// What is read of XLA's `PrecisionConfig`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Precision {
    #[prost(int32, repeated, tag = "1")]
    pub operands: Vec<i32>,
    #[prost(int32, tag = "2")]
    pub algorithm: i32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct SourceTarget {
    #[prost(int64, tag = "1")]
    pub source: i64,
    #[prost(int64, tag = "2")]
    pub target: i64,
}

/// What is read of XLA's `TriangularSolveOptions`.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Triangular {
    #[prost(bool, tag = "1")]
    pub left_side: bool,
    #[prost(bool, tag = "2")]
    pub lower: bool,
    #[prost(bool, tag = "3")]
    pub unit_diagonal: bool,
    #[prost(int32, tag = "4")]
    pub transpose: i32,
}

/// What is read of XLA's `OutputOperandAliasing`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Aliasing {
    #[prost(int64, repeated, tag = "1")]
    pub output: Vec<i64>,
    #[prost(int64, tag = "2")]
    pub operand: i64,
    #[prost(int64, repeated, tag = "3")]
    pub index: Vec<i64>,
}

/// What is read of XLA's `ResultAccuracy`.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ResultAccuracy {
    #[prost(int32, optional, tag = "1")]
    pub mode: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub tolerance: Option<Tolerance>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Tolerance {
    #[prost(double, tag = "1")]
    pub atol: f64,
    #[prost(double, tag = "2")]
    pub rtol: f64,
    #[prost(int64, tag = "3")]
    pub ulps: i64,
}
