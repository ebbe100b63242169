//! Objects that are written in parts.

use std::io::{self, Write};

use object_store::{MultipartUpload, ObjectStoreExt as _, PutMode, PutPayload};

use crate::client::Client;
use crate::{ObjectError, waiting};

/// The size of a part: the least that S3 takes is 5 MiB, and it takes 10,000 parts.
const PART: usize = 16 << 20;

/// An object on its way into a store, written as a file is. It appears when [`ObjectUpload::finish`] returns, whole; if it is
/// dropped before, nothing does, and the store is asked to forget the parts.
///
/// What fits into one part is sent at the end by one request.
pub struct ObjectUpload {
    client: Client,
    key: String,
    uri: String,
    buffer: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
    size: u64,
}

impl ObjectUpload {
    pub(crate) fn begin(client: &Client, key: &str) -> Result<Self, ObjectError> {
        client.location(key)?;
        let (uri, key) = (client.uri(key), key.to_owned());
        Ok(Self { client: client.clone(), key, uri, buffer: Vec::new(), parts: None, size: 0 })
    }

    /// Sends what is in the buffer as a part.
    fn send(&mut self) -> Result<(), ObjectError> {
        let mut parts = match self.parts.take() {
            Some(parts) => parts,
            None => {
                let (store, path) = (self.client.store().clone(), self.client.location(&self.key)?);
                waiting::wait(&self.uri, async move { store.put_multipart(&path).await })?
            }
        };
        let sent = parts.put_part(PutPayload::from(std::mem::take(&mut self.buffer)));
        // Kept before the wait, so that a failure leaves something to abort.
        self.parts = Some(parts);
        waiting::wait(&self.uri, sent)
    }

    /// Ends the object and returns how many bytes it has.
    ///
    /// # Errors
    /// If the store does not take it; then it does not appear.
    pub fn finish(mut self) -> Result<u64, ObjectError> {
        if self.parts.is_none() {
            let bytes = std::mem::take(&mut self.buffer);
            self.client.put(&self.key, bytes, PutMode::Overwrite)?;
            return Ok(self.size);
        }
        if !self.buffer.is_empty() {
            self.send()?;
        }
        let Some(mut parts) = self.parts.take() else { return Ok(self.size) };
        let (done, parts) = waiting::wait(&self.uri, async move {
            let done = parts.complete().await;
            Ok((done, parts))
        })?;
        match done {
            Ok(_) => Ok(self.size),
            Err(error) => {
                self.parts = Some(parts);
                Err(ObjectError::of_store(&self.uri, error))
            }
        }
    }
}

impl Write for ObjectUpload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(PART - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..n]);
        if self.buffer.len() == PART {
            self.send()?;
        }
        self.size += n as u64;
        Ok(n)
    }

    /// Sends nothing: a part has a least size.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ObjectUpload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            // Whether the store forgets them cannot be helped here; it also does by itself after some days.
            let _ = waiting::wait(&self.uri, async move { parts.abort().await });
        }
    }
}

impl std::fmt::Debug for ObjectUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upload").field("uri", &self.uri).field("size", &self.size).finish()
    }
}
