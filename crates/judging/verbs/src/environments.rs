//! Environments, and those that a lock describes: what breaks in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_core::{Context, Finding, Party, Places, Role, Unjudged};
use unskew_environments::{
    Environment, EnvironmentVerdict, GpuHost, Image, InstalledPackage, Labels, LockTarget,
    PackageLock, SitePackages, System, judge, rules,
};
use unskew_report::{CheckedPair, Look, Report, Subject};

use crate::fetch::Fetcher;
use crate::{Fetched, VerbError};

/// An environment that was judged.
#[derive(Debug)]
pub struct EnvironmentAnswer {
    /// The packages that were found, and what of them is broken.
    pub environment: Environment,
    /// The pairs compared in it.
    pub judged: EnvironmentVerdict,
    /// The same as a report, for every format.
    pub report: Report,
    /// What of a lock is not judged at all.
    pub(crate) unjudged: Vec<Unjudged>,
    /// The wheels that were read where they lie.
    pub fetched: Vec<Fetched>,
}

/// What an environment is to run on, beside its Python.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentHost {
    /// The C and C++ libraries of its system; none: those of an image, else they are not judged.
    pub system: Option<System>,
    /// Its GPUs and their driver; none: those of this machine, for an environment on it.
    pub gpus: Option<GpuHost>,
}

/// Judges the environment that `path` names: its folder, its `python`, a `site-packages` folder, or a container image (an OCI
/// layout as a folder or tar, what `docker save` writes). Nothing is run. Modules are held against `host`.
///
/// # Errors
/// If there is no environment, or the image cannot be read.
pub fn env(
    path: &Path,
    host: EnvironmentHost,
    context: Context,
) -> Result<EnvironmentAnswer, VerbError> {
    let question = |error: &dyn std::error::Error| VerbError::Question(error.to_string());
    let mut unjudged = Vec::new();
    // The image has the files until everything is judged.
    let image = match Image::is_image(path) {
        true => Some(Image::open(path).map_err(|error| question(&error))?),
        false => None,
    };
    let mut environment = match &image {
        Some(image) => image.environment().map_err(|error| question(&error))?,
        None => {
            let site = SitePackages::find(path).map_err(|error| question(&error))?;
            Environment::read(&site).map_err(|error| question(&error))?
        }
    };
    if environment.has_system {
        let reason = "packages of the system's Python, which this environment sees too";
        unjudged.push(Unjudged::new(unskew_core::aspect::CONTENTS, reason));
    }
    let others: Vec<String> = image.iter().flat_map(Image::others).collect();
    if !others.is_empty() {
        let reason = "other folders of the image with packages";
        let others = others.iter().collect();
        unjudged.push(Unjudged::new(unskew_core::aspect::CONTENTS, reason).at(others));
    }
    unjudged.extend(environment.not_read.iter().cloned());
    environment.system = host.system.or(environment.system);
    environment.source_cache = unskew_source::cache_folder().map(|one| one.join("python-sources"));
    environment.gpus = host.gpus.or_else(|| image.is_none().then(GpuHost::here));
    Ok(answer(environment, unjudged, None, context))
}

/// What a wheel would have to declare, computed from its shared objects: labels of the drafts PEP 825 and PEP 850,
/// requirements, its platform tag.
///
/// # Errors
/// If it is no wheel.
pub fn labels(path: &Path) -> Result<(InstalledPackage, Labels), VerbError> {
    let question = |error: unskew_source::ReadError| VerbError::Question(error.to_string());
    let source = unskew_source::FileSource::open(path).map_err(question)?;
    let package = InstalledPackage::of_wheel(Arc::new(source)).map_err(question)?;
    let labels = unskew_environments::labels(&package);
    Ok((package, labels))
}

/// The locks that a path means: itself, or those in a folder.
///
/// # Errors
/// If there is none in the folder.
pub fn locks_at(path: &Path) -> Result<Vec<PathBuf>, VerbError> {
    unskew_environments::locks_at(path).map_err(|error| VerbError::Question(error.to_string()))
}

/// Judges what a lock would install on the target. Wheels of which nothing is known are read where they lie if `index` is
/// given: by the URLs and paths of the lock, else from the index that it names, else from this one.
///
/// # Errors
/// If it is no lock that is known.
pub fn lock(
    path: &Path,
    target: LockTarget,
    index: Option<&str>,
    host: EnvironmentHost,
    context: Context,
) -> Result<EnvironmentAnswer, VerbError> {
    let lock = PackageLock::read(path).map_err(|error| VerbError::Question(error.to_string()))?;
    let fetcher = index.map(Fetcher::new);
    let fetch = fetcher.as_ref().map(|fetcher| fetcher as &dyn unskew_environments::Fetch);
    let (mut environment, unjudged) = lock.environment(target, fetch);
    (environment.system, environment.gpus) = (host.system, host.gpus);
    let mut answer = answer(environment, unjudged, Some(lock.path.as_str()), context);
    answer.fetched = fetcher.map(|fetcher| fetcher.fetched()).unwrap_or_default();
    Ok(answer)
}

fn answer(
    environment: Environment,
    mut unjudged: Vec<Unjudged>,
    path: Option<&str>,
    context: Context,
) -> EnvironmentAnswer {
    let judged = judge(&environment, &context);
    unjudged.extend(judged.unjudged.iter().cloned());
    let mut report = Report::new(context);
    for pair in &judged.pairs {
        let mut verdict = pair.verdict.clone();
        let line = |name: &str| {
            let package = environment.packages.iter().find(|one| one.label() == name)?;
            let file = path?.rsplit(['/', '\\']).next()?;
            Some(format!("{file}:{}", package.line?))
        };
        if let Some(line) = line(&pair.one.name) {
            for finding in &mut verdict.findings {
                let mut places = Places::from_iter([&line]);
                places.extend(&finding.places);
                finding.places = places;
            }
        }
        let a = match path {
            Some(path) => Subject::at(path, &pair.one),
            None => Subject::from_party(&pair.one),
        };
        report.pairs.push(CheckedPair { a, b: Subject::from_party(&pair.other), verdict });
    }
    for party in &judged.alone {
        report.looks.push(Look { path: party.name.clone(), party: Arc::new(party.clone()) });
    }
    let mut whole = Party::new(&*environment.name, Role::Artifact, "Python environment");
    whole.unjudged.extend(unjudged.iter().cloned());
    if let Some(note) = pins(&judged) {
        whole = whole.note(note);
    }
    report.looks.push(Look { path: environment.name.clone(), party: Arc::new(whole) });
    EnvironmentAnswer { environment, judged, report, unjudged, fetched: Vec::new() }
}

/// The change that makes everything fit, as a note.
fn pins(judged: &EnvironmentVerdict) -> Option<Finding> {
    let change = judged.change.as_ref().filter(|change| change.open.is_empty())?;
    let pins: Vec<&str> = change.pins.iter().map(|pin| pin.requirement.as_str()).collect();
    let (command, pins) = (change.command(), pins.join(", "));
    let note = rules::PinsThatFit { command: &command, pins: &pins };
    Some(note.finding())
}
