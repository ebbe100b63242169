//! Files that tests write: any version, either order of bytes, whatever a header may say.

use std::sync::Arc;

use unskew_source::{BytesSource, Source};

/// A file as it is put together.
#[derive(Clone)]
pub(crate) struct Written {
    pub(crate) version: u32,
    pub(crate) is_big_endian: bool,
    pub(crate) keys: Vec<(String, Vec<u8>)>,
    pub(crate) tensors: Vec<Vec<u8>>,
    pub(crate) data: usize,
}

impl Written {
    pub(crate) fn new() -> Self {
        Self { version: 3, is_big_endian: false, keys: Vec::new(), tensors: Vec::new(), data: 0 }
    }

    fn order(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }

    pub(crate) fn u32(&self, number: u32) -> Vec<u8> {
        self.order(number.to_le_bytes().to_vec())
    }

    pub(crate) fn u64(&self, number: u64) -> Vec<u8> {
        self.order(number.to_le_bytes().to_vec())
    }

    /// A count: four bytes in version 1.
    pub(crate) fn count(&self, number: u64) -> Vec<u8> {
        if self.version == 1 { self.u32(number as u32) } else { self.u64(number) }
    }

    pub(crate) fn text(&self, text: &str) -> Vec<u8> {
        [self.count(text.len() as u64), text.as_bytes().to_vec()].concat()
    }

    pub(crate) fn raw(mut self, key: &str, value: Vec<u8>) -> Self {
        self.keys.push((key.to_owned(), value));
        self
    }

    pub(crate) fn word(self, key: &str, value: &str) -> Self {
        let value = [self.u32(8), self.text(value)].concat();
        self.raw(key, value)
    }

    pub(crate) fn number(self, key: &str, value: u32) -> Self {
        let value = [self.u32(4), self.u32(value)].concat();
        self.raw(key, value)
    }

    pub(crate) fn tensor(mut self, name: &str, shape: &[u64], kind: u32, offset: u64) -> Self {
        let mut tensor = [self.text(name), self.u32(shape.len() as u32)].concat();
        shape.iter().for_each(|size| tensor.extend(self.count(*size)));
        tensor.extend(self.u32(kind));
        tensor.extend(self.u64(offset));
        self.tensors.push(tensor);
        self
    }

    pub(crate) fn with_data(mut self, bytes: usize) -> Self {
        self.data = bytes;
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(self.u32(self.version));
        bytes.extend(self.count(self.tensors.len() as u64));
        bytes.extend(self.count(self.keys.len() as u64));
        for (key, value) in &self.keys {
            bytes.extend(self.text(key));
            bytes.extend(value);
        }
        bytes.extend(self.tensors.concat());
        if self.data > 0 {
            bytes.resize(bytes.len().next_multiple_of(32) + self.data, 0);
        }
        bytes
    }

    pub(crate) fn source(&self) -> Arc<dyn Source> {
        source("a.gguf", self.bytes())
    }
}

pub(crate) fn source(name: &str, bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes))
}
