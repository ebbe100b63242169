//! Formats that are known and not judged: what they say of their versions is shown, by their first bytes.

mod beside;
mod flatbuffer;

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_source::{Archive, ReadError, Source, SourceExt, limits};

use unskew_tensorflow::keras::{KERAS_AXIS, KerasFile, KerasMatcher};

use crate::rules;

/// How far into a file attributes and keys are looked for.
const HEAD: u64 = 1 << 20;

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
        "GGUF file" => gguf(&source.head(HEAD)?),
        "TensorFlow Lite model" => flatbuffer::facts(source),
        "Keras archive" => keras(source)?,
        beside::STATE | beside::TFJS | beside::ZIPPED => beside::facts(kind, &source.head(HEAD)?),
        _ => hdf5(&source.head(HEAD)?),
    };
    let said = |key: &str| facts.iter().find(|(known, _)| *known == key).map(|(_, it)| &**it);
    let of_keras = match kind {
        "Keras archive" => Some(KerasFile::new(true, said("keras_version"), &config(source)?)),
        "HDF5 file" => said("keras_version")
            .map(|keras| Ok(KerasFile::new(false, Some(keras), &source.head(HEAD)?)))
            .transpose()?,
        _ => None,
    };
    let file = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let note = rules::NotJudged { file: &file, kind: &kind }.finding();
    let reason = format!("its contents are not read ({kind})");
    let mut party = Party::new(file, Role::Artifact, kind)
        .note(note)
        .not_judged(Unjudged::new(aspect::CONTENTS, reason))
        .require(Requirement::matches(CONTENTS_AXIS, Unread).irrelevant_if_absent());
    if let Some(file) = of_keras {
        let judged = Requirement::matches(KERAS_AXIS, KerasMatcher(file));
        party = party.require(judged.irrelevant_if_absent());
    }
    for (label, value) in facts {
        party = party.fact(label, value);
    }
    Ok(Some(party))
}

fn kind(source: &Arc<dyn Source>, head: &[u8]) -> Option<&'static str> {
    let at = |from: usize, magic: &[u8]| head.get(from..).is_some_and(|h| h.starts_with(magic));
    if at(0, b"\x89HDF\r\n\x1a\n") {
        match source.name().to_ascii_lowercase().ends_with(".weights.h5") {
            true => Some("Keras weights (HDF5)"),
            false => Some("HDF5 file"),
        }
    } else if at(0, b"GGUF") {
        Some("GGUF file")
    } else if at(4, b"TFL3") {
        Some("TensorFlow Lite model")
    } else if at(0, b"PK") && source.name().to_ascii_lowercase().ends_with(".keras") {
        Some("Keras archive")
    } else {
        beside::kind(source, head)
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

/// The version of the superblock, and the attributes by which Keras says who wrote a file.
fn hdf5(head: &[u8]) -> Facts {
    let mut facts: Facts = head
        .get(8)
        .map(|version| ("superblock version", version.to_string()))
        .into_iter()
        .collect();
    for (label, name) in [("keras_version", "keras_version"), ("backend", "backend")] {
        facts.extend(attribute(head, name).map(|value| (label, value)));
    }
    facts
}

/// The value of an attribute that is a text of fixed length: what Keras writes.
fn attribute(head: &[u8], name: &str) -> Option<String> {
    let named = [name.as_bytes(), b"\0"].concat();
    memchr::memmem::find_iter(head, &named).find_map(|at| {
        let short = |at: usize| Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?));
        // Versions 1 and 2 of the message have 8 bytes before the name, and version 1 pads all parts to 8; version 3
        // has 9.
        let (start, pad) = [(8, 8), (8, 1), (9, 1)].into_iter().zip([1, 2, 3]).find_map(
            |((before, pad), version)| {
                let start = at.checked_sub(before)?;
                let length = usize::from(short(start + 2)?);
                (head.get(start) == Some(&version) && length == named.len()).then_some((start, pad))
            },
        )?;
        let padded = |length: u16| usize::from(length).next_multiple_of(pad);
        let before = if head.get(start) == Some(&3) { 9 } else { 8 };
        let kind = start + before + padded(short(start + 2)?);
        let space = kind + padded(short(start + 4)?);
        let value = space + padded(short(start + 6)?);
        let number = |at: usize| {
            let size = u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?);
            usize::try_from(size).ok().filter(|size| *size <= LONGEST)
        };
        match head.get(kind)? & 0x0f {
            // A text of fixed length, which the type says.
            3 => printable(head.get(value..value + number(kind + 4)?)?),
            // A text of any length: its length, the place of a heap, and its number there.
            9 => heap(head, value + 4).filter(|text| Some(text.len()) == number(value)),
            _ => None,
        }
    })
}

/// The text to which a reference at `at` leads: the address of a heap, and the number of an object in it.
fn heap(head: &[u8], at: usize) -> Option<String> {
    let long = |at: usize| {
        let bytes = head.get(at..at.checked_add(8)?)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let heap = long(at)?;
    let wanted = head.get(at + 8..at + 12)?;
    (head.get(heap..heap.checked_add(4)?)? == b"GCOL").then_some(())?;
    // Behind the heap's own head of 16 bytes: number, count and size of each object, and its bytes, padded to 8.
    let mut place = heap + 16;
    loop {
        let size = long(place + 8)?;
        let text = place + 16;
        if head.get(place..place + 2)? == &wanted[..2] {
            return (size <= LONGEST).then(|| printable(head.get(text..text + size)?))?;
        }
        place = text.checked_add(size.checked_next_multiple_of(8)?)?;
    }
}

/// What a Keras file says of itself in `metadata.json`.
fn keras(source: &Arc<dyn Source>) -> Result<Facts, ReadError> {
    let archive = Archive::open(source.clone())?;
    let Some(entry) = archive.entry("metadata.json") else { return Ok(Facts::new()) };
    let member = archive.member(entry)?;
    let text = member.head(HEAD.min(limits::RECORD))?;
    let said: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let of = |key: &'static str| {
        Some((key, said.get(key)?.as_str().filter(|text| text.len() <= LONGEST)?.to_owned()))
    };
    Ok([of("keras_version"), of("date_saved")].into_iter().flatten().collect())
}

/// The configuration of the model in a Keras archive, up to a mebibyte of it.
fn config(source: &Arc<dyn Source>) -> Result<Vec<u8>, ReadError> {
    let archive = Archive::open(source.clone())?;
    let Some(entry) = archive.entry("config.json") else { return Ok(Vec::new()) };
    archive.member(entry)?.head(HEAD.min(limits::RECORD))
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

    #[test]
    fn the_attribute_of_keras_is_found_in_the_forms_that_are_written() {
        // Version 1: name, type (a text of 5 bytes) and space, each padded to 8; version 3 without padding.
        let mut old = b"\x01\0\x0e\0\x08\0\x04\0keras_version\0\0\0".to_vec();
        old.extend_from_slice(b"\x13\0\0\0\x05\0\0\0\x01\0\0\0\0\0\0\x002.4.0");
        assert_eq!(attribute(&old, "keras_version").as_deref(), Some("2.4.0"));
        let mut new = b"..\x03\0\x0e\0\x08\0\x04\0\0keras_version\0".to_vec();
        new.extend_from_slice(b"\x13\0\0\0\x05\0\0\0\x02\0\0\x002.4.0");
        assert_eq!(attribute(&new, "keras_version").as_deref(), Some("2.4.0"));
        assert_eq!(attribute(b"keras_version\0", "keras_version"), None);
        // What Keras 2.15 writes: a text of any length, in a heap that stands behind it here.
        let mut late = b"\x01\0\x0e\0\x14\0\x08\0keras_version\0\0\0".to_vec();
        late.extend_from_slice(b"\x19\x01\x01\0\x10\0\0\0\x10\0\0\0\x01\0\0\0\0\0\x08\0\0\0\0\0");
        late.extend_from_slice(b"\x01\0\0\0\0\0\0\0\x06\0\0\0\x48\0\0\0\0\0\0\0\x02\0\0\0");
        late.extend_from_slice(b"GCOL\x01\0\0\0\0\x10\0\0\0\0\0\0");
        late.extend_from_slice(b"\x01\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0abc\0\0\0\0\0");
        late.extend_from_slice(b"\x02\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\x002.15.0\0\0");
        assert_eq!(attribute(&late, "keras_version").as_deref(), Some("2.15.0"));
        // A heap whose objects have no length ends all the same.
        let size = late.len();
        late[size - 16..size - 8].fill(0xff);
        assert_eq!(attribute(&late, "keras_version"), None);
    }
}
