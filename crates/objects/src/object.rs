//! One object as a source of bytes.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt as _};
use unskew_source::Source;

use crate::blocks::{BLOCK, Blocks};
use crate::{Cause, Listed, ObjectError, Objects, waiting};

/// A read of at least so much is a request of its own, which leaves the cache as it is.
const LARGE: usize = 512 << 10;

/// One object, as it was when it was opened: a [`Source`] whose reads are ranged requests.
pub struct Object {
    uri: String,
    listed: Listed,
    objects: Objects,
    blocks: Mutex<Blocks>,
}

impl Object {
    /// An object that was listed. Nothing is asked before something is read.
    pub(crate) fn new(objects: &Objects, listed: Listed) -> Self {
        let uri = objects.uri(&listed.key);
        Self { uri, listed, objects: objects.clone(), blocks: Mutex::default() }
    }

    /// The object at `key`, with its first block, which every reader wants.
    pub(crate) fn open(objects: &Objects, key: &str) -> Result<Self, ObjectError> {
        match get(objects, key, 0..BLOCK, None) {
            Ok((meta, bytes)) => {
                let object = Self::new(objects, Listed::new(key.to_owned(), &meta));
                object.blocks().keep(0, bytes);
                Ok(object)
            }
            Err(error) if error.is_missing() => Err(error),
            // No range fits an object without bytes, and servers say so in many ways.
            Err(error) => match objects.stat(key)? {
                Some(listed) if listed.size == 0 => Ok(Self::new(objects, listed)),
                _ => Err(error),
            },
        }
    }

    /// Its key, size, ETag and day, as they were when it was opened.
    pub fn listed(&self) -> &Listed {
        &self.listed
    }

    fn blocks(&self) -> std::sync::MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a range within the object, as they were when it was opened.
    fn fetch(&self, range: Range<u64>) -> Result<Bytes, ObjectError> {
        let changed = || ObjectError::new(&self.uri, Cause::Changed);
        let etag = self.listed.etag.clone();
        let (meta, bytes) = match get(&self.objects, &self.listed.key, range.clone(), etag) {
            // It shrank or is gone.
            Err(error) if error.is_missing() => return Err(changed()),
            answer => answer?,
        };
        let now = Listed::new(String::new(), &meta);
        let same = match (&self.listed.etag, &now.etag) {
            (Some(then), Some(now)) => then == now,
            // A server without ETags says at least when it was written, in whole seconds.
            _ => self.listed.modified / 1000 == now.modified / 1000,
        };
        if !same || now.size != self.listed.size {
            return Err(changed());
        }
        if bytes.len() as u64 != range.end - range.start {
            let said =
                format!("{} bytes came, {} were asked for", bytes.len(), range.end - range.start);
            return Err(ObjectError::new(&self.uri, Cause::Failed(said)));
        }
        Ok(bytes)
    }
}

/// Asks for a range of an object, of the state with this ETag if one is given.
fn get(
    objects: &Objects,
    key: &str,
    range: Range<u64>,
    etag: Option<String>,
) -> Result<(ObjectMeta, Bytes), ObjectError> {
    let (store, path, uri) = (objects.client().clone(), objects.location(key)?, objects.uri(key));
    // A weak ETag fits no precondition; it is compared with that of the answer.
    let if_match = etag.filter(|etag| !etag.starts_with("W/"));
    let (meta, bytes) = waiting::wait(&uri, async move {
        let range = Some(GetRange::Bounded(range));
        let options = GetOptions { range, if_match, ..GetOptions::default() };
        let answer = store.get_opts(&path, options).await?;
        let meta = answer.meta.clone();
        Ok((meta, answer.bytes().await?))
    })?;
    objects.meter().read(bytes.len());
    Ok((meta, bytes))
}

/// What a store says of an object, without its bytes; none if there is no such object.
pub(crate) fn stat(objects: &Objects, key: &str) -> Result<Option<Listed>, ObjectError> {
    let (store, path, uri) = (objects.client().clone(), objects.location(key)?, objects.uri(key));
    match waiting::wait(&uri, async move { store.head(&path).await }) {
        Ok(meta) => Ok(Some(Listed::new(key.to_owned(), &meta))),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

impl Source for Object {
    fn name(&self) -> &str {
        &self.uri
    }

    fn size(&self) -> u64 {
        self.listed.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.listed.size.saturating_sub(offset);
        let n = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..n];
        if n == 0 {
            return Ok(0);
        }
        if n >= LARGE {
            let bytes = self.fetch(offset..offset + n as u64)?;
            buffer.copy_from_slice(&bytes);
            return Ok(n);
        }
        // The lock is held while blocks come: whoever else reads here most likely wants the same.
        let mut blocks = self.blocks();
        match blocks.read(offset, buffer) {
            0 => {
                let wanted = blocks.wanted(offset, self.listed.size);
                let start = wanted.start;
                let bytes = self.fetch(wanted)?;
                blocks.keep(start, bytes);
                Ok(blocks.read(offset, buffer))
            }
            n => Ok(n),
        }
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object").field("uri", &self.uri).field("listed", &self.listed).finish()
    }
}

/// An object that can be shared between readers.
impl From<Object> for Arc<dyn Source> {
    fn from(object: Object) -> Self {
        Arc::new(object) as Self
    }
}
