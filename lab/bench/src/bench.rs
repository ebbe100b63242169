//! `cargo lab bench`: whole processes on large files, and the programs that people use instead.
//!
//! The files are made here, the same on every machine: a frozen graph of 100 MB, a SavedModel of 210 MB, a TorchScript
//! archive of 50 MB, graph and archive again with more than 4 GiB of weights, and a folder of a hundred small
//! models. What is compared is what a user waits for: the whole command, from start to exit.

mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use unskew_large_files::{Weights, graph, onnx, torchscript};

use measure::{Measured, measure};

/// The large files: name, edge of its weights, and what stands in them.
const GRAPHS: [(&str, usize, Weights); 2] =
    [("graph-100mb.pb", 110, Weights::Noise), ("graph-4gib.pb", 740, Weights::Hole)];
const ARCHIVES: [(&str, usize, Weights); 2] =
    [("archive-50mb.pt", 247, Weights::Noise), ("archive-4gib.pt", 2300, Weights::Hole)];

/// The SavedModel of 210 MB: name, edge of its weights.
const SAVED_MODEL: (&str, usize) = ("saved-model-210mb", 160);

/// The ONNX models: name, edge of their weights, whether these lie in a file beside it.
const ONNX: [(&str, usize, bool); 2] =
    [("onnx-2gb.onnx", 1600, true), ("onnx-256mb.onnx", 550, false)];

/// How many small models the matrix judges.
const SMALL: usize = 100;

/// Measures `unskew` on large files.
#[derive(clap::Args)]
pub struct Bench {
    /// How many times each command runs
    #[arg(long, default_value_t = 30)]
    runs: usize,
    /// How many times each of the other programs runs
    #[arg(long, default_value_t = 5)]
    peer_runs: usize,
    /// This program instead of the release build
    #[arg(long, value_name = "PATH")]
    unskew: Option<PathBuf>,
    /// A Python with TensorFlow, to load the graph with
    #[arg(long, value_name = "PATH")]
    tensorflow_python: Option<PathBuf>,
    /// A Python with PyTorch, to load the archive with
    #[arg(long, value_name = "PATH")]
    torch_python: Option<PathBuf>,
    /// A Python with onnx, to convert the model with
    #[arg(long, value_name = "PATH")]
    onnx_python: Option<PathBuf>,
    /// Measures the ONNX models alone
    #[arg(long)]
    onnx: bool,
}

/// Makes the files, runs the commands, prints a table.
///
/// # Errors
/// If a file cannot be made or a command fails.
pub fn run(bench: &Bench) -> anyhow::Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| unskew_peers::root().join("target"), PathBuf::from);
    let unskew = match &bench.unskew {
        Some(path) => path.clone(),
        None => build(&target)?,
    };
    let folder = target.join("bench-data");
    println!("| command | runs | least | median | peak memory |");
    println!("| --- | --: | --: | --: | --: |");
    if bench.onnx {
        return bench.onnx(&unskew, &folder);
    }
    let data = Data::make(&folder)?;
    let ours = |what: &str, arguments: &[&str]| row(what, bench.runs, &unskew, arguments);
    ours("unskew --version", &["--version"])?;
    for (release, files) in [("tensorflow@2.15", &data.graphs), ("torch@2.1", &data.archives)] {
        for file in files {
            let name = short(file);
            ours(&format!("unskew inspect {name}"), &["inspect", text(file)?])?;
            let check = ["check", text(file)?, "--with", release];
            ours(&format!("unskew check {name} --with {release}"), &check)?;
        }
    }
    let model = text(&data.saved_model)?;
    let check = ["check", model, "--with", "tensorflow@2.15"];
    ours(&format!("unskew check {} --with tensorflow@2.15", SAVED_MODEL.0), &check)?;
    let matrix = ["matrix", text(&data.small)?, "--with", "torch", "tensorflow"];
    let csv = [&matrix[..], &["--format", "csv"]].concat();
    ours(&format!("unskew matrix ({SMALL} files) --with torch tensorflow"), &csv)?;
    bench.onnx(&unskew, &folder)?;
    if let Some(python) = &bench.tensorflow_python {
        peers(bench, python, "tensorflow", LOAD_GRAPH, &data.graphs[..1])?;
        let show =
            ["-m", "tensorflow.python.tools.saved_model_cli", "show", "--all", "--dir", model];
        row(&format!("saved_model_cli show {}", SAVED_MODEL.0), bench.peer_runs, python, &show)?;
    }
    if let Some(python) = &bench.torch_python {
        peers(bench, python, "torch", LOAD_ARCHIVE, &data.archives)?;
    }
    Ok(())
}

impl Bench {
    /// Models of ONNX: judged with 2 GB of weights beside, converted with 256 MB inside, next to a copy of the file.
    fn onnx(&self, unskew: &Path, folder: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(folder)?;
        let [large, whole] = ONNX.map(|(name, edge, outside)| {
            let path = folder.join(name);
            if !path.exists() {
                onnx::write(&path, edge, outside).with_context(|| text_of(&path))?;
            }
            anyhow::Ok(path)
        });
        let (large, whole) = (large?, whole?);
        let (model, name) = (text(&large)?, short(&large));
        row(&format!("unskew inspect {name}"), self.runs, unskew, &["inspect", model])?;
        let check = ["check", model, "--with", "onnxruntime@1.16.3"];
        row(&format!("unskew check {name} --with onnxruntime@1.16.3"), self.runs, unskew, &check)?;
        let out = folder.join("out.onnx");
        let runs = self.peer_runs;
        // What is converted is on the disk when the command ends, so the copy is, too.
        let copy = format!("cp '{0}' '{1}' && sync '{1}'", text(&whole)?, text(&out)?);
        let name = format!("cp {} OUT && sync OUT", short(&whole));
        row(&name, runs, Path::new("sh"), &["-c", &copy])?;
        for opset in ["onnx-opset@21", "onnx-opset@11"] {
            let arguments = ["convert", text(&whole)?, "--to", opset, "-o", text(&out)?];
            row(
                &format!("unskew convert {} --to {opset} -o OUT", short(&whole)),
                runs,
                unskew,
                &arguments,
            )?;
        }
        if let Some(python) = &self.onnx_python {
            row("python: import onnx", runs, python, &["-c", "import onnx.version_converter"])?;
            for opset in ["21", "11"] {
                let arguments = ["-c", CONVERT_ONNX, text(&whole)?, opset, text(&out)?];
                let what = format!("python: onnx.version_converter, {} to {opset}", short(&whole));
                row(&what, runs, python, &arguments)?;
            }
        }
        Ok(())
    }
}

/// One command that is measured: what [`measure()`] starts, because memory is counted per parent.
#[derive(clap::Args)]
pub struct Measurement {
    runs: usize,
    #[arg(last = true)]
    command: Vec<String>,
}

/// Measures it, in this process.
///
/// # Errors
/// If the command fails.
pub fn run_measurement(measurement: &Measurement) -> anyhow::Result<()> {
    print!("{}", measure::here(measurement.runs, &measurement.command)?);
    Ok(())
}

const LOAD_GRAPH: &str = "
import sys, tensorflow as tf
graph = tf.compat.v1.GraphDef()
with open(sys.argv[1], 'rb') as file: graph.ParseFromString(file.read())
with tf.Graph().as_default(): tf.import_graph_def(graph)
";

const LOAD_ARCHIVE: &str = "import sys, torch; torch.jit.load(sys.argv[1])";

const CONVERT_ONNX: &str = "
import sys, onnx, onnx.version_converter
model = onnx.version_converter.convert_version(onnx.load(sys.argv[1]), int(sys.argv[2]))
onnx.save(model, sys.argv[3])
";

/// The program that users would load the file with: its import alone, then with each file.
fn peers(
    bench: &Bench,
    python: &Path,
    package: &str,
    script: &str,
    files: &[PathBuf],
) -> anyhow::Result<()> {
    let import = format!("import {package}");
    row(&format!("python: {import}"), bench.peer_runs, python, &["-c", &import])?;
    for file in files {
        let what = format!("python: {import}, load {}", short(file));
        row(&what, bench.peer_runs, python, &["-c", script, text(file)?])?;
    }
    Ok(())
}

/// Measures one command and prints its row.
fn row(what: &str, runs: usize, program: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = vec![text(program)?.to_owned()];
    command.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    let measured: Measured = measure(runs, &command)?;
    let millis = |wall: Duration| format!("{:.1} ms", wall.as_secs_f64() * 1e3);
    let peak = measured.peak as f64 / f64::from(1 << 20);
    let (least, median) = (millis(measured.least()), millis(measured.median()));
    println!("| `{what}` | {runs} | {least} | {median} | {peak:.1} MiB |");
    Ok(())
}

/// The files that are measured.
struct Data {
    graphs: Vec<PathBuf>,
    archives: Vec<PathBuf>,
    saved_model: PathBuf,
    small: PathBuf,
}

impl Data {
    fn make(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)?;
        let make = |files: &[(&str, usize, Weights)], write: Write| {
            files
                .iter()
                .map(|(name, size, weights)| {
                    let path = folder.join(name);
                    if !path.exists() {
                        write(&path, *size, *weights).with_context(|| text_of(&path))?;
                    }
                    Ok(path)
                })
                .collect::<anyhow::Result<Vec<_>>>()
        };
        let graphs = make(&GRAPHS, graph::write)?;
        let archives = make(&ARCHIVES, torchscript::write)?;
        let saved_model = folder.join(SAVED_MODEL.0);
        if !saved_model.join("saved_model.pb").exists() {
            graph::write_saved_model(&saved_model, SAVED_MODEL.1, Weights::Noise)?;
        }
        let small = folder.join("small");
        if !small.exists() {
            copies(&small)?;
        }
        Ok(Self { graphs, archives, saved_model, small })
    }
}

type Write = fn(&Path, usize, Weights) -> std::io::Result<()>;

/// A hundred small models: the examples of the repository, each several times.
fn copies(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    let examples = unskew_peers::root().join("examples");
    let mut files: Vec<PathBuf> =
        examples.read_dir()?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let is_model = |file: &PathBuf| {
        let ending = file.extension().unwrap_or_default();
        ["pt", "ptl", "pt2", "pb", "pbtxt"].iter().any(|model| ending == *model)
    };
    files.retain(is_model);
    files.sort();
    ensure!(!files.is_empty(), "no examples");
    for (number, file) in files.iter().cycle().take(SMALL).enumerate() {
        fs::copy(file, folder.join(format!("{number:03}-{}", short(file))))?;
    }
    Ok(())
}

fn build(target: &Path) -> anyhow::Result<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "unskew-cli"])
        .current_dir(unskew_peers::root())
        .status()?;
    ensure!(status.success(), "cargo build failed");
    Ok(target.join("release").join(format!("unskew{}", std::env::consts::EXE_SUFFIX)))
}

fn short(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("not a text: {}", text_of(path)))
}

fn text_of(path: &Path) -> String {
    path.display().to_string()
}
