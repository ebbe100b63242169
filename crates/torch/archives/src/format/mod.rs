//! The formats: one file each, from bytes to [`TorchModel`](crate::TorchModel).

mod bytecode;
mod checkpoint;
pub(crate) mod debug;
mod executorch;
mod exported;
mod legacy;
mod mobile_flatbuffer;
mod records;
mod safetensors;
mod script;

use std::sync::Arc;

use unskew_source::{Archive, ReadError, Source, SourceExt};

use crate::TorchModel;
pub(crate) use checkpoint::MAGIC;
pub(crate) use exported::target;
pub(crate) use records::Records;

/// Reads whatever PyTorch file `source` is; none if it is none.
///
/// # Errors
/// If it is one, but broken.
pub fn read(source: &Arc<dyn Source>) -> Result<Option<TorchModel>, ReadError> {
    if Archive::recognizes(&**source) {
        return archive(source);
    }
    let head = source.head(16)?;
    match head.get(4..8) {
        Some(b"PTMF") => return mobile_flatbuffer::read(&**source).map(Some),
        Some(tag) if tag.starts_with(b"ET") && tag[2..].iter().all(u8::is_ascii_digit) => {
            return executorch::read(&**source).map(Some);
        }
        _ => {}
    }
    checkpoint::read(&**source, &head)
}

fn archive(source: &Arc<dyn Source>) -> Result<Option<TorchModel>, ReadError> {
    let records = Records::open(source)?;
    let read = |read: fn(&Records) -> Result<TorchModel, ReadError>| {
        read(&records)
            .map(|model| Some(TorchModel { directory: Some(records.directory()), ..model }))
    };
    if records.has("serialized_exported_program.json") {
        read(exported::read_json)
    } else if records.has("archive_format") || records.any("models/", ".json") {
        read(exported::read_archive)
    } else if records.has("model.json") && records.any("code/", ".py") {
        read(legacy::read)
    } else if records.any(".data/ts_code/", "") || records.has(".data/python_version") {
        read(script::read_package)
    } else if records.any("code/", ".py") || records.has("bytecode.pkl") {
        read(script::read)
    } else if records.has("data.pkl") {
        read(checkpoint::read_archive)
    } else {
        Ok(None)
    }
}
