//! `cargo lab proto-differential`: edits of protobuf files at random, judged, and held against what real runtimes do
//! with bytes that were written by the other state.
//!
//! Each pair of files differs by one edit. The runtimes (`lab/c/probes/proto_read.py`) write values at the ends of their
//! types with one file and read them with the other. A break is *missed* if bytes of the old state are read as something
//! else and no finding is an error, or those of the new state are and there is no finding; an error is *false* if it is
//! one about bytes and every runtime reads all of them as they were written. Errors about names, JSON and source are not
//! held against bytes. A disagreement is made as small as it gets, and `--file` puts it into the tests of the crate.

mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::Severity;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_lab_harness::environment::Environment;
use unskew_lab_harness::{Comparison, Tally};
use unskew_peers::Peer;
use unskew_protobuf::Protobuf;
use unskew_random::Random;
use unskew_source::Files;

use schema::Schema;

const READ: &str = "lab/c/probes/proto_read.py";

/// Where `--file` puts disagreements.
const CASES: &str = "crates/lint/protobuf/tests/differential";

/// Errors that say that bytes are read as something else.
const ABOUT_BYTES: [&str; 5] = ["PB101", "PB201", "PB202", "PB203", "PB305"];

/// Edits protobuf files at random, and holds the verdicts against real protobuf runtimes.
#[derive(Args)]
pub struct ProtoDifferential {
    /// How many edits are made and judged.
    #[arg(long, default_value_t = 500)]
    edits: usize,
    /// Another seed makes other edits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Puts disagreements into the tests of the crate.
    #[arg(long)]
    file: bool,
}

/// What a runtime did with a pair of files.
#[derive(Clone, Debug, Default, Deserialize)]
struct Reading {
    pair: String,
    #[serde(default)]
    refused: bool,
    #[serde(default)]
    backward: Vec<u32>,
    #[serde(default)]
    forward: Vec<u32>,
}

/// Two states of a file.
#[derive(Clone, Debug)]
struct Pair {
    old: Schema,
    new: Schema,
    what: &'static str,
    about: Option<u32>,
}

/// Makes, asks, judges and compares.
///
/// # Errors
/// If no environment is there, a runtime cannot be run, or a verdict does not hold.
pub fn run(arguments: &ProtoDifferential) -> Result<()> {
    let runtimes = runtimes()?;
    let mut random = Random::new(arguments.seed);
    let mut pairs = Vec::new();
    for _ in 0..50 * arguments.edits {
        if pairs.len() == arguments.edits {
            break;
        }
        let old = Schema::random(&mut random);
        if let Some((new, what, about)) = old.edited(&mut random) {
            pairs.push(Pair { old, new, what, about });
        }
    }
    let mut counts: BTreeMap<&str, (Tally, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (pair, readings) in pairs.iter().zip(ask(&runtimes, &pairs)?) {
        if readings.iter().any(|reading| reading.refused) {
            continue;
        }
        let comparison = comparison(pair, &readings)?;
        let (tally, broken) = counts.entry(pair.what).or_default();
        *broken += usize::from(readings.iter().any(Reading::breaks));
        tally.add(&comparison);
        if comparison != Comparison::Right {
            wrong.push((smaller(&runtimes, pair, &comparison)?, comparison));
        }
    }
    let names: Vec<&str> = runtimes.iter().map(|(name, ..)| name.as_str()).collect();
    println!("Read by {}.\n", names.join(", "));
    println!("| edit | pairs | of these broken | agreed | missed | false error |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (what, (tally, broken)) in &counts {
        let Tally { right, false_compatible, false_refused, .. } = tally;
        println!(
            "| {what} | {} | {broken} | {right} | {false_compatible} | {false_refused} |",
            tally.count()
        );
    }
    for (at, (pair, comparison)) in wrong.iter().enumerate() {
        let readings = ask(&runtimes, std::slice::from_ref(pair))?;
        let wrong = comparison.wrong().unwrap_or_default();
        println!("\n{wrong}: {}: {:?}", pair.what, said(pair)?);
        println!("{:?}\n--- old\n{}--- new\n{}", readings[0], pair.old.text(), pair.new.text());
        if arguments.file {
            let name = format!("seed-{}-{at}", arguments.seed);
            file(pair, &unskew_peers::root().join(CASES).join(name), &readings[0])?;
        }
    }
    ensure!(wrong.is_empty(), "{} verdicts do not hold", wrong.len());
    Ok(())
}

impl Reading {
    fn breaks(&self) -> bool {
        !self.backward.is_empty() || !self.forward.is_empty()
    }
}

/// A runtime: its name, its environment, and which of its implementations is asked for.
type Runtime = (String, Peer, Option<&'static str>);

/// Every runtime whose environment is here; of those with an implementation in C the one in Python too.
fn runtimes() -> Result<Vec<Runtime>> {
    let mut found = Vec::new();
    for environment in Environment::all()? {
        let Some(version) = environment.name.strip_prefix("protobuf-") else { continue };
        let Ok(peer) = Peer::named("protobuf", version) else { continue };
        found.push((format!("protobuf {version}"), peer.clone(), None));
        found.push((format!("protobuf {version} in Python"), peer, Some("python")));
    }
    ensure!(!found.is_empty(), "no protobuf in the corpus: run `cargo xtask corpus`");
    Ok(found)
}

fn ask(runtimes: &[Runtime], pairs: &[Pair]) -> Result<Vec<Vec<Reading>>> {
    let folder = tempfile::tempdir()?;
    for (at, pair) in pairs.iter().enumerate() {
        let place = folder.path().join(format!("{at:06}"));
        std::fs::create_dir(&place)?;
        std::fs::write(place.join("old.proto"), pair.old.text())?;
        std::fs::write(place.join("new.proto"), pair.new.text())?;
    }
    let mut all = vec![Vec::new(); pairs.len()];
    for (name, peer, implementation) in runtimes {
        let mut command = peer.command();
        command.arg(unskew_peers::root().join(READ)).arg(folder.path());
        if let Some(implementation) = implementation {
            command.env("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", implementation);
        }
        let output = command.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{name}: {}", said.trim());
        for line in String::from_utf8(output.stdout)?.lines() {
            let reading: Reading = serde_json::from_str(line)?;
            let at: usize = reading.pair.parse()?;
            all.get_mut(at).context("another pair")?.push(reading);
        }
    }
    Ok(all)
}

/// The codes of the findings about a pair, each with how grave it is.
fn said(pair: &Pair) -> Result<Vec<(&'static str, Severity)>> {
    let side = |schema: &Schema| Files::from_iter([("m.proto", schema.text())]);
    let compared = Protobuf.compare(&side(&pair.old), &side(&pair.new), &CompareOptions::default());
    let compared = compared.map_err(|error| anyhow::anyhow!("{error}"))?;
    let findings = compared.changes.iter().map(|change| &change.finding);
    Ok(findings.map(|finding| (finding.rule.code, finding.severity)).collect())
}

fn comparison(pair: &Pair, readings: &[Reading]) -> Result<Comparison> {
    let missed = || Comparison::FalseCompatible("missed".to_owned());
    let said = said(pair)?;
    let most = said.iter().map(|(_, severity)| *severity).max();
    let backward = readings.iter().any(|reading| !reading.backward.is_empty());
    let forward = readings.iter().any(|reading| !reading.forward.is_empty());
    let alarm = said
        .iter()
        .any(|(code, severity)| *severity == Severity::Error && ABOUT_BYTES.contains(code));
    Ok(match (backward, forward) {
        (true, _) if most != Some(Severity::Error) => missed(),
        (false, true) if most < Some(Severity::Warning) => missed(),
        (false, false) if alarm => Comparison::FalseRefused("a false error".to_owned()),
        _ => Comparison::Right,
    })
}

/// The pair without the fields that the disagreement does not need.
fn smaller(runtimes: &[Runtime], pair: &Pair, wanted: &Comparison) -> Result<Pair> {
    let mut small = pair.clone();
    let numbers: Vec<u32> = pair.old.fields.iter().map(|field| field.number).collect();
    for number in numbers {
        if pair.about == Some(number) {
            continue;
        }
        let keep = |schema: &Schema| -> Vec<u32> {
            schema.fields.iter().map(|field| field.number).filter(|one| *one != number).collect()
        };
        let less = Pair {
            old: small.old.only(&keep(&small.old)),
            new: small.new.only(&keep(&small.new)),
            ..small.clone()
        };
        let of_enum = pair.about.is_none() && less.old.of_enum().is_empty();
        if less.old.fields.is_empty() || less.new.fields.is_empty() || of_enum {
            continue;
        }
        let readings = ask(runtimes, std::slice::from_ref(&less))?;
        let refused = readings[0].iter().any(|reading| reading.refused);
        if !refused && comparison(&less, &readings[0])? == *wanted {
            small = less;
        }
    }
    Ok(small)
}

/// Writes a pair with what the runtimes do, for the test `differential` of the crate.
fn file(pair: &Pair, folder: &Path, readings: &[Reading]) -> Result<()> {
    let folder: PathBuf = folder.to_owned();
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("old.proto"), pair.old.text())?;
    std::fs::write(folder.join("new.proto"), pair.new.text())?;
    let any =
        |of: fn(&Reading) -> &Vec<u32>| readings.iter().any(|reading| !of(reading).is_empty());
    let (backward, forward) = (any(|reading| &reading.backward), any(|reading| &reading.forward));
    std::fs::write(folder.join("truth"), format!("backward {backward}\nforward {forward}\n"))?;
    println!("filed: {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_the_text_and_an_older_field_stays_what_it_was() {
        let mut random = Random::new(5);
        let mut edits = 0;
        for _ in 0..200 {
            let old = Schema::random(&mut random);
            let Some((new, what, about)) = old.edited(&mut random) else { continue };
            edits += 1;
            assert_ne!(old.text(), new.text(), "{what}");
            if let Some(number) = about {
                assert!(old.fields.iter().any(|field| field.number == number), "{what}");
            }
        }
        assert!(edits > 50, "{edits}");
    }
}
