//! One object as a source of bytes.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt as _};
use unskew_source::{Budget, Source};

use crate::blocks::BLOCK;
use crate::client::Client;
use crate::ranges::{BlockCache, Ranges};
use crate::{ListedObject, ObjectError, ObjectErrorCause, waiting};

/// One object, as it was when it was opened: a [`Source`] whose reads are ranged requests.
pub struct Object {
    uri: String,
    listed: ListedObject,
    client: Client,
    blocks: BlockCache,
    budget: Budget,
}

impl Object {
    /// An object that was listed. Nothing is asked before something is read.
    pub(crate) fn new(client: &Client, listed: ListedObject) -> Self {
        unskew_source::budget::count_file(listed.size);
        let uri = client.uri(&listed.key);
        let budget = Budget::for_size(listed.size);
        Self { uri, listed, client: client.clone(), blocks: BlockCache::default(), budget }
    }

    /// The object at `key`, with its first block, which every reader wants.
    pub(crate) fn open(client: &Client, key: &str) -> Result<Self, ObjectError> {
        match get(client, key, 0..BLOCK, None) {
            Ok((meta, bytes)) => {
                let object = Self::new(client, ListedObject::new(key.to_owned(), &meta));
                object.blocks.keep(0, bytes);
                Ok(object)
            }
            Err(error) if error.is_missing() => Err(error),
            // No range fits an object without bytes, and servers say so in many ways.
            Err(error) => match stat(client, key)? {
                Some(listed) if listed.size == 0 => Ok(Self::new(client, listed)),
                _ => Err(error),
            },
        }
    }

    /// Its key, size, ETag and day, as they were when it was opened.
    pub fn listed(&self) -> &ListedObject {
        &self.listed
    }

    /// The bytes of a range within the object, as they were when it was opened.
    fn fetch(&self, range: Range<u64>) -> Result<Bytes, ObjectError> {
        let changed = || ObjectError::new(&self.uri, ObjectErrorCause::Changed);
        let etag = self.listed.etag.clone();
        let (meta, bytes) = match get(&self.client, &self.listed.key, range.clone(), etag) {
            // It shrank or is gone.
            Err(error) if error.is_missing() => return Err(changed()),
            answer => answer?,
        };
        let now = ListedObject::new(String::new(), &meta);
        let same = match (&self.listed.etag, &now.etag) {
            // Lists of Azure leave out the quotes that its answers have.
            (Some(then), Some(now)) => then.trim_matches('"') == now.trim_matches('"'),
            // A server without ETags says at least when it was written, in whole seconds.
            _ => self.listed.modified / 1000 == now.modified / 1000,
        };
        if !same || now.size != self.listed.size {
            return Err(changed());
        }
        Ok(bytes)
    }
}

/// Asks for a range of an object, of the state with this ETag if one is given.
fn get(
    client: &Client,
    key: &str,
    range: Range<u64>,
    etag: Option<String>,
) -> Result<(ObjectMeta, Bytes), ObjectError> {
    let (store, path, uri) = (client.store().clone(), client.location(key)?, client.uri(key));
    // A weak ETag fits no precondition, nor does one without quotes; it is compared with that of the answer.
    let if_match = etag.filter(|etag| etag.starts_with('"'));
    let (meta, bytes) = waiting::wait(&uri, async move {
        let range = Some(GetRange::Bounded(range));
        let options = GetOptions { range, if_match, ..GetOptions::default() };
        let answer = store.get_opts(&path, options).await?;
        let meta = answer.meta.clone();
        Ok((meta, answer.bytes().await?))
    })?;
    client.meter().read(bytes.len());
    Ok((meta, bytes))
}

/// What a store says of an object, without its bytes; none if there is no such object.
pub(crate) fn stat(client: &Client, key: &str) -> Result<Option<ListedObject>, ObjectError> {
    let (store, path, uri) = (client.store().clone(), client.location(key)?, client.uri(key));
    match waiting::wait(&uri, async move { store.head(&path).await }) {
        Ok(meta) => Ok(Some(ListedObject::new(key.to_owned(), &meta))),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

impl Ranges for Object {
    fn range(&self, range: Range<u64>) -> io::Result<Bytes> {
        Ok(self.fetch(range)?)
    }
}

impl Source for Object {
    fn name(&self) -> &str {
        &self.uri
    }

    fn size(&self) -> u64 {
        self.listed.size
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.blocks.read_at(self, self.listed.size, offset, buffer)
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
