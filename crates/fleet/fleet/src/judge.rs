//! Identity of a judge: its version and its data.

/// What a verdict depends on besides its two sides: written into every decision, so that it can be made again.
///
/// ```
/// let judge = unskew_fleet::JudgeIdentity::of_this_program();
/// assert_eq!(judge.fingerprint.len(), 16);
/// assert!(judge.newest_release.contains('@'));
/// ```
#[derive(
    Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[schemars(rename = "Judge")]
pub struct JudgeIdentity {
    /// The version of Unskew.
    pub tool_version: String,
    /// The release of the built-in database that came out last: `torch@2.15.0 2026-10-07`.
    pub newest_release: String,
    /// A fingerprint of the code, the data and the rules that verdicts are made of.
    pub fingerprint: String,
}

impl JudgeIdentity {
    /// What this program judges by.
    pub fn of_this_program() -> Self {
        let newest = unskew_releases::all().max_by_key(|release| release.row().released);
        Self {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            newest_release: newest
                .map(|release| format!("{release} {}", release.row().released))
                .unwrap_or_default(),
            fingerprint: env!("UNSKEW_JUDGE").to_owned(),
        }
    }
}
