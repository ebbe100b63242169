//! Formats that are known and not judged: what they say of their versions is shown, by their first bytes.

mod flatbuffer;
mod zipped;

pub(crate) use zipped::ZIPPED;

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_source::{ReadError, Source, SourceExt};

use crate::rules;

/// What the kind of a party is called whose file is a model of TensorFlow Lite.
pub(crate) const TFLITE: &str = "TensorFlow Lite model";

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
    } else if at(4, b"TFL3") {
        Some(TFLITE)
    } else {
        zipped::is_zipped(source, head).then_some(zipped::ZIPPED)
    }
}

fn hdf5(head: &[u8]) -> Facts {
    let version = head.get(8).map(|version| ("superblock version", version.to_string()));
    version.into_iter().collect()
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
        assert_eq!(said("a", b"\x1c\0\0\0TFL3").unwrap().kind, "TensorFlow Lite model");
        assert!(said("a", b"TFL").is_none());
        assert!(said("a", b"").is_none());
    }

    #[test]
    fn versions_are_shown_and_nothing_is_judged() {
        let party = said("a.h5", b"\x89HDF\r\n\x1a\n\x02").unwrap();
        let facts: Vec<String> =
            party.facts.iter().map(|fact| format!("{} {}", fact.label, fact.value)).collect();
        assert_eq!(facts, ["superblock version 2"]);
        assert_eq!(party.unjudged[0].aspect, aspect::CONTENTS);
    }
}
