//! `cargo lab keras`: files of Keras on real releases, against the verdicts.
//!
//! Three releases write a model for each of about a hundred layers, optimizers and forms of models
//! (`lab/tensorflow/probes/keras_write.py`), and four load all of them (`lab/tensorflow/probes/keras_load.py`). Other files join in with
//! `--files`. What was written and loaded stays in a folder, and is not done again while it is there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Phase, Version};
use unskew_keras::{KerasModel, judge};
use unskew_lab_harness::environment::Environment;
use unskew_lab_harness::{Comparison, Page, Tally, WritePage};
use unskew_lab_tensorflow::TensorFlowHost;
use unskew_source::{FileSource, Source};

const WRITE: &str = "lab/tensorflow/probes/keras_write.py";
const LOAD: &str = "lab/tensorflow/probes/keras_load.py";
const PAGE: Page = Page("docs/reference/keras-load-matrix.md");

/// Who writes the battery.
const WRITERS: [&str; 3] = ["2.4.4", "2.15.1", "2.21.0"];

/// Who loads it.
const READERS: [&str; 4] = ["2.4.4", "2.9.3", "2.15.1", "2.21.0"];

/// Has TensorFlow releases write and load files of Keras, and holds the verdicts against what they do.
#[derive(Args)]
pub struct KerasCheck {
    /// Where the files and what came of them are kept
    #[arg(long, default_value = "target/keras")]
    measured: PathBuf,
    /// Files that are loaded beside the battery.
    #[arg(long, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The Python of a release that is there already, as RELEASE=PATH; others are made
    #[arg(long = "python")]
    pythons: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// One file on one release.
struct Cell {
    group: String,
    reader: &'static str,
    file: String,
    comparison: Comparison,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a file not be read. What a release does is no error.
pub fn run(arguments: &KerasCheck) -> anyhow::Result<()> {
    let folder = &arguments.measured;
    fs::create_dir_all(folder)?;
    for writer in WRITERS {
        let place = folder.join("battery").join(writer);
        if !place.exists() {
            let place = place.to_str().context("a folder that is no text")?.to_owned();
            ask(writer, WRITE, &[place], &arguments.pythons)?;
        }
    }
    let mut files = Vec::new();
    for writer in WRITERS {
        files.extend(models(&folder.join("battery").join(writer))?);
    }
    files.extend(arguments.files.iter().cloned());
    let mut cells = Vec::new();
    for reader in READERS {
        let loaded = loaded(reader, folder, &files, &arguments.pythons)?;
        for file in &files {
            let path = file.display().to_string();
            let (outcome, error) =
                loaded.get(&path).with_context(|| format!("not loaded: {path}"))?;
            cells.push(cell(reader, file, outcome, error)?);
        }
    }
    for line in cells.iter().filter_map(|cell| cell.comparison.wrong()) {
        println!("{line}");
    }
    let mut text = page(&cells);
    text.push_str(&conversions(folder, &files, &arguments.pythons)?);
    PAGE.publish("", &text, &arguments.write)?;
    Ok(())
}

/// What fails as it is, converted where a conversion is announced, and loaded.
fn conversions(folder: &Path, files: &[PathBuf], pythons: &[String]) -> anyhow::Result<String> {
    let mut text = String::from(
        "\n## Converted\n\nWhat a release did not load, converted for it (`unskew convert FILE --to tensorflow@RELEASE`). *Same*: \
         it loads, and computes what the writer computed, up to 1e-6 (files of packages: it loads).\n\n\
         | release | fail as they are | converted | same | refused |\n| --- | --- | --- | --- | --- |\n",
    );
    let mut others = String::new();
    for reader in READERS {
        let release: Version = reader.parse()?;
        let keras = unskew_releases::keras::of_tensorflow(release).context("no Keras")?;
        let place = folder.join("converted").join(reader);
        fs::create_dir_all(&place)?;
        let known = loaded(reader, folder, files, pythons)?;
        let (mut failing, mut written) = (0, Vec::new());
        for file in files {
            let came = known.get(&file.display().to_string());
            if came.is_none_or(|(came, _)| !came.starts_with("fails")) {
                continue;
            }
            failing += 1;
            let source: Arc<dyn Source> = Arc::new(FileSource::open(file)?);
            // What answers is compared, and that needs no optimizer.
            let options = unskew_keras::KerasConvertOptions { uncompiled: true };
            let Some((plan, output)) = unskew_keras::convert(&source, &keras, options)? else {
                continue;
            };
            if !plan.is_possible() || plan.changes_nothing() {
                let why: Vec<String> = plan
                    .blockers
                    .iter()
                    .map(|one| format!("{} {}", one.rule.code, one.message))
                    .collect();
                println!("refused for {reader}: {}\t{}", file.display(), why.join("; "));
                continue;
            }
            let group = file.parent().and_then(Path::file_name).unwrap_or_default();
            let inner = place.join(group);
            fs::create_dir_all(&inner)?;
            let mut new = inner.join(file.file_name().unwrap_or_default());
            if plan.rewrites.iter().any(|one| one.adaptation == "hdf5") {
                new.set_extension("from-keras.h5");
            }
            output.write(&new)?;
            let beside = |path: &Path| PathBuf::from(format!("{}.npy", path.display()));
            if beside(file).exists() {
                fs::copy(beside(file), beside(&new))?;
            }
            written.push(new);
        }
        // Another conversion is another file.
        let kept = folder.join(format!("converted-{reader}.tsv"));
        let paths: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        let said = ask(reader, LOAD, &paths, pythons)?;
        fs::write(kept, &said)?;
        let same = said.lines().filter(|line| line.split('\t').nth(1) == Some("ok")).count();
        for line in said.lines().filter(|line| line.split('\t').nth(1) != Some("ok")) {
            println!("converted for {reader}: {}", line.chars().take(400).collect::<String>());
            let mut cells = line.split('\t');
            let file = cells.next().and_then(|path| path.split("/converted/").nth(1));
            let [came, error] = [(); 2].map(|()| cells.next().unwrap_or_default());
            let first = error.split(". ").next().unwrap_or_default();
            let first: String = first.chars().take(100).collect();
            let _ = writeln!(others, "* {}: {came}: {first}", file.unwrap_or_default());
        }
        let (made, refused) = (written.len(), failing - written.len());
        let _ = writeln!(text, "| {reader} | {failing} | {made} | {same} | {refused} |");
    }
    if !others.is_empty() {
        let _ =
            write!(text, "\nConverted, and not the same (reader, writer and file):\n\n{others}");
    }
    Ok(text)
}

fn models(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    all.retain(|path| path.extension().is_some_and(|end| end == "h5" || end == "keras"));
    all.sort();
    Ok(all)
}

fn ask(
    release: &str,
    script: &str,
    arguments: &[String],
    pythons: &[String],
) -> anyhow::Result<String> {
    let own = pythons.iter().filter_map(|one| one.split_once('='));
    let own = own.filter(|(of, _)| *of == release).map(|(_, path)| Command::new(path)).next();
    let mut python = match own {
        Some(python) => python,
        None => {
            Environment::named(&format!("tensorflow-{release}"))?.make()?;
            TensorFlowHost::named(release)?.command()
        }
    };
    python.arg(unskew_peers::root().join(script)).args(arguments).stderr(Stdio::null());
    let output = python.output()?;
    ensure!(output.status.success(), "{script} on tensorflow {release}: {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What a release did with each file, by its path.
fn loaded(
    reader: &str,
    folder: &Path,
    files: &[PathBuf],
    pythons: &[String],
) -> anyhow::Result<BTreeMap<String, (String, String)>> {
    let kept = folder.join(format!("loaded-{reader}.tsv"));
    let read = |text: &str| -> BTreeMap<String, (String, String)> {
        let line = |line: &str| {
            let mut cells = line.split('\t').map(str::to_owned);
            Some((cells.next()?, (cells.next()?, cells.next().unwrap_or_default())))
        };
        text.lines().filter_map(line).collect()
    };
    let mut known = fs::read_to_string(&kept).map(|text| read(&text)).unwrap_or_default();
    let missing: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .filter(|file| !known.contains_key(file))
        .collect();
    if !missing.is_empty() {
        known.extend(read(&ask(reader, LOAD, &missing, pythons)?));
        let lines = known.iter().map(|(path, (came, error))| format!("{path}\t{came}\t{error}\n"));
        fs::write(&kept, lines.collect::<String>())?;
    }
    Ok(known)
}

fn cell(reader: &'static str, file: &Path, outcome: &str, error: &str) -> anyhow::Result<Cell> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(file)?);
    let model = KerasModel::read(&source)?
        .with_context(|| format!("no file of Keras: {}", file.display()))?;
    let release: Version = reader.parse()?;
    let keras =
        unskew_releases::keras::of_tensorflow(release).context("no Keras of the release")?;
    let judgement = judge(&model, &keras);
    let fails = |phase| judgement.findings.iter().any(|finding| finding.rule.phase == Some(phase));
    let said = match (fails(Phase::Load), fails(Phase::FirstUse)) {
        (true, _) => "fails",
        (false, true) => "fails at the first call",
        (false, false) => "ok",
    };
    // What depends on the Python that wrote a file is not judged.
    let judged = said != "ok" || judgement.unjudged.iter().all(unskew_core::Unjudged::is_common);
    // `load_model` is what is judged: a model that loads and computes something else is counted apart.
    let came = if outcome == "differs" { "ok" } else { outcome };
    let group = file.parent().and_then(Path::file_name).unwrap_or_default();
    let codes: Vec<String> =
        judgement.findings.iter().map(|one| format!("{} {}", one.rule.code, one.message)).collect();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let error: String =
        error.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
    let line = || {
        format!(
            "{reader}\t{}/{name}\tsaid {said}\twas {outcome}\t{}\t{error}",
            group.to_string_lossy(),
            codes.join("; ")
        )
    };
    let comparison = match (said, came) {
        _ if !judged => Comparison::NotJudged,
        (said, came) if said == came => Comparison::Right,
        ("ok", "fails at the first call") => Comparison::Right,
        ("ok", _) => Comparison::FalseCompatible(line()),
        (_, "ok") => Comparison::FalseRefused(line()),
        _ => Comparison::WrongPhase(line()),
    };
    let group = group.to_string_lossy().into_owned();
    Ok(Cell { group, reader, file: name, comparison })
}

fn tally(cells: &mut dyn Iterator<Item = &Cell>) -> Tally {
    cells.map(|cell| &cell.comparison).collect()
}

fn page(cells: &[Cell]) -> String {
    let mut text = String::from(
        "<!-- made by `cargo lab keras --write` -->\n\n# Files of Keras on real releases\n\n\
         TensorFlow 2.4.4, 2.15.1 and 2.21.0 (Keras 3.15) each write a model for every layer, optimizer and form of a \
         model in `lab/tensorflow/probes/keras_write.py`, as `.h5` and, where they can, as `.keras`. Four releases load all of \
         them with `keras.models.load_model`. A verdict is right if it says whether that works. *Not judged* are Lambda \
         layers in Keras 2, whose code only the Python that wrote it reads. Rows that name a package are models of that \
         package on PyPI.\n\n",
    );
    let _ = writeln!(text, "{}\n", tally(&mut cells.iter()).agreement());
    let _ = writeln!(text, "| written by | {} |", READERS.join(" | "));
    let _ = writeln!(text, "| --- |{}", " --- |".repeat(READERS.len()));
    let mut groups: Vec<&str> = cells.iter().map(|cell| &*cell.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        for ending in [".h5", ".hdf5", ".keras"] {
            let of = |reader: &str| {
                let is = |cell: &&Cell| {
                    cell.group == group && cell.reader == reader && cell.file.ends_with(ending)
                };
                let tally = tally(&mut cells.iter().filter(is));
                (tally.count() - tally.wrong(), tally.count())
            };
            let row: Vec<String> = READERS
                .iter()
                .map(|reader| of(reader))
                .map(|(right, all)| format!("{right}/{all}"))
                .collect();
            if READERS.iter().any(|reader| of(reader).1 > 0) {
                let _ = writeln!(text, "| {group} ({ending}) | {} |", row.join(" | "));
            }
        }
    }
    text
}
