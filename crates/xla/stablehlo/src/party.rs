//! A file as a party.

use std::sync::Arc;

use unskew_core::{
    Party, Places, Provision, Requirement, Role, Unjudged, Version, VersionRange, aspect,
};
use unskew_source::{ReadError, Source, SourceProblem};

use crate::artifact::{Mlir, PortableArtifact};
use crate::requirements::Program;
use crate::text::TextProgram;
use crate::text_verdict::TextReading;
use crate::verdict::ArtifactRequirement;
use crate::{AXIS, BYTECODE_AXIS, Bytecode, history, rules};

/// The party in `source`; none if it is no MLIR.
///
/// # Errors
/// If it is MLIR bytecode that is broken, or of a format that is not read.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    made(source, false)
}

/// The same for the program in a file of `jax.export`: JAX sees it before a plug-in does.
///
/// # Errors
/// As [`party`].
pub fn party_of_exported(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    made(source, true)
}

fn made(source: &Arc<dyn Source>, is_exported: bool) -> Result<Option<Party>, ReadError> {
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let Some(mlir) = Mlir::read(&**source)? else { return Ok(None) };
    Ok(Some(match mlir {
        Mlir::Artifact(artifact) => {
            let program = Program::new(source, &artifact, is_exported);
            of_artifact(name, artifact, program)
        }
        Mlir::Bytecode(bytecode) => of_bytecode(name, &bytecode),
        Mlir::Text(dialects) => of_text(name, source, &dialects)?,
    }))
}

/// Adds to a party that it reads artifacts up to StableHLO `current`.
///
/// All releases so far read from 0.9.0 on; a plug-in says its own range, and needs no help.
pub fn reader(party: Party, current: Version) -> Party {
    let min = history::history().map(unskew_core::History::minimum);
    party.provide(Provision::new(AXIS, VersionRange { min, max: Some(current) }))
}

/// Of a reader: nothing is known but which artifacts of VHLO it reads.
pub(crate) struct ReadsOnly;

/// The same for a reader whose dialects beside VHLO, handlers and compiler are not known: what it makes of an artifact that it
/// reads is not judged.
pub fn reader_only(party: Party, current: Version) -> Party {
    reader(party, current).with_capability(Arc::new(ReadsOnly))
}

fn of_artifact(name: &str, artifact: PortableArtifact, program: Program) -> Party {
    let version = artifact.version;
    let mut party = described(
        Party::new(name, Role::Artifact, "StableHLO portable artifact").from_origin(match artifact
            .stated
        {
            true => format!("written for StableHLO {version}"),
            false => format!("of StableHLO {version}, by what it uses"),
        }),
        &artifact.bytecode,
    );
    party = party.provide(Provision::version(AXIS, version).at(match artifact.stated {
        true => "producer",
        false => "what it uses",
    }));
    if !artifact.targets.is_empty() {
        party = party.fact("custom calls", artifact.targets.iter().collect::<Places>());
    }
    if let Some(needs) = artifact.needs() {
        party = party.fact("needs", needed(&artifact, needs));
    }
    let others = artifact.other_dialects().join(", ");
    if !others.is_empty() {
        party = party.note(rules::OtherDialects { dialects: &others }.finding());
    }
    party.require(Requirement::matches(AXIS, ArtifactRequirement { artifact, program }))
}

/// The version `needs`, and for what; the oldest that there is needs no reason.
fn needed(artifact: &PortableArtifact, needs: Version) -> String {
    if history::history().is_some_and(|history| needs <= history.minimum()) {
        return format!("StableHLO {needs}");
    }
    let features = artifact.features.iter().filter(|feature| feature.since == Some(needs));
    format!("StableHLO {needs}, for {}", features.collect::<Places>())
}

fn of_bytecode(name: &str, bytecode: &Bytecode) -> Party {
    let party = Party::new(name, Role::Artifact, "MLIR bytecode")
        .from_origin(format!("written by {}", bytecode.producer));
    described(party, bytecode).note(rules::OtherBytecode { producer: &bytecode.producer }.finding())
}

fn of_text(name: &str, source: &Arc<dyn Source>, dialects: &[String]) -> Result<Party, ReadError> {
    let mut party = Party::new(name, Role::Artifact, "MLIR text");
    if !dialects.is_empty() {
        party = party.fact("dialects", dialects.join(", "));
    }
    let program = match TextProgram::read(&**source) {
        Ok(program) => program,
        Err(ReadError { problem, .. }) if matches!(*problem, SourceProblem::Unsupported(_)) => {
            let what = problem.to_string();
            let why = format!("its program is not read, {what}");
            party.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            return Ok(party.note(rules::TextNotRead { name: &name, what: &what }.finding()));
        }
        Err(error) => return Err(error),
    };
    party = party.fact("operations", operations(&program.artifact.bytecode));
    if !program.artifact.targets.is_empty() {
        party = party.fact("custom calls", program.artifact.targets.iter().collect::<Places>());
    }
    party = party.note(rules::TextWithoutVersion { name: &name }.finding());
    Ok(party.require(Requirement::matches(AXIS, TextReading(program))))
}

/// The operations that bytecode has, with their dialects.
fn operations(bytecode: &Bytecode) -> Places {
    let operations = bytecode.dialects.iter().flat_map(|dialect| {
        dialect.operations.iter().map(move |operation| format!("{}.{operation}", dialect.name))
    });
    operations.collect()
}

fn described(mut party: Party, bytecode: &Bytecode) -> Party {
    let version = Version::number(i64::try_from(bytecode.version).unwrap_or(i64::MAX));
    let names: Vec<&str> = bytecode.dialects.iter().map(|dialect| &*dialect.name).collect();
    let operations = operations(bytecode);
    party = party
        .provide(Provision::version(BYTECODE_AXIS, version).at("header"))
        .fact("producer", &bytecode.producer)
        .fact("MLIR bytecode", version)
        .fact("dialects", names.join(", "));
    if operations.is_empty() { party } else { party.fact("operations", operations) }
}
