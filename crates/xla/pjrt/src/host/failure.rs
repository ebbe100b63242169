//! Failures that the host tells a plug-in.

use super::Error;
use crate::Attribute;
use crate::ErrorCode;

/// A failure that the host tells a plug-in, in place of what it promised: a code, a text, and what a
/// program may want to know besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostFailure<'a> {
    /// The canonical status code that the plug-in sees.
    pub code: ErrorCode,
    /// The message that the plug-in sees.
    pub message: &'a str,
    /// What it carries besides: the keys and values that the error then has as
    /// [`payloads`](crate::sys::CallError::Plugin). Texts only. Error buffers take them since 0.103,
    /// poisoned executions since 0.100; an error before.
    pub payloads: &'a [Attribute],
}

impl<'a> HostFailure<'a> {
    /// What is told if the host breaks a promise without a word.
    pub(crate) const BROKEN: Self =
        Self { code: ErrorCode::CANCELLED, message: "the host gave up", payloads: &[] };

    /// An error if it carries more than the function has a place for.
    pub(crate) fn plain(&self, function: &'static str) -> Result<(), Error> {
        if self.payloads.is_empty() { Ok(()) } else { Err(Error::NoPayloads { function }) }
    }

    /// A failure with this code and text.
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, payloads: &[] }
    }
}

impl<'a> From<(ErrorCode, &'a str)> for HostFailure<'a> {
    fn from((code, message): (ErrorCode, &'a str)) -> Self {
        Self::new(code, message)
    }
}
