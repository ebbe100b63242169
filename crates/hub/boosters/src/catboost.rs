//! Models of CatBoost: its own binary format and JSON. Both hold the parameters of the training as JSON.

use std::io::BufReader;
use std::sync::Arc;

use memchr::memmem;
use serde::de::DeserializeSeed as _;
use unskew_source::{ReadError, Source, SourceExt as _, SourceReader};

use crate::model::{BoosterLibrary, BoosterModel};
use crate::outline::{Outline, OutlineSeed};

/// How the binary format begins; the length of what follows stands behind it, and parts of other kinds behind that.
const MAGIC: &[u8; 4] = b"CBM1";

/// How much of the start and the end of a file is looked through for a word.
const NEAR: u64 = 1 << 20;

/// How much of JSON is looked through for its first keys.
const HEAD: u64 = 1 << 16;

/// Behind these words stands the name of a loss.
const LOSS: &[u8] = br#""loss_function":{"type":""#;
const LONGEST_NAME: usize = 64;

/// Keys of JSON that stand at the top of every model.
const TREES: [&str; 2] = ["oblivious_trees", "trees"];

/// The model in `source`; none if it is not one of CatBoost.
pub(crate) fn read(source: &Arc<dyn Source>) -> Result<Option<BoosterModel>, ReadError> {
    // Most files are something else, of which little is read.
    let start = source.head(MAGIC.len() as u64)?;
    if start == MAGIC {
        return binary(source).map(Some);
    }
    if !start.trim_ascii_start().starts_with(b"{") {
        return Ok(None);
    }
    // The tables of features come first, and may be long.
    let head = source.head(HEAD)?;
    let is_json = [&b"\"features_info\""[..], b"\"ctr_data\"", b"\"model_info\""]
        .iter()
        .any(|key| memmem::find(&head, key).is_some());
    if !is_json {
        return Ok(None);
    }
    let mut outline = Outline::default();
    let mut json =
        serde_json::Deserializer::from_reader(BufReader::new(SourceReader::new(source.clone())));
    OutlineSeed { outline: &mut outline, path: String::new() }
        .deserialize(&mut json)
        .map_err(|error| ReadError::malformed(source.name(), format!("not JSON: {error}")))?;
    if !TREES.iter().any(|key| outline.keys.contains(*key)) {
        return Ok(None);
    }
    let mut model = BoosterModel::new(BoosterLibrary::Catboost, "JSON");
    if let Some(loss) = outline.text("model_info.params.loss_function.type") {
        model.add("objective", loss);
    }
    if let Some(version) = outline.text("model_info.catboost_version_info") {
        model.written_by = version.lines().next().map(str::to_owned);
    }
    // Parameters of the training are for those who train again.
    for key in outline.keys.iter().filter(|key| !key.starts_with("model_info.")) {
        model.add("key", key);
    }
    Ok(Some(model))
}

fn binary(source: &Arc<dyn Source>) -> Result<BoosterModel, ReadError> {
    let mut model = BoosterModel::new(BoosterLibrary::Catboost, "cbm");
    let size = source.size();
    let length = source.bytes(MAGIC.len() as u64, 4.min(size - MAGIC.len() as u64))?;
    let length = length.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
    if length.is_none_or(|length| length + 8 > size) {
        return Err(ReadError::malformed(source.name(), "it ends before the end of its trees"));
    }
    let start = source.head(NEAR)?;
    let end = source.bytes(size.saturating_sub(NEAR), NEAR.min(size))?;
    let loss = |text: &[u8]| {
        let from = memmem::find(text, LOSS)? + LOSS.len();
        let rest = text.get(from..)?;
        let end = memchr::memchr(b'"', rest).filter(|end| *end <= LONGEST_NAME)?;
        Some(String::from_utf8_lossy(rest.get(..end)?).into_owned())
    };
    if let Some(loss) = loss(&start).or_else(|| loss(&end)) {
        model.add("objective", &loss);
    }
    Ok(model)
}
