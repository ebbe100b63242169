//! Configuration of an adapted plug-in: a small file beside the shared object.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unskew_core::{Date, Version};

use crate::identity::Identity;

/// The format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// The settings of one adapted plug-in.
///
/// They lie beside the shared object, under its name with the ending `.toml`, because several adapted
/// plug-ins live in one process: there is no environment variable.
///
/// ```
/// use unskew_pjrt_adapter_settings::AdapterConfig;
///
/// let config = AdapterConfig::presenting("/opt/plugins/pjrt_c_api_cpu_plugin.so", 54);
/// let text = config.to_toml().unwrap();
/// assert_eq!(AdapterConfig::from_toml(&text).unwrap(), config);
/// assert_eq!(
///     AdapterConfig::path_beside("/opt/adapted/cpu.so".as_ref()).to_str(),
///     Some("/opt/adapted/cpu.toml"),
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterConfig {
    /// The format of this file: [`FORMAT`].
    pub format: u32,
    /// The plug-in that does the work.
    pub plugin: PathBuf,
    /// The minor that is presented, if the plug-in is not older.
    pub present: i32,
    /// Whether the plug-in is to work with more hosts, or to behave as an older one.
    #[serde(default)]
    pub mode: Mode,
    /// Whether memory behind the function table is made unreadable, so that a host that reads past it
    /// is caught there and then. For emulated plug-ins.
    #[serde(default)]
    pub guard: bool,
    /// Which extensions the host sees.
    #[serde(default)]
    pub extensions: ExtensionPolicy,
    /// The `stablehlo_current_version` that an emulated plug-in names instead of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stablehlo: Option<String>,
    /// What happens to serialized executables that nobody has stamped.
    #[serde(default)]
    pub unstamped: Unstamped,
    /// The host that it was made for; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostAge>,
    /// The plug-in's digest as it was measured when this file was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// What the adapter is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The plug-in is to work with a host of another age.
    #[default]
    Adapt,
    /// The plug-in is to behave as one that was built at the presented minor.
    Emulate,
}

/// Which extensions the host sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionPolicy {
    /// Those that mean the same at both ages.
    #[default]
    Fitting,
    /// No adaptation is asked for.
    None,
}

/// What happens to serialized executables that nobody has stamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unstamped {
    /// They are refused: nothing says which plug-in made them.
    #[default]
    Refuse,
    /// The plug-in loads them, whatever they are.
    Load,
}

/// A host, as far as the adapter has to know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostAge {
    /// Its name: `jax 0.6.2`.
    pub name: String,
    /// The minor of the interface that it was built with.
    pub minor: i32,
    /// The day of its release, which tells the two layouts of some minors apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<String>,
    /// The newest StableHLO that it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stablehlo: Option<String>,
}

impl HostAge {
    /// The day of its release.
    pub fn day(&self) -> Option<Date> {
        self.released.as_ref()?.parse().ok()
    }
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum AdapterConfigError {
    /// The file cannot be read.
    #[error("cannot read the settings of the adapted plug-in, {path}")]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not what `unskew adapt` writes.
    #[error("the settings of the adapted plug-in are damaged; make it again with `unskew adapt`")]
    Damaged(#[from] toml::de::Error),
    /// The file was written by a later version.
    #[error(
        "the settings of the adapted plug-in are of format {found}, this adapter reads up to {FORMAT}; \
         make it again with `unskew adapt`"
    )]
    Newer {
        /// The format of the file.
        found: u32,
    },
}

impl AdapterConfig {
    /// Settings for hosts of which nothing is known but the minor that they are to see.
    pub fn presenting(plugin: impl Into<PathBuf>, present: i32) -> Self {
        Self {
            format: FORMAT,
            plugin: plugin.into(),
            present,
            mode: Mode::Adapt,
            guard: false,
            extensions: ExtensionPolicy::Fitting,
            stablehlo: None,
            unstamped: Unstamped::Refuse,
            host: None,
            identity: None,
        }
    }

    /// Settings that make a plug-in of an older minor.
    pub fn emulating(plugin: impl Into<PathBuf>, minor: i32) -> Self {
        Self { mode: Mode::Emulate, ..Self::presenting(plugin, minor) }
    }

    /// Where the settings of the shared object at `library` lie.
    pub fn path_beside(library: &Path) -> PathBuf {
        library.with_extension("toml")
    }

    /// The settings as text.
    ///
    /// # Errors
    /// If a path is not UTF-8.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Reads settings.
    ///
    /// # Errors
    /// [`AdapterConfigError`] if the text is damaged, or of a later format.
    pub fn from_toml(text: &str) -> Result<Self, AdapterConfigError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let head: Head = toml::from_str(text)?;
        if head.format > FORMAT {
            return Err(AdapterConfigError::Newer { found: head.format });
        }
        Ok(toml::from_str(text)?)
    }

    /// Reads the settings of the shared object at `library`.
    ///
    /// # Errors
    /// [`AdapterConfigError`] if there are none.
    pub fn of_library(library: &Path) -> Result<Self, AdapterConfigError> {
        let path = Self::path_beside(library);
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|source| AdapterConfigError::Unreadable { path, source })?;
        Self::from_toml(&text)
    }

    /// The newest StableHLO version that the plug-in may name, if it is to name less than its own.
    pub fn stablehlo_limit(&self) -> Option<Version> {
        let text = match self.mode {
            Mode::Emulate => self.stablehlo.as_ref(),
            Mode::Adapt => self.host.as_ref().and_then(|host| host.stablehlo.as_ref()),
        };
        text?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let host = HostAge {
            name: "jax 0.6.2".into(),
            minor: 70,
            released: Some("2025-06-17".into()),
            stablehlo: Some("1.11.0".into()),
        };
        let config = AdapterConfig {
            guard: true,
            host: Some(host),
            unstamped: Unstamped::Load,
            ..AdapterConfig::emulating("/p.so", 48)
        };
        assert_eq!(AdapterConfig::from_toml(&config.to_toml().unwrap()).unwrap(), config);
    }

    #[test]
    fn a_later_format_is_refused_by_its_number() {
        let error = AdapterConfig::from_toml("format = 2\nnews = true\n").unwrap_err();
        assert!(matches!(error, AdapterConfigError::Newer { found: 2 }), "{error}");
        assert!(matches!(
            AdapterConfig::from_toml("format = "),
            Err(AdapterConfigError::Damaged(_))
        ));
    }
}
