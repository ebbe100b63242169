//! Promise of the makers of a pair: whether they say that it works, apart from whether it does.

use std::fmt;

use jiff::civil::Date;

/// What a policy says about one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PromiseState {
    /// The pair lies inside of the window.
    Promised,
    /// It did, and does no longer.
    Expired,
    /// The policy never covered such a pair.
    NotPromised,
    /// It cannot be told, because a date or a number is not known.
    Unknown,
}

impl PromiseState {
    /// The words that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Promised => "promised",
            Self::Expired => "expired",
            Self::NotPromised => "not promised",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for PromiseState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One policy, applied to one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Whose promise: `PJRT C API`, `TensorFlow GraphDef`.
    pub policy: String,
    /// What it says about this pair.
    pub state: PromiseState,
    /// The window as it is written, if there is one: `12 weeks`.
    pub window: Option<String>,
    /// The first day of the window, if it has one.
    pub from: Option<Date>,
    /// The last day of the window, if it has one.
    pub until: Option<Date>,
    /// One sentence: what is or is not promised, with the numbers and the dates.
    pub statement: String,
    /// The public document in which the policy stands.
    pub reference: String,
}
