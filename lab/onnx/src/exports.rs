//! `cargo lab onnx-exports`: models that real PyTorch releases export to ONNX, converted for an old ONNX Runtime.
//!
//! `lab/torch/probes/torch_onnx.py` exports the blocks and families of `torch-models` by both exporters, where a release has
//! both, with what the model gave in PyTorch itself. Each is converted for the release that is named, and run there as it
//! is and converted (`lab/onnx/probes/onnx_equal.py`). `--write` makes the page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Outcome, Party, Version, check};
use unskew_lab_harness::environment::{interpreter, uv, with_release};
use unskew_lab_harness::{Package, Page, WritePage, today};
use unskew_peers::torch_command;
use unskew_releases::find;
use unskew_source::{FileSource, Source};

const PAGE: Page = Page("docs/reference/onnx-exports.md");

/// A release of PyTorch with its Python, and what of other packages its exporters and models want.
const WRITERS: [(&str, &str, &[&str]); 3] = [
    (
        "1.13.1",
        "3.8",
        &[
            "onnx==1.13.1",
            "protobuf==3.20.3",
            "torchvision==0.14.1",
            "pillow==10.4.0",
            "requests==2.32.3",
            "urllib3==2.2.3",
            "idna==3.10",
            "certifi==2024.8.30",
            "charset-normalizer==3.4.0",
        ],
    ),
    (
        "2.1.2",
        "3.8",
        &[
            "onnx==1.15.0",
            "onnxscript==0.1.0.dev20231005",
            "packaging==24.2",
            "protobuf==3.20.3",
            "torchvision==0.16.2",
            "pillow==10.4.0",
            "requests==2.32.3",
            "urllib3==2.2.3",
            "idna==3.10",
            "certifi==2024.8.30",
            "charset-normalizer==3.4.0",
        ],
    ),
    (
        "2.15.0",
        "3.11",
        &[
            "onnx==1.23.2",
            "onnxscript==0.7.2",
            "onnx-ir==1.1.0",
            "ml_dtypes==0.6.0",
            "packaging==26.4",
            "protobuf==7.36.2",
            "torchvision==0.29.2",
            "pillow==11.3.0",
        ],
    ),
];

/// Has PyTorch releases export models to ONNX, and runs them converted on an old ONNX Runtime.
#[derive(Args)]
pub struct OnnxExports {
    /// A release that exports; those of the page if none is named.
    #[arg(long = "writer")]
    writers: Vec<String>,
    /// The ONNX Runtime that runs what was made.
    #[arg(long, default_value = "1.8.1")]
    onnxruntime: String,
    /// A folder with packages that are installed already: `VERSION` of ONNX Runtime, `torch-VERSION` of what goes beside.
    #[arg(long)]
    installed: Option<PathBuf>,
    /// A model; all that there are if none is named.
    #[arg(long = "model")]
    models: Vec<String>,
    /// Keeps what is exported and converted in this folder, and exports nothing that is there already.
    #[arg(long)]
    into: Option<PathBuf>,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// What came of one model.
struct Row {
    writer: String,
    exporter: &'static str,
    name: String,
    opset: String,
    /// What the release does with it as it is, and what the verdict says.
    plain: (String, String),
    /// The same of what was made of it, or why nothing was.
    converted: (String, String),
}

impl Row {
    /// Whether a conversion gives other outputs, or a verdict is not what the release did.
    fn is_wrong(&self) -> bool {
        let differs = |(was, said): &(String, String)| {
            said != "not judged" && (said == "compatible") != (was == "equal")
        };
        let refused = self.converted.0.starts_with("refused");
        self.converted.0.starts_with("DIFFERENT")
            || differs(&self.plain)
            || !refused && differs(&self.converted)
    }
}

/// Exports, converts, runs and compares.
///
/// # Errors
/// If a release cannot be had, or a converted model gives other outputs, or a verdict is wrong.
pub fn run(arguments: &OnnxExports) -> anyhow::Result<()> {
    let made = tempfile::tempdir()?;
    let folder = arguments.into.clone().unwrap_or_else(|| made.path().to_owned());
    let known = WRITERS.iter().filter(|(version, ..)| {
        arguments.writers.is_empty() || arguments.writers.iter().any(|one| one == version)
    });
    let (mut rows, mut unwritten) = (Vec::new(), String::new());
    for (version, python, packages) in known {
        let place = folder.join(version);
        if !place.exists() {
            fs::create_dir_all(&place)?;
            let place = fs::canonicalize(&place)?;
            let beside = arguments.beside(version, python, packages)?;
            let said = with_release("torch", version, arguments.keep, || {
                let mut said = String::new();
                for exporter in ["script", "dynamo"] {
                    if exporter == "dynamo" && version.starts_with("1.") {
                        continue;
                    }
                    let mut command = torch_command(version)?;
                    command.env("PYTHONPATH", &beside).args(["-W", "ignore"]);
                    command.arg(unskew_peers::root().join("lab/torch/probes/torch_onnx.py"));
                    command.arg(&place).arg(exporter).args(&arguments.models);
                    // An exporter leaves a report of its own where it runs.
                    command.current_dir(made.path());
                    let output = command.output()?;
                    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
                    ensure!(
                        !lines.is_empty(),
                        "torch {version}, {exporter}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                    for line in lines.lines().filter(|line| line.contains("\tno\t")) {
                        let (name, why) = line.split_once("\tno\t").unwrap_or((line, ""));
                        said.push_str(&format!("* torch {version}, {exporter}, `{name}`: {why}\n"));
                    }
                }
                Ok(said)
            })?;
            fs::write(place.join("unwritten.txt"), said)?;
        }
        unwritten.push_str(&fs::read_to_string(place.join("unwritten.txt")).unwrap_or_default());
        rows.extend(arguments.fare(version, &place)?);
    }
    let page = page(&rows, &unwritten, arguments);
    PAGE.publish("", &page, &arguments.write)?;
    let wrong = rows.iter().filter(|row| row.is_wrong()).count();
    ensure!(wrong == 0, "{wrong} conversions or verdicts were wrong");
    Ok(())
}

impl OnnxExports {
    /// The folder with packages that go beside a release, which are installed if it is not there.
    fn beside(&self, version: &str, python: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
        let there = self.installed.as_ref().map(|folder| folder.join(format!("torch-{version}")));
        if let Some(there) = there.filter(|folder| folder.exists()) {
            return Ok(there);
        }
        let site = std::env::temp_dir().join(format!("unskew-onnx-exports-{version}"));
        let mut uv = Command::new(uv()?);
        uv.args(["pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--python"]);
        uv.arg(interpreter(python)?).arg("--target").arg(&site).args(packages);
        let done = uv.env("UV_SYSTEM_CERTS", "1").env("UV_NATIVE_TLS", "1").output()?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(site)
    }

    /// Converts what a release exported, and runs it as it is and converted.
    fn fare(&self, writer: &str, place: &Path) -> anyhow::Result<Vec<Row>> {
        let release = find(&format!("onnxruntime=={}", self.onnxruntime))?;
        let runtime =
            unskew_releases::onnx::runtime_of(release).context("a release without a table")?;
        let goal = unskew_onnx::OnnxTarget::for_release(&runtime);
        let converted = place.join("converted");
        fs::create_dir_all(&converted)?;
        let mut rows = Vec::new();
        let mut names: Vec<PathBuf> =
            fs::read_dir(place)?.map(|one| Ok(one?.path())).collect::<anyhow::Result<_>>()?;
        names.retain(|path| path.extension().is_some_and(|ending| ending == "onnx"));
        names.sort();
        for path in names {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let Some((name, exporter)) = stem.rsplit_once('-') else { continue };
            let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
            let verdict = said(&source, &release.party())?;
            let opset = unskew_onnx::read_model(&*source)?.and_then(|model| {
                model.opsets.iter().find(|one| one.0.is_empty()).map(|one| one.1.to_string())
            });
            let (plan, output) = unskew_onnx::convert(&source, &goal)?.context("no model")?;
            let made = converted.join(format!("{stem}.onnx"));
            let converted = match plan.is_possible() {
                true => {
                    output.write(&made)?;
                    fs::copy(path.with_extension("npz"), made.with_extension("npz"))?;
                    let made: Arc<dyn Source> = Arc::new(FileSource::open(&made)?);
                    (String::new(), said(&made, &release.party())?.to_owned())
                }
                false => {
                    let why = plan.blockers.first().map(|one| one.message.clone());
                    (format!("refused: {}", why.unwrap_or_default()), String::new())
                }
            };
            rows.push(Row {
                writer: writer.to_owned(),
                exporter: if exporter == "script" { "script" } else { "dynamo" },
                name: name.to_owned(),
                opset: opset.unwrap_or_default(),
                plain: (String::new(), verdict.to_owned()),
                converted,
            });
        }
        let package = Package::new(
            "onnxruntime",
            &self.onnxruntime,
            self.site(&self.onnxruntime).as_deref(),
        )?;
        let outcomes = |folder: &Path| -> anyhow::Result<BTreeMap<String, String>> {
            let said =
                package.ask("onnx", "onnx_equal.py", &[folder.to_str().context("no text")?])?;
            Ok(said
                .lines()
                .filter_map(|line| {
                    let mut cells = line.splitn(3, '\t');
                    let (name, outcome) = (cells.next()?, cells.next()?);
                    let more = cells.next().filter(|_| outcome != "equal").unwrap_or_default();
                    let more = if more.is_empty() { String::new() } else { format!(": {more}") };
                    Some((name.to_owned(), format!("{outcome}{more}")))
                })
                .collect())
        };
        let (plain, done) = (outcomes(place)?, outcomes(&converted)?);
        for row in &mut rows {
            let stem = format!("{}-{}", row.name, row.exporter);
            let outcome = plain.get(&stem).cloned().unwrap_or_default();
            row.plain.0 = outcome.split(':').next().unwrap_or_default().to_owned();
            if row.converted.0.is_empty() {
                row.converted.0 = done.get(&stem).cloned().unwrap_or_default();
            }
        }
        Ok(rows)
    }

    fn site(&self, name: &str) -> Option<PathBuf> {
        self.installed.as_ref().map(|folder| folder.join(name)).filter(|site| site.exists())
    }
}

/// What the verdict says of a model on a release.
fn said(source: &Arc<dyn Source>, release: &Party) -> anyhow::Result<&'static str> {
    let party = unskew_onnx::party(source)?.context("no model")?;
    let today = today();
    Ok(match check(&party, release, &today).outcome {
        Outcome::Compatible | Outcome::Adaptable(_) => "compatible",
        Outcome::Incompatible => "incompatible",
        Outcome::Unjudged => "not judged",
        Outcome::Unrelated => "unrelated",
    })
}

fn page(rows: &[Row], unwritten: &str, arguments: &OnnxExports) -> String {
    let mut text = format!(
        "<!-- made by `cargo lab onnx-exports --write` -->\n\n# Exported models on ONNX Runtime {0}\n\nModels with random \
         weights that PyTorch exports (`lab/torch/probes/torch_onnx.py`): families of torchvision, an encoder, ViT, Swin, an LSTM, and \
         layers like those of DETR, Whisper and Llama. `script` is the exporter by TorchScript, under the highest opset that it \
         knows; `dynamo` that by `torch.export`, as it is by itself. Each is run by ONNX Runtime {0} as it is and as `unskew \
         convert --to onnxruntime@{0}` makes it. *equal*: what PyTorch gave, up to a ten-thousandth. *verdict*: what `unskew \
         check` says of the column before it.\n\n| PyTorch | exporter | models | run as they are | said to run | converted | equal \
         | said to run | not judged | other outputs | refused |\n| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
        arguments.onnxruntime
    );
    let mut groups: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.writer.as_str(), row.exporter)).collect();
    groups.sort_unstable_by_key(|(writer, exporter)| (writer.parse::<Version>().ok(), *exporter));
    groups.dedup();
    for group in groups {
        let of = |is: &dyn Fn(&Row) -> bool| {
            rows.iter()
                .filter(|row| (row.writer.as_str(), row.exporter) == group && is(row))
                .count()
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            group.0,
            group.1,
            of(&|_| true),
            of(&|row| row.plain.0 == "equal"),
            of(&|row| row.plain.1 == "compatible"),
            of(&|row| !row.converted.0.starts_with("refused")),
            of(&|row| row.converted.0 == "equal"),
            of(&|row| row.converted.1 == "compatible"),
            of(&|row| row.converted.1 == "not judged"),
            of(&|row| row.converted.0.starts_with("DIFFERENT")),
            of(&|row| row.converted.0.starts_with("refused")),
        ));
    }
    text.push_str("\n| model | PyTorch | exporter | opset | as it is | verdict | converted | verdict |\n| --- | --- | --- | --: | --- | --- | --- | --- |\n");
    for row in rows {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            row.name,
            row.writer,
            row.exporter,
            row.opset,
            row.plain.0,
            row.plain.1,
            row.converted.0.replace('|', "\\|"),
            row.converted.1,
        ));
    }
    if !unwritten.is_empty() {
        text.push_str(&format!("\nNot exported by the release itself:\n\n{unwritten}"));
    }
    text
}
