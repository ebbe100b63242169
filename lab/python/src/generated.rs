//! `cargo lab generated`: code that protoc wrote, in published wheels, imported for real with releases of protobuf, and what
//! `unskew env` says of each pair. `--write` makes the page.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use serde_json::json;
use unskew_core::Outcome;
use unskew_environments::{
    Environment as Packages, Generated, InstalledPackage, PackagePair, judge_pairs,
};
use unskew_lab_harness::environment::interpreter;
use unskew_lab_harness::{Page, WritePage, published_wheel, today};
use unskew_peers::run_probe;
use unskew_source::FileSource;

const PAGE: Page = Page("docs/reference/generated-code.md");

/// Wheels with generated code: the name of the file, and its digest.
const WHEELS: &str = include_str!("generated/wheels.txt");

/// The runtimes, the same way.
const PROTOBUF: [(&str, &str); 8] = [
    (
        "protobuf-3.19.6-py2.py3-none-any.whl",
        "14082457dc02be946f60b15aad35e9f5c69e738f80ebbc0900a19bc83734a5a4",
    ),
    (
        "protobuf-3.20.3-py2.py3-none-any.whl",
        "a7ca6d488aa8ff7f329d4c545b2dbad8ac31464f1d8b1c87ad1346717731e4db",
    ),
    (
        "protobuf-4.25.8-cp37-abi3-manylinux2014_x86_64.whl",
        "83e6e54e93d2b696a92cad6e6efc924f3850f82b52e1563778dfab8b355101b0",
    ),
    (
        "protobuf-5.29.5-cp38-abi3-manylinux2014_x86_64.whl",
        "63848923da3325e1bf7e9003d680ce6e14b07e55d0473253a690c3a8b8fd6e61",
    ),
    (
        "protobuf-5.29.6-cp38-abi3-manylinux2014_x86_64.whl",
        "e3387f44798ac1106af0233c04fb8abf543772ff241169946f698b3a9a3d3ab9",
    ),
    (
        "protobuf-6.31.1-cp39-abi3-manylinux2014_x86_64.whl",
        "4ee898bf66f7a8b0bd21bce523814e6fbd8c6add948045ce958b73af7e8878c6",
    ),
    (
        "protobuf-6.33.6-cp39-abi3-manylinux2014_x86_64.whl",
        "e9db7e292e0ab79dd108d7f1a94fe31601ce1ee3f7b79e0692043423020b0593",
    ),
    (
        "protobuf-7.36.2-cp310-abi3-manylinux2014_x86_64.whl",
        "89f23aa53c24553a2416fd4fd1ec06f74fa42b14b546d8883128813f775bbfd2",
    ),
];

/// What generated code imports beside itself. The code among it is of a generation that works with all but the oldest
/// runtime, and is not imported by what that takes.
const OTHERS: [(&str, &str); 2] = [
    (
        "googleapis_common_protos-1.63.0-py2.py3-none-any.whl",
        "ae45f75702f7c08b541f750854a678bd8f534a1a6bace6afe975f1d0a82d6632",
    ),
    (
        "packaging-25.0-py3-none-any.whl",
        "29572ef2b1f17581046b3a2227d5c611fb25ec70ca1ba8554b24b0e69331a484",
    ),
];

/// How long all imports with one runtime may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Imports generated code with releases of protobuf and holds the predictions against what came of it.
#[derive(clap::Args)]
pub struct GeneratedMatrix {
    #[command(flatten)]
    write: WritePage,
}

struct Wheel {
    package: InstalledPackage,
    site: PathBuf,
    modules: Vec<String>,
    cells: Vec<Cell>,
}

/// A wheel with a release of protobuf.
struct Cell {
    /// The kind of the error that was said: `VersionError`.
    said: Option<String>,
    /// Whether nothing was said: the code asks for the version of protobuf itself.
    unjudged: bool,
    /// Modules that were imported, and those that raised; the first error.
    imported: usize,
    raised: usize,
    error: String,
}

impl Cell {
    /// Whether what came is what was said: the import fails or not, and by an error of this kind.
    fn is_right(&self) -> bool {
        match &self.said {
            _ if self.unjudged => true,
            None => self.raised == 0 && self.imported > 0,
            Some(kind) => self.raised > 0 && self.error.starts_with(kind),
        }
    }
}

/// Runs what was asked for.
///
/// # Errors
/// If a wheel or Python 3.11 cannot be had, or a prediction is wrong.
pub fn run(arguments: &GeneratedMatrix) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let unpacked = |file: &str, sha256: &str| -> anyhow::Result<(InstalledPackage, PathBuf)> {
        let path = published_wheel::fetch(file, sha256)?;
        let site = published_wheel::unpack(&path, folder.path())?;
        Ok((InstalledPackage::of_wheel(Arc::new(FileSource::open(&path)?))?, site))
    };
    let mut wheels = Vec::new();
    for (file, sha256) in WHEELS.lines().filter_map(|line| line.split_once(' ')) {
        let (package, site) = unpacked(file, sha256)?;
        let mut modules = Vec::new();
        generated_modules(&site, "", &mut modules)?;
        modules.sort();
        wheels.push(Wheel { package, site, modules, cells: Vec::new() });
    }
    let mut others = Vec::new();
    for (file, sha256) in OTHERS {
        others.push(unpacked(file, sha256)?.1);
    }
    let mut runtimes = Vec::new();
    for (file, sha256) in PROTOBUF {
        let (protobuf, site) = unpacked(file, sha256)?;
        let beside: Vec<PathBuf> = [site].into_iter().chain(others.iter().cloned()).collect();
        with(&protobuf, &beside, &mut wheels)?;
        runtimes.push(protobuf.version);
    }
    let page = page(&runtimes, &wheels);
    PAGE.publish("", &page, &arguments.write)?;
    let wrong = wheels.iter().flat_map(|wheel| &wheel.cells).filter(|cell| !cell.is_right());
    ensure!(wrong.count() == 0, "a prediction is wrong");
    Ok(())
}

/// The names of all generated modules in a folder.
fn generated_modules(site: &PathBuf, within: &str, all: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(site)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            generated_modules(&entry.path(), &format!("{within}{name}."), all)?;
        } else if name.ends_with("_grpc_pb2.py") {
            // Code of grpc's old plug-in, which imports grpc.
        } else if let Some(stem) = name.strip_suffix(".py").filter(|stem| stem.ends_with("_pb2")) {
            all.push(format!("{within}{stem}"));
        }
    }
    Ok(())
}

/// Imports the modules of all wheels with one protobuf.
fn with(
    protobuf: &InstalledPackage,
    beside: &[PathBuf],
    wheels: &mut [Wheel],
) -> anyhow::Result<()> {
    let jobs = wheels.iter().map(|wheel| {
        let paths: Vec<&PathBuf> = [&wheel.site].into_iter().chain(beside).collect();
        json!({"name": wheel.package.label(), "paths": paths, "modules": wheel.modules, "bare": true})
    });
    let list = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&list, &jobs.collect::<Vec<_>>())?;
    let mut command = Command::new(interpreter("3.11")?);
    command.arg("-S").arg(unskew_peers::root().join("lab/python/probes/environment_import.py"));
    let outcome = run_probe(command.arg(list.path()), LIMIT)?;
    ensure!(outcome.steps.len() == wheels.len(), "{}", outcome.errors);
    for (wheel, step) in wheels.iter_mut().zip(&outcome.steps) {
        let came: Vec<(String, String, Vec<String>)> = serde_json::from_str(&step.detail)?;
        let raised: Vec<&String> =
            came.iter().map(|(_, error, _)| error).filter(|error| !error.is_empty()).collect();
        let environment = Packages {
            packages: vec![protobuf.clone(), wheel.package.clone()],
            ..Packages::default()
        };
        let label = wheel.package.label();
        let pairs = judge_pairs(&environment, &today());
        let of_code =
            |pair: &&PackagePair| pair.one.name == label && pair.other.name.starts_with("protobuf");
        let of_code = pairs.iter().find(of_code);
        let broken = of_code.filter(|pair| pair.is_broken());
        let symptom = broken.and_then(|pair| pair.verdict.findings.first()?.symptom.clone());
        let cell = Cell {
            said: symptom.and_then(|text| text.split(':').next().map(str::to_owned)),
            unjudged: of_code.is_some_and(|pair| pair.verdict.outcome == Outcome::Unjudged),
            imported: came.len() - raised.len(),
            raised: raised.len(),
            error: raised.first().map(|error| (*error).clone()).unwrap_or_default(),
        };
        if !cell.is_right() {
            let first = came.iter().find(|(_, error, _)| !error.is_empty());
            println!("  {label} with {}: said {:?}, came {first:?}", protobuf.label(), cell.said);
        }
        wheel.cells.push(cell);
    }
    Ok(())
}

fn page(runtimes: &[String], wheels: &[Wheel]) -> String {
    let cells = || wheels.iter().flat_map(|wheel| &wheel.cells);
    let modules: usize = cells().map(|cell| cell.imported + cell.raised).sum();
    let failed = cells().filter(|cell| cell.raised > 0).count();
    let wrong = cells().filter(|cell| !cell.is_right()).count();
    let unjudged = cells().filter(|cell| cell.unjudged).count();
    let mut text = format!(
        "<!-- made by `cargo lab generated --write` -->\n\n# Generated code with real releases of protobuf\n\n\
         Each module that protoc wrote in {} published wheels, imported for real with {} releases of protobuf on Python 3.11: {} \
         pairs, {modules} imports. {failed} pairs fail; {wrong} predictions are wrong, {unjudged} pairs are *not judged*: their code asks for the version of \
         protobuf itself. Where a pair fails, the kind of the error is the one that was said. The packages around the modules are not run: what they need beside generated code is not \
         asked here.\n\n\
         *works*: every module is imported. An error: what at least one module raises. A pair that is not as predicted is marked \
         **wrong**.\n\n| wheel | generation | {} |\n| --- | --- |{}\n",
        wheels.len(),
        runtimes.len(),
        cells().count(),
        runtimes.join(" | "),
        " --- |".repeat(runtimes.len()),
    );
    for wheel in wheels {
        let generations = wheel.package.generated.keys().filter_map(|one| match one {
            Generated::Descriptors => Some("before 3.20".to_owned()),
            Generated::Builder => Some("3.20 to 5.26".to_owned()),
            Generated::Checked(version) => Some(version.to_string()),
            Generated::Conditional => Some("several".to_owned()),
            Generated::Grpc(_) => None,
        });
        let generations: Vec<String> = generations.collect();
        let cells = wheel.cells.iter().map(|cell| match &cell.said {
            _ if !cell.is_right() => "**wrong**".to_owned(),
            _ if cell.unjudged => "not judged".to_owned(),
            Some(kind) => kind.clone(),
            None => "works".to_owned(),
        });
        let cells: Vec<String> = cells.collect();
        let generations = match &*generations {
            [] => "asks nothing".to_owned(),
            some => some.join(", "),
        };
        let label = wheel.package.label();
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {label} | {generations} | {} |", cells.join(" | "));
    }
    text
}
