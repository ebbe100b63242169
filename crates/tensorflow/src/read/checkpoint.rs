//! Checkpoints: what stands under the empty key of their table.

use unskew_core::DataVersions;
use unskew_source::wire::Message;
use unskew_source::{BytesSource, Problem, ReadError, Source};

use super::{table, values};

/// What the header of a checkpoint says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// 1 for one file with everything, 2 for an `.index` with data files beside it.
    pub format: u8,
    /// How many data files there are.
    pub shards: u64,
    /// Whether the numbers in the data files have their highest byte first.
    pub big_endian: bool,
    /// The versions.
    pub versions: DataVersions,
}

/// The header of the checkpoint in `source`; none if the table is no checkpoint.
///
/// # Errors
/// If the table is torn, or its checksums do not match.
pub fn checkpoint(source: &dyn Source) -> Result<Option<Checkpoint>, ReadError> {
    let first = table::first(source)?;
    if !first.key.is_empty() {
        return Ok(None);
    }
    let value = BytesSource::new(source.name(), first.value);
    // Places in the value become places in the file.
    let placed = |mut error: ReadError| {
        error.offset = error.offset.map(|at| at.saturating_add(first.offset));
        if let Problem::Truncated { .. } = *error.problem {
            *error.problem = Problem::Malformed("a checkpoint header that ends early".to_owned());
        }
        error.in_record("checkpoint header")
    };
    let mut message = Message::whole(&value);
    let begins_with = Message::whole(&value).next().map_err(placed)?;
    match begins_with {
        Some(field) if field.number == 1 && field.span().is_some() => {
            message.next().map_err(placed)?;
            let versions = message.enter(&field, tensor_slice_meta).map_err(placed)?;
            Ok(Some(Checkpoint { format: 1, shards: 1, big_endian: false, versions }))
        }
        Some(field) if field.number <= 3 => bundle_header(&mut message).map_err(placed).map(Some),
        // Protobuf leaves zeros out: a header of zeros is empty.
        None => Ok(Some(Checkpoint { format: 2, ..Checkpoint::default() })),
        Some(_) => Ok(None),
    }
}

/// A `BundleHeaderProto`.
fn bundle_header(message: &mut Message<'_>) -> Result<Checkpoint, ReadError> {
    let mut header = Checkpoint { format: 2, ..Checkpoint::default() };
    while let Some(field) = message.next()? {
        match field.number {
            1 => header.shards = field.varint().unwrap_or(0),
            2 => header.big_endian = field.varint() == Some(1),
            3 => header.versions = message.enter(&field, values::versions)?,
            _ => {}
        }
    }
    Ok(header)
}

/// The versions of a `SavedTensorSliceMeta`.
fn tensor_slice_meta(message: &mut Message<'_>) -> Result<DataVersions, ReadError> {
    let mut versions = DataVersions::default();
    while let Some(field) = message.next()? {
        if field.number == 2 {
            versions = message.enter(&field, values::versions)?;
        }
    }
    Ok(versions)
}
