//! safetensors files: a header that names tensors, and their bytes. The header is read, and held to the length of the
//! file, by the format's own library; bytes of tensors are not.

use safetensors::tensor::Metadata;
use unskew_source::{ReadError, Source, SourceExt, SourceProblem};

use crate::{TorchFormat, TorchModel};

/// The length of the header in bytes.
const PREFIX: u64 = 8;

/// The longest header that is read: of some hundred thousand tensors.
const HEADER: u64 = 16 << 20;

/// The longest header that the format's own library takes.
const LONGEST: u64 = 100_000_000;

/// The length of the header, if the first bytes are those of a safetensors file. A file that ends before its header
/// does is one only if it is called so.
pub(super) fn recognize(source: &dyn Source, head: &[u8]) -> Option<u64> {
    let len = u64::from_le_bytes(head.get(..8)?.try_into().ok()?);
    let opens = head.get(8) == Some(&b'{') && (2..=LONGEST).contains(&len);
    let named = source.name().to_ascii_lowercase().ends_with(".safetensors");
    let fits = len <= source.size().saturating_sub(PREFIX);
    (opens && (fits || named)).then_some(len)
}

/// What the header says.
///
/// # Errors
/// If it is not what the format's own library takes: a type that it does not know, ranges with gaps, a shape that does
/// not fit its range, a file that is shorter or longer than the header says.
pub(super) fn read(source: &dyn Source, len: u64) -> Result<TorchModel, ReadError> {
    if len > HEADER {
        let what = "the header".to_owned();
        let problem = SourceProblem::TooLarge { what, size: len, limit: HEADER };
        return Err(ReadError::new(source.name(), problem).at(0));
    }
    let malformed = |what: String| ReadError::malformed(source.name(), what).in_record("header");
    if len > source.size().saturating_sub(PREFIX) {
        let size = source.size();
        return Err(malformed(format!("it has {len} bytes, and the whole file {size}")));
    }
    let header = source.bytes(PREFIX, len)?;
    let header: Metadata =
        serde_json::from_slice(&header).map_err(|error| malformed(error.to_string()))?;
    let (stored, meant) = (source.size() - PREFIX - len, header.data_len() as u64);
    if stored != meant {
        let what = format!("its tensors take {meant} bytes, and {stored} follow it");
        return Err(malformed(what));
    }
    let mut model = TorchModel::new(TorchFormat::Safetensors);
    let tensors = header.tensors();
    model.facts.push(("tensors", tensors.len().to_string()));
    let mut tensors: Vec<_> = tensors.into_iter().collect();
    tensors.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, tensor) in tensors {
        model.dtypes.entry(tensor.dtype.to_string()).or_default().add(name);
    }
    let types: Vec<String> = model
        .dtypes
        .iter()
        .map(|(dtype, places)| format!("{dtype} ({})", places.count()))
        .collect();
    model.facts.push(("types", types.join(", ")));
    if let Some(format) = header.metadata().as_ref().and_then(|all| all.get("format")) {
        model.facts.push(("written for", format.clone()));
    }
    Ok(model)
}
