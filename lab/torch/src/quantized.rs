//! `cargo lab torch-quantized`: quantized models that real PyTorch releases write with each of their engines, judged for others,
//! and loaded and run there with each of theirs, as they are and converted.
//!
//! An environment that is not there yet is made for its run and removed after it, unless `--keep` is given. `--write` puts the
//! table into the documentation.

use std::fs;
use std::time::Duration;

use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::{Page, WritePage};
use unskew_releases::find;
use unskew_torch_matrix::models::RequestedModel;
use unskew_torch_matrix::quantized::{cells, quantized_faults, quantized_table, write};

use crate::models::with;

/// The page that has the table, between two marks.
const PAGE: Page = Page("docs/reference/quantized-models.md");
const BEGIN: &str = "<!-- made by `cargo lab torch-quantized --write` -->\n\n";
const END: &str = "\n<!-- end -->";

/// Has PyTorch releases write quantized models, and judges, converts and runs them for others.
#[derive(Args)]
pub struct TorchQuantized {
    /// A release that writes.
    #[arg(long = "writer", default_values = ["1.4.0", "1.7.1", "1.10.2", "2.1.2", "2.15.0"])]
    writers: Vec<String>,
    /// A release that reads.
    #[arg(long = "reader", default_values = ["1.4.0", "1.7.1", "1.10.2", "2.1.2", "2.15.0"])]
    readers: Vec<String>,
    /// A model; all that there are if none is named.
    #[arg(long = "model")]
    models: Vec<String>,
    /// How many seconds a release may take.
    #[arg(long, default_value_t = 3600)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be run, or something was said of a file that is not so.
pub fn run(arguments: &TorchQuantized) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let limit = Duration::from_secs(arguments.limit);
    let mut made: Vec<(Version, Vec<RequestedModel>)> = Vec::new();
    for writer in &arguments.writers {
        let place = folder.path().join(writer);
        fs::create_dir(&place)?;
        let all =
            with(writer, arguments.keep, |host| write(host, &place, &arguments.models, limit))?;
        made.push((writer.parse()?, all));
    }
    let mut found = Vec::new();
    for reader in &arguments.readers {
        let release = find(&format!("torch@{reader}"))?;
        let all = with(reader, arguments.keep, |host| {
            let mut all = Vec::new();
            for (writer, made) in &made {
                let place = folder.path().join(writer.to_string());
                all.extend(cells(*writer, made, &place, host, release, limit)?);
            }
            Ok(all)
        })?;
        eprint!("{}", quantized_table(&all));
        found.extend(all);
    }
    let (table, faults) = (quantized_table(&found), quantized_faults(&found));
    print!("{table}\n{faults}");
    PAGE.write_between([BEGIN, END], &table, &arguments.write)?;
    let wrong = found.iter().filter(|cell| cell.is_right() == Some(false)).count();
    anyhow::ensure!(wrong == 0, "{wrong} of {} verdicts are wrong", found.len());
    Ok(())
}
