//! Environments that uv makes as of a day.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use unskew_core::{Phase, Severity};
use unskew_environments::{Environment, InstalledPackage, PinChange, SitePackages, judge};
use unskew_lab_harness::environment::{make_empty, uv};
use unskew_lab_harness::{run_command, today};
use unskew_peers::run_probe;
use unskew_random::Random;

use super::{Proposal, Trial};

pub(crate) const PYTHON: &str = "3.11";

/// Environments with these are gigabytes each, and are left out.
const LARGE: [&str; 5] = ["torch", "tensorflow", "tensorflow-cpu", "jax-cuda12-plugin", "pyspark"];

/// How long the imports of one environment may take.
const LIMIT: Duration = Duration::from_secs(600);

/// A package that was changed without asking a resolver.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    pub(crate) package: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// An environment as of a day.
pub(crate) struct DrawnEnvironment {
    pub(crate) package: String,
    pub(crate) place: PathBuf,
}

impl DrawnEnvironment {
    /// Installs a package with what it requires as of a day; none if that cannot be, or brings what is left out.
    ///
    /// # Errors
    /// If uv or the Python is not here.
    pub(crate) fn install(package: &str, day: &str, place: &Path) -> anyhow::Result<Option<Self>> {
        make_empty(place, PYTHON)?;
        let this = Self { package: package.to_owned(), place: place.to_owned() };
        if this.is_large(package, day)? {
            return Ok(None);
        }
        // Packages of these years ask for pkg_resources, which every environment had.
        if this.pip(&["install", "--exclude-newer", day, package, "setuptools"])?.is_err() {
            return Ok(None);
        }
        Ok(Some(this))
    }

    /// Whether a package brings what is left out, or cannot be installed as of a day: asked before anything is fetched.
    fn is_large(&self, package: &str, day: &str) -> anyhow::Result<bool> {
        let asked = self.place.join("asked.in");
        fs::write(&asked, package)?;
        let mut compile = Command::new(uv()?);
        compile.args(["pip", "compile", "--quiet", "--only-binary", ":all:", "--exclude-newer"]);
        compile.args([day, "--python"]).arg(self.python()).arg(asked);
        let Ok(planned) = run_command(&mut compile) else { return Ok(true) };
        let is_large = |key: String| LARGE.contains(&&*key) || key.starts_with("nvidia-");
        Ok(planned.lines().map(key_of).any(is_large))
    }

    /// Changes one of the packages that were brought along to what it was on another day; none if that is the same.
    ///
    /// # Errors
    /// If uv cannot be run.
    pub(super) fn change(&self, random: &mut Random, day: &str) -> anyhow::Result<Option<Drift>> {
        let mut packages = self.read()?.packages;
        packages.retain(|one| one.key() != self.package && !one.import_modules().is_empty());
        packages.sort_by_key(InstalledPackage::key);
        let Some(package) = random.pick(&packages) else { return Ok(None) };
        self.change_to(&package.key(), day)
    }

    /// Changes one package to what it was on another day; none if that is the same.
    ///
    /// # Errors
    /// If uv cannot be run.
    pub(crate) fn change_to(&self, key: &str, day: &str) -> anyhow::Result<Option<Drift>> {
        let version = |all: &[InstalledPackage]| {
            all.iter().find(|one| one.key() == key).map(|one| one.version.clone())
        };
        let Some(from) = version(&self.read()?.packages) else { return Ok(None) };
        let upgrade =
            ["install", "--no-deps", "--upgrade", "--reinstall", "--exclude-newer", day, key];
        if self.pip(&upgrade)?.is_err() {
            return Ok(None);
        }
        let Some(to) = version(&self.read()?.packages) else { return Ok(None) };
        Ok((from != to).then(|| Drift { package: key.to_owned(), from, to }))
    }

    /// Judges the environment, and imports the package that it is for, the one that was changed, those that require it, and
    /// those that errors name. If the verdict proposes a change, that is made, and what failed is imported again.
    ///
    /// # Errors
    /// If the environment cannot be read, or the imports cannot be started.
    pub(super) fn trial(&self, drift: Option<Drift>) -> anyhow::Result<Trial> {
        let environment = self.read()?;
        let verdict = judge(&environment, &today());
        let mut errors = Vec::new();
        let pairs = verdict.pairs.iter().flat_map(|pair| {
            let parties = [&pair.one.name, &pair.other.name];
            pair.verdict.findings.iter().map(move |finding| (parties.to_vec(), finding))
        });
        let alone = verdict
            .alone
            .iter()
            .flat_map(|party| party.notes.iter().map(move |finding| (vec![&party.name], finding)));
        for (parties, finding) in pairs.chain(alone) {
            if finding.severity == Severity::Error && finding.phase == Some(Phase::Load) {
                let names = parties.into_iter().map(|party| key_of(party)).collect();
                errors.push((finding.rule.code.to_owned(), names));
            }
        }
        let is_asked = |package: &InstalledPackage| {
            let key = package.key();
            let requires =
                |changed: &str| package.requires.iter().any(|text| key_of(text) == changed);
            key == self.package
                || errors.iter().any(|(_, names): &(_, Vec<String>)| names.contains(&key))
                || drift.as_ref().is_some_and(|one| one.package == key || requires(&one.package))
        };
        let asked = environment.packages.iter().filter(|package| is_asked(package));
        let mut modules: BTreeMap<String, Vec<String>> =
            asked.map(|package| (package.key(), package.import_modules())).collect();
        let failed = self.failed(&modules)?;
        let is_declared = self.pip(&["check"])?.is_err();
        modules.retain(|package, _| failed.contains_key(package));
        let proposed = match verdict.change {
            Some(change) => Some(self.proposed(change, &modules)?),
            None => None,
        };
        let package = self.label(&environment);
        Ok(Trial { package, drift, errors, failed, is_declared, proposed })
    }

    /// Makes a change, and imports modules after it.
    pub(crate) fn proposed(
        &self,
        change: PinChange,
        modules: &BTreeMap<String, Vec<String>>,
    ) -> anyhow::Result<Proposal> {
        let requirements: Vec<String> =
            change.pins.into_iter().map(|pin| pin.requirement).collect();
        let mut install = vec!["install"];
        install.extend(requirements.iter().map(String::as_str));
        let error = match self.pip(&install)? {
            Ok(_) => self.failed(modules)?.into_values().next(),
            Err(_) => Some("cannot be installed".to_owned()),
        };
        Ok(Proposal { requirements, error })
    }

    pub(crate) fn label(&self, environment: &Environment) -> String {
        let package = environment.packages.iter().find(|one| one.key() == self.package);
        package.map_or_else(|| self.package.clone(), InstalledPackage::label)
    }

    /// The packages of which a module cannot be imported, with the error of the first.
    pub(crate) fn failed(
        &self,
        modules: &BTreeMap<String, Vec<String>>,
    ) -> anyhow::Result<BTreeMap<String, String>> {
        let job = |(package, modules): (&String, &Vec<String>)| json!({"name": package, "paths": [], "modules": modules, "bare": false});
        let jobs: Vec<_> = modules.iter().map(job).collect();
        let file = self.place.join("jobs.json");
        fs::write(&file, serde_json::to_vec(&jobs)?)?;
        let mut command = Command::new(self.python());
        // Some packages write a log where they are imported.
        command.current_dir(&self.place);
        command.arg(unskew_peers::root().join("lab/python/probes/environment_import.py"));
        let outcome = run_probe(command.arg(&file), LIMIT)?;
        let mut failed = BTreeMap::new();
        for step in outcome.steps {
            let all: Vec<(String, String, Vec<String>)> = serde_json::from_str(&step.detail)?;
            if let Some((_, error, _)) = all.into_iter().find(|(_, error, _)| !error.is_empty()) {
                failed.insert(step.step, error);
            }
        }
        Ok(failed)
    }

    pub(crate) fn read(&self) -> anyhow::Result<Environment> {
        Ok(Environment::read(&SitePackages::find(&self.place)?)?)
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.place.join("bin/python")
    }

    /// Runs `uv pip` on the environment: what it prints, or what it says if it fails.
    pub(crate) fn pip(&self, arguments: &[&str]) -> anyhow::Result<Result<String, anyhow::Error>> {
        let mut pip = Command::new(uv()?);
        pip.args(["pip", arguments[0], "--quiet", "--python"]).arg(self.python());
        if arguments[0] == "install" {
            pip.args(["--only-binary", ":all:"]);
        }
        Ok(run_command(pip.args(&arguments[1..])))
    }
}

/// The name of a package as indexes compare it, at the beginning of a label or requirement.
pub(crate) fn key_of(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = text.split(|c| !is_part(c)).next().unwrap_or_default();
    unskew_extensions::wheels::normal(name)
}
