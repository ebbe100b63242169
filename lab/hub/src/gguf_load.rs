//! `cargo lab gguf-load`: tiny GGUF files, loaded by builds of llama.cpp and releases of llama-cpp-python, against the verdicts.
//!
//! The package gguf writes a file for each architecture, pre-tokenizer and type of tensors that any release knows, and some
//! whose container is odd (`lab/hub/probes/gguf_write.py`). The libraries of the releases load them
//! (`lab/hub/probes/gguf_load.py`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Phase, Severity};
use unskew_gguf::{GgufFile, LlamaRelease, judge, party, with_parts};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_releases::{Family, Release};
use unskew_source::{FileSource, Source};

use crate::files::make_empty;
use crate::gguf_library::library;

const WRITES: &str = "lab/hub/probes/gguf_write.py";
const LOADS: &str = "lab/hub/probes/gguf_load.py";
const PAGE: Page = Page("docs/reference/gguf-load-matrix.md");

/// The package that writes the files.
const WRITER: &str = "gguf==0.19.0";

/// Reasons that a verdict has to foresee. Of all others, such as a tensor that is not there, it says that it does not look.
const JUDGED: [&str; 14] = [
    "unknown model architecture",
    "unknown architecture",
    "unsupported model architecture",
    "unknown pre-tokenizer",
    "unknown tokenizer",
    "GGUFv1",
    "supports up to version",
    "endianness",
    "ggml type",
    "REMOVED",
    "file bounds",
    "power of 2",
    "GGUF split",
    "first split",
];

/// Has releases load tiny GGUF files, and holds the verdicts against what they do.
#[derive(Args)]
pub struct GgufLoad {
    /// Where libraries and files are kept
    #[arg(long, default_value = "target/gguf-load")]
    folder: PathBuf,
    /// The releases: `llama.cpp@b4234` is taken from npm, `llama-cpp-python@0.3.9` is built, which takes minutes
    #[arg(long = "release", required = true)]
    releases: Vec<String>,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If a library cannot be had, or a verdict is wrong.
pub fn run(arguments: &GgufLoad) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    fs::create_dir_all(&folder)?;
    let found = |name: &String| Ok(unskew_releases::find(name)?);
    let releases: anyhow::Result<Vec<Release>> = arguments.releases.iter().map(found).collect();
    let loads = Loads { releases: releases?, libraries: folder.join("libraries") };
    let files = folder.join("files");
    make_empty(&files)?;
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    PAGE.publish(
        "<!-- made by `cargo lab gguf-load --write` -->\n\n",
        &text(&agreement),
        &arguments.page,
    )?;
    ensure!(agreement.wrong.is_empty(), "{} verdicts are wrong", agreement.wrong.len());
    Ok(())
}

struct Loads {
    releases: Vec<Release>,
    libraries: PathBuf,
}

impl Oracle for Loads {
    const HEAD: &'static str = "release | ";
    type Peer = Release;
    type Case = PathBuf;
    type Answer = (bool, String);

    fn peers(&self) -> anyhow::Result<Vec<Release>> {
        Ok(self.releases.clone())
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let place = self.libraries.with_file_name("python");
        let python = with_requirements(&place, "3.11", &[WRITER], Dependencies::All)?;
        let names = folder.with_extension("names");
        fs::write(&names, names_of_all())?;
        let mut write = Command::new(python);
        write.arg(unskew_peers::root().join(WRITES)).arg(folder).arg(&names);
        run_command(&mut write)?;
        let mut files: Vec<PathBuf> = Vec::new();
        for file in folder.read_dir()? {
            files.push(file?.path());
        }
        files.sort();
        Ok(files)
    }

    fn ask(
        &self,
        release: &Release,
        files: &[PathBuf],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<(bool, String)>>> {
        let place = library(*release, &self.libraries)?;
        let mut load = Command::new("python3");
        load.arg(unskew_peers::root().join(LOADS)).arg(&place).args(files);
        let said = run_command(load.env("LD_LIBRARY_PATH", &place))?;
        let answer = |line: &str| {
            let mut cells = line.split('\t').skip(1);
            let loads = cells.next()? == "loads";
            Some((loads, cells.next().unwrap_or_default().to_owned()))
        };
        Ok(said.lines().map(answer).collect())
    }

    fn compare(
        &self,
        release: &Release,
        path: &PathBuf,
        (loads, why): &(bool, String),
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let file = party(&source)?.with_context(|| format!("no GGUF: {}", path.display()))?;
        let beside = |name: &str| {
            let source = FileSource::open(&path.with_file_name(name)).ok()?;
            Some(Arc::new(source) as Arc<dyn Source>)
        };
        let file = with_parts(file, &beside);
        let party = release.party();
        let (Some(file), Some(llama)) =
            (file.capability::<GgufFile>(), party.capability::<LlamaRelease>())
        else {
            anyhow::bail!("no llama.cpp: {release}");
        };
        let judged = judge(file, llama);
        let errors = judged.findings.iter().filter(|one| one.severity == Severity::Error);
        let at_load: Vec<&str> = errors
            .filter(|one| one.phase == Some(Phase::Load))
            .map(|one| one.message.as_str())
            .collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let line = || format!("{name}: {} ({})", why, at_load.join("; "));
        Ok(match (at_load.is_empty(), loads) {
            (true, true) | (false, false) => Comparison::Right,
            (false, true) => Comparison::FalseRefused(line()),
            (true, false) if JUDGED.iter().any(|one| why.contains(one)) => {
                Comparison::FalseCompatible(line())
            }
            (true, false) => Comparison::NotJudged,
        })
    }

    fn name(&self, release: &Release) -> String {
        release.to_string()
    }
}

/// Every name that any release knows, a line each.
fn names_of_all() -> String {
    let families = [Family::LlamaCpp, Family::LlamaCppPython];
    let mut names: Vec<&str> = families
        .iter()
        .flat_map(|family| family.catalogue())
        .map(|one| one.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut lines = Vec::new();
    for name in names {
        for family in families {
            lines.extend(family.definitions(name).into_iter().map(|one| one.text + "\n"));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.concat()
}

fn text(agreement: &Agreement) -> String {
    format!(
        "# GGUF files on real builds of llama.cpp\n\nThe package {WRITER} writes tiny models: one for each architecture, \
         pre-tokenizer and type of tensors that any release knows, and some whose container is odd, `lab/hub/probes/gguf_write.py`. \
         Releases load them: llama.cpp by the libraries of node-llama-cpp on npm, llama-cpp-python built from its sources. A \
         verdict is right if it says whether the file is loaded. *Not judged* is what fails for a reason that verdicts do not look \
         at and say so: of most architectures only the header is written, and a tensor is missing.\n\n{}",
        agreement.in_words()
    )
}
