//! What the makers of one side of a boundary promise, as data.

use serde::Deserialize;

use crate::Window;

/// A published compatibility policy: windows in both directions, the words, and where they stand.
///
/// ```
/// let policy = unskew_core::Policy::from_toml(r#"
///     name = "PJRT C API"
///     forward = "12 weeks"
///     text = "a framework works with every plug-in of the last 12 weeks"
///     reference = "pjrt-c-api-abi-versioning"
/// "#).unwrap();
/// assert_eq!(policy.forward.unwrap().to_string(), "12 weeks");
/// assert_eq!(policy.backward, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Whose promise it is.
    pub name: String,
    /// How much newer the producer (or framework) may be than the consumer (or plug-in).
    pub forward: Option<Window>,
    /// How much older the producer may be than the consumer.
    pub backward: Option<Window>,
    /// The promise in one sentence.
    pub text: String,
    /// The public document in which it stands.
    pub reference: String,
}

/// Why a policy file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a policy: {0}")]
pub struct PolicyError(String);

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// If the text is not one; the message names the line.
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|e| PolicyError(e.to_string()))
    }
}
