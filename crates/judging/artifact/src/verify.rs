//! Archives whose members are read to the end and held against their checksums, where that is asked for.

use std::io;
use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Places, Requirement, Role};
use unskew_source::{Archive, Problem, ReadError, Source};

use crate::rules;

/// The axis of what is found; nobody provides it.
const AXIS: &str = "stored data";

/// The most bytes that one member may have when it is inflated.
const LIMIT: u64 = 1 << 42;

/// Says the same to every runtime.
struct Damaged(Finding);

impl Matcher for Damaged {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let finding = (other.role == Role::Runtime).then(|| self.0.clone())?;
        Some(Judgement { findings: vec![finding], ..Judgement::default() })
    }
}

/// `party`, which was read from `source`, with what its members say of their checksums if it is an archive.
///
/// # Errors
/// If the archive cannot be read.
pub(crate) fn verified(party: Party, source: &Arc<dyn Source>) -> Result<Party, ReadError> {
    if !Archive::recognizes(&**source) {
        return Ok(party);
    }
    let archive = Archive::open(source.clone())?;
    let mut damaged = Places::default();
    for entry in archive.entries() {
        match archive.copy(entry, &mut io::sink(), LIMIT) {
            Ok(_) => {}
            Err(error) if is_checksum(&error) => damaged.add(&entry.name),
            Err(error) => return Err(error),
        }
    }
    let members = archive.entries().len();
    if damaged.is_empty() {
        return Ok(party.fact("verified", format!("the checksums of {members} members")));
    }
    let rule = rules::MembersDamaged { count: &damaged.count(), members: &members };
    let finding = rule.finding().at(damaged);
    let party = party.note(finding.clone());
    Ok(party.require(Requirement::matches(AXIS, Damaged(finding)).irrelevant_if_absent()))
}

fn is_checksum(error: &ReadError) -> bool {
    matches!(&*error.problem, Problem::Io(error) if error.kind() == io::ErrorKind::InvalidData)
        || error.to_string().contains("checksum")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

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
        let whole = verified(party(), &archive(b"data")).unwrap();
        assert!(whole.notes.is_empty(), "{:?}", whole.notes);
        let torn = verified(party(), &archive(b"dqta")).unwrap();
        let today = Context::on(unskew_core::Date::constant(2026, 11, 1));
        let verdict = unskew_core::check(&torn, &runtime, &today);
        assert_eq!(verdict.findings[0].rule.code, "AR002");
        assert!(!verdict.works());
    }
}
