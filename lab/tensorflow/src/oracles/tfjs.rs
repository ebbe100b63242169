//! `cargo lab tfjs`: models for TensorFlow.js on its real releases, against the verdicts.
//!
//! The real converter writes a graph model for each of some seventy functions and a layers model for each file of Keras
//! that is named (`lab/tensorflow/probes/tfjs_write.py`); eight releases load them in Node and run them once
//! (`lab/tensorflow/probes/tfjs_load.js`). What was fetched, written and loaded stays in a folder, and is not done again while it is
//! there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_artifact::{OpenOptions, open};
use unskew_core::{Context, Date, Phase, Verdict, check};
use unskew_lab_harness::environment::uv;
use unskew_lab_harness::npm::bundle;
use unskew_lab_harness::{Answers, Comparison, Page, Tally, WritePage, run_command};
use unskew_lab_tensorflow::TensorFlowHost;
use unskew_releases::find;

const WRITE: &str = "lab/tensorflow/probes/tfjs_write.py";
const LOAD: &str = "lab/tensorflow/probes/tfjs_load.js";
const PAGE: Page = Page("docs/reference/tfjs-load-matrix.md");

/// The converter, and what it imports beside TensorFlow.
const CONVERTER: [&str; 5] = [
    "tensorflowjs==4.22.0",
    "tf_keras==2.15.1",
    "six==1.17.0",
    "packaging==26.4",
    "importlib_resources==7.1.0",
];

/// The TensorFlow that the converter runs on.
const TENSORFLOW: &str = "2.15.1";

/// Who loads the models.
const RELEASES: [&str; 8] =
    ["1.0.4", "1.2.11", "1.7.4", "2.0.1", "2.8.6", "3.9.0", "3.21.0", "4.22.0"];

/// Has the converter write models and releases load them, and holds the verdicts against what they do.
#[derive(Args)]
pub struct TfjsCheck {
    /// Where the models and what came of them are kept
    #[arg(long, default_value = "target/tfjs")]
    measured: PathBuf,
    /// Files of Keras that are converted, `.h5`, when the models are written
    #[arg(long, num_args = 1..)]
    keras: Vec<PathBuf>,
    /// Other releases to ask than the eight of the table
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// What a model came to on a release, and what was said of it.
struct Cell {
    kind: String,
    release: String,
    comparison: Comparison,
}

/// Runs what was asked for.
///
/// # Errors
/// If a package cannot be had, or a model not be read. What a release does is no error.
pub fn run(arguments: &TfjsCheck) -> anyhow::Result<()> {
    let folder = &arguments.measured;
    let models = folder.join("models");
    if !models.exists() {
        write(folder, &models, &arguments.keras)?;
    }
    let mut all = Vec::new();
    for kind in ["graphs", "layers"] {
        let Ok(found) = models.join(kind).read_dir() else { continue };
        all.extend(found.map(|one| one.map(|one| one.path())).collect::<Result<Vec<_>, _>>()?);
    }
    all.sort();
    all.retain(|one| one.join("model.json").exists());
    ensure!(!all.is_empty(), "no models: {}", models.display());
    let mut cells = Vec::new();
    let named = arguments.releases.clone();
    let releases = if named.is_empty() { RELEASES.map(str::to_owned).to_vec() } else { named };
    for release in &releases {
        let loaded = loaded(folder, release, &all)?;
        for model in &all {
            let came = loaded.get(&model.display().to_string());
            let came = came.with_context(|| format!("not loaded: {}", model.display()))?;
            cells.push(cell(release, model, came)?);
        }
    }
    for line in cells.iter().filter_map(|cell| cell.comparison.wrong()) {
        println!("{line}");
    }
    let text = page(&cells, &releases, all.len());
    PAGE.publish("", &text, &arguments.write)?;
    Ok(())
}

fn write(folder: &Path, models: &Path, keras: &[PathBuf]) -> anyhow::Result<()> {
    let python = TensorFlowHost::named(TENSORFLOW)?.peer.python;
    let site = folder.join("site");
    let mut install = Command::new(uv()?);
    install.args(["pip", "install", "--quiet", "--no-deps", "--python"]).arg(&python);
    install.arg("--target").arg(&site).args(CONVERTER);
    run_command(install.env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1"))?;
    let probe = unskew_peers::root().join(WRITE);
    let mut command = TensorFlowHost::named(TENSORFLOW)?.command();
    command.arg(probe).arg(models).args(keras).env("PYTHONPATH", &site);
    print!("{}", run_command(command.stderr(Stdio::piped()))?);
    Ok(())
}

/// What a release does with the models: a phase and a message for each.
fn loaded(
    folder: &Path,
    release: &str,
    models: &[PathBuf],
) -> anyhow::Result<BTreeMap<String, (String, String)>> {
    let answers = Answers::new(Some(folder));
    let said = answers.get(&format!("loaded-{release}.tsv"), || {
        let package = folder.join(format!("tfjs-{release}"));
        fs::create_dir_all(&package)?;
        let bundle = match package.join("package/dist/tf.min.js") {
            there if there.exists() => there,
            _ => bundle(release, &package)?,
        };
        let mut node = Command::new("node");
        node.arg(unskew_peers::root().join(LOAD)).arg(bundle).args(models);
        run_command(&mut node)
    })?;
    let line = |line: &str| {
        let mut cells = line.splitn(3, '\t').map(str::to_owned);
        Some((cells.next()?, (cells.next()?, cells.next()?)))
    };
    Ok(said.lines().filter_map(line).collect())
}

fn cell(release: &str, model: &Path, (came, message): &(String, String)) -> anyhow::Result<Cell> {
    let artifact = open(&model.join("model.json"), &OpenOptions::default())?;
    let piece = artifact.pieces.first().with_context(|| model.display().to_string())?;
    let runtime = find(&format!("tfjs@{release}"))?.party();
    let verdict = check(&piece.party, &runtime, &Context::on(Date::constant(2026, 11, 21)));
    let kind = model.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let said: Vec<String> = verdict
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.rule.code, finding.message))
        .collect();
    let line = format!("{release}\t{}\t{came}: {message}\t{}", model.display(), said.join("; "));
    let comparison = compared(&verdict, came, message, line);
    Ok(Cell { kind: kind.into_owned(), release: release.to_owned(), comparison })
}

/// Whether the verdict says what came of it. What an op or a layer does with its values is not judged, and says so.
fn compared(verdict: &Verdict, came: &str, message: &str, line: String) -> Comparison {
    let unknown = message.contains("Unknown op") || message.contains("Op is not supported");
    match (verdict.first_failure(), came) {
        (None, "ok") | (Some(Phase::Load), "load") => Comparison::Right,
        (Some(Phase::FirstUse), "run") => Comparison::Right,
        (None, "run") if !unknown => Comparison::NotJudged,
        (None, _) => Comparison::FalseCompatible(line),
        (Some(_), "ok") => Comparison::FalseRefused(line),
        _ => Comparison::WrongPhase(line),
    }
}

fn page(cells: &[Cell], releases: &[String], models: usize) -> String {
    let tally: Tally = cells.iter().map(|cell| &cell.comparison).collect();
    let mut text = format!(
        "<!-- made by `cargo lab tfjs --keras FILE... --write` -->\n\n# Models on real releases of TensorFlow.js\n\n\
         {models} models that the converter of TensorFlow.js 4.22.0 wrote: a graph for each function of \
         `lab/tensorflow/probes/tfjs_write.py`, and the layers of files that TensorFlow 2.15.1 and 2.21.0 (Keras 3.15) wrote for \
         `cargo lab keras`. {} releases load each in Node, on their CPU backend, and run it once. A verdict is right if \
         it says whether that works, and when it fails. *Not judged* are runs that fail for what an op or a layer makes of \
         its values, which every verdict says.\n\n\
         {}\n\n| models |",
        releases.len(),
        tally.agreement(),
    );
    for release in releases {
        let _ = write!(text, " {release} |");
    }
    let _ = write!(text, "\n| --- |{}\n", " --- |".repeat(releases.len()));
    for kind in ["graphs", "layers"] {
        let _ = write!(text, "| {kind} |");
        for release in releases {
            let of = |cell: &&Cell| cell.kind == kind && cell.release == *release;
            let of = cells.iter().filter(of).map(|cell| &cell.comparison);
            let tally: Tally = of.collect();
            let _ = write!(text, " {}/{}", tally.right, tally.judged());
            if tally.unjudged > 0 {
                let _ = write!(text, ", {} not judged", tally.unjudged);
            }
            text.push_str(" |");
        }
        text.push('\n');
    }
    text
}
