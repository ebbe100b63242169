//! `cargo lab extensions`: published wheels with native extensions, imported for real beside releases of PyTorch and
//! TensorFlow, and what `unskew env` says of each pair.
//!
//! An environment of a release that is not there yet is made for its run and removed after it, unless `--keep` is given.
//! Wheels are those of which facts were harvested, fetched by their digests. `--write` makes the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use unskew_environments::{
    Environment as Packages, InstalledPackage, PackagePair, SitePackages, judge_pairs,
};
use unskew_extensions::{ExportedSymbols, Framework, gap, wheels};
use unskew_lab_harness::environment::{Environment, with_release};
use unskew_lab_harness::{Page, WritePage, published_wheel, today};
use unskew_peers::{Peer, run_probe, torch_command};
use unskew_source::FileSource;

const PAGE: Page = Page("docs/reference/extension-imports.md");

/// What the wheels import beside their framework; nothing of it has extensions of one.
const OTHERS: &str = "pillow-11.3.0";

/// The releases that wheels are imported with, all on Python 3.11.
const TORCH: [&str; 8] = ["2.2.2", "2.3.1", "2.5.1", "2.6.0", "2.7.1", "2.9.1", "2.11.0", "2.15.0"];
const TENSORFLOW: [&str; 4] = ["2.15.1", "2.16.2", "2.18.1", "2.21.0"];

/// Wheels for PyTorch and the modules that are imported.
const FOR_TORCH: [(&str, &str); 32] = [
    ("torchvision==0.15.2", "torchvision"),
    ("torchvision==0.16.2", "torchvision"),
    ("torchvision==0.17.2", "torchvision"),
    ("torchvision==0.18.1", "torchvision"),
    ("torchvision==0.20.1", "torchvision"),
    ("torchvision==0.21.0", "torchvision"),
    ("torchvision==0.22.1", "torchvision"),
    ("torchvision==0.24.1", "torchvision"),
    ("torchvision==0.26.0", "torchvision"),
    ("torchvision==0.29.2", "torchvision"),
    ("torchaudio==2.2.2", "torchaudio"),
    ("torchaudio==2.3.1", "torchaudio"),
    ("torchaudio==2.5.1", "torchaudio"),
    ("torchaudio==2.6.0", "torchaudio"),
    ("torchaudio==2.7.1", "torchaudio"),
    ("torchaudio==2.9.1", "torchaudio"),
    ("torchaudio==2.11.0", "torchaudio"),
    ("torchao==0.7.0", "torchao"),
    ("torchao==0.10.0", "torchao"),
    ("torchao==0.13.0", "torchao"),
    ("torchao==0.15.0", "torchao"),
    ("torchao==0.18.0", "torchao"),
    ("torchtext==0.16.2", "torchtext"),
    ("torchtext==0.17.2", "torchtext"),
    ("torchtext==0.18.0", "torchtext"),
    ("torchrl==0.7.2", "torchrl._torchrl"),
    ("torchrl==0.9.2", "torchrl._torchrl"),
    ("torchrl==0.14.1", "torchrl._torchrl"),
    ("torch-c-dlpack-ext==0.1.5", "torch_c_dlpack_ext"),
    ("fairseq2n==0.8.1", "fairseq2n"),
    ("xformers==0.0.28.post3", "xformers.ops"),
    ("xformers==0.0.35", "xformers.ops"),
];

/// The same for TensorFlow.
const FOR_TENSORFLOW: [(&str, &str); 10] = [
    ("tensorflow-text==2.15.0", "tensorflow_text"),
    ("tensorflow-text==2.16.1", "tensorflow_text"),
    ("tensorflow-text==2.18.1", "tensorflow_text"),
    ("tensorflow-text==2.21.1", "tensorflow_text"),
    ("tensorflow-io==0.36.0", "tensorflow_io"),
    ("tensorflow-io==0.37.1", "tensorflow_io"),
    ("tensorflow-addons==0.22.0", "tensorflow_addons.text.skip_gram_ops"),
    ("tensorflow-addons==0.23.0", "tensorflow_addons.text.skip_gram_ops"),
    ("tensorflow-decision-forests==1.8.1", "tensorflow_decision_forests"),
    ("tensorflow-decision-forests==1.11.0", "tensorflow_decision_forests"),
];

/// How long all imports beside one release may take.
const LIMIT: Duration = Duration::from_secs(1800);

/// Imports wheels beside releases and holds the predictions against what came of it.
#[derive(clap::Args)]
pub struct Extensions {
    /// An environment, such as torch-2.6.0; all if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// What is imported: a wheel that was unpacked.
struct Wheel {
    name: &'static str,
    module: &'static str,
    site: PathBuf,
    package: InstalledPackage,
}

#[derive(Serialize)]
struct Job<'a> {
    name: &'a str,
    site: &'a Path,
    others: Vec<PathBuf>,
    module: &'a str,
    objects: Vec<&'a str>,
}

/// What the probe says of a job.
#[derive(Deserialize)]
struct Came {
    import: String,
    loads: Vec<(String, String)>,
    rest: Vec<(String, String)>,
}

/// A wheel beside a release.
struct Pair {
    release: String,
    wheel: &'static str,
    /// Whether it was said to fail.
    predicted: bool,
    /// The symbol that the import missed, if it missed one; none if the import loads no object of the wheel.
    missed: Option<Option<String>>,
    /// A library that the import did not find: the linker looks for libraries before symbols.
    library: Option<String>,
    failed: bool,
    /// Objects that were loaded: all, those predicted right, and those whose missing symbol was named too.
    objects: [usize; 3],
    wrong: Vec<String>,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment or a wheel cannot be had, or a prediction is wrong.
pub fn run(arguments: &Extensions) -> anyhow::Result<()> {
    let others = Environment::named(OTHERS)?;
    others.make()?;
    let others = site_packages(OTHERS)?;
    let folder = tempfile::tempdir_in(corpus())?;
    let mut pairs = Vec::new();
    for (framework, releases) in
        [(Framework::Torch, &TORCH[..]), (Framework::TensorFlow, &TENSORFLOW[..])]
    {
        let names: Vec<String> =
            releases.iter().map(|release| format!("{framework}-{release}")).collect();
        let asked =
            |name: &&String| arguments.releases.is_empty() || arguments.releases.contains(*name);
        let names: Vec<&String> = names.iter().filter(asked).collect();
        if names.is_empty() {
            continue;
        }
        let all: &[(&'static str, &'static str)] = match framework {
            Framework::Torch => &FOR_TORCH,
            Framework::TensorFlow => &FOR_TENSORFLOW,
        };
        let all = all.iter().map(|(name, module)| unpacked(name, module, folder.path()));
        let all = all.collect::<anyhow::Result<Vec<Wheel>>>()?;
        for name in names {
            let version = name.split_once('-').map_or("", |(_, version)| version);
            let found = with_release(framework.as_str(), version, arguments.keep, || {
                beside(framework, name, &all, &others)
            })?;
            println!("{name}: {} pairs", found.len());
            for wrong in found.iter().flat_map(|pair| &pair.wrong) {
                println!("  {wrong}");
            }
            pairs.extend(found);
        }
    }
    let page = page(&pairs);
    PAGE.publish("", &page, &arguments.write)?;
    let wrong = pairs.iter().filter(|pair| !pair.wrong.is_empty()).count();
    ensure!(wrong == 0, "{wrong} pairs are not as predicted");
    Ok(())
}

fn corpus() -> PathBuf {
    unskew_peers::root().join("corpus")
}

/// Where the packages of an environment of the corpus lie.
fn site_packages(name: &str) -> anyhow::Result<PathBuf> {
    let site = SitePackages::find(&corpus().join("python").join(name))?;
    site.folders.into_iter().next().with_context(|| format!("no packages in {name}"))
}

/// Fetches a wheel by its digest, unless it is there, and unpacks it.
fn unpacked(name: &'static str, module: &'static str, into: &Path) -> anyhow::Result<Wheel> {
    let (package, version) = name.split_once("==").unwrap_or((name, ""));
    let known = wheels::of_release(package, version).find(|wheel| {
        wheel
            .objects
            .iter()
            .any(|(_, needs)| needs.machine == Some(unskew_extensions::Machine::X86))
    });
    let known = known.with_context(|| format!("no facts of {name}"))?;
    let path = published_wheel::fetch(&known.file, &known.sha256)?;
    let site = published_wheel::unpack(&path, into)?;
    let package = InstalledPackage::of_wheel(Arc::new(FileSource::open(&path)?))?;
    Ok(Wheel { name, module, site, package })
}

fn beside(
    framework: Framework,
    name: &str,
    all: &[Wheel],
    others: &Path,
) -> anyhow::Result<Vec<Pair>> {
    let version = name.split_once('-').map_or("", |(_, version)| version);
    let mut command = match framework {
        Framework::Torch => torch_command(version)?,
        Framework::TensorFlow => Peer::named("tensorflow", version)?.command(),
    };
    let jobs: Vec<Job<'_>> = all
        .iter()
        .map(|wheel| Job {
            name: wheel.name,
            site: &wheel.site,
            others: vec![others.to_owned()],
            module: wheel.module,
            objects: wheel.package.objects.iter().map(|(path, _)| path.as_str()).collect(),
        })
        .collect();
    let list = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&list, &jobs)?;
    let script = unskew_peers::root().join("lab/python/probes/extension_import.py");
    command.arg(script).arg(framework.as_str()).arg(list.path());
    let outcome = run_probe(&mut command, LIMIT)?;
    ensure!(outcome.steps.len() == all.len(), "{name}: {:?} {}", outcome.end, outcome.errors);
    let site = SitePackages::find(&corpus().join("python").join(name))?;
    let installed = Packages::read(&site)?;
    all.iter()
        .zip(&outcome.steps)
        .map(|(wheel, step)| {
            let came: Came = serde_json::from_str(&step.detail)?;
            Ok(compared(framework, version, wheel, &installed, &came))
        })
        .collect()
}

/// Holds what came of an import against what is said of the pair.
fn compared(
    framework: Framework,
    version: &str,
    wheel: &Wheel,
    installed: &Packages,
    came: &Came,
) -> Pair {
    let mut environment = installed.clone();
    environment.packages.retain(|package| package.key() != wheel.package.key());
    environment.packages.push(wheel.package.clone());
    let judged = judge_pairs(&environment, &today());
    let label = wheel.package.label();
    let of_wheel = |pair: &&PackagePair| {
        pair.one.name == label && pair.other.name.starts_with(framework.as_str())
    };
    let predicted = judged.iter().filter(of_wheel).any(PackagePair::is_broken);
    let release = format!("{framework} {version}");
    let mut pair = Pair {
        release: release.clone(),
        wheel: wheel.name,
        predicted,
        missed: None,
        library: None,
        failed: !came.import.is_empty(),
        objects: [0; 3],
        wrong: Vec::new(),
    };
    let parsed = version.parse().unwrap_or(unskew_core::Version::number(0));
    let exports =
        ExportedSymbols::of_release(framework, parsed).with_cuda(framework == Framework::Torch);
    for (at_import, (path, said)) in
        came.loads.iter().map(|one| (true, one)).chain(came.rest.iter().map(|one| (false, one)))
    {
        let symbol = missing_symbol(said);
        // A stand-in for a library of CUDA has the functions that PyTorch takes, and not those that others do.
        let library = said.split_once(": cannot open shared object file").map(|(name, _)| name);
        let library = library.or_else(|| said.split_once(", version libcu").map(|(name, _)| name));
        if let Some(library) = library {
            if at_import {
                let name = library.rsplit([' ', '/']).next().unwrap_or(library);
                pair.library.get_or_insert_with(|| name.to_owned());
            }
            continue;
        }
        if at_import {
            let missed = pair.missed.get_or_insert(None);
            *missed = missed.take().or(symbol.clone());
        }
        let needs = wheel.package.objects.iter().find(|(one, _)| one == path);
        let Some(gap) = needs.and_then(|(_, needs)| gap(needs, &exports)) else { continue };
        // Symbols are not reached: another copy of a library was loaded before, or the machine is another.
        if symbol.is_none() && !said.is_empty() {
            continue;
        }
        pair.objects[0] += 1;
        let first = gap.missing.iter().chain(&gap.only_with_cuda).next();
        if gap.is_empty() == symbol.is_none() {
            pair.objects[1] += 1;
            pair.objects[2] += usize::from(symbol.is_none() || first == symbol.as_ref());
            if let Some(symbol) = symbol.as_ref().filter(|symbol| first != Some(symbol)) {
                println!("  named {first:?}, and is {symbol}: {release} {path}");
            }
        } else {
            let what = format!("{release} + {}: {path}: {first:?}, {said}", wheel.name);
            pair.wrong.push(what);
        }
    }
    let broken = matches!(pair.missed, Some(Some(_)));
    // What the import does not load may break later.
    let later = came.rest.iter().any(|(_, said)| missing_symbol(said).is_some());
    if pair.missed.is_some() && broken != predicted && !(predicted && later) {
        let said = if predicted { "fails" } else { "works" };
        let came = &came.loads;
        pair.wrong.push(format!("{release} + {}: {said} was said: {came:?}", wheel.name));
    }
    pair
}

/// The symbol in `...: undefined symbol: _ZN3c10...`.
fn missing_symbol(said: &str) -> Option<String> {
    let (_, symbol) = said.split_once("undefined symbol: ")?;
    let end = symbol.find(|c: char| c.is_whitespace() || ",'\"".contains(c));
    symbol.get(..end.unwrap_or(symbol.len())).map(str::to_owned)
}

fn page(pairs: &[Pair]) -> String {
    let sum = |index: usize| pairs.iter().map(|pair| pair.objects[index]).sum::<usize>();
    let broken = pairs.iter().filter(|pair| pair.predicted).count();
    let failed = pairs.iter().filter(|pair| pair.failed).count();
    let reached = pairs.iter().filter(|pair| pair.missed.is_some()).count();
    let wrong = pairs.iter().filter(|pair| !pair.wrong.is_empty()).count();
    let mut text = format!(
        "<!-- made by `cargo lab extensions --write` -->\n\n# Wheels with native extensions beside real frameworks\n\n\
         Published wheels, each imported for real beside releases of PyTorch and TensorFlow: {} imports on Python 3.11, x86-64. \
         PyTorch's are the builds for CUDA, with stand-ins for NVIDIA's libraries; TensorFlow's are builds for CPUs. {broken} pairs \
         were predicted to miss symbols. {failed} imports raise; many packages hide that an extension was not loaded. In {reached} \
         pairs the import comes to the symbols of an extension. Every extension that the import does not touch is loaded \
         afterwards (`RTLD_NOW`). {wrong} predictions are wrong. {} loads of \
         extensions came to their symbols: {} are as predicted, in {} the symbol that is reported is the one that the \
         dynamic linker names.\n\n\
         *works*: nothing misses a symbol. *misses*: the import does, and was predicted to. *later*: what the import does not \
         load misses a symbol. *library*: the import does not find a library of CUDA, which the linker looks for before \
         symbols, or a function that the stand-in for one lacks. A pair that is not as predicted is marked **wrong**.\n",
        pairs.len(),
        sum(0),
        sum(1),
        sum(2),
    );
    for framework in Framework::ALL {
        let of = |pair: &&Pair| pair.release.starts_with(framework.as_str());
        let mut rows: Vec<&str> = Vec::new();
        let mut cells: BTreeMap<(&str, &str), &Pair> = BTreeMap::new();
        let mut releases: Vec<&str> = Vec::new();
        for pair in pairs.iter().filter(of) {
            if !rows.contains(&pair.wheel) {
                rows.push(pair.wheel);
            }
            if !releases.contains(&&*pair.release) {
                releases.push(&pair.release);
            }
            cells.insert((pair.wheel, &pair.release), pair);
        }
        if rows.is_empty() {
            continue;
        }
        // Writing into a String cannot fail.
        let _ = writeln!(text, "\n| wheel | {} |", releases.join(" | "));
        let _ = writeln!(text, "| --- |{}", " --- |".repeat(releases.len()));
        for row in rows {
            let words = releases.iter().map(|release| cells.get(&(row, release)).map_or("", word));
            let _ = writeln!(text, "| {row} | {} |", words.collect::<Vec<_>>().join(" | "));
        }
    }
    text
}

fn word(pair: &&Pair) -> &'static str {
    match (&pair.missed, pair.predicted) {
        _ if !pair.wrong.is_empty() => "**wrong**",
        (Some(Some(_)), _) => "misses",
        _ if pair.library.is_some() => "library",
        (_, true) => "later",
        (_, false) => "works",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbol_is_read_out_of_what_loaders_say() {
        let said = "/a/b.so: undefined symbol: _ZN3c105ErrorE, version X";
        assert_eq!(missing_symbol(said).as_deref(), Some("_ZN3c105ErrorE"));
        assert_eq!(missing_symbol("libavutil.so.56: cannot open shared object file"), None);
    }

    #[test]
    fn facts_are_there_of_every_wheel_of_the_matrix() {
        for (name, _) in FOR_TORCH.iter().chain(&FOR_TENSORFLOW) {
            let (package, version) = name.split_once("==").unwrap_or_default();
            assert!(wheels::of_release(package, version).next().is_some(), "{name}");
        }
    }
}
