//! The settings of an adapted plug-in, which stand beside its shared object: what `unskew adapt` writes and the adapter
//! reads.
//!
//! They are a crate of their own because the adapter exports the symbol of a plug-in, `GetPjrtApi`. A shared object
//! that links it, such as a Python module, would be taken for a plug-in; one that only writes settings links this.
//!
//! ```
//! use unskew_pjrt_adapter_settings::AdapterConfig;
//!
//! let config = AdapterConfig::presenting("/opt/plugin.so", 70);
//! let text = config.to_toml().unwrap();
//! assert_eq!(AdapterConfig::from_toml(&text).unwrap(), config);
//! ```
#![forbid(unsafe_code)]

mod config;
mod identity;

pub use config::{
    AdapterConfig, AdapterConfigError, ExtensionPolicy, FORMAT, HostAge, Mode, Unstamped,
};
pub use identity::Identity;

/// The file name of the adapter as it is built: `libunskew_pjrt_adapter.so` on Linux.
pub fn library_name() -> String {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    format!("{prefix}unskew_pjrt_adapter{suffix}")
}
