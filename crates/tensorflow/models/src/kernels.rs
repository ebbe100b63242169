//! Kernels of each release: for which op, device and types there is code that computes it.
//!
//! An op is a promise of a registry, a kernel is what keeps it. Releases list what they register; each kernel names its
//! device and which values of attributes it takes. Those of all releases are one sorted text, in which one line stands
//! for all kernels of an op and a device that came and went together, with a tab before its releases:
//!
//! ```text
//! AvgPool(CPU T=bfloat16)     2.5.3-
//! AvgPool(CPU T=float|half)   0.12.1-
//! ```

mod choice;
mod def;
mod table;

pub use choice::KernelChoice;
pub use def::{KernelDef, KernelDefError};
pub use table::{DeviceType, KernelAvailability, KernelHistory, KernelTable};
