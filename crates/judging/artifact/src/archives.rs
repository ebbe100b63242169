//! Models that were packed to be sent: SavedModels and other models in a zip file, and in a tar file that may be
//! compressed with gzip, as TensorFlow Hub and Kaggle hand them out.
//!
//! What stands beside a model in the archive belongs to it: the index of its variables, `keras_metadata.pb`. A tar file is
//! read once from front to back; of it the files are kept that a boundary may read, and nothing is written to disk.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

use flate2::read::GzDecoder;
use unskew_core::Party;
use unskew_source::{
    Archive, ArchiveMember, BytesSource, ChargedReader, ReadError, Source, SourceExt as _,
    SourceProblem, SourceReader, limits,
};

use crate::location::Location;
use crate::{
    Artifact, Container, Neighbours, OpenError, OpenOptions, boundaries, recognize, unversioned,
};

/// The most bytes that a tar file may have when it is unpacked: gzip makes a thousand of one.
const UNPACKED: u64 = 64 << 30;

/// The most bytes of its files that are kept at once.
const KEPT: u64 = 1 << 30;

/// Where the head of a tar file has its mark.
const MARK: usize = 257;

/// How the bytes of gzip begin.
const GZIP: &[u8] = b"\x1f\x8b";

/// Finds a file by its path in the archive.
type Find = Arc<dyn Fn(&str) -> Option<Arc<dyn Source>> + Send + Sync>;

/// The models in an archive; none if it is none, or if `parties` say what it is.
///
/// # Errors
/// If it is a tar file that is broken or too large, or has nothing to check in it.
pub(crate) fn open(
    source: &Arc<dyn Source>,
    parties: &[Party],
    options: &OpenOptions,
) -> Result<Option<Artifact>, OpenError> {
    if parties.iter().any(|party| party.kind != unversioned::ZIPPED) {
        return Ok(None);
    }
    if Archive::recognizes(&**source) {
        return zip(source, options);
    }
    let Some(reader) = unpacked(source)? else { return Ok(None) };
    let files = tar(source, reader)?;
    let count = files.len();
    let names: Vec<String> = files.keys().cloned().collect();
    let find: Find = Arc::new(move |name| files.get(name).cloned());
    let artifact = all(source, &names, &find, options);
    if artifact.pieces.is_empty() && artifact.problems.is_empty() {
        let (path, looked_for) = (source.name().to_owned(), boundaries::looked_for());
        return Err(OpenError::Nothing { path, container: "tar file", files: count, looked_for });
    }
    Ok(Some(artifact))
}

fn zip(source: &Arc<dyn Source>, options: &OpenOptions) -> Result<Option<Artifact>, OpenError> {
    let archive = Arc::new(Archive::open(source.clone())?);
    let names: Vec<String> = archive.entries().iter().map(|entry| entry.name.clone()).collect();
    let find: Find = Arc::new(move |name| Some(member_or_size(&archive, archive.entry(name)?)));
    let artifact = all(source, &names, &find, options);
    let is_empty = artifact.pieces.is_empty() && artifact.problems.is_empty();
    Ok(Some(artifact).filter(|_| !is_empty))
}

/// What can be checked in an archive with files of these names.
fn all(source: &Arc<dyn Source>, names: &[String], find: &Find, options: &OpenOptions) -> Artifact {
    let mut artifact = Artifact::new(source.name(), Container::Packed);
    for name in names.iter().filter(|name| recognize::is_candidate(name)) {
        let Some(member) = find(name) else { continue };
        let label = format!("{}!{name}", source.name());
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let find = find.clone();
        let neighbours: Neighbours = Arc::new(move |name: &str| find(&below(&folder, name)?));
        match recognize::parties(&member, Location::Among(&neighbours), options) {
            Ok(parties) => parties.into_iter().for_each(|one| artifact.add(label.clone(), one)),
            Err(error) => artifact.problems.push(error.into()),
        }
    }
    artifact
}

/// The path in an archive of what a path names that is relative to `folder`; none if it leads out of the archive.
pub(crate) fn below(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A member of an archive; one that is not unpacked has its size and no bytes.
pub(crate) fn member_or_size(archive: &Archive, entry: &ArchiveMember) -> Arc<dyn Source> {
    archive.member(entry).unwrap_or_else(|_| {
        let name = format!("{}!{}", archive.name(), entry.name);
        Arc::new(Unopened { name, size: entry.size })
    })
}

/// A member that is there, and is not unpacked: its bytes would be above what is kept at once, or nobody needs them.
#[derive(Debug)]
struct Unopened {
    name: String,
    size: u64,
}

impl Source for Unopened {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        let what = "a member that is not unpacked: its size is above what is kept at once";
        Err(io::Error::new(io::ErrorKind::Unsupported, what))
    }
}

/// The bytes of a tar file from the first on; none if it is no tar file.
fn unpacked(source: &Arc<dyn Source>) -> Result<Option<Box<dyn Read>>, ReadError> {
    let is_gzip = source.head(2)? == GZIP;
    let open = || -> Box<dyn Read> {
        let reader = SourceReader::new(source.clone());
        match is_gzip {
            true => Box::new(GzDecoder::new(reader)),
            false => Box::new(reader),
        }
    };
    let mut head = Vec::new();
    let read = open().take(512).read_to_end(&mut head);
    let is_tar = read.is_ok() && head.get(MARK..).is_some_and(|mark| mark.starts_with(b"ustar"));
    Ok(is_tar.then(open))
}

/// The files of a tar file that a boundary may read, by their paths.
fn tar(
    source: &Arc<dyn Source>,
    reader: Box<dyn Read>,
) -> Result<BTreeMap<String, Arc<dyn Source>>, ReadError> {
    let name = source.name();
    let broken = |error: io::Error| match error.downcast::<ReadError>() {
        Ok(error) => error,
        Err(error) => ReadError::malformed(name, format!("no whole tar file: {error}")),
    };
    let large = |what: &str, size, limit| {
        ReadError::new(name, SourceProblem::TooLarge { what: what.to_owned(), size, limit })
    };
    let limited = ChargedReader::new(Arc::clone(source), reader).take(UNPACKED);
    let mut archive = tar::Archive::new(limited);
    let mut files: BTreeMap<String, Arc<dyn Source>> = BTreeMap::new();
    let (mut count, mut kept) = (0, 0_u64);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        count += 1;
        if count > limits::MEMBERS {
            return Err(large("its list of files", count as u64, limits::MEMBERS as u64));
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = path.trim_start_matches("./").to_owned();
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if !recognize::is_candidate(&path) {
            // Of what nobody reads the size is known: it may be where a model has its weights.
            let file = Unopened { name: format!("{name}!{path}"), size: entry.size() };
            files.insert(path, Arc::new(file));
            continue;
        }
        kept = kept.saturating_add(entry.size());
        if kept > KEPT {
            return Err(large("the models of a tar file", kept, KEPT));
        }
        // The size is what a header says: memory is taken for what is there.
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        files.insert(path.clone(), Arc::new(BytesSource::new(format!("{name}!{path}"), bytes)));
    }
    if archive.into_inner().limit() == 0 {
        return Err(large("a tar file when it is unpacked", UNPACKED, UNPACKED));
    }
    Ok(files)
}
