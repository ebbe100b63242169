//! What is asked of an address.

use http::Method;

/// What is done with what is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Shown; `HEAD` is answered too.
    Get,
    /// The answer of `GET` without its body.
    Head,
    /// It is put there, or replaces what is there.
    Put,
    /// Something new begins, with an address of its own.
    Post,
    /// Bytes are added to what is there.
    Patch,
    /// It is taken away.
    Delete,
}

impl Verb {
    /// The name in an OpenAPI description.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Head => "head",
            Self::Put => "put",
            Self::Post => "post",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }

    /// Whether nothing is changed by it.
    pub const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

impl From<Verb> for Method {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Get => Self::GET,
            Verb::Head => Self::HEAD,
            Verb::Put => Self::PUT,
            Verb::Post => Self::POST,
            Verb::Patch => Self::PATCH,
            Verb::Delete => Self::DELETE,
        }
    }
}
