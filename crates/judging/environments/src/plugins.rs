//! Plug-ins of an environment: PJRT plug-ins with jaxlib, pluggable devices with TensorFlow, by what their files say.

use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_extensions::Framework;
use unskew_pjrt::{ProbeError, ProbeFailure, ProbeStage};
use unskew_releases::{Family, JaxPackage, version_numbers};
use unskew_source::Source;

use crate::framework;
use crate::lock::Locked;
use crate::metadata::Recorded;
use crate::{Environment, InstalledPackage};

/// A plug-in in the files of a package. It was not run.
#[derive(Clone, Debug)]
pub struct PackagedPlugin {
    /// Its path in the environment; empty in a lock.
    pub path: String,
    /// The family of runtimes that loads it.
    pub family: Family,
    /// What its file says.
    pub party: Arc<Party>,
}

/// Where TensorFlow looks for plug-ins.
const DEVICES: &str = "tensorflow-plugins/";

/// Why nothing more is known of a plug-in.
const ONLY_READ: &str = "nothing of an environment is run";

/// The plug-ins that a shared object is: some serve both families.
pub(crate) fn read(
    path: &str,
    source: &Arc<dyn Source>,
    object: &SharedObject,
    recorded: Option<&Recorded>,
) -> Vec<PackagedPlugin> {
    let mut all = Vec::new();
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut add = |family, party: Party| {
        let party = Arc::new(party.fact("path", path));
        all.push(PackagedPlugin { path: path.to_owned(), family, party });
    };
    if unskew_pjrt::recognizes(object) {
        add(Family::Jax, pjrt(name, source, object, recorded));
    }
    let is_device = unskew_stream_executor::registers_device(object)
        || (path.starts_with(DEVICES) && unskew_stream_executor::recognizes(object));
    if is_device {
        add(Family::TensorFlow, unskew_stream_executor::from_object(name, object));
    }
    all
}

/// A PJRT plug-in. A public one is known by the digest that `RECORD` has of it: hashing 400 MB takes seconds.
fn pjrt(
    name: &str,
    source: &Arc<dyn Source>,
    object: &SharedObject,
    recorded: Option<&Recorded>,
) -> Party {
    let digest = recorded.and_then(|one| one.sha256.as_deref());
    let known = match digest {
        Some(digest) => unskew_pjrt::known_by_digest(digest, source.size()),
        None => unskew_pjrt::known_plugin(&**source).ok().flatten(),
    };
    let Some(known) = known else {
        let cause = ProbeFailure::NotRun(ONLY_READ.to_owned());
        let error =
            ProbeError { cause, stage: ProbeStage::Start, so_far: None, said: String::new() };
        return unskew_pjrt::party_of_code(name, object, Err(error), unskew_pjrt::built(source));
    };
    let how = if digest.is_some() { "the digest in RECORD" } else { "the digest of its file" };
    let text = format!("{}, by {how}; it was not run", known.package);
    unskew_pjrt::party(name, object, Ok(known.probe)).fact("known as", text)
}

/// The plug-in of a locked release of a public package.
pub(crate) fn of_release(locked: &Locked) -> Option<PackagedPlugin> {
    let party = unskew_releases::named_plugin(&locked.name, &locked.version)?;
    Some(PackagedPlugin { path: String::new(), family: Family::Jax, party: Arc::new(party) })
}

/// Each plug-in of a family, and the runtime that loads it. One that has to be of the version of jaxlib, and is not, is told of
/// as that.
pub(crate) fn pairs(environment: &Environment, family: Family) -> Vec<(Party, Party)> {
    let Some(other) = runtime(environment, family) else { return Vec::new() };
    let jaxlib = environment.package("jaxlib").map(|jaxlib| version_numbers(&jaxlib.version));
    let is_of_other_jaxlib = |package: &InstalledPackage| {
        JaxPackage::of_name(&package.key()).is_some()
            && jaxlib.as_ref().is_some_and(|jaxlib| *jaxlib != version_numbers(&package.version))
    };
    let mut pairs = Vec::new();
    for package in environment.packages.iter().filter(|one| !is_of_other_jaxlib(one)) {
        let plugins = package.plugins.iter().filter(|plugin| plugin.family == family);
        pairs.extend(plugins.map(|plugin| (named(package, plugin, &other), other.clone())));
    }
    pairs
}

/// The installed runtime that loads plug-ins, as a release; none if there is none of them.
fn runtime(environment: &Environment, family: Family) -> Option<Party> {
    let package = match family {
        // The side that meets plug-ins is compiled into jaxlib.
        Family::Jax => environment.package("jaxlib"),
        _ => framework::package(environment, Framework::TensorFlow),
    }?;
    let release = unskew_releases::exactly(family, package.public_version());
    let mut party = release.map_or_else(
        || {
            let unknown = Requirement::matches("plugin.host", UnknownRelease(package.label()));
            Party::new(package.label(), Role::Runtime, "package").require(unknown)
        },
        |release| Party::clone(&release.party()),
    );
    party.name = package.label();
    Some(party)
}

/// What a release of which nothing is known says of a plug-in.
struct UnknownRelease(String);

impl Matcher for UnknownRelease {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        let reason = format!("{} is no release that is known", self.0);
        let unjudged = vec![Unjudged::new(aspect::VERSION, reason)];
        Some(Judgement { unjudged, ..Judgement::default() })
    }
}

/// A plug-in under the name of its package, with the command that judges what only running it tells.
fn named(package: &InstalledPackage, plugin: &PackagedPlugin, other: &Party) -> Party {
    let mut party = Party::clone(&plugin.party);
    party.name = package.label();
    let release = other.name.split_once(' ').map_or("", |(_, version)| version);
    let (path, family) = (package.at.join(&plugin.path), plugin.family.as_str());
    for unjudged in party.unjudged.iter_mut().filter(|one| one.remedy.is_some()) {
        let command = format!("unskew check {} --with {family}@{release}", path.display());
        unjudged.remedy = Some(format!("{command}, which runs it in a sandbox"));
    }
    party
}

/// Whether `jaxlib/plugin_support.py` compares the versions of jaxlib and of a plug-in for equality.
pub(crate) fn compares(text: &str) -> bool {
    text.contains("_parse_version(jaxlib_version) != _parse_version(plugin_version)")
}
