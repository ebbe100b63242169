//! TensorFlow's pluggable devices: shared objects of the StreamExecutor C API, read, and put on trial.
//!
//! TensorFlow loads such a plug-in, calls `SE_InitPlugin` and then `TF_InitKernel`, `TF_InitGraph`
//! and `TF_InitProfiler` as far as they are there. The version that the two tell each other has been
//! 0.0.1 in every release, whatever changed, so it decides nothing. What does decide whether a
//! plug-in loads stands in its file, and in the files of the release:
//!
//! * the C functions that it imports, of which releases dropped 35 at once without a word;
//! * the libraries that it names as needed;
//! * the C++ symbols of TensorFlow or protobuf that it imports, which no release promises to keep.
//!
//! [`party`] reads the plug-in; [`exports`] is what a release offers, a capability that the party of
//! a TensorFlow release carries. What only running code can tell, the callbacks that a plug-in
//! leaves empty, the structs that it writes past, the hosts that it refuses, a [`preflight`] finds out in a
//! child process, and [`asked`] adds it; without one it is reported as not checked.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source};
//!
//! let text: Arc<dyn Source> = Arc::new(BytesSource::new("notes.txt", b"no plug-in".to_vec()));
//! assert!(unskew_stream_executor::party(&text).unwrap().is_none());
//!
//! let newest = unskew_stream_executor::exports(&"2.21.0".parse().unwrap());
//! assert_eq!(newest.has("TF_AssignVariable"), Some(false));
//! ```

pub mod bindings;
mod colocated_plugins;
mod cpp;
mod exports;
pub mod layout;
mod matcher;
mod plugin;
pub mod preflight;
pub mod rules;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod sys;

pub use colocated_plugins::{beside, platform};
pub use cpp::is_covered;
pub use exports::{LoadedImage, LoadedImages, TensorFlowExports, exports, measured};
pub use matcher::policy;
pub use plugin::{
    C_API_AXIS, PluginImports, asked, from_object, is_device, party, recognizes, registers_device,
};
