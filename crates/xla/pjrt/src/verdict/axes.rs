//! The axes along which hosts and plug-ins have versions.

/// The axis of the PJRT C API.
pub const API_AXIS: &str = "pjrt.api";

/// The axis of StableHLO versions.
pub const STABLEHLO_AXIS: &str = "stablehlo";
