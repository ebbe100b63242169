//! Error of a plug-in that cannot do what it is asked.

/// An error with its code, as TensorFlow shows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The code, as TensorFlow's `TF_Code` counts it.
    pub code: Code,
    /// The text for people: what happened, and what to do.
    pub message: String,
}

/// The kind of an error: `TF_Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

impl Code {
    /// No error: the call has done what it should.
    pub const OK: Self = Self(0);
    /// The caller gave it up.
    pub const CANCELLED: Self = Self(1);
    /// What was asked for makes no sense.
    pub const INVALID_ARGUMENT: Self = Self(3);
    /// There is no such thing.
    pub const NOT_FOUND: Self = Self(5);
    /// It is there already.
    pub const ALREADY_EXISTS: Self = Self(6);
    /// No memory is left, or no place.
    pub const RESOURCE_EXHAUSTED: Self = Self(8);
    /// The two sides do not fit, or something has to be done before.
    pub const FAILED_PRECONDITION: Self = Self(9);
    /// An index behind the end.
    pub const OUT_OF_RANGE: Self = Self(11);
    /// The plug-in does not do this.
    pub const UNIMPLEMENTED: Self = Self(12);
    /// The plug-in's own fault.
    pub const INTERNAL: Self = Self(13);
    /// The device is not there now.
    pub const UNAVAILABLE: Self = Self(14);
}

impl Error {
    /// An error of this code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// What was asked for makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::INVALID_ARGUMENT, message)
    }

    /// The two sides do not fit.
    pub fn precondition(message: impl Into<String>) -> Self {
        Self::new(Code::FAILED_PRECONDITION, message)
    }

    /// The plug-in does not do this.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(Code::UNIMPLEMENTED, message)
    }

    /// The plug-in's own fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::INTERNAL, message)
    }
}
