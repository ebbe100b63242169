//! Artifacts in an object store.
//!
//! ```text
//! PREFIX/3f/3f9a1c...            a file
//! PREFIX/a0/a04bd2.../PATH       the files of a folder
//! PREFIX/a0/a04bd2....folder     its list, whose SHA-256 is its name
//! ```
//!
//! A store writes one object whole or not at all, also one that is sent in parts. So a file is there when its object
//! is; and a folder is there when its list is, which is written last and taken away first.
//!
//! The name of an object is the digest of its bytes. Where that was announced they are read once, and held against it while
//! they are sent. Where it was not they are read before for it, and hashed again when they are sent: a source that changes in
//! between is an error. Of what is not as it should be nothing appears.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content};
use unskew_objects::{ListedObject, Objects};
use unskew_source::{Slice, Source};

use super::{BlobBackend, FolderMember, Incoming, StoredArtifact, at, checked, copy, is_one, list};
use crate::{Digest, FleetError};

/// What the name of a list ends with.
const LIST: &str = ".folder";

pub(super) struct Store {
    objects: Objects,
}

impl Store {
    pub(super) fn over(objects: Objects) -> Self {
        Self { objects }
    }

    /// Sends a file, which must be what was announced, or what it was when it was read before.
    fn send(&self, key: &str, file: &Incoming, digest: &Digest) -> Result<(), FleetError> {
        let mut upload = self.objects.upload(key)?;
        let sent = copy(&*file.source, &mut upload);
        let sent = sent.map_err(at(Path::new(&self.objects.uri(key))))?;
        file.is(sent)?;
        if sent != *digest {
            let what = "changed while it was read".to_owned();
            return Err(FleetError::Damaged { digest: *digest, what });
        }
        upload.finish()?;
        Ok(())
    }

    /// The files of a folder, from its list; none if it has none.
    fn listed(&self, digest: &Digest) -> Result<Option<Vec<FolderMember>>, FleetError> {
        let text = match self.objects.get(&(key(digest) + LIST)) {
            Ok(text) => text,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let damaged = || FleetError::Damaged { digest: *digest, what: "without its list".into() };
        if Digest::sha256(&text) != *digest {
            return Err(damaged());
        }
        let text = String::from_utf8(text).map_err(|_| damaged())?;
        let row = |line: &str| -> Option<FolderMember> {
            let (digest, rest) = line.split_once(' ')?;
            let (size, name) = rest.split_once(' ')?;
            Some((checked(name).ok()?.to_owned(), Digest::from_hex(digest)?, size.parse().ok()?))
        };
        let rows = text.lines().skip(1).map(row).collect::<Option<Vec<_>>>();
        rows.map(Some).ok_or_else(damaged)
    }

    /// An object under the name that users know.
    fn named(&self, listed: &ListedObject, name: &str) -> Result<Arc<dyn Source>, FleetError> {
        let object: Arc<dyn Source> = Arc::new(self.objects.listed_object(listed));
        let named = Slice::new(name, object, 0, listed.size);
        Ok(Arc::new(named.map_err(unskew_artifact::OpenError::from)?))
    }
}

impl BlobBackend for Store {
    fn put(&self, files: Vec<Incoming>) -> Result<StoredArtifact, FleetError> {
        let one = is_one(&files);
        let mut rows: Vec<FolderMember> = Vec::new();
        for file in &files {
            let digest = file.announced.map_or_else(|| read(file), Ok)?;
            let name = file.name.as_deref().map(checked).transpose()?.unwrap_or_default();
            rows.push((name.to_owned(), digest, file.source.size()));
        }
        let size = rows.iter().map(|row| row.2).sum();
        let own: Vec<Digest> = rows.iter().map(|row| row.1).collect();
        let text = list(&mut rows);
        let digest = match own.first() {
            Some(only) if one => *only,
            _ => Digest::sha256(&text),
        };
        if self.has(&digest)? {
            // Nobody has it under its digest who does not have it.
            for file in files.iter().filter(|file| file.announced.is_some()) {
                file.is(read(file)?)?;
            }
            return Ok(StoredArtifact { digest, size, new: false });
        }
        for (file, own) in files.iter().zip(&own) {
            let place = match &file.name {
                None => key(&digest),
                Some(name) => format!("{}/{name}", key(&digest)),
            };
            self.send(&place, file, own)?;
        }
        if !one {
            self.objects.put(&(key(&digest) + LIST), text)?;
        }
        Ok(StoredArtifact { digest, size, new: true })
    }

    fn has(&self, digest: &Digest) -> Result<bool, FleetError> {
        // A folder is looked at file by file: whoever takes it away at the same time may have begun with some.
        match self.content(digest, "artifact") {
            Err(FleetError::Damaged { .. }) => Ok(false),
            content => Ok(content?.is_some()),
        }
    }

    fn content(&self, digest: &Digest, name: &str) -> Result<Option<Content>, FleetError> {
        if let Some(listed) = self.objects.stat(&key(digest))? {
            let source = self.named(&listed, name)?;
            return Ok(Some(Content::File(ArtifactFile {
                name: name.to_owned(),
                source,
                path: None,
                beside: None,
            })));
        }
        let Some(rows) = self.listed(digest)? else { return Ok(None) };
        let below = format!("{}/", key(digest));
        let there = self.objects.list(&key(digest)).collect::<Result<Vec<ListedObject>, _>>()?;
        let mut parts = Vec::new();
        for (path, _, size) in rows {
            let of_row = |one: &&ListedObject| {
                one.key.strip_prefix(&below) == Some(path.as_str()) && one.size == size
            };
            let Some(listed) = there.iter().find(of_row) else {
                let what = format!("without its file {path}");
                return Err(FleetError::Damaged { digest: *digest, what });
            };
            let shown = format!("{}/{path}", name.trim_end_matches('/'));
            parts.push(ArtifactFile {
                source: self.named(listed, &shown)?,
                name: path,
                path: None,
                beside: None,
            });
        }
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(Content::Folder { name: name.to_owned(), parts }))
    }

    fn remove(&self, digest: &Digest) -> Result<(), FleetError> {
        self.objects.delete(&(key(digest) + LIST))?;
        for listed in self.objects.list(&key(digest)).collect::<Result<Vec<ListedObject>, _>>()? {
            self.objects.delete(&listed.key)?;
        }
        Ok(self.objects.delete(&key(digest))?)
    }

    fn digests(&self) -> Result<Vec<Digest>, FleetError> {
        let mut all = Vec::new();
        for listed in self.objects.list("") {
            // Files of folders have more parts, and count only by their list.
            let listed = listed?;
            let name = listed.key.split_once('/').map_or("", |(_, name)| name);
            all.extend(Digest::from_hex(name.strip_suffix(LIST).unwrap_or(name)));
        }
        Ok(all)
    }

    fn sweep(&self) -> Result<usize, FleetError> {
        // Parts of interrupted uploads are the store's to forget; it knows their age, and lists them to nobody here.
        // Files of a folder that never got its list are in nobody's way: the next upload of it writes over them.
        Ok(0)
    }

    fn path(&self, _: &Digest) -> Option<PathBuf> {
        None
    }

    fn shown(&self) -> String {
        self.objects.place().to_string()
    }
}

/// What a file is, read from its first byte to its last.
fn read(file: &Incoming) -> Result<Digest, FleetError> {
    let digest = copy(&*file.source, &mut std::io::sink());
    digest.map_err(at(Path::new(file.source.name())))
}

fn key(digest: &Digest) -> String {
    let hex = digest.hex();
    format!("{}/{hex}", &hex[..2])
}
