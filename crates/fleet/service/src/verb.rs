//! Methods of HTTP that an address takes.

use http::Method;

/// What is done with what is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HttpMethod {
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

impl HttpMethod {
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

impl From<HttpMethod> for Method {
    fn from(verb: HttpMethod) -> Self {
        match verb {
            HttpMethod::Get => Self::GET,
            HttpMethod::Head => Self::HEAD,
            HttpMethod::Put => Self::PUT,
            HttpMethod::Post => Self::POST,
            HttpMethod::Patch => Self::PATCH,
            HttpMethod::Delete => Self::DELETE,
        }
    }
}
