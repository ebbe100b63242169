//! Compatibility policy of the makers of one side, as data.

use serde::Deserialize;

use crate::Window;

/// A published compatibility policy: windows in both directions, the words, and where they stand.
///
/// ```
/// let policy: unskew_core::Policy = serde_json::from_str(r#"{
///     "name": "PJRT C API",
///     "forward": "12 weeks",
///     "text": "a framework works with every plug-in of the last 12 weeks",
///     "reference": "pjrt-c-api-abi-versioning"
/// }"#).unwrap();
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
