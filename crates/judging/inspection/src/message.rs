//! Messages of the two processes about the files of an artifact.

use serde::{Deserialize, Serialize};
use unskew_artifact::{ArtifactFile, Content};

/// An artifact without its bytes, as a question names it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Described {
    /// The name under which it is judged.
    pub name: String,
    folder: bool,
    pub(crate) parts: Vec<File>,
}

/// A file of the artifact. Its bytes are asked for by its place in the list.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct File {
    /// Its name in the artifact.
    pub(crate) name: String,
    /// Its name in messages.
    pub(crate) shown: String,
    pub(crate) size: u64,
    /// What lies beside it, if the parent looks there.
    pub(crate) beside: Option<Beside>,
}

/// That files may lie beside one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Beside {
    /// Where the file lies, with its folders.
    pub(crate) path: Option<String>,
}

impl Described {
    /// An artifact, without its bytes.
    pub fn from_content(content: &Content) -> Self {
        let file = |part: &ArtifactFile| File {
            name: part.name.clone(),
            shown: part.source.name().to_owned(),
            size: part.source.size(),
            beside: part.neighbours().map(|files| Beside { path: files.path() }),
        };
        Self {
            name: content.name().to_owned(),
            folder: matches!(content, Content::Folder { .. }),
            parts: content.parts().iter().map(file).collect(),
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.folder
    }

    /// How many files it has, and the bytes of each.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.parts.iter().map(|part| part.size)
    }
}

/// A file beside one of the artifact, as the parent found it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileBeside {
    /// Its place among the files whose bytes can be asked for.
    pub(crate) at: u32,
    pub(crate) shown: String,
    pub(crate) size: u64,
    pub(crate) link: bool,
    pub(crate) outside: bool,
}

/// Which bytes the child wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadRequest {
    pub(crate) part: u32,
    pub(crate) offset: u64,
    pub(crate) size: u32,
}

impl ReadRequest {
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.part.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_le_bytes());
        bytes[12..].copy_from_slice(&self.size.to_le_bytes());
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (part, rest) = bytes.split_first_chunk::<4>()?;
        let (offset, rest) = rest.split_first_chunk::<8>()?;
        let (size, []) = rest.split_first_chunk::<4>()? else { return None };
        Some(Self {
            part: u32::from_le_bytes(*part),
            offset: u64::from_le_bytes(*offset),
            size: u32::from_le_bytes(*size),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_arrives_as_it_was() {
        let wanted = ReadRequest { part: 7, offset: u64::MAX - 1, size: 65_536 };
        assert_eq!(ReadRequest::parse(&wanted.to_bytes()), Some(wanted));
        assert_eq!(ReadRequest::parse(&wanted.to_bytes()[1..]), None);
    }
}
