//! A file as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::file::{GgufFile, GgufValue};
use crate::header::printable;
use crate::{LlamaRelease, judge};

/// The axis on which GGUF files meet a release.
pub const GGUF_AXIS: &str = "gguf";

/// Judges a file against a release.
struct GgufMatcher(Arc<GgufFile>);

impl Matcher for GgufMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        Some(judge(&self.0, other.capability::<LlamaRelease>()?))
    }
}

/// The party in `source`; none if it is no GGUF file.
///
/// # Errors
/// If it is one, but broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(file) = GgufFile::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    Ok(Some(party_of(name, file)))
}

pub(crate) fn party_of(name: &str, file: GgufFile) -> Party {
    let mut party = Party::new(name, Role::Artifact, "GGUF file");
    let order = if file.is_big_endian { ", big-endian" } else { "" };
    party = party.fact("format", format!("GGUF V{}{order}", file.version));
    for (label, key) in [
        ("kind", "general.type"),
        ("architecture", "general.architecture"),
        ("tokenizer", "tokenizer.ggml.model"),
        ("pre-tokenizer", "tokenizer.ggml.pre"),
    ] {
        if let Some(text) = file.text(key) {
            party = party.fact(label, printable(text));
        }
    }
    let context = file.architecture().map(|name| format!("{name}.context_length"));
    if let Some(length) = context.and_then(|key| file.number(&key)) {
        party = party.fact("context length", length);
    }
    if !file.types.is_empty() {
        party = party.fact("types of tensors", file.types_in_words());
    }
    party = party.fact("tensors", file.tensors).fact("metadata keys", file.keys.len());
    for (label, key) in
        [("quantized as", "general.quantization_version"), ("file type", "general.file_type")]
    {
        if let Some(number) = file.number(key) {
            party = party.fact(label, number);
        }
    }
    if let Some(part) = file.part() {
        party = party.fact("part", format!("{} of {}", part.number + 1, part.count));
    }
    if matches!(file.keys.get("tokenizer.chat_template"), Some(GgufValue::Text(_))) {
        party = party.fact("chat template", "in the file");
    }
    for finding in crate::verdict::of_the_file_alone(&file) {
        party = party.note(finding);
    }
    let file = Arc::new(file);
    let judged = Requirement::matches(GGUF_AXIS, GgufMatcher(file.clone()));
    party.require(judged).with_capability(file)
}
