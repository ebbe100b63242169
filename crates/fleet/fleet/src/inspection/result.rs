//! Result of a conversion, on its way from the child to its parent: ranges of the artifact are named, new bytes are sent.

use std::io::{self, Write as _};
use std::sync::{Arc, PoisonError};

use tempfile::{SpooledData, SpooledTempFile};
use unskew_inspection::{LARGEST_FRAME, SharedParent};
use unskew_source::{
    Assembly, AssemblyPiece, BytesSource, ConvertedArtifact, FileSource, ReadError, Slice, Source,
};

use super::message::{Made, Piece};

/// Up to here new bytes stay in memory.
const IN_MEMORY: usize = 8 << 20;

/// The most new bytes of one result.
const MOST_NEW: u64 = 4 << 30;

/// The files of a result.
fn files(output: &ConvertedArtifact) -> Vec<(Option<&str>, &Arc<Assembly>)> {
    match output {
        ConvertedArtifact::File(file) => vec![(None, file)],
        ConvertedArtifact::Folder(files) => {
            files.iter().map(|(path, file)| (Some(path.as_str()), file)).collect()
        }
    }
}

/// A piece as it is named. What is copied from something else than a file of the artifact is sent like new bytes.
fn named(piece: &AssemblyPiece<'_>, sources: &[Arc<dyn Source>]) -> Piece {
    match piece {
        AssemblyPiece::New(bytes) => Piece::New(bytes.len() as u64),
        AssemblyPiece::Copied(source, range) => {
            let size = range.end.saturating_sub(range.start);
            match sources.iter().position(|one| Arc::ptr_eq(one, source)) {
                Some(at) => Piece::Copied(at, range.start, size),
                None => Piece::New(size),
            }
        }
    }
}

/// A result as the child describes it.
pub(super) fn described(output: &ConvertedArtifact, sources: &[Arc<dyn Source>]) -> Vec<Made> {
    let made = |(path, file): (Option<&str>, &Arc<Assembly>)| Made {
        name: file.name().to_owned(),
        path: path.map(str::to_owned),
        pieces: file.pieces().map(|piece| named(&piece, sources)).collect(),
    };
    files(output).into_iter().map(made).collect()
}

/// Sends its new bytes.
pub(super) fn send(
    output: &ConvertedArtifact,
    sources: &[Arc<dyn Source>],
    parent: &SharedParent,
) -> io::Result<()> {
    let say = |bytes: &[u8]| parent.lock().unwrap_or_else(PoisonError::into_inner).send(bytes);
    for (_, file) in files(output) {
        for piece in file.pieces() {
            match (&piece, named(&piece, sources)) {
                (_, Piece::Copied(..)) => {}
                (AssemblyPiece::New(bytes), _) => bytes.chunks(LARGEST_FRAME).try_for_each(say)?,
                (AssemblyPiece::Copied(source, range), _) => {
                    let mut at = range.start;
                    let mut buffer = vec![0; LARGEST_FRAME];
                    while at < range.end {
                        let left = usize::try_from(range.end - at)
                            .unwrap_or(LARGEST_FRAME)
                            .min(LARGEST_FRAME);
                        match source.read_at(at, &mut buffer[..left])? {
                            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                            n => {
                                say(&buffer[..n])?;
                                at += n as u64;
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// New bytes that come, in memory or in a file without a name.
pub(super) struct Coming {
    spool: SpooledTempFile,
    left: u64,
}

impl Coming {
    /// For the new bytes of these files; none if they are too many.
    pub(super) fn for_files(files: &[Made]) -> Option<Self> {
        let mut size = 0_u64;
        for piece in files.iter().flat_map(|file| &file.pieces) {
            if let Piece::New(bytes) = piece {
                size = size.checked_add(*bytes).filter(|size| *size <= MOST_NEW)?;
            }
        }
        Some(Self { spool: SpooledTempFile::new(IN_MEMORY), left: size })
    }

    pub(super) fn is_whole(&self) -> bool {
        self.left == 0
    }

    /// Takes some; false if there are more than were announced.
    pub(super) fn take(&mut self, bytes: &[u8]) -> io::Result<bool> {
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => {
                self.left = left;
                self.spool.write_all(bytes)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// The result, of these bytes and of the files of the artifact.
    ///
    /// # Errors
    /// If it names bytes that are not there.
    pub(super) fn output(
        self,
        files: Vec<Made>,
        sources: &[Arc<dyn Source>],
    ) -> Result<ConvertedArtifact, ReadError> {
        let name = "result";
        let new: Arc<dyn Source> = match self.spool.into_inner() {
            SpooledData::InMemory(bytes) => Arc::new(BytesSource::new(name, bytes.into_inner())),
            SpooledData::OnDisk(file) => {
                let file = FileSource::of_file(name, file);
                Arc::new(file.map_err(|error| ReadError::new(name, error.into()))?)
            }
        };
        let mut at = 0;
        let mut built = Vec::new();
        for file in files {
            let mut assembly = Assembly::new(file.name);
            for piece in file.pieces {
                match piece {
                    Piece::New(size) => {
                        let slice = Slice::new(name, Arc::clone(&new), at, size)?;
                        let slice: Arc<dyn Source> = Arc::new(slice);
                        assembly.push_copy(&slice, 0..size)?;
                        at += size;
                    }
                    Piece::Copied(part, from, size) => {
                        let gone = || ReadError::new(name, gone(part));
                        let source = sources.get(part).ok_or_else(gone)?;
                        assembly.push_copy(source, from..from.saturating_add(size))?;
                    }
                }
            }
            built.push((file.path, Arc::new(assembly)));
        }
        let one = matches!(built.as_slice(), [(None, _)]);
        Ok(match built.pop() {
            Some((_, file)) if one => ConvertedArtifact::File(file),
            last => {
                built.extend(last);
                let named = built.into_iter().map(|(path, file)| (path.unwrap_or_default(), file));
                ConvertedArtifact::Folder(named.collect())
            }
        })
    }
}

fn gone(part: usize) -> unskew_source::SourceProblem {
    unskew_source::SourceProblem::Malformed(format!("a piece of the file number {part}"))
}
