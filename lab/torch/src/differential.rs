//! `cargo lab torch-differential`: archives that real releases write at random, judged and run by real releases.
//!
//! Prints how far verdicts hold, and every disagreement with as few pieces as show it; `--file` keeps these as test cases.
//! Writers and readers are environments of the corpus; all that are there if none is named.

use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use unskew_lab_harness::environment::releases;
use unskew_releases::find;
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::differential::{ReleaseResult, cells, file, shrink, table};

/// Writes TorchScript archives at random with real releases, and compares verdicts with what real releases do.
#[derive(Args)]
pub struct TorchDifferential {
    /// A release that writes; all that are in the corpus if none is named.
    #[arg(long = "writer")]
    writers: Vec<String>,
    /// A release that reads; all that are in the corpus if none is named.
    #[arg(long = "reader")]
    readers: Vec<String>,
    /// Gives a release only what its neighbours wrote, the next older and the next newer of those that are named.
    #[arg(long)]
    neighbours: bool,
    /// How many modules each writer makes.
    #[arg(long, default_value_t = 50)]
    count: u32,
    /// What the random choices begin with: the same seed gives the same modules.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Pieces that every module is made of, in the place of random ones: names in lab/torch/probes/torch_write.py.
    #[arg(long = "piece")]
    pieces: Vec<String>,
    /// How many seconds a release may take for all of it.
    #[arg(long, default_value_t = 1200)]
    limit: u64,
    /// Prints disagreements as they are, without making them smaller.
    #[arg(long)]
    no_shrink: bool,
    /// Files every disagreement as a test case of crates/testing/torch.
    #[arg(long)]
    file: bool,
}

/// Runs what was asked for.
///
/// # Errors
/// If a release cannot be run, or, with nothing else wrong, a verdict does not hold.
pub fn run(arguments: &TorchDifferential) -> anyhow::Result<()> {
    let limit = Duration::from_secs(arguments.limit);
    let (writers, readers) = (hosts(&arguments.writers)?, hosts(&arguments.readers)?);
    let (mut all, mut wrong) = (Vec::new(), 0_usize);
    for writer in &writers {
        let folder = tempfile::tempdir()?;
        let choice = (arguments.seed, arguments.count);
        let mut made = writer.write(folder.path(), choice, &arguments.pieces, limit)?;
        // What its own writer does not run as it ran it before says nothing of others.
        let release = find(&format!("torch@{}", writer.version))?;
        let own = cells(writer.version, folder.path(), &made, writer, release, limit)?;
        let is_sound = |file: &String| {
            own.iter().all(|cell| cell.file != *file || cell.real == ReleaseResult::Works)
        };
        made.iter_mut().for_each(|one| one.files.retain(is_sound));
        for reader in &readers {
            if arguments.neighbours && !are_neighbours(writer, reader, &readers) {
                continue;
            }
            let release = find(&format!("torch@{}", reader.version))?;
            let found = cells(writer.version, folder.path(), &made, reader, release, limit)?;
            for cell in found.iter().filter(|cell| !cell.agrees()) {
                wrong += 1;
                let hosts = (writer, reader);
                let smaller = match arguments.no_shrink {
                    true => cell.clone(),
                    false => shrink(cell.clone(), hosts, release, folder.path(), limit)?,
                };
                let how = if smaller.converted { ", converted" } else { "" };
                println!(
                    "{} on {}{how}: {} of {}: said {:?}, really {:?}: {}",
                    smaller.writer,
                    smaller.reader,
                    smaller.file,
                    smaller.pieces.join(" + "),
                    smaller.said,
                    smaller.real,
                    smaller.words
                );
                if arguments.file {
                    println!("  filed: {}", file(&smaller)?.display());
                }
            }
            all.extend(found);
        }
    }
    print!("{}", table(&all));
    ensure!(wrong == 0, "{wrong} of {} verdicts do not hold", all.len());
    Ok(())
}

/// Whether no other release lies between two.
fn are_neighbours(writer: &TorchHost, reader: &TorchHost, all: &[TorchHost]) -> bool {
    let (low, high) = (writer.version.min(reader.version), writer.version.max(reader.version));
    low != high && !all.iter().any(|other| low < other.version && other.version < high)
}

/// The releases of these names, or all whose environments are there.
pub(crate) fn hosts(names: &[String]) -> anyhow::Result<Vec<TorchHost>> {
    if !names.is_empty() {
        return names.iter().map(|name| Ok(TorchHost::named(name)?)).collect();
    }
    let versions = releases("torch", &[])?;
    let mut found: Vec<TorchHost> =
        versions.iter().filter_map(|name| TorchHost::named(name).ok()).collect();
    found.sort_by_key(|host| host.version);
    ensure!(!found.is_empty(), "no PyTorch in the corpus: run `cargo xtask corpus`");
    Ok(found)
}
