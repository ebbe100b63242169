//! Where the elements of a tensor are, for those that are read while a model is written.

use std::sync::Arc;

use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{BytesSource, ReadError, Source};

use super::ConversionInput;
use super::dequantized::TensorBytes;
use crate::judge::is_inside;
use crate::read::varints;
use crate::{NeighbourOpener, OnnxTensor, TensorData};

/// Where the elements of a tensor are; none if they are not all there, or in a file that is not known.
pub(super) fn tensor_bytes(
    input: &ConversionInput,
    tensor: &OnnxTensor,
    beside: NeighbourOpener<'_>,
) -> Result<Option<TensorBytes>, ReadError> {
    let Some(size) = tensor.bytes() else { return Ok(None) };
    if let Some(external) = &tensor.external {
        let is_whole = external.length.is_none_or(|length| length == size);
        if external.broken.is_some() || !is_whole || !is_inside(&external.location) {
            return Ok(None);
        }
        let start = external.offset.unwrap_or(0);
        let fits =
            |file: &Arc<dyn Source>| start.checked_add(size).is_some_and(|end| end <= file.size());
        let file = beside(&external.location).filter(fits);
        return Ok(file.map(|file| TensorBytes { file, start }));
    }
    if tensor.data != TensorData::Raw(size) {
        let bytes = listed(input, tensor)?;
        let is_whole = bytes.len() as u64 == size;
        let file = || Arc::new(BytesSource::new(tensor.name.to_string(), bytes));
        return Ok(is_whole.then(|| TensorBytes { file: file(), start: 0 }));
    }
    let len = tensor.place.end.saturating_sub(tensor.place.start);
    let span = ByteSpan { start: tensor.place.start, len };
    let mut message = WireMessage::at(&*input.source, span);
    while let Some(field) = message.next()? {
        if let (9, Some(raw)) = (field.number, field.span()) {
            return Ok(Some(TensorBytes { file: input.source.clone(), start: raw.start }));
        }
    }
    Ok(None)
}

/// Elements that stand one by one, as bytes: floats, or numbers of which each holds a half or two of 4 bits.
fn listed(input: &ConversionInput, tensor: &OnnxTensor) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let mut add = |number: i64| match tensor.element.0 {
        10 => bytes.extend((number as u16).to_le_bytes()),
        21 | 22 => bytes.push(number as u8),
        _ => {}
    };
    let len = tensor.place.end.saturating_sub(tensor.place.start);
    let span = ByteSpan { start: tensor.place.start, len };
    let mut message = WireMessage::at(&*input.source, span);
    let mut floats = Vec::new();
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (4, Wire::Bytes(_)) => floats.extend(message.bytes(&field)?),
            (4, Wire::Fixed32(bits)) => floats.extend(bits.to_le_bytes()),
            (5, Wire::Bytes(_)) => {
                varints(&message.bytes(&field)?).unwrap_or_default().into_iter().for_each(&mut add);
            }
            (5, Wire::Varint(number)) => add(number as i64),
            _ => {}
        }
    }
    Ok(if tensor.element.0 == 1 { floats } else { bytes })
}
