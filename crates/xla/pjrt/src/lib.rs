//! PJRT C API plug-ins: what one offers, and which hosts can use it.
//!
//! A PJRT plug-in is a shared object with one entry, `GetPjrtApi`, which returns a table of
//! functions. JAX and other hosts load it, and the two are built at different times. The version in
//! the table tells less than one would think: its minor number went backwards six times and had two
//! layouts four times, the sizes that plug-ins announce were wrong for two years, and extensions have
//! no version at all. So a verdict here rests on what is really there:
//!
//! * [`SharedObject`](unskew_abi::SharedObject) says what the file is, and [`recognizes`] whether it
//!   is a plug-in, without running it;
//! * [`probe_in_child`] runs it in a process of its own, which it may crash or block, and yields a
//!   [`Probe`]: version, table, extensions, attributes. No device is needed, and no client is made;
//! * [`party`] makes a party of both; whatever went wrong is a finding on it;
//! * [`ReleasedHost`] is the other side, a release of JAX. [`predict`] walks the steps of its way to the first
//!   result, with the sizes that *its* header declares and those that a plug-in of that age accepts.
//!
//! ```
//! use unskew_core::{Date, Phase};
//! use unskew_pjrt::{Extension, ReleasedHost, Probe, predict};
//!
//! // A CPU plug-in of November 2025, and the JAX of the summer before.
//! let plugin = Probe { minor: 81, version_size: 24, table_size: 984, ..Probe::default() };
//! let host = ReleasedHost::jax("0.7.2", Date::constant(2025, 9, 15), 76);
//!
//! let findings = predict(&host, &plugin);
//! assert_eq!(findings[0].rule.code, "PJ201");
//! assert_eq!(findings[0].phase, Some(Phase::FirstUse));
//! assert!(findings[0].symptom.as_ref().unwrap().contains("expected 112, got 88"));
//! ```
//!
//! And [`Plugin`] is the host side itself: it loads a plug-in of any version since 0.29 and runs programs
//! on it, see [`host`].
//!
//! ```no_run
//! use unskew_pjrt::convert::compile_options::CompileOptions;
//! use unskew_pjrt::{ExecuteOptions, Plugin, PjrtProgram};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Plugin::load("pjrt_c_api_cpu_plugin.so")?.create_client(&[])?;
//! let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }";
//! let program = client.compile(PjrtProgram::mlir(text), &CompileOptions::default())?;
//! let a = client.buffer_of(&[1.0_f32, 2.0], &[2], &client.addressable_devices()?[0])?;
//! let results = program.execute(&[&a], &ExecuteOptions::default())?;
//! assert_eq!(results[0].to_vec::<f32>()?, [1.0, 2.0]);
//! # Ok(())
//! # }
//! ```
//!
//! What is not a plug-in is refused before any of its code runs.
//!
//! ```
//! use unskew_pjrt::{Plugin, host::LoadError};
//!
//! let error = Plugin::load("Cargo.toml").unwrap_err();
//! assert!(matches!(error, LoadError::NotAPlugin { .. }));
//! ```
//!
//! The ABI is data: `data/abi/` has every struct that changed its size, the function table, the
//! extension types; `data/api.history.toml` the days; `data/host.toml` how hosts behave. `unsafe`
//! lives in the module [`sys`] alone.

mod attribute;
#[cfg(feature = "host")]
mod built;
#[cfg(feature = "host")]
pub mod conform;
pub mod convert;
mod element_type;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
mod known;
pub mod layout;
#[cfg(feature = "host")]
mod probe;
#[cfg(feature = "host")]
pub mod rules;
pub mod sys;
#[cfg(feature = "host")]
pub mod verdict;

pub use attribute::{Attribute, PjrtValue};
#[cfg(feature = "host")]
pub use built::{Built, built};
#[cfg(feature = "host")]
pub use host::{
    Buffer, BufferPlace, Callbacks, Client, Contents, Device, DeviceCallbacks, Error, Event,
    Executable, ExecuteContext, ExecuteOptions, HostArray, HostData, HostEvent, HostFailure,
    LoadedExecutable, Memory, Outputs, Pending, PjrtDeviceDescription, PjrtProgram, Plugin,
    SerializedOptions, Topology, Transfer,
};
#[cfg(feature = "host")]
pub use known::{
    KnownPlugin, digest, known_by_digest, known_of_package, known_packages, known_plugin,
    known_plugins, known_row, read_known_row,
};
#[cfg(feature = "host")]
pub use probe::{
    CompileJob, CompileOutcome, CompileTrial, DEFAULT_LIMIT, Extension, Probe, ProbeError,
    ProbeFailure, ProbeStage, child_main, compile_child_main, compile_in_children, probe_in_child,
    write_jobs,
};
pub use sys::bindings::{PJRT_Buffer_Type as ElementType, PJRT_Error_Code as ErrorCode};
#[cfg(feature = "host")]
pub use verdict::{
    API_AXIS, HostFramework, ReleasedHost, STABLEHLO_AXIS, Siblings, Strictness, SupportedMinors,
    history, party, party_of_code, party_of_known, policy, predict, recognizes, supported_minors,
};
