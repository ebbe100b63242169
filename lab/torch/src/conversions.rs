//! `cargo lab torch`: converted files on real PyTorch releases, as a table.
//!
//! An environment has more than a gigabyte, so one that is not there yet is made for its run and removed after
//! it, unless `--keep` is given. `--write` puts the tables into the documentation.

use std::time::Duration;

use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::environment::{releases, with_release};
use unskew_lab_harness::{Page, WritePage};
use unskew_releases::find;
use unskew_torch_matrix::{
    FileSelection, ReleaseTrial, TorchHost, bars_table, reasons, table, trials,
};

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/torch-conversions.md");

const HEAD: &str = "<!-- made by `cargo lab torch --write` -->\n\n# Converted files on real PyTorch releases\n\n\
    Real releases of PyTorch, from the package index, each given the files of `crates/torch/archives/tests/data`: what 24 \
    releases from 1.1 to 2.15 wrote, with what they calculated then. *As they are* is what the release does with the \
    files; *converted*, what it does with them after `unskew convert --to torch@RELEASE`, which leaves most as \
    they are and rewrites some. *Equal* means the same types, shapes and numbers as recorded (floats up to 2e-6), or an \
    error where the writer itself gave one. A file with *no exact form* is not written at all; *refused then* are results where the writer alone refused: 1.6 did \
    not divide integers, nor fill with one without a type. Releases before \
    1.7 have no mobile interpreter in Python.\n\n";

/// Runs converted files on PyTorch releases and prints what they gave.
#[derive(Args)]
pub struct Torch {
    /// A PyTorch release; all that have requirements if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// How many seconds a release may take.
    #[arg(long, default_value_t = 1200)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    /// Prints why files are not equal, with their names.
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be started. What a release does is no error.
pub fn run(arguments: &Torch) -> anyhow::Result<()> {
    let mut columns: Vec<(Version, Vec<ReleaseTrial>)> = Vec::new();
    for version in releases("torch", &arguments.releases)? {
        let release = find(&format!("torch@{version}"))?;
        let limit = Duration::from_secs(arguments.limit);
        let column = with_release("torch", &version, arguments.keep, || {
            let host = TorchHost::named(&version)?;
            Ok((host.version, trials(&host, release, FileSelection::All, limit)?))
        })?;
        eprint!("{}", table(std::slice::from_ref(&column)));
        columns.push(column);
    }
    columns.sort_by_key(|(version, _)| *version);
    let page = format!(
        "## What is promised\n\n{}\n## All files\n\n{}",
        bars_table(&columns),
        table(&columns)
    );
    print!("{page}");
    if arguments.why {
        print!("\n{}", reasons(&columns));
    }
    PAGE.write(&format!("{HEAD}{page}"), &arguments.write)
}
