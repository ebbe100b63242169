//! Formats that are known and not judged: what they say of their versions is shown, by their first bytes.

mod flatbuffer;
mod zipped;

pub(crate) use zipped::ZIPPED;

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_source::{ReadError, Source, SourceExt};

use crate::rules;

/// How far into a file attributes and keys are looked for.
const HEAD: u64 = 1 << 20;

/// What the kind of a party is called whose file is a GGUF.
pub(crate) const GGUF: &str = "GGUF file";

/// What the kind of a party is called whose file is a model of TensorFlow Lite.
pub(crate) const TFLITE: &str = "TensorFlow Lite model";

/// How long a version may be.
const LONGEST: usize = 64;

/// The axis on which these files meet whoever reads files.
const CONTENTS_AXIS: &str = "contents";

/// A release may well read the file: the two are no strangers, and nothing is known against them.
struct Unread;

impl Matcher for Unread {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        matches!(other.role, Role::Runtime | Role::Host).then(Judgement::default)
    }
}

/// What a file of these formats says of itself.
type Facts = Vec<(&'static str, String)>;

/// A party with nothing to check, a note that says so, and the versions that it carries; none if the format is not
/// known.
///
/// # Errors
/// If the first bytes cannot be read.
pub(crate) fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let head = source.head(16)?;
    let Some(kind) = kind(source, &head) else { return Ok(None) };
    let facts = match kind {
        GGUF => gguf(&source.head(HEAD)?),
        TFLITE => flatbuffer::facts(source),
        zipped::ZIPPED => Facts::new(),
        _ => hdf5(&head),
    };
    let file = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let note = rules::NotJudged { file: &file, kind: &kind }.finding();
    let reason = format!("its contents are not read ({kind})");
    let mut party = Party::new(file, Role::Artifact, kind)
        .note(note)
        .not_judged(Unjudged::new(aspect::CONTENTS, reason))
        .require(Requirement::matches(CONTENTS_AXIS, Unread).irrelevant_if_absent());
    for (label, value) in facts {
        party = party.fact(label, value);
    }
    Ok(Some(party))
}

fn kind(source: &Arc<dyn Source>, head: &[u8]) -> Option<&'static str> {
    let at = |from: usize, magic: &[u8]| head.get(from..).is_some_and(|h| h.starts_with(magic));
    if at(0, b"\x89HDF\r\n\x1a\n") {
        Some("HDF5 file")
    } else if at(0, b"GGUF") {
        Some(GGUF)
    } else if at(4, b"TFL3") {
        Some(TFLITE)
    } else {
        zipped::is_zipped(source, head).then_some(zipped::ZIPPED)
    }
}

/// The version behind the magic, the counts, and what the first keys say.
fn gguf(head: &[u8]) -> Facts {
    let number = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
    let Some(version) = number(4) else { return Facts::new() };
    // A file for machines of the other byte order has a version that no one would give.
    if version > 0xffff {
        let version = version.swap_bytes();
        return vec![("format", format!("GGUF V{version}, big-endian"))];
    }
    let mut facts = vec![("format", format!("GGUF V{version}"))];
    if version >= 2 {
        facts.extend(long(8).map(|count| ("tensors", count.to_string())));
        facts.extend(long(16).map(|count| ("metadata keys", count.to_string())));
    }
    let text = |key: &str| {
        // A key is its length and its bytes; behind it stand the type (8 is a text) and the value.
        let at = memchr::memmem::find(head, key.as_bytes())? + key.len();
        let length = usize::try_from(long(at + 4)?).ok().filter(|length| *length <= LONGEST)?;
        (number(at)? == 8).then_some(())?;
        printable(head.get(at + 12..at + 12 + length)?)
    };
    facts.extend(text("general.architecture").map(|name| ("architecture", name)));
    let quantized = "general.quantization_version";
    let at = memchr::memmem::find(head, quantized.as_bytes()).map(|at| at + quantized.len());
    let version = at.filter(|at| number(*at) == Some(4)).and_then(|at| number(at + 4));
    facts.extend(version.map(|version| ("quantization version", version.to_string())));
    facts
}

fn hdf5(head: &[u8]) -> Facts {
    let version = head.get(8).map(|version| ("superblock version", version.to_string()));
    version.into_iter().collect()
}

/// A short text without anything that a terminal would act on.
fn printable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end_matches('\0');
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    plain.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    fn said(name: &str, bytes: &[u8]) -> Option<Party> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes.to_vec()));
        party(&source).unwrap()
    }

    #[test]
    fn a_short_file_is_none_of_these() {
        assert_eq!(said("a", b"GGUF\x03\0\0\0").unwrap().kind, "GGUF file");
        assert_eq!(said("a", b"\x1c\0\0\0TFL3").unwrap().kind, "TensorFlow Lite model");
        assert!(said("a", b"GGU").is_none());
        assert!(said("a", b"").is_none());
    }

    #[test]
    fn versions_are_shown_and_nothing_is_judged() {
        let mut file =
            b"GGUF\x03\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x14\0\0\0\0\0\0\0".to_vec();
        file.extend_from_slice(b"general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0llama");
        let party = said("a.gguf", &file).unwrap();
        let facts: Vec<String> =
            party.facts.iter().map(|fact| format!("{} {}", fact.label, fact.value)).collect();
        assert_eq!(facts, ["format GGUF V3", "tensors 2", "metadata keys 1", "architecture llama"]);
        assert_eq!(party.unjudged[0].aspect, aspect::CONTENTS);
        assert_eq!(gguf(b"GGUF\0\0\0\x03"), [("format", "GGUF V3, big-endian".to_owned())]);
    }
}
