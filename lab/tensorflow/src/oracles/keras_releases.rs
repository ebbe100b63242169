//! `cargo lab keras-releases`: configurations of models that releases of Keras 3 write and others read, against the verdicts.
//!
//! A release writes a model for everything that it has and for what a seed draws (`lab/tensorflow/probes/keras_configs.py`),
//! and every release that was named reads all of them, without weights. What was written and read stays in a folder, and is
//! not done again while it is there. The releases share one Python: each Keras is a folder of its own beside it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use clap::Args;
use serde_json::Value;
use unskew_core::{Phase, Version};
use unskew_keras::{KerasFormat, KerasModel, judge};
use unskew_lab_harness::environment::{interpreter, uv};
use unskew_lab_harness::{Comparison, Tally, run_command};
use unskew_releases::Family;

const PROBE: &str = "lab/tensorflow/probes/keras_configs.py";

/// What Keras 3 needs beside itself; old releases want numpy 1, and 3.0 imports jax where it computes with numpy.
const NEEDED: [&str; 11] = [
    "numpy==1.26.4",
    "scipy==1.13.1",
    "jax==0.4.30",
    "jaxlib==0.4.30",
    "h5py==3.11.0",
    "optree==0.12.1",
    "ml-dtypes==0.4.1",
    "absl-py",
    "rich",
    "namex",
    "packaging",
];

/// Has releases of Keras 3 write and read configurations of models, and holds the verdicts against what they do.
#[derive(Args)]
pub struct KerasReleases {
    /// Where the files and what came of them are kept
    #[arg(long, default_value = "target/keras-releases")]
    measured: PathBuf,
    /// The releases that write
    #[arg(long = "writer", required = true)]
    writers: Vec<String>,
    /// The releases that read
    #[arg(long = "reader", required = true)]
    readers: Vec<String>,
    /// What is drawn beside one model for everything that a release has
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many models are drawn
    #[arg(long, default_value_t = 60)]
    count: u64,
}

/// Runs what was asked for.
///
/// # Errors
/// If a package cannot be installed, or a file not be read. What a release does is no error.
pub fn run(arguments: &KerasReleases) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.measured)?;
    fs::create_dir_all(&folder)?;
    let (seed, count) = (arguments.seed.to_string(), arguments.count.to_string());
    let mut models = Vec::new();
    for writer in &arguments.writers {
        let place = folder.join(format!("written-{writer}-{seed}-{count}.jsonl"));
        if !place.exists() {
            ask(&folder, writer, &["write", &seed, &count], &place)?;
        }
        models.push(place);
    }
    let mut tally: Vec<(String, Tally)> = Vec::new();
    for reader in &arguments.readers {
        let mut compared = Vec::new();
        for written in &models {
            let stem = written.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let place = folder.join(format!("read-by-{reader}-{stem}.tsv"));
            if !place.exists() {
                let path = written.display().to_string();
                ask(&folder, reader, &["read", &path], &place)?;
            }
            compared.extend(compare(reader, written, &place)?);
        }
        for line in compared.iter().filter_map(Comparison::wrong) {
            println!("{line}");
        }
        tally.push((reader.clone(), compared.iter().collect()));
    }
    for (reader, tally) in &tally {
        println!("keras {reader}: {}", tally.agreement());
    }
    Ok(())
}

/// Runs the probe in a release; what it prints becomes the file at `place`.
fn ask(folder: &Path, release: &str, arguments: &[&str], place: &Path) -> anyhow::Result<()> {
    let python = folder.join("python");
    if !python.exists() {
        run_command(
            Command::new(uv()?)
                .args(["venv", "--quiet", "--python"])
                .arg(interpreter("3.11")?)
                .arg(&python),
        )?;
        install(&python, None, &NEEDED)?;
    }
    let site = folder.join(format!("keras-{release}"));
    if !site.exists() {
        install(&python, Some(&site), &[&format!("keras=={release}")])?;
    }
    let part = place.with_extension("part");
    let zero = release.parse::<Version>()? < Version::pair(3, 1);
    let status = Command::new(python.join("bin/python"))
        .arg(unskew_peers::root().join(PROBE))
        .args(arguments)
        .env("PYTHONPATH", &site)
        .env("KERAS_BACKEND", if zero { "jax" } else { "numpy" })
        .stdout(Stdio::from(File::create(&part)?))
        .stderr(Stdio::null())
        .status()?;
    ensure!(status.success(), "{PROBE} on keras {release}: {status}");
    fs::rename(part, place)?;
    Ok(())
}

fn install(python: &Path, target: Option<&Path>, packages: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new(uv()?);
    command.args(["pip", "install", "--quiet", "--python"]).arg(python.join("bin/python"));
    if let Some(target) = target {
        command.args(["--no-deps", "--target"]).arg(target);
    }
    run_command(command.args(packages)).map(drop)
}

/// Each model of a file on one release: what it did, and what is said of it.
fn compare(reader: &str, written: &Path, read: &Path) -> anyhow::Result<Vec<Comparison>> {
    let answers = fs::read_to_string(read)?;
    let answer = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some((
            cells.next()?.parse::<usize>().ok()?,
            (cells.next()?, cells.next().unwrap_or_default()),
        ))
    };
    let answers: BTreeMap<usize, (String, String)> = answers.lines().filter_map(answer).collect();
    let release: Version = reader.parse()?;
    let row = Family::Keras.rows().iter().find(|row| row.version == release);
    let row = row.with_context(|| format!("no row for keras {reader}"))?;
    let keras = unskew_releases::keras::runtime(row).context("no classes")?;
    let text = fs::read_to_string(written)?;
    let mut compared = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((came, error)) = answers.get(&number) else { continue };
        let mut told: Value = serde_json::from_str(line)?;
        let mut config = told["config"].take();
        let training = config.get_mut("compile_config").map(Value::take);
        let model = KerasModel {
            form: KerasFormat::Archive,
            keras: told["writer"].as_str().map(str::to_owned),
            backend: None,
            config: Some(config),
            training: training.filter(|training| !training.is_null()),
            weights: (0, 0),
            unread: Vec::new(),
        };
        let judged = judge(&model, &keras);
        let fails = judged.findings.iter().any(|one| one.rule.phase == Some(Phase::Load));
        let name = told["name"].as_str().unwrap_or_default();
        let writer = told["writer"].as_str().unwrap_or_default();
        let codes: Vec<&str> = judged.findings.iter().map(|one| &*one.message).collect();
        let line = || format!("{reader}\t{writer}\t{name}\t{}\t{error}", codes.join("; "));
        compared.push(match (fails, &**came) {
            (true, "fails") | (false, "ok") => Comparison::Right,
            (false, _) => Comparison::FalseCompatible(line()),
            (true, _) => Comparison::FalseRefused(line()),
        });
    }
    Ok(compared)
}
