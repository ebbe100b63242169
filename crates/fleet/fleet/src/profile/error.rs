//! Errors of a profile, with their place.

use std::fmt;

/// What is wrong with a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("runtime profile, {place}: {what}")]
pub struct ProfileError {
    /// The field in the profile, as a path: `operators[3].version`.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl ProfileError {
    pub(crate) fn new(place: impl Into<String>, what: impl fmt::Display) -> Self {
        Self { place: place.into(), what: what.to_string() }
    }
}
