//! Status of something that was not done, as the client is told.

use unskew_ifrt::types::DTypeKind;

use crate::messages::StatusMessage;

/// A code of gRPC and a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code:?}: {message}")]
pub struct Status {
    /// Which kind of failure it is.
    pub code: StatusCode,
    /// What went wrong, for people.
    pub message: String,
}

/// The codes that this server answers with, or passes on from a plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the codes of gRPC")]
pub enum StatusCode {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

impl StatusCode {
    /// Every code, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// Its name in gRPC.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 17] = [
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        ];
        NAMES[self as usize]
    }

    /// The code of a number; one that is none, and 0, which is no error, is [`StatusCode::Unknown`].
    pub fn from_number(number: i64) -> Self {
        let found = Self::ALL.into_iter().find(|code| *code as i64 == number);
        found.unwrap_or(Self::Unknown)
    }
}

impl Status {
    /// A status of this code and this message.
    pub fn new(code: StatusCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The client sent what makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::InvalidArgument, message)
    }

    /// This server, or the plug-in, cannot do it.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(StatusCode::Unimplemented, message)
    }

    /// An element type that the plug-in interface does not have.
    pub(crate) fn no_such_elements(kind: DTypeKind) -> Self {
        Self::unimplemented(format!("PJRT plug-ins have no arrays of this kind: {kind:?}"))
    }

    /// As it stands in a response.
    pub fn message(&self) -> StatusMessage {
        StatusMessage { code: self.code as i32, message: self.message.clone() }
    }
}

impl From<&StatusMessage> for Status {
    fn from(from: &StatusMessage) -> Self {
        Self::new(StatusCode::from_number(from.code.into()), from.message.clone())
    }
}

impl From<unskew_pjrt::Error> for Status {
    fn from(error: unskew_pjrt::Error) -> Self {
        use unskew_pjrt::Error;
        let code = match &error {
            Error::NotAShape(_) | Error::TooShort { .. } | Error::Uneven => {
                StatusCode::InvalidArgument
            }
            Error::OtherCount { .. } | Error::ArgumentCount { .. } | Error::ArgumentType { .. } => {
                StatusCode::InvalidArgument
            }
            Error::UnknownOption { .. } => StatusCode::Unimplemented,
            _ => error
                .code()
                .map_or(StatusCode::Internal, |code| StatusCode::from_number(code.0.into())),
        };
        Self::new(code, error.to_string())
    }
}

impl From<unskew_serdes::DecodeError> for Status {
    fn from(error: unskew_serdes::DecodeError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<unskew_serdes::EncodeError> for Status {
    fn from(error: unskew_serdes::EncodeError) -> Self {
        Self::new(StatusCode::FailedPrecondition, error.to_string())
    }
}

impl From<unskew_source::ReadError> for Status {
    fn from(error: unskew_source::ReadError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<Status> for tonic::Status {
    fn from(status: Status) -> Self {
        Self::new(tonic::Code::from_i32(status.code as i32), status.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_the_one_of_its_number_and_others_are_unknown() {
        for code in StatusCode::ALL {
            assert_eq!(StatusCode::from_number(code as i64), code);
        }
        for number in [i64::MIN, -1, 0, 17, i64::MAX] {
            assert_eq!(StatusCode::from_number(number), StatusCode::Unknown);
        }
    }
}
