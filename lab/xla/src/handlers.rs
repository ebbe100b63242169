//! `cargo lab handlers`: handlers of XLA's FFI in published wheels, registered for real in releases of jaxlib, and what
//! `unskew env` says of each pair.
//!
//! An environment of a release that is not there yet is made for its run and removed after it. `--write` makes the page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::json;
use unskew_core::Outcome;
use unskew_environments::{Environment as Packages, InstalledPackage, SitePackages, judge_pairs};
use unskew_extensions::Handlers;
use unskew_lab_harness::environment::with_release;
use unskew_lab_harness::{Page, WritePage, published_wheel, today};
use unskew_peers::{Peer, run_probe};
use unskew_source::FileSource;

const PAGE: Page = Page("docs/reference/ffi-handlers.md");

/// The releases with handlers that are asked for a version, on Python 3.11.
const JAX: [&str; 16] = [
    "0.4.36", "0.4.38", "0.5.0", "0.5.3", "0.6.0", "0.6.2", "0.7.0", "0.7.1", "0.7.2", "0.8.0",
    "0.8.1", "0.8.3", "0.9.0", "0.9.2", "0.10.0", "0.10.2",
];

/// Wheels with handlers for CPUs: name, the rest of the file's name, digest.
const WHEELS: [(&str, &str, &str); 6] = [
    (
        "augax-0.3.0",
        "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64",
        "b774393b4eca181dd5e22484a0463963759cd5bd84e12b5b80be0daee3a175ef",
    ),
    (
        "jax_finufft-1.3.1",
        "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64",
        "201cc1c906aa52947508ac01f4a9a77fcc0b67074cc952acc0a14b8f4dbb2fca",
    ),
    (
        "jaxbind-1.3.1",
        "cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64",
        "013816384ab9fae48c6fbfb6e9062d3a535b0996c641ee3a3e0fddc2f90f2feb",
    ),
    (
        "klujax-0.5.2",
        "cp311-cp311-manylinux_2_26_x86_64.manylinux_2_28_x86_64",
        "aa15cf057d5b2b93a78460fd686c25059861fce6e29518d8af45a408154057a3",
    ),
    (
        "pgjax-0.2.0",
        "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64",
        "1b961c671b91d85694fbd30f6e07b4d7f0b24c89ee1790cdcda42a29503e9496",
    ),
    (
        "sphericart_jax-2.0.4",
        "py3-none-manylinux_2_24_x86_64.manylinux_2_28_x86_64",
        "500a7cdd6e3463af7a7bb06196ff45ca6a8ed5e340cd652d4c2b69f0f5403e83",
    ),
];

/// How long all registrations in one release may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Registers handlers in releases of jaxlib and holds the predictions against what came of it.
#[derive(clap::Args)]
pub struct HandlersMatrix {
    /// A release of JAX, such as 0.8.1; all if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// One shared object with handlers, alone in a package: so each build for another JAX is judged.
struct Object {
    label: String,
    path: String,
    site: PathBuf,
    package: InstalledPackage,
    /// What came of it in each release.
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    registered: usize,
    refused: usize,
    is_right: bool,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment or a wheel cannot be had, or a prediction is wrong.
pub fn run(arguments: &HandlersMatrix) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(corpus())?;
    let mut objects = Vec::new();
    for (name, tag, sha256) in WHEELS {
        objects.extend(unpacked(name, tag, sha256, folder.path())?);
    }
    let asked = |one: &&&str| {
        arguments.releases.is_empty() || arguments.releases.iter().any(|r| r == **one)
    };
    let releases: Vec<&str> = JAX.iter().filter(asked).copied().collect();
    for release in &releases {
        let wrong = with_release("jax", release, false, || beside(release, &mut objects))?;
        println!("jax {release}: {wrong} of {} wrong", objects.len());
    }
    let page = page(&releases, &objects);
    PAGE.publish("", &page, &arguments.write)?;
    let is_wrong = |object: &Object| object.cells.iter().any(|cell| !cell.is_right);
    ensure!(!objects.iter().any(is_wrong), "a prediction is wrong");
    Ok(())
}

fn corpus() -> PathBuf {
    unskew_peers::root().join("corpus")
}

/// The objects with handlers of a wheel, which is fetched by its digest, unless it is there.
fn unpacked(name: &str, tag: &str, sha256: &str, into: &Path) -> anyhow::Result<Vec<Object>> {
    let file = published_wheel::fetch(&format!("{name}-{tag}.whl"), sha256)?;
    let site = published_wheel::unpack(&file, into)?;
    let package = InstalledPackage::of_wheel(Arc::new(FileSource::open(&file)?))?;
    let for_cpu = |(path, _): &&(String, Handlers)| !path.contains("cuda");
    let objects = package.handlers.iter().filter(for_cpu).map(|(path, handlers)| {
        let alone = InstalledPackage {
            handlers: vec![(path.clone(), handlers.clone())],
            ..package.clone()
        };
        let build = path.split('/').find(|part| part.starts_with("jax-"));
        let label = format!("{} {}", name.replace('-', " "), build.unwrap_or_default());
        Object {
            label: label.trim_end().to_owned(),
            path: path.clone(),
            site: site.clone(),
            package: alone,
            cells: Vec::new(),
        }
    });
    Ok(objects.collect())
}

/// Registers all handlers in a release, and counts the objects of which something else was said.
fn beside(release: &str, objects: &mut [Object]) -> anyhow::Result<usize> {
    let jobs: Vec<_> = objects
        .iter()
        .map(|one| json!({"name": one.label, "site": one.site, "objects": [one.path]}))
        .collect();
    let list = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&list, &jobs)?;
    let peer = Peer::named("jax", release)?;
    let mut command = peer.command();
    command
        .arg(unskew_peers::root().join("lab/xla/probes/handler_registration.py"))
        .arg(list.path());
    let outcome = run_probe(&mut command, LIMIT)?;
    ensure!(outcome.steps.len() == objects.len(), "{release}: {}", outcome.errors);
    let installed = Packages::read(&SitePackages::find(peer.folder())?)?;
    let jaxlib = installed.package("jaxlib").with_context(|| format!("no jaxlib in {release}"))?;
    let mut wrong = 0;
    for (object, step) in objects.iter_mut().zip(&outcome.steps) {
        let came: Vec<(String, usize, usize, String)> = serde_json::from_str(&step.detail)?;
        let (_, registered, refused, why) =
            came.into_iter().next().context("nothing came of it")?;
        let environment = Packages {
            packages: vec![jaxlib.clone(), object.package.clone()],
            ..Packages::default()
        };
        let pairs = judge_pairs(&environment, &today());
        let label = object.package.label();
        let of_handlers = pairs
            .iter()
            .find(|pair| pair.one.name == label && pair.other.name.starts_with("jaxlib"))
            .context("the pair was not judged")?;
        let is_right = match of_handlers.verdict.outcome {
            Outcome::Incompatible => registered == 0 && refused > 0,
            Outcome::Unjudged => false,
            _ => registered > 0 && refused == 0,
        };
        if !is_right {
            wrong += 1;
            println!("  {}: {:?}: {why}", object.label, of_handlers.verdict.outcome);
        }
        object.cells.push(Cell { registered, refused, is_right });
    }
    Ok(wrong)
}

fn page(releases: &[&str], objects: &[Object]) -> String {
    let cells = || objects.iter().flat_map(|object| &object.cells);
    let registered: usize = cells().map(|cell| cell.registered).sum();
    let refused: usize = cells().map(|cell| cell.refused).sum();
    let wrong = cells().filter(|cell| !cell.is_right).count();
    let mut text = format!(
        "<!-- made by `cargo lab handlers --write` -->\n\n# Handlers of XLA's FFI in real jaxlibs\n\n\
         Each handler for CPUs of published wheels, registered for real in releases of jaxlib on Python 3.11, x86-64: {} \
         registrations of {} shared objects in {} releases. {registered} were taken and {refused} refused for their version; \
         of {} pairs {wrong} predictions are wrong. sphericart-jax has a build for each JAX, and each is judged alone here. Only \
         the version is asked for at a registration: what a handler does when it is called is not judged.\n\n\
         A number is how many handlers were registered, *refused* that none was, for its version. A pair that is not as \
         predicted is marked **wrong**.\n\n| handlers | FFI | {} |\n| --- | --- |{}\n",
        registered + refused,
        objects.len(),
        releases.len(),
        cells().count(),
        releases.join(" | "),
        " --- |".repeat(releases.len()),
    );
    for object in objects {
        let versions = object.package.handlers.iter().flat_map(|(_, handlers)| &handlers.versions);
        let versions: Vec<String> = versions.map(ToString::to_string).collect();
        let cells = object.cells.iter().map(|cell| match cell {
            Cell { is_right: false, .. } => "**wrong**".to_owned(),
            Cell { registered: 0, .. } => "refused".to_owned(),
            Cell { registered, .. } => registered.to_string(),
        });
        let cells: Vec<String> = cells.collect();
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            object.label,
            versions.join(", "),
            cells.join(" | ")
        );
    }
    text
}
