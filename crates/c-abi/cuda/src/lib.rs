//! CUDA code in shared objects, and the GPUs and drivers that run it.
//!
//! A shared object of PyTorch, JAX or bitsandbytes holds its kernels several times, once for each architecture that it
//! was compiled for. If none fits the GPU, the first kernel fails: `no kernel image is available for execution on the
//! device`. No version number says so.
//!
//! | side | what carries the version |
//! | --- | --- |
//! | shared object | the headers in its section `.nv_fatbin`: machine code (a cubin) for `sm_80`, PTX for `compute_90` |
//! | GPU | its compute capability: 12.0, which is `sm_120` |
//! | driver | its version; the newest CUDA, and so the newest PTX, that it takes follows from that |
//!
//! **The path of the data.** [`GpuCode::read`] goes through the fat binaries of the section from header to header. Payloads,
//! which are all but the whole section, are never read. What comes out is which sets of code there are, and how many fat
//! binaries have each. [`GpuCode::fit`] holds them against a [`ComputeCapability`].
//!
//! **What runs where.** A cubin of `sm_XY` runs on devices of the same major with the same or a higher minor. One of
//! `sm_XYa` runs on that device only, one of `sm_XYf` on its family: the same major, the same or a higher minor. Boards for
//! embedded systems (Jetson) run nothing that is for others, and others nothing of theirs. PTX of `compute_XY` is compiled
//! by the driver for any later device, that of `compute_XYa` and `compute_XYf` only where cubins of these run. The driver
//! has to know the PTX: its CUDA is at least that of the toolkit which wrote it ([`Toolkit`]).
//!
//! **What is refused.** Sizes that lead out of the section, headers that are too short to be any, more than 262,144
//! entries. Code that is too small for a kernel is passed over, and so is what waits to be linked
//! (`__nv_relfatbin`): what was linked of it stands in `.nv_fatbin`. An object without section headers has no section to be found.
//!
//! ```
//! use unskew_cuda::ComputeCapability;
//!
//! let gpu: ComputeCapability = "RTX 5090".parse()?;
//! assert_eq!(gpu.to_string(), "sm_120");
//! assert_eq!(gpu, "12.0".parse()?);
//! # Ok::<(), unskew_cuda::UnknownGpu>(())
//! ```
#![forbid(unsafe_code)]

mod capability;
mod device_code;
mod driver;
mod fat_binary;
mod gpu_code;
mod models;
mod toolkit;

pub use capability::{ComputeCapability, UnknownGpu};
pub use device_code::{CodeScope, CodeTarget, DeviceCode};
pub use driver::{DriverVersion, DriverVersionError};
pub use gpu_code::{GpuCode, GpuFit};
pub use toolkit::Toolkit;
