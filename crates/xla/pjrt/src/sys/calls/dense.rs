//! The layout of a dense array: an order of its axes.

use crate::sys::Api;
use crate::sys::bindings::*;

/// The layout, for calls to which a plug-in must be told one: some builds of XLA end the process where
/// the interface says that there need not be any.
pub(crate) struct Dense {
    _order: Vec<i64>,
    layout: PJRT_Buffer_MemoryLayout,
}

impl Dense {
    /// The layout of an array of these dimensions in row-major order.
    pub(crate) fn new(api: &Api, dims: &[i64]) -> Self {
        let mut order: Vec<i64> = (0..).take(dims.len()).collect();
        order.reverse();
        Self::in_order(api, order)
    }

    /// The layout with these axes, the fastest first.
    pub(crate) fn in_order(api: &Api, order: Vec<i64>) -> Self {
        let mut tiled = api.record::<PJRT_Buffer_MemoryLayout_Tiled>();
        tiled.minor_to_major = order.as_ptr();
        tiled.minor_to_major_size = order.len();
        let mut layout = api.record::<PJRT_Buffer_MemoryLayout>();
        layout.layout = PJRT_Buffer_MemoryLayout_Either { tiled };
        layout.r#type = PJRT_Buffer_MemoryLayout_Type::Tiled;
        Self { _order: order, layout }
    }

    /// Its address, for the time of a call.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut PJRT_Buffer_MemoryLayout {
        &raw mut self.layout
    }
}
