//! URIs in a build that reads no object stores: recognized, and refused.

use std::path::Path;

use crate::{Artifact, OpenError, OpenOptions, open};

/// Whether `name` is a URI, `file:` included; any other name is a path.
pub fn is_uri(name: &str) -> bool {
    name.split_once(':').is_some_and(|(scheme, rest)| {
        let word = scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        scheme == "file" || (word && rest.starts_with("//"))
    })
}

/// Opens a file by its URI.
///
/// # Errors
/// As [`open`]; or if the URI names no file of this machine.
pub fn open_uri(uri: &str, options: &OpenOptions) -> Result<Artifact, OpenError> {
    let refused = || OpenError::NoStores { uri: uri.to_owned() };
    let path = uri.strip_prefix("file:").ok_or_else(refused)?;
    open(Path::new(path.strip_prefix("//").unwrap_or(path)), options)
}
