//! Checkpoints: the header of their table, and what it lists of the tensors.
//!
//! Format 2 is an `.index` with data files beside it: under the empty key the header, under each name where its
//! tensor lies. Format 1 is one file with everything; under the empty key stand the names, types and shapes of
//! all tensors, under other keys their values, which are not read.

use unskew_core::DataVersions;
use unskew_source::wire::{MessageField, MessageValue, WireMessage};
use unskew_source::{BytesSource, ReadError, Source, SourceProblem};

use super::table::{Table, TableEntry};
use super::values;
use crate::{DataType, PartialTensorShape};

/// What a checkpoint says of itself, without its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// 1 for one file with everything, 2 for an `.index` with data files beside it.
    pub format: u8,
    /// How many data files there are.
    pub shards: u64,
    /// Whether the numbers in the data files have their highest byte first.
    pub big_endian: bool,
    /// The versions of whoever wrote it.
    pub versions: DataVersions,
    /// The tensors, by name.
    pub tensors: Vec<StoredTensor>,
    /// How many slices of tensors have entries of their own.
    pub slices: usize,
    /// What is stored of variables in slices.
    pub stored_slices: Vec<StoredSlice>,
}

/// A tensor of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredTensor {
    /// The name: `dense/kernel`, `w/.ATTRIBUTES/VARIABLE_VALUE`.
    pub name: Box<str>,
    /// The type of the elements.
    pub dtype: DataType,
    /// The dimensions of the whole tensor.
    pub shape: PartialTensorShape,
    /// Where its bytes lie; none in format 1, and for a tensor that is stored in slices.
    pub range: Option<StoredRange>,
    /// Into how many slices it is cut; 0 if it is not.
    pub slices: usize,
    /// The masked CRC-32C of its bytes, where it has a range.
    pub crc32c: u32,
}

/// A slice of a tensor that has an entry of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredSlice {
    /// Where its bytes lie.
    pub range: StoredRange,
    /// The type of the elements.
    pub dtype: DataType,
    /// The masked CRC-32C of its bytes.
    pub crc32c: u32,
}

/// Where bytes lie in the data files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredRange {
    /// The data file, from 0 on.
    pub shard: u64,
    /// Offset of the first byte in the data file.
    pub start: u64,
    /// The length in the data file, in bytes.
    pub len: u64,
}

/// The most tensors of a checkpoint; the largest models have some ten thousand.
const TENSORS: usize = 1 << 20;

/// How many bytes of the file most tensors take, names that begin alike being shortened.
const ENTRY: u64 = 32;

/// For how many tensors there is room from the beginning at most.
const ROOM: usize = 1 << 10;

/// The most bytes that their names have together.
const NAMES: usize = 64 << 20;

/// What the key of a slice begins with.
const SLICE: u8 = 0;

/// The checkpoint in `source`; none if the table is no checkpoint.
///
/// # Errors
/// If the table is torn, a checksum does not match, or there is more in it than is kept.
pub fn checkpoint(source: &dyn Source) -> Result<Option<Checkpoint>, ReadError> {
    let table = Table::open(source)?;
    let mut found: Option<Checkpoint> = None;
    let mut names = 0usize;
    let mut foreign = false;
    let room = usize::try_from(source.size() / ENTRY).unwrap_or(ROOM).min(ROOM);
    table.entries(|entry| {
        let Some(checkpoint) = &mut found else {
            found = header(source, entry)?;
            if let Some(checkpoint) = &mut found {
                checkpoint.tensors.reserve(room);
            }
            foreign = found.is_none();
            // Format 1 says everything under the empty key.
            return Ok(found.as_ref().is_some_and(|checkpoint| checkpoint.format == 2));
        };
        names = names.saturating_add(entry.key.len());
        if checkpoint.tensors.len().saturating_add(checkpoint.slices) >= TENSORS || names > NAMES {
            let what = "the list of tensors".to_owned();
            let problem = SourceProblem::TooLarge { what, size: names as u64, limit: NAMES as u64 };
            return Err(ReadError::new(source.name(), problem).at(entry.offset));
        }
        bundle_entry(source, entry, checkpoint)?;
        Ok(true)
    })?;
    if let (Some(_), Some(end)) = (&found, table.reaches_beyond()) {
        let problem = SourceProblem::Truncated { len: source.size(), needed: end };
        return Err(ReadError::new(source.name(), problem).in_record("table"));
    }
    Ok(found.filter(|_| !foreign))
}

/// The header under the empty key; none if that is not the header of a checkpoint.
fn header(source: &dyn Source, entry: &TableEntry<'_>) -> Result<Option<Checkpoint>, ReadError> {
    if !entry.key.is_empty() {
        return Ok(None);
    }
    let value = BytesSource::new(source.name(), entry.value.to_vec());
    let placed = |error| placed(error, entry, "checkpoint header");
    let mut message = WireMessage::whole(&value);
    match WireMessage::whole(&value).next().map_err(placed)? {
        Some(field) if field.number == 1 && field.span().is_some() => {
            message.next().map_err(placed)?;
            message.enter(&field, tensor_slice_meta).map_err(placed).map(Some)
        }
        Some(field) if field.number <= 3 => bundle_header(&mut message).map_err(placed).map(Some),
        // Protobuf leaves zeros out: a header of zeros is empty.
        None => Ok(Some(Checkpoint { format: 2, ..Checkpoint::default() })),
        Some(_) => Ok(None),
    }
}

/// Places in the value of an entry become places in the file.
fn placed(mut error: ReadError, entry: &TableEntry<'_>, record: &str) -> ReadError {
    error.offset = Some(error.offset.map_or(entry.offset, |at| at.saturating_add(entry.offset)));
    if let SourceProblem::Truncated { .. } = *error.problem {
        *error.problem = SourceProblem::Malformed(format!("a {record} that ends early"));
    }
    error.in_record(record)
}

/// What is read of a `BundleHeaderProto`.
fn bundle_header(message: &mut WireMessage<'_>) -> Result<Checkpoint, ReadError> {
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

/// A `BundleEntryProto`: a tensor under its name, or a slice of one under a key that begins with a zero.
fn bundle_entry(
    source: &dyn Source,
    entry: &TableEntry<'_>,
    checkpoint: &mut Checkpoint,
) -> Result<(), ReadError> {
    let record = "entry of a tensor";
    let mut message = WireMessage::taken(source, entry.value.to_vec());
    let (mut tensor, mut range) = (StoredTensor::default(), StoredRange::default());
    tensor.shape = PartialTensorShape(Some(Vec::new()));
    let mut read = || -> Result<(), ReadError> {
        while let Some(field) = message.next()? {
            let number = |field: &MessageField| field.varint().unwrap_or(0);
            match field.number {
                1 => tensor.dtype = DataType(number(&field) as i32),
                2 => tensor.shape = message.enter(&field, values::shape)?,
                3 => range.shard = u64::from(number(&field) as u32),
                4 => range.start = number(&field),
                5 => range.len = number(&field),
                6 => {
                    if let MessageValue::Fixed32(crc) = field.value {
                        tensor.crc32c = crc;
                    }
                }
                7 => tensor.slices += 1,
                _ => {}
            }
        }
        Ok(())
    };
    read().map_err(|error| placed(error, entry, record))?;
    if entry.key.first() == Some(&SLICE) {
        checkpoint.slices += 1;
        let (dtype, crc32c) = (tensor.dtype, tensor.crc32c);
        checkpoint.stored_slices.push(StoredSlice { range, dtype, crc32c });
        return Ok(());
    }
    let name = std::str::from_utf8(entry.key).map_err(|_| {
        let what = "the name of a tensor that is no text";
        ReadError::malformed(source.name(), what).at(entry.offset).in_record(record)
    })?;
    tensor.name = name.into();
    tensor.range = (tensor.slices == 0).then_some(range);
    checkpoint.tensors.push(tensor);
    Ok(())
}

/// A `SavedTensorSliceMeta`: everything that format 1 says of its tensors.
fn tensor_slice_meta(message: &mut WireMessage<'_>) -> Result<Checkpoint, ReadError> {
    let mut checkpoint = Checkpoint { format: 1, shards: 1, ..Checkpoint::default() };
    while let Some(field) = message.next()? {
        match field.number {
            1 if checkpoint.tensors.len() >= TENSORS => {
                return Err(message.malformed(field.offset, "more tensors than are kept"));
            }
            1 => checkpoint.tensors.push(message.enter(&field, slice_meta)?),
            2 => checkpoint.versions = message.enter(&field, values::versions)?,
            _ => {}
        }
    }
    checkpoint.tensors.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(checkpoint)
}

/// What is read of a `SavedSliceMeta`.
fn slice_meta(message: &mut WireMessage<'_>) -> Result<StoredTensor, ReadError> {
    let mut tensor =
        StoredTensor { shape: PartialTensorShape(Some(Vec::new())), ..StoredTensor::default() };
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (1, _) => tensor.name = message.string(&field)?.into(),
            (2, _) => tensor.shape = message.enter(&field, values::shape)?,
            (3, MessageValue::Varint(number)) => tensor.dtype = DataType(number as i32),
            (4, _) => tensor.slices += 1,
            _ => {}
        }
    }
    // A tensor in one piece has one slice, which is all of it.
    tensor.slices = if tensor.slices <= 1 { 0 } else { tensor.slices };
    Ok(tensor)
}
