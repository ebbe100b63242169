//! From what a user names to the parties that stand on that side.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_artifact::{
    Artifact, ArtifactFile, Content, OpenError, OpenOptions, RunPolicy, TargetName, WheelPath,
};
use unskew_boosters::BoosterModel;
use unskew_class_names::ClassNames;
use unskew_core::Party;
use unskew_releases::{Family, NameError, Release, select};
use unskew_report::Subject;
use unskew_source::BytesSource;
use unskew_source::budget::{count_file, scale};

use crate::VerbError;

/// How many names of a folder are looked at for one that is similar, and from how many typing errors on.
const MOST_NAMES: usize = 10_000;
const SLIPS: usize = 3;

/// The most that is taken from the standard input, in bytes.
const LARGEST_INPUT: u64 = 1 << 30;

/// One party of a side.
#[derive(Clone, Debug)]
pub struct ResolvedParty {
    /// Where it came from; none for a release.
    pub path: Option<String>,
    /// As a user names it: the path, or `torch@2.1.2`.
    pub label: String,
    /// The release, if it is one.
    pub release: Option<Release>,
    /// The file or release as a party, read once for all pairs.
    pub party: Arc<Party>,
}

impl ResolvedParty {
    /// The member as one side of a pair.
    pub fn subject(&self) -> Subject {
        Subject { path: self.path.clone(), side: self.party.side() }
    }
}

/// What one name stands for.
#[derive(Debug)]
pub struct ResolvedSide {
    /// Everything that can be judged, never empty.
    pub members: Vec<ResolvedParty>,
    /// What was found and could not be read.
    pub failures: Vec<unskew_report::ReadFailure>,
}

/// The options by which files are opened: plug-ins that may run are asked in a child process of the command `unskew`,
/// which is the program at `command`. Without one they are only read.
pub fn options(running: RunPolicy, command: Option<PathBuf>) -> OpenOptions {
    match command {
        Some(command) => OpenOptions::probing(running, move |path: &Path| {
            let mut child = std::process::Command::new(&command);
            child.arg("__probe").arg(path);
            child
        }),
        None => OpenOptions::default(),
    }
}

/// The side that `name` names: a release, a reader of StableHLO (`stablehlo@1.0.0`), the releases of a range or a family, whatever lies at a path or URI, or, for
/// `-`, on the standard input.
///
/// # Errors
/// If it is neither, or cannot be read.
pub fn side(name: &OsStr, options: &OpenOptions) -> Result<ResolvedSide, VerbError> {
    if name == "-" {
        return of_artifact(unskew_artifact::open_content(&standard_input()?, options)?);
    }
    let path = Path::new(name);
    // What is not UTF-8 is no release, and may well be a file.
    let Some(text) = name.to_str() else {
        return of_artifact(unskew_artifact::open(path, options)?);
    };
    if !path.exists()
        && let Some(stated) = unskew_releases::named_parties::select(text)
    {
        return of_stated(stated?);
    }
    if let Some(reader) = TargetName::stablehlo(text).filter(|_| !path.exists()) {
        let (label, party) = (text.to_owned(), reader.party());
        let member = ResolvedParty { path: None, label, release: None, party };
        return Ok(ResolvedSide { members: vec![member], failures: Vec::new() });
    }
    if is_release(text) {
        return Ok(of_releases(select(text)?, options));
    }
    if unskew_artifact::is_uri(text) {
        return of_artifact(unskew_artifact::open_uri(text, options)?);
    }
    if !path.exists() && WheelPath::find(path).is_none() {
        return Err(neither(text));
    }
    of_artifact(unskew_artifact::open(path, options)?)
}

/// What lies on the standard input: all of it in memory, because a pipe cannot be read by range.
fn standard_input() -> Result<Content, VerbError> {
    let cannot = |source| OpenError::Io { path: PathBuf::from("<stdin>"), source };
    let most = LARGEST_INPUT.saturating_mul(scale());
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > most {
        let text = format!(
            "more than {} MiB on the standard input; write it to a file, which is read by range",
            most >> 20
        );
        return Err(VerbError::Question(text));
    }
    count_file(bytes.len() as u64);
    let name = "<stdin>".to_owned();
    let source = Arc::new(BytesSource::new(&*name, bytes));
    Ok(Content::File(ArtifactFile { name, source, path: None, beside: None }))
}

/// As [`side`] for what is looked at or judged first, where a file or folder goes before a family of releases of the same name: in
/// a folder with an adapter in `peft`, `unskew inspect peft` is about that.
///
/// # Errors
/// As [`side`].
pub fn artifact_side(name: &OsStr, options: &OpenOptions) -> Result<ResolvedSide, VerbError> {
    let path = Path::new(name);
    let is_family = name.to_str().is_some_and(|text| Family::of_package(text).is_some());
    match is_family && path.exists() {
        true => of_artifact(unskew_artifact::open(path, options)?),
        false => side(name, options),
    }
}

/// Whether a release is meant, and no file. `torch` and `torch@2.1` are releases even where there is a file of
/// this name; other ways to write a release give way to a file.
pub fn is_release(text: &str) -> bool {
    let certain = text == "all" || Family::of_package(text).is_some() || text.contains('@');
    let exists = Path::new(text).exists();
    if exists && !certain {
        return false;
    }
    match select(text) {
        Ok(_) => true,
        Err(_) => !exists && !unskew_artifact::is_uri(text) && unskew_releases::is_meant(text),
    }
}

/// What is said of a name that is neither a file nor a release.
pub fn neither(name: &str) -> VerbError {
    let meant = match select(name) {
        Err(NameError::Family { nearest, .. }) => nearest,
        Err(error @ NameError::OtherSoftware { .. }) => return error.into(),
        _ => None,
    };
    let meant = meant.or_else(|| similar_file(Path::new(name))).or_else(|| on_the_hub(name));
    VerbError::Neither { name: name.to_owned(), meant }
}

/// A file in the same folder that has almost this name.
fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = here.read_dir().ok()?.take(MOST_NAMES).filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        let distance = strsim::osa_distance(&name.to_lowercase(), &wanted.to_lowercase());
        (distance <= SLIPS && distance * 2 < wanted.len()).then_some((distance, name))
    });
    names.min().map(|(_, name)| folder.join(name).display().to_string())
}

/// The address of a repository on Hugging Face that is named without its scheme: `openai-community/gpt2`.
fn on_the_hub(name: &str) -> Option<String> {
    let (owner, model) = name.split_once('/')?;
    let is_word = |word: &str| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        word.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            && word.chars().all(is_letter)
    };
    // `ort/model.onnx` is a file that is not there.
    let ending = model.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = ending.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_repository = is_word(owner) && is_word(model) && !is_file && !Path::new(owner).exists();
    is_repository.then(|| format!("hf://{name}"))
}

/// The packages that load a side: those whose classes it looks up by name, and those that read a model of gradient boosting.
pub fn packages_looked_up(side: &ResolvedSide) -> Vec<&'static str> {
    let parties = || side.members.iter().map(|one| &one.party);
    let names = parties().filter_map(|party| party.capability::<ClassNames>());
    let names: BTreeSet<String> = names.flat_map(|one| one.names.iter().cloned()).collect();
    let boosters = parties().filter_map(|party| party.capability::<BoosterModel>());
    let mut packages = unskew_releases::packages_of_names(&names);
    packages.extend(boosters.map(|model| model.library.package()));
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// The side that something opened is.
///
/// # Errors
/// If nothing in it could be read.
pub fn of_artifact(artifact: Artifact) -> Result<ResolvedSide, VerbError> {
    let failures = failures(&artifact);
    if artifact.pieces.is_empty() {
        return Err(artifact
            .problems
            .into_iter()
            .next()
            .map_or(VerbError::Nothing, VerbError::Open));
    }
    let release = artifact.release;
    let members = artifact
        .pieces
        .into_iter()
        .map(|piece| ResolvedParty {
            path: Some(piece.label.clone()),
            label: piece.label,
            release,
            party: piece.party,
        })
        .collect();
    Ok(ResolvedSide { members, failures })
}

/// Runtimes of which only is known what is stated of them.
fn of_stated(found: Vec<(String, Arc<Party>)>) -> Result<ResolvedSide, VerbError> {
    let member = |(label, party)| ResolvedParty { path: None, label, release: None, party };
    Ok(ResolvedSide { members: found.into_iter().map(member).collect(), failures: Vec::new() })
}

fn of_releases(releases: Vec<Release>, options: &OpenOptions) -> ResolvedSide {
    let member = |release: Release| {
        // The tables of a release take as much as a small file.
        count_file(1 << 20);
        ResolvedParty {
            path: None,
            label: release.to_string(),
            release: Some(release),
            party: release.party_used(options.usage),
        }
    };
    ResolvedSide { members: releases.into_iter().map(member).collect(), failures: Vec::new() }
}

fn failures(artifact: &Artifact) -> Vec<unskew_report::ReadFailure> {
    let failure = |error: &OpenError| unskew_report::ReadFailure {
        path: artifact.path.clone(),
        message: crate::chain(error),
    };
    artifact.problems.iter().map(failure).collect()
}
