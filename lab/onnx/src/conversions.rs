//! `cargo lab onnx-conversions`: node cases of onnx under other opsets, beside its own converter.
//!
//! The newest onnx writes its node cases (`lab/onnx/probes/onnx_convert.py`), and has models in its wheel; each is converted
//! to each opset here and by the converter of onnx, and what was made is checked by onnx and run by ONNX Runtime beside
//! the case itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_lab_harness::{Package, Page, WritePage};
use unskew_releases::find;
use unskew_source::{FileSource, Source};

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/onnx-conversions.md");

/// The opsets that each case is converted to.
const OPSETS: [i64; 10] = [9, 11, 13, 15, 17, 19, 21, 23, 25, 27];

/// Converts node cases of onnx beside its own converter, and runs what was made.
#[derive(Args)]
pub struct OnnxConversions {
    /// Takes only each so-manieth case.
    #[arg(long, default_value_t = 4)]
    every: usize,
    /// The release of onnx that writes the cases and converts them too.
    #[arg(long, default_value = "1.23.2")]
    onnx: String,
    /// The release of ONNX Runtime that runs what was made.
    #[arg(long, default_value = "1.32.0")]
    onnxruntime: String,
    /// A folder in which onnx and ONNX Runtime are installed together.
    #[arg(long)]
    installed: PathBuf,
    /// Takes the models of this folder in the place of node cases.
    #[arg(long, conflicts_with = "write")]
    models: Option<PathBuf>,
    /// Writes every refusal with its reason, and every outcome that is not `same`, into this file.
    #[arg(long)]
    list: Option<PathBuf>,
    #[command(flatten)]
    write: WritePage,
}

#[derive(Clone, Copy)]
enum Models<'a> {
    /// Node cases that onnx writes.
    Cases,
    /// Those in the wheel of onnx.
    Wheel,
    /// Those of a folder.
    Folder(&'a Path),
}

/// How many conversions came out how, by way, converter and outcome.
type Counts = BTreeMap<(&'static str, &'static str, String), usize>;

/// Converts, runs and compares.
///
/// # Errors
/// If a package cannot be asked, or what was made differs from its case.
pub fn run(arguments: &OnnxConversions) -> anyhow::Result<()> {
    let mut list = String::new();
    let mut text = head(arguments);
    let all = match &arguments.models {
        Some(folder) => vec![Models::Folder(folder)],
        None => vec![Models::Cases, Models::Wheel],
    };
    let mut different = 0;
    for models in all {
        let counts = arguments.measure(models, &mut list)?;
        let wrong =
            counts.iter().filter(|((_, by, outcome), _)| *by == "Unskew" && outcome == "DIFFERENT");
        different += wrong.map(|(_, count)| count).sum::<usize>();
        text.push_str(&table(&counts, models, arguments));
    }
    print!("{text}");
    if let Some(path) = &arguments.list {
        fs::write(path, list)?;
    }
    PAGE.write(&text, &arguments.write)?;
    ensure!(different == 0, "{different} conversions give other outputs");
    Ok(())
}

impl OnnxConversions {
    /// Counts outcomes; what is not `same` becomes a line of `list`.
    fn measure(&self, models: Models<'_>, list: &mut String) -> anyhow::Result<Counts> {
        let made = tempfile::tempdir()?;
        let out = made.path().to_str().context("a temporary folder that is no text")?;
        let onnx = Package::new("onnx", &self.onnx, Some(&self.installed))?;
        match models {
            Models::Cases => onnx.ask(
                "onnx",
                "onnx_convert.py",
                &["cases", out, &self.every.max(1).to_string()],
            )?,
            Models::Wheel => onnx.ask("onnx", "onnx_convert.py", &["wheel", out])?,
            Models::Folder(folder) => {
                let folder = folder.to_str().context("a folder that is no text")?;
                onnx.ask("onnx", "onnx_convert.py", &["models", out, folder])?
            }
        };
        list.push_str(&convert(made.path(), &self.onnx)?);
        let opsets = OPSETS.map(|one| one.to_string());
        let asked: Vec<&str> =
            ["compare", out].into_iter().chain(opsets.iter().map(String::as_str)).collect();
        let said = onnx.ask("onnx", "onnx_convert.py", &asked)?;
        let mut counts = Counts::new();
        for line in said.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [_, own, to, official, ours, ..] = cells.as_slice() else { continue };
            let (Ok(own), Ok(to)) = (own.parse::<i64>(), to.parse::<i64>()) else { continue };
            let way = if to > own { "up" } else { "down" };
            *counts.entry((way, "onnx", (*official).to_owned())).or_default() += 1;
            *counts.entry((way, "Unskew", (*ours).to_owned())).or_default() += 1;
            if *ours != "same" || *official != "same" {
                list.push_str(line);
                list.push('\n');
            }
        }
        Ok(counts)
    }
}

fn convert(folder: &Path, onnx: &str) -> anyhow::Result<String> {
    let release = find(&format!("onnx=={onnx}"))?;
    let runtime =
        unskew_releases::onnx::runtime_of(release).context("a release without a table")?;
    let converted = folder.join("converted");
    fs::create_dir_all(&converted)?;
    let mut refusals = String::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "onnx") {
            continue;
        }
        let name =
            path.file_stem().map(|one| one.to_string_lossy().into_owned()).unwrap_or_default();
        for opset in OPSETS {
            let goal = unskew_onnx::OnnxTarget {
                name: format!("onnx-opset@{opset}"),
                opsets: vec![(Box::default(), opset)],
                at_most: false,
                own_opset: None,
                ir: None,
                runtime: None,
                schemas: runtime.schemas.clone(),
            };
            let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
            let planned = unskew_onnx::convert(&source, &goal)?;
            let (plan, output) = planned.with_context(|| path.display().to_string())?;
            if plan.is_possible() {
                output.write(&converted.join(format!("{name}@{opset}.onnx")))?;
            } else {
                let why: Vec<&str> = plan.blockers.iter().map(|one| one.message.as_str()).collect();
                refusals.push_str(&format!("{name}\t{opset}\tRefused\t{}\n", why.join("; ")));
            }
        }
    }
    Ok(refusals)
}

fn head(arguments: &OnnxConversions) -> String {
    format!(
        "<!-- made by `cargo lab onnx-conversions --write` -->\n\n# Conversions of ONNX models\n\nConverted to opsets {:?} \
         and run by ONNX Runtime {}, beside the converter of onnx {}. `same`: the outputs of the model itself; `unrun`: no \
         inputs that could be compared; `source`: ONNX Runtime does not run the model itself, and no outputs are recorded; \
         `not run`: it does not run what was made; `invalid`: the checker of onnx refuses what was made.\n",
        OPSETS, arguments.onnxruntime, arguments.onnx
    )
}

fn table(counts: &Counts, models: Models<'_>, arguments: &OnnxConversions) -> String {
    let outcomes = ["same", "unrun", "source", "not run", "invalid", "DIFFERENT", "refused"];
    let what = match models {
        Models::Cases => format!("Node cases, each {}th", arguments.every),
        Models::Wheel => "Models in the wheel".to_owned(),
        Models::Folder(folder) => format!("Models of {}", folder.display()),
    };
    let mut text = format!("\n## {what}\n\n");
    text.push_str("| | by | same | unrun | source | not run | invalid | other outputs | refused | converted |\n");
    text.push_str("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for way in ["up", "down"] {
        for by in ["onnx", "Unskew"] {
            let of =
                |outcome: &str| counts.get(&(way, by, outcome.to_owned())).copied().unwrap_or(0);
            let all: usize = outcomes.iter().map(|outcome| of(outcome)).sum();
            let cells: Vec<String> =
                outcomes.iter().map(|outcome| of(outcome).to_string()).collect();
            let done = all - of("refused") - of("invalid");
            let share = done as f64 * 100.0 / all.max(1) as f64;
            text.push_str(&format!("| {way} | {by} | {} | {share:.1} % |\n", cells.join(" | ")));
        }
    }
    text
}
