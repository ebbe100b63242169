//! Archives whose members are read to the end and held against their checksums: small ones, and others where that is
//! asked for. Of the rest it is said that this was not done.

use std::io;
use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Requirement, Role, Unjudged, aspect,
};
use unskew_source::{Archive, Directory, ReadError, Source, SourceProblem};

use crate::rules;

/// The axis of what is found; nobody provides it.
const AXIS: &str = "stored data";

/// The most bytes that one member may have when it is inflated.
const LIMIT: u64 = 1 << 42;

/// Up to so many bytes all members of an archive are read without being asked for.
const SMALL: u64 = 1 << 20;

/// Says the same to every runtime.
struct Damaged(Finding);

impl Matcher for Damaged {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let finding = (other.role == Role::Runtime).then(|| self.0.clone())?;
        Some(Judgement { findings: vec![finding], ..Judgement::default() })
    }
}

/// `party`, which was read from `source`, with what its members say of their checksums if it is an archive; or that
/// nobody asked them, if it is large and `asked` is false.
///
/// # Errors
/// If it was asked for and the archive cannot be read.
pub(crate) fn with_data(
    party: Party,
    source: &Arc<dyn Source>,
    asked: bool,
) -> Result<Party, ReadError> {
    if party.role != Role::Artifact || !Archive::recognizes(&**source) {
        return Ok(party);
    }
    // A boundary that read the directory hands on what it says.
    let large = party.capability().filter(|known: &&Directory| !asked && known.size > SMALL);
    if let Some(known) = large.copied() {
        return Ok(not_compared(party, known));
    }
    // The boundary says what is wrong with an archive that does not open.
    let archive = match Archive::open(source.clone()) {
        Err(_) if !asked => return Ok(party),
        archive => archive?,
    };
    let Directory { members, size } = archive.directory();
    let damaged = match (asked, size <= SMALL) {
        (true, _) => Some(damaged(&archive, |_| LIMIT)?),
        (false, true) => damaged(&archive, |size| size).ok(),
        (false, false) => None,
    };
    let Some(damaged) = damaged else { return Ok(not_compared(party, archive.directory())) };
    if damaged.is_empty() {
        let said = format!("the checksums of {members} members");
        return Ok(if asked { party.fact("verified", said) } else { party });
    }
    let rule = rules::MembersDamaged { count: &damaged.count(), members: &members };
    let finding = rule.finding().at(damaged);
    let party = party.note(finding.clone());
    Ok(party.require(Requirement::matches(AXIS, Damaged(finding)).irrelevant_if_absent()))
}

fn not_compared(party: Party, Directory { members, .. }: Directory) -> Party {
    let reason = format!("{members} members of the archive were not compared with their checksums");
    party.not_judged(Unjudged::new(aspect::DATA, reason).with_remedy("--verify"))
}

/// The members whose bytes are not those of their checksums. `limit`: how far a member of this size is inflated.
fn damaged(archive: &Archive, limit: impl Fn(u64) -> u64) -> Result<Places, ReadError> {
    let mut damaged = Places::default();
    for entry in archive.entries() {
        match archive.copy(entry, &mut io::sink(), limit(entry.size)) {
            Ok(_) => {}
            Err(error) if is_checksum(&error) => damaged.add(&entry.name),
            Err(error) => return Err(error),
        }
    }
    Ok(damaged)
}

fn is_checksum(error: &ReadError) -> bool {
    matches!(&*error.problem, SourceProblem::Io(error) if error.kind() == io::ErrorKind::InvalidData)
        || error.to_string().contains("checksum")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use unskew_source::{BytesSource, SourceExt};

    /// A stored archive of one member `a`, whose content is `data` and whose checksum is that of "data".
    fn archive(data: &[u8; 4]) -> Arc<dyn Source> {
        let crc = 0xadf3_f363_u32.to_le_bytes();
        let common =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..], &crc, &[4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0]]
                .concat();
        let local = [&b"PK\x03\x04"[..], &common, b"a", data].concat();
        let mut bytes = local.clone();
        bytes.extend(b"PK\x01\x02\x14\0");
        bytes.extend(&common);
        bytes.extend([0; 14]);
        bytes.extend(b"a");
        let directory = bytes.len() - local.len();
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend((directory as u32).to_le_bytes());
        bytes.extend((local.len() as u32).to_le_bytes());
        bytes.extend([0, 0]);
        Arc::new(BytesSource::new("a.zip", bytes))
    }

    #[test]
    fn a_member_whose_bytes_are_not_those_of_its_checksum_is_an_error_for_every_runtime() {
        let party = || Party::new("a.zip", Role::Artifact, "archive");
        let runtime = Party::new("r", Role::Runtime, "runtime");
        let whole = with_data(party(), &archive(b"data"), true).unwrap();
        assert!(whole.notes.is_empty(), "{:?}", whole.notes);
        assert!(whole.facts.iter().any(|fact| fact.label == "verified"), "{:?}", whole.facts);
        let torn = with_data(party(), &archive(b"dqta"), true).unwrap();
        // A small one is read without being asked for.
        assert_eq!(with_data(party(), &archive(b"dqta"), false).unwrap().notes.len(), 1);
        let today = Context::for_tests();
        let verdict = unskew_core::check(&torn, &runtime, &today);
        assert_eq!(verdict.findings[0].rule.code, "AR002");
        assert!(!verdict.works());
    }

    #[test]
    fn a_large_archive_that_was_not_verified_says_so() {
        // The directory says that the one member has 2 MiB.
        let small = archive(b"data").head(1 << 10).unwrap();
        let mut large = small.clone();
        let directory = small.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
        large[directory + 24..directory + 28].copy_from_slice(&(2_u32 << 20).to_le_bytes());
        let large: Arc<dyn Source> = Arc::new(BytesSource::new("a.zip", large));
        let party = Party::new("a.zip", Role::Artifact, "archive");
        let said = with_data(party, &large, false).unwrap();
        assert_eq!(said.unjudged[0].aspect, aspect::DATA);
        assert_eq!(said.unjudged[0].remedy.as_deref(), Some("--verify"));
    }
}
