//! A source that counts what is read of it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use unskew_artifact::{ArtifactFile, Content};
use unskew_source::{Budget, Source};

struct Counted {
    source: Arc<dyn Source>,
    bytes: Arc<AtomicU64>,
}

impl Source for Counted {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn size(&self) -> u64 {
        self.source.size()
    }

    fn budget(&self) -> Option<&Budget> {
        self.source.budget()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read_at(offset, buffer)?;
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// The same content, whose reads are added to `bytes`.
pub(crate) fn counted(content: Content, bytes: &Arc<AtomicU64>) -> Content {
    let part = |part: ArtifactFile| {
        let source = Arc::new(Counted { source: part.source, bytes: bytes.clone() });
        ArtifactFile { source, ..part }
    };
    match content {
        Content::File(one) => Content::File(part(one)),
        Content::Folder { name, parts } => {
            Content::Folder { name, parts: parts.into_iter().map(part).collect() }
        }
    }
}
