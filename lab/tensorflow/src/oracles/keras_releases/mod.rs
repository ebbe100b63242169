//! `cargo lab keras-releases`: models that releases of Keras 3 write and others read, against the verdicts.
//!
//! A release writes configurations (`lab/tensorflow/probes/keras_configs.py`) and files (`lab/tensorflow/probes/keras_files.py`)
//! of models that a seed draws, and every release that was named reads all of them, its neighbours first. What it does not
//! load is converted for it and loaded. What was written and read stays in a folder, and is not done again while it is there.

mod configurations;
mod conversions;
mod files;
mod page;
mod python;

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use unskew_core::Version;
use unskew_keras::KerasRelease;
use unskew_lab_harness::{Comparison, Page, Tally, WritePage};
use unskew_releases::Family;

use self::configurations::DrawnConfigurations;
use self::conversions::ConversionTally;
use self::files::ENDINGS;
use self::page::ReaderResult;
use self::python::KerasPython;

const PAGE: Page = Page("docs/reference/keras-releases.md");

/// Has releases of Keras 3 write and read models, and holds the verdicts against what they do.
#[derive(Args)]
pub struct KerasReleases {
    /// Where the files and what came of them are kept
    #[arg(long, default_value = "target/keras-releases")]
    measured: PathBuf,
    /// The releases that write [default: one of each minor]
    #[arg(long = "writer")]
    writers: Vec<String>,
    /// The releases that read [default: one of each minor]
    #[arg(long = "reader")]
    readers: Vec<String>,
    /// What is drawn; several for several draws
    #[arg(long = "seed", default_values_t = [1])]
    seeds: Vec<u64>,
    /// How many configurations each release writes for a seed
    #[arg(long, default_value_t = 20)]
    count: u64,
    /// How many models each release writes as files for a seed
    #[arg(long, default_value_t = 2)]
    files: u64,
    /// Reads a model for everything that a release has, too
    #[arg(long)]
    every: bool,
    /// Converts what a release does not load, and has it loaded
    #[arg(long)]
    convert: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If a package cannot be installed, or a file not be read. What a release does is no error.
pub fn run(arguments: &KerasReleases) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.measured)?;
    fs::create_dir_all(&folder)?;
    let python = KerasPython::new(&folder);
    let all = minors();
    let or_all = |named: &[String]| if named.is_empty() { all.clone() } else { named.to_vec() };
    let (writers, readers) = (or_all(&arguments.writers), or_all(&arguments.readers));
    let count = arguments.count.to_string();
    let drawn = arguments.seeds.iter().map(|seed| DrawnConfigurations {
        name: format!("{seed}-{count}"),
        arguments: [seed.to_string(), count.clone()],
    });
    let every = arguments.every.then(|| DrawnConfigurations {
        name: "every".to_owned(),
        arguments: ["every".to_owned(), "0".to_owned()],
    });
    let mut sets = Vec::new();
    for (set, is_drawn) in
        every.into_iter().map(|set| (set, false)).chain(drawn.map(|set| (set, true)))
    {
        let written = set.written(&python, &folder, &writers)?;
        sets.push((set, is_drawn, written));
    }
    let seeds: Vec<String> = arguments.seeds.iter().map(u64::to_string).collect();
    let models = arguments.files.to_string();
    let mut paths = Vec::new();
    for seed in &seeds {
        for writer in &writers {
            paths.extend(files::written(&python, &folder, writer, [seed, &models])?);
        }
    }
    let mut results = Vec::new();
    for reader in &readers {
        let keras = release(reader)?;
        let mut result = ReaderResult {
            reader: reader.clone(),
            every: Tally::default(),
            drawn: Tally::default(),
            files: [Tally::default(); ENDINGS.len()],
            differ: 0,
            conversions: ConversionTally::default(),
        };
        for (set, is_drawn, written) in &sets {
            let compared = set.compared(&python, &keras, written)?;
            compared.iter().filter_map(Comparison::wrong).for_each(|line| println!("{line}"));
            let to = if *is_drawn { &mut result.drawn } else { &mut result.every };
            *to += compared.iter().collect();
        }
        let name = format!("files-{}-{models}", seeds.join("-"));
        let answers = files::loaded(&python, &folder, reader, &name, &paths)?;
        let compared = files::compared(&keras, &paths, &answers)?;
        compared
            .iter()
            .filter_map(|file| file.comparison.wrong())
            .for_each(|line| println!("{line}"));
        for (at, ending) in ENDINGS.into_iter().enumerate() {
            let of = compared.iter().filter(|file| file.ending == ending);
            result.files[at] += of.map(|file| &file.comparison).collect();
        }
        result.differ = compared.iter().filter(|file| file.came == "differs").count();
        if arguments.convert {
            let (tally, wrong) =
                conversions::converted(&python, &folder, &keras, &name, &compared)?;
            wrong.iter().for_each(|line| println!("{line}"));
            result.conversions += tally;
        }
        results.push(result);
    }
    PAGE.publish("", &page::page(&writers, &seeds.join(", "), &results), &arguments.write)
}

/// The releases of Keras 3 of the database, which has one of each minor.
fn minors() -> Vec<String> {
    let rows = Family::Keras.rows().iter().map(|row| row.version);
    rows.filter(|version| *version >= Version::pair(3, 0))
        .map(|version| version.to_string())
        .collect()
}

fn release(reader: &str) -> anyhow::Result<KerasRelease> {
    let version: Version = reader.parse()?;
    let row = Family::Keras.rows().iter().find(|row| row.version == version);
    let row = row.with_context(|| format!("no row for keras {reader}"))?;
    unskew_releases::keras::runtime(row).context("no classes")
}
