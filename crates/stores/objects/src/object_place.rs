//! Place that a URI names.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::{ObjectError, ObjectErrorCause, hub};

/// The kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// The local file system.
    File,
    /// S3 and what speaks like it.
    S3,
    /// Google Cloud Storage, `gs://`.
    Gs,
    /// Azure Blob Storage, `az://`.
    Az,
    /// A web server that answers range requests.
    Http,
    /// A repository of the Hugging Face hub, `hf://org/model@revision`.
    Hub,
}

const SCHEMES: [(&str, Scheme); 11] = [
    ("file", Scheme::File),
    ("s3", Scheme::S3),
    ("s3a", Scheme::S3),
    ("gs", Scheme::Gs),
    ("az", Scheme::Az),
    ("azure", Scheme::Az),
    ("abfs", Scheme::Az),
    ("abfss", Scheme::Az),
    ("http", Scheme::Http),
    ("https", Scheme::Http),
    ("hf", Scheme::Hub),
];

/// A place in a store: an object, or everything whose name begins so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectPlace {
    scheme: Scheme,
    /// Everything before the key, without a slash at the end: `s3://bucket`, `https://host:8080`; empty for files.
    root: String,
    /// The key below it, without slashes around; the absolute path for files.
    key: String,
    /// Whether the URI ends in a slash, and so means a folder.
    folder: bool,
}

impl ObjectPlace {
    /// Takes a URI apart. What has no scheme that is known is a path on this machine.
    ///
    /// Keys of `s3:`, `gs:` and `az:` stand as they are; in `file:` and `http:` URIs `%20` is a blank.
    ///
    /// # Errors
    /// [`ObjectErrorCause::Invalid`] without a bucket or host, for a query (a signed URL), or a key with empty parts, `.` or
    /// `..` in it.
    pub fn parse(uri: &str) -> Result<Self, ObjectError> {
        let invalid = |why: &str| ObjectError::new(uri, ObjectErrorCause::Invalid(why.to_owned()));
        let Some((scheme, rest)) = split(uri) else { return Self::of_path(Path::new(uri)) };
        if scheme == Scheme::File {
            let path = rest.strip_prefix("//localhost").or_else(|| rest.strip_prefix("//"));
            let path = percent_decode_str(path.unwrap_or(rest)).decode_utf8();
            return Self::of_path(Path::new(&*path.map_err(|_| invalid("no UTF-8"))?));
        }
        let rest = rest.strip_prefix("//").ok_or_else(|| invalid("`//` must follow the scheme"))?;
        let (authority, key) = match scheme {
            Scheme::Hub => rest.split_at(hub::root_len(rest)),
            _ => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        };
        let key = key.strip_prefix('/').unwrap_or(key);
        if authority.is_empty() {
            return Err(invalid("no bucket or host is named"));
        }
        let decoded = match scheme {
            Scheme::Http if key.contains(['?', '#']) => {
                return Err(invalid("a query or fragment is not sent; give the plain URI"));
            }
            Scheme::Http => {
                percent_decode_str(key).decode_utf8().map_err(|_| invalid("no UTF-8"))?
            }
            _ => key.into(),
        };
        let key = decoded.trim_end_matches('/');
        if !key.is_empty() && key.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(invalid("a part of the key is empty, `.` or `..`"));
        }
        Ok(Self {
            scheme,
            root: uri[..uri.len() - rest.len() + authority.len()].to_owned(),
            key: key.to_owned(),
            folder: key.is_empty() || decoded.ends_with('/'),
        })
    }

    /// Whether `name` is a URI with a scheme that is known, `file:` included.
    pub fn is_uri(name: &str) -> bool {
        split(name).is_some()
    }

    /// The place of a path on this machine.
    fn of_path(path: &Path) -> Result<Self, ObjectError> {
        let shown = path.display().to_string();
        let absolute = std::path::absolute(path).map_err(|e| ObjectError::io(&shown, e))?;
        // `..` is resolved by the system, which knows links; here it would only be a guess.
        if absolute.components().any(|part| part == Component::ParentDir) {
            let absolute = std::fs::canonicalize(path).map_err(|e| ObjectError::io(&shown, e))?;
            return Self::of_path(&absolute);
        }
        let key = absolute.to_str().ok_or_else(|| {
            ObjectError::new(&shown, ObjectErrorCause::Invalid("the path is no UTF-8".to_owned()))
        })?;
        let folder = shown.ends_with('/') || absolute.is_dir();
        let key = if key.len() > 1 { key.trim_end_matches('/') } else { key };
        Ok(Self { scheme: Scheme::File, root: String::new(), key: key.to_owned(), folder })
    }

    /// The kind of store.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The bucket, container or host, with the scheme before it; empty on this machine.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The key below the root; on this machine the absolute path.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether only a folder can be meant, because the URI ends in a slash.
    pub fn is_folder(&self) -> bool {
        self.folder
    }

    /// The path, if the place is on this machine.
    pub fn path(&self) -> Option<PathBuf> {
        (self.scheme == Scheme::File).then(|| PathBuf::from(&self.key))
    }

    /// The last part of the key: the name of a file.
    pub fn name(&self) -> &str {
        self.key.rsplit('/').next().unwrap_or_default()
    }

    /// The bucket, container or host itself; `/` on this machine.
    #[must_use]
    pub fn root_place(&self) -> Self {
        let key = if self.scheme == Scheme::File { "/" } else { "" };
        Self { key: key.to_owned(), folder: true, ..self.clone() }
    }

    /// The place of a key below this one.
    #[must_use]
    pub fn join(&self, key: &str) -> Self {
        let base = self.key.trim_end_matches('/');
        let joined = match (self.scheme, base, key.trim_matches('/')) {
            (_, base, "") => base.to_owned(),
            (Scheme::File, base, key) => format!("{base}/{key}"),
            (_, "", key) => key.to_owned(),
            (_, base, key) => format!("{base}/{key}"),
        };
        Self { key: joined, folder: key.is_empty() && self.folder, ..self.clone() }
    }
}

impl fmt::Display for ObjectPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.scheme, &*self.key) {
            (Scheme::File, key) => f.write_str(key),
            (_, key) => write!(f, "{}/{key}", self.root),
        }
    }
}

/// The scheme of a URI and what follows its colon.
fn split(uri: &str) -> Option<(Scheme, &str)> {
    let (scheme, rest) = uri.split_once(':')?;
    let known = SCHEMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme))?;
    // `file:` alone may be followed by a bare path; a file called `s3:x` on this machine stays a path.
    (known.1 == Scheme::File || rest.starts_with("//")).then_some((known.1, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_uri_is_taken_apart_as_it_is_written() {
        let place = ObjectPlace::parse("s3://bucket/a b/100%.pt").unwrap();
        assert_eq!((place.root(), place.key()), ("s3://bucket", "a b/100%.pt"));
        assert_eq!(place.to_string(), "s3://bucket/a b/100%.pt");
        assert!(!place.is_folder());
        let place = ObjectPlace::parse("https://host:8080/a%20b/").unwrap();
        assert_eq!((place.root(), place.key()), ("https://host:8080", "a b"));
        assert!(place.is_folder());
        assert!(ObjectPlace::parse("gs://bucket").unwrap().is_folder());
        assert_eq!(ObjectPlace::parse("file:///a%20b").unwrap().key(), "/a b");
        assert_eq!(ObjectPlace::parse("/a/b/").unwrap().join("c/d").to_string(), "/a/b/c/d");
        assert_eq!(ObjectPlace::parse("s3://b").unwrap().join("c").to_string(), "s3://b/c");
    }

    #[test]
    fn a_key_that_climbs_or_signs_is_refused() {
        for uri in ["s3://", "s3:///k", "s3://b/../c", "s3://b//c", "https://h/k?X-Amz-Signature=1"]
        {
            assert!(ObjectPlace::parse(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn what_has_no_known_scheme_is_a_path() {
        assert!(
            !ObjectPlace::is_uri("C:/models")
                && !ObjectPlace::is_uri("torch@2.1")
                && !ObjectPlace::is_uri("s3:x")
        );
        assert_eq!(ObjectPlace::parse("models/net.pt").unwrap().scheme(), Scheme::File);
    }

    proptest! {
        #[test]
        fn any_text_is_a_place_or_an_error(text in "\\PC{0,40}") {
            let _ = ObjectPlace::parse(&text);
            let _ = ObjectPlace::parse(&format!("s3://{text}"));
            let _ = ObjectPlace::parse(&format!("http://{text}"));
        }
    }
}
