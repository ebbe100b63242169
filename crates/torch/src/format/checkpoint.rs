//! Files that hold tensors or Python objects and no operators: they carry no version that a runtime
//! could be too old for, and say so.

use unskew_core::Version;
use unskew_source::{Problem, ReadError, Source, SourceExt, limits};

use super::records::Records;
use crate::pickle::{self, Value};
use crate::{Format, Model};

/// The number that `torch.save` of the old form begins with, little-endian.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/// How much of a pickle is looked at; its imports tell what it is.
const HEAD: u64 = 1 << 20;

/// Recognizes a safetensors file or a pickle by its first bytes.
pub(super) fn read(source: &dyn Source, head: &[u8]) -> Result<Option<Model>, ReadError> {
    if let Some(len) = safetensors(source, head) {
        return read_safetensors(source, len).map(Some);
    }
    if !matches!(head, [0x80, 2..=5, ..]) {
        return Ok(None);
    }
    let bytes = source.head(HEAD)?;
    let whole = bytes.len() as u64 == source.size();
    let first = match pickle::scan(source.name(), &bytes) {
        Ok(first) => first,
        // What does not end within the head is a large pickle; what ends badly is none.
        Err(error) if !whole && matches!(*error.problem, Problem::Truncated { .. }) => {
            return Ok(Some(Model::new(Format::Pickle)));
        }
        Err(error) => return Err(error),
    };
    let legacy = *first.root() == Value::BigInt(MAGIC.to_vec());
    let mut model = Model::new(if legacy { Format::LegacyCheckpoint } else { Format::Pickle });
    if legacy {
        model.producer.narrow(None, None, "magic number");
        let protocol = pickle::scan(source.name(), &bytes[first.len..])?;
        if let Some(protocol) = protocol.root().int() {
            model.facts.push(("protocol", protocol.to_string()));
        }
    } else {
        model.facts.push(("pickle protocol", first.protocol.to_string()));
        if !first.imports.is_empty() {
            model.facts.push(("pickle imports", first.imports.join(", ")));
        }
    }
    Ok(Some(model))
}

/// What `torch.save` writes since 1.6.
pub(super) fn read_archive(records: &Records) -> Result<Model, ReadError> {
    let mut model = Model::new(Format::Checkpoint);
    model.file_format = Some(records.version()?);
    let since = records.has("byteorder") || records.has(".data/serialization_id");
    let since = Version::pair(if since { 2 } else { 1 }, if since { 1 } else { 6 });
    model.producer.narrow(Some(since), None, "records of the archive");
    if let Some(bytes) = records.get("data.pkl")? {
        let pickle = pickle::scan(records.file(), &bytes).map_err(|e| e.in_record("data.pkl"))?;
        if !pickle.imports.is_empty() {
            model.facts.push(("pickle imports", pickle.imports.join(", ")));
        }
    }
    Ok(model)
}

/// The length of the header, if the first bytes are those of a safetensors file.
fn safetensors(source: &dyn Source, head: &[u8]) -> Option<u64> {
    let len = u64::from_le_bytes(head.get(..8)?.try_into().ok()?);
    (head.get(8) == Some(&b'{') && len >= 2 && len <= source.size().checked_sub(8)?).then_some(len)
}

fn read_safetensors(source: &dyn Source, len: u64) -> Result<Model, ReadError> {
    if len > limits::RECORD {
        let what = "the header".to_owned();
        let problem = Problem::TooLarge { what, size: len, limit: limits::RECORD };
        return Err(ReadError::new(source.name(), problem).at(0));
    }
    let header = source.bytes(8, len)?;
    let header: std::collections::BTreeMap<String, serde::de::IgnoredAny> =
        serde_json::from_slice(&header).map_err(|error| {
            ReadError::malformed(source.name(), error.to_string()).in_record("header")
        })?;
    let mut model = Model::new(Format::Safetensors);
    let tensors = header.keys().filter(|name| *name != "__metadata__").count();
    model.facts.push(("tensors", tensors.to_string()));
    Ok(model)
}
