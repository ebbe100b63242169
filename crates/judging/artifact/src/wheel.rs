//! Python wheels.

use std::sync::Arc;

use unskew_core::{Party, Role};
use unskew_releases::{Family, Release, exactly, set_requirement};
use unskew_source::{Archive, ArchiveMember, ReadError, Source, limits};

use crate::copy::Copy;
use crate::location::Location;
use crate::{
    Artifact, Container, LabeledParty, Neighbours, OpenError, OpenOptions, RunPolicy, archives,
    boundaries, plugin, recognize,
};

/// The most bytes of a shared object that are copied out of a wheel.
pub(crate) const LARGEST_LIBRARY: u64 = 4 << 30;

/// Opens a wheel, or one member of it.
///
/// # Errors
/// If it is no archive, or has nothing to check in it.
pub(crate) fn open(
    source: Arc<dyn Source>,
    member: Option<&str>,
    options: &OpenOptions,
) -> Result<Artifact, OpenError> {
    let archive = Arc::new(Archive::open(source)?);
    let mut artifact = Artifact::new(archive.name(), Container::Wheel);
    let package = Package::find(&archive)?;
    let whole = package.as_ref().filter(|_| member.is_none());
    if let Some(release) = whole.and_then(Package::release) {
        artifact.release = Some(release);
        artifact.pieces.push(LabeledParty { label: artifact.path.clone(), party: release.party() });
        return Ok(artifact);
    }
    let is_meant = |entry: &&ArchiveMember| match member {
        Some(member) => entry.name == member,
        None => recognize::is_candidate(&entry.name),
    };
    for entry in archive.entries().iter().filter(is_meant) {
        match read(&archive, entry, options) {
            Ok((label, parties)) => {
                parties.into_iter().for_each(|party| artifact.add(label.clone(), party));
            }
            Err(error) => artifact.problems.push(error),
        }
    }
    if artifact.pieces.is_empty() && artifact.problems.is_empty() {
        if let Some(member) = member {
            let path = format!("{}!{member}", archive.name());
            let looked_for = boundaries::looked_for();
            return Err(OpenError::Unknown { path, instead: None, looked_for });
        }
        let files = archive.entries().len();
        let looked_for = boundaries::looked_for();
        let path = artifact.path;
        return Err(OpenError::Nothing { path, container: "wheel", files, looked_for });
    }
    if let Some(package) = package {
        for piece in &mut artifact.pieces {
            let mut party = (*piece.party).clone().fact("package", package.to_string());
            if party.role == Role::Plugin {
                let (name, version) =
                    (package.name.replace('_', "-").to_lowercase(), &package.version);
                party = set_requirement(&name, version).into_iter().fold(party, Party::require);
            }
            piece.party = Arc::new(party);
        }
    }
    Ok(artifact)
}

/// Where a member lies, and its parties.
type WheelMember = (String, Vec<Party>);

fn read(
    archive: &Arc<Archive>,
    entry: &ArchiveMember,
    options: &OpenOptions,
) -> Result<WheelMember, OpenError> {
    let label = format!("{}!{}", archive.name(), entry.name);
    let compressed = !entry.stored && entry.size > limits::RECORD;
    let run =
        |member: &Arc<dyn Source>| options.running == RunPolicy::All && plugin::needs_file(member);
    if recognize::is_library(&entry.name) && (compressed || run(&archive.member(entry)?)) {
        return read_copy(archive, entry, label, options);
    }
    let member = archive.member(entry)?;
    if recognize::is_library(&entry.name) {
        return Ok((label, recognize::parties(&member, Location::Within, options)?));
    }
    let folder = entry.name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (all, find) = (archive.clone(), archives::below);
    let neighbours: Neighbours = Arc::new(move |name: &str| {
        let entry = all.entry(&find(&folder, name)?)?;
        Some(archives::member_or_size(&all, entry))
    });
    Ok((label, recognize::parties(&member, Location::Among(&neighbours), options)?))
}

/// Reads a member from a temporary file: a plug-in can only be asked if it is one, and a large
/// compressed member cannot be read in pieces.
fn read_copy(
    archive: &Archive,
    entry: &ArchiveMember,
    label: String,
    options: &OpenOptions,
) -> Result<WheelMember, OpenError> {
    let io = |source| OpenError::Io { path: label.clone().into(), source };
    let mut copy = Copy::new(options).map_err(io)?;
    archive.copy(entry, copy.file(), LARGEST_LIBRARY)?;
    Ok((label.clone(), copy.parties(&label, options)?))
}

/// The package that a wheel says it is.
struct Package {
    name: String,
    version: String,
}

impl Package {
    /// Reads `Name` and `Version` in the head of `*.dist-info/METADATA`.
    fn find(archive: &Archive) -> Result<Option<Self>, ReadError> {
        let is_metadata = |entry: &&ArchiveMember| {
            entry
                .name
                .split_once('/')
                .is_some_and(|(folder, file)| folder.ends_with(".dist-info") && file == "METADATA")
        };
        let Some(entry) = archive.entries().iter().find(is_metadata) else { return Ok(None) };
        let text = archive.read(entry)?;
        let text = String::from_utf8_lossy(&text);
        let field = |name: &str| {
            let head = text.lines().take_while(|line| !line.is_empty());
            head.filter_map(|line| line.split_once(':'))
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.trim().to_owned())
        };
        Ok(field("Name").zip(field("Version")).map(|(name, version)| Self { name, version }))
    }

    /// The release of the database that this package is, if it is one: `2.4.1+cpu` is `2.4.1`.
    fn release(&self) -> Option<Release> {
        let family = Family::of_package(&self.name)?;
        exactly(family, &self.version)
    }
}

impl std::fmt::Display for Package {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}
