//! `cargo lab jax-tests`: JAX's own tests on a plug-in, through the adapter and through `unskew serve`.
//!
//! A sample of each file of tests is run on jaxlib's own CPU first; what passes there is compared. The sample depends on
//! the names of the tests and on `--seed` alone. The tests are read from a checkout of JAX at the tag of the release.

mod page;
mod process;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use sha2::{Digest as _, Sha256};
use unskew_jax_matrix::{JaxHost, PLUGINS};
use unskew_lab_harness::environment::Environment;
use unskew_lab_harness::{Page, WritePage};

use process::{Ended, Surroundings};

/// What is sampled unless `--file` says otherwise.
const FILES: [&str; 12] = [
    "api_test",
    "array_test",
    "export_test",
    "lax_control_flow_test",
    "lax_numpy_test",
    "lax_test",
    "linalg_test",
    "memories_test",
    "pjit_test",
    "pmap_test",
    "python_callback_test",
    "shard_map_test",
];

/// Prints the version of a Python, as `3.12`.
const PYTHON: &str = "import sys; print('%d.%d' % sys.version_info[:2])";

/// Runs JAX's own tests on a plug-in, and compares test by test with jaxlib's CPU.
#[derive(Args)]
pub struct JaxTests {
    /// The release of JAX, which has an environment in the corpus.
    #[arg(long)]
    release: String,
    /// A checkout of JAX at the tag of the release.
    #[arg(long)]
    checkout: PathBuf,
    /// A folder with the package `absl`, which the tests import: `pip install --target FOLDER absl-py`.
    #[arg(long)]
    absl: PathBuf,
    /// The version of Python, such as 3.12, in a new environment of the same requirements; that of the corpus if none is
    /// named.
    #[arg(long)]
    python: Option<String>,
    /// How programs get to the plug-in.
    #[arg(long = "route", required = true)]
    routes: Vec<Route>,
    /// The shared object; the middle one of the corpus if none is named.
    #[arg(long)]
    plugin: Option<PathBuf>,
    /// A file of tests, without its ending.
    #[arg(long = "file", default_values_t = FILES.map(str::to_owned))]
    files: Vec<String>,
    /// How many tests of each file are run.
    #[arg(long, default_value_t = 80)]
    count: usize,
    /// Which.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seconds a test may take.
    #[arg(long, default_value_t = 120)]
    limit: u64,
    #[command(flatten)]
    write: WritePage,
}

/// How programs get to the plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Route {
    /// JAX loads it as it is.
    Direct,
    /// JAX loads what `unskew adapt` makes of it, with the handlers of jaxlib.
    Adapt,
    /// A stock JAX is a client of `unskew serve`.
    Serve,
}

impl Route {
    fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Adapt => "adapt",
            Self::Serve => "serve",
        }
    }
}

/// The tests of one file on one route, beside jaxlib's CPU.
struct Compared {
    file: String,
    route: Route,
    /// Those that pass on jaxlib's CPU, and are not skipped on the route.
    compared: usize,
    /// Of those that pass on jaxlib's CPU, those that are skipped on the route, by what they say.
    skipped: BTreeMap<String, usize>,
    /// Those that do not pass on the route, and what they say.
    failed: BTreeMap<String, String>,
}

/// Runs the tests, and prints what differs.
///
/// # Errors
/// If there is no such release, file or plug-in. A test that fails is no error.
pub fn run(asked: &JaxTests) -> anyhow::Result<()> {
    let host = host(&asked.release, asked.python.as_deref())?;
    let python = said(host.peer.command().args(["-c", PYTHON]))?;
    let plugin = match &asked.plugin {
        Some(path) => path.clone(),
        None => PLUGINS[1].path(),
    };
    let plugin = plugin.canonicalize().with_context(|| plugin.display().to_string())?;
    let surroundings = Surroundings {
        host: &host,
        absl: asked.absl.canonicalize().with_context(|| asked.absl.display().to_string())?,
        limit: Duration::from_secs(asked.limit),
        unskew: command()?,
    };
    let adapted = match asked.routes.contains(&Route::Adapt) {
        true => crate::jax::adapt(&plugin, &host, &unskew_peers::root().join("target/jax-tests"))?,
        false => plugin.clone(),
    };
    let mut all = Vec::new();
    for name in &asked.files {
        let file = asked.checkout.join("tests").join(name).with_extension("py");
        ensure!(file.is_file(), "{}: no such file of tests", file.display());
        let sample = sample(surroundings.list(&file)?, asked.seed, asked.count);
        let wanted = surroundings.run(&file, &sample, None, Path::new(""))?;
        let passing: Vec<String> = wanted
            .iter()
            .filter(|(_, ended)| **ended == Ended::Passed)
            .map(|(name, _)| name.clone())
            .collect();
        println!("{name}: {} of {} pass on jaxlib's CPU", passing.len(), sample.len());
        for route in &asked.routes {
            let by = if *route == Route::Adapt { &adapted } else { &plugin };
            let found = surroundings.run(&file, &passing, Some(*route), by)?;
            let compared = compare(name, *route, &found);
            println!(
                "{name}, {}: {} compared, {} skipped, {} failed",
                route.name(),
                compared.compared,
                compared.skipped.values().sum::<usize>(),
                compared.failed.len()
            );
            for (test, why) in &compared.failed {
                println!("    {test}\n        {why}");
            }
            all.push(compared);
        }
    }
    let page = page::page(asked, &python, &plugin, &all);
    Page(page::path(&asked.routes)).publish("", &page, &asked.write)
}

fn compare(file: &str, route: Route, found: &BTreeMap<String, Ended>) -> Compared {
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    for ended in found.values() {
        if let Ended::Skipped(why) = ended {
            *skipped.entry(why.clone()).or_default() += 1;
        }
    }
    let failed = found.iter().filter_map(|(test, ended)| match ended {
        Ended::Passed | Ended::Skipped(_) => None,
        Ended::Failed(why) => Some((test.clone(), why.clone())),
    });
    let (file, compared) = (file.to_owned(), found.len() - skipped.values().sum::<usize>());
    Compared { file, route, compared, skipped, failed: failed.collect() }
}

/// So many of the tests: those with the lowest digests, in the order of their names.
fn sample(mut names: Vec<String>, seed: u64, count: usize) -> Vec<String> {
    names.sort_by_cached_key(|name| Sha256::digest(format!("{seed} {name}")));
    names.truncate(count);
    names.sort();
    names
}

/// The release, with another Python if one is named.
fn host(release: &str, python: Option<&str>) -> anyhow::Result<JaxHost> {
    let mut host = JaxHost::named(release)?;
    if let Some(python) = python {
        let name = format!("jax-{release}");
        let place = unskew_peers::root().join(format!("target/jax-tests/python-{python}/{name}"));
        Environment::named(&name)?.with_python(python, place.clone()).make()?;
        host.peer.python = place.join("bin/python");
    }
    Ok(host)
}

/// What a command prints, without the end of the line.
fn said(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command, built with `serve`.
fn command() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--release", "--package", "unskew-cli", "--features", "serve"]);
    let status = build.current_dir(unskew_peers::root()).status()?;
    ensure!(status.success(), "the build failed: {build:?}");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(unskew_peers::root().join(target).join("release/unskew"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_depends_on_names_and_seed_alone() {
        let names: Vec<String> = (0..100).map(|number| format!("Test.test{number}")).collect();
        let backwards: Vec<String> = names.iter().rev().cloned().collect();
        let one = sample(names.clone(), 1, 10);
        assert_eq!(one.len(), 10);
        assert_eq!(one, sample(backwards, 1, 10));
        assert_ne!(one, sample(names.clone(), 2, 10));
        assert_eq!(sample(names[..5].to_vec(), 1, 10).len(), 5);
    }

    #[test]
    fn a_sample_of_one_route_does_not_replace_that_of_several() {
        let several = page::path(&[Route::Direct, Route::Adapt, Route::Serve]);
        for only in Route::value_variants() {
            assert_ne!(page::path(&[*only]), several);
        }
    }

    #[test]
    fn what_is_skipped_is_not_compared() {
        let found = BTreeMap::from([
            ("a".to_owned(), Ended::Passed),
            ("b".to_owned(), Ended::Skipped("8 devices".to_owned())),
            ("c".to_owned(), Ended::Failed("ValueError: no".to_owned())),
        ]);
        let compared = compare("lax_test", Route::Serve, &found);
        assert_eq!((compared.compared, compared.failed.len()), (2, 1));
        assert_eq!(compared.skipped, BTreeMap::from([("8 devices".to_owned(), 1)]));
    }
}
