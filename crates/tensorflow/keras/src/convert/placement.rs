//! An HDF5 file with another configuration: in the place of the old one, or in a heap at the end of the file.

use std::sync::Arc;

use serde_json::Value;
use unskew_source::{Assembly, ReadError, Source, SourceExt as _};

use super::file_format;
use crate::KerasModel;
use crate::hdf5::{Hdf5Attribute, Hdf5File, Hdf5Scalar, write};

/// The attribute that says how a model was compiled, and what it is called where that is left out.
const TRAINING: &str = "training_config";
const LEFT_OUT: &str = "training_before";

/// The HDF5 file with the configuration of `model`, blanks behind it where the old one was longer; none if there is no
/// room.
pub(super) fn in_place(
    source: &Arc<dyn Source>,
    model: &KerasModel,
) -> Result<Option<Assembly>, ReadError> {
    let Some(file) = Hdf5File::open(source)? else { return Ok(None) };
    let root = file.root()?;
    let mut changes = Vec::new();
    let mut tail = Vec::new();
    for (name, value) in [("model_config", &model.config), (TRAINING, &model.training)] {
        let Some(attribute) = root.attribute(name) else { continue };
        let Some(value) = value else {
            // An attribute of another name is read by nobody.
            let Some(at) = file.place(attribute.name_at) else { return Ok(None) };
            changes.push((at, LEFT_OUT.as_bytes().to_vec()));
            continue;
        };
        let Some((at, room)) = attribute.place(&file)? else { return Ok(None) };
        let old: Option<Value> = serde_json::from_slice(&source.bytes(at, room)?).ok();
        if old.as_ref() == Some(value) {
            continue;
        }
        let mut text = file_format::ascii(value).into_bytes();
        let blanks = usize::try_from(room).ok().and_then(|room| room.checked_sub(text.len()));
        if let Some(blanks) = blanks {
            text.extend(std::iter::repeat_n(b' ', blanks));
            changes.push((at, text));
            continue;
        }
        let Some(at) = longer(&file, attribute) else { return Ok(None) };
        let heap = source.size().next_multiple_of(8) + tail.len() as u64;
        let mut reference = (text.len() as u32).to_le_bytes().to_vec();
        reference.extend(heap.to_le_bytes());
        reference.extend(1_u32.to_le_bytes());
        changes.push((at, reference));
        tail.extend(write::heap(&[&String::from_utf8_lossy(&text)]));
    }
    let pad = source.size().next_multiple_of(8) - source.size();
    if !tail.is_empty() {
        let end = source.size() + pad + tail.len() as u64;
        changes.push((write::END, end.to_le_bytes().to_vec()));
    }
    changes.sort_unstable();
    let mut output = Assembly::new(source.name());
    let mut done = 0;
    for (at, text) in changes {
        let end = at.saturating_add(text.len() as u64);
        output.push_copy(source, done..at)?;
        output.push_bytes(text);
        done = end;
    }
    output.push_copy(source, done..source.size())?;
    if !tail.is_empty() {
        output.push_bytes(vec![0; pad as usize]);
        output.push_bytes(tail);
    }
    Ok(Some(output))
}

/// Where the reference to a text of any length stands, if it may lead behind the end of the file as it is: layouts with
/// checksums are left alone.
fn longer(file: &Hdf5File, attribute: &Hdf5Attribute) -> Option<u64> {
    let reference =
        matches!(attribute.scalar, Hdf5Scalar::AnyText(16)) && attribute.data.len() == 16;
    if !reference || !file.is_plain() {
        return None;
    }
    file.place(attribute.at)
}
