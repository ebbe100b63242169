//! A file as a party, and what a file of another boundary looks up.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_pickle::PickleFile;
use unskew_source::{ReadError, Source};

use crate::judge::unread_models;
use crate::{ClassNames, ModelsAreJudged, PackageRelease, configuration, judge};

/// The axis on which the names of a file meet a release.
pub const NAMES_AXIS: &str = "python.names";

/// How many names are shown where a file is described.
const SHOWN: usize = 12;

/// Judges names against a release.
struct NamesMatcher(Arc<ClassNames>);

impl Matcher for NamesMatcher {
    fn judge(&self, party: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let mut judgement = judge(&self.0, other.capability::<PackageRelease>()?)?;
        if party.capability::<ModelsAreJudged>().is_none() {
            judgement.unjudged.extend(unread_models(&self.0));
        }
        Some(judgement)
    }
}

/// Says of every release of a package that the names of a file could not be read, and why.
struct UnreadMatcher(String);

impl Matcher for UnreadMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<PackageRelease>()?;
        let unjudged = vec![Unjudged::new(aspect::CLASSES, self.0.clone())];
        Some(Judgement { unjudged, ..Judgement::default() })
    }
}

/// The party in `source`: a configuration that names classes, or a pickle that joblib wrote or that is compressed. Other pickles are
/// read by PyTorch, too, and are none here.
///
/// # Errors
/// If it is one, but broken or too large.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    if let Some(party) = configuration::party(source)? {
        return Ok(Some(party));
    }
    let Some(file) = PickleFile::read(source, |head| head.is_compressed() || head.is_joblib())?
    else {
        return Ok(None);
    };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let kind = if file.is_joblib { "pickle of joblib" } else { "compressed pickle" };
    let mut party = Party::new(name, Role::Artifact, kind);
    party = party.fact("pickle protocol", file.pickle.protocol);
    if !file.compression.is_empty() {
        party = party.fact("compression", file.compression);
    }
    let imports = &file.pickle.imports;
    if !imports.is_empty() {
        let first: Vec<&str> = imports.iter().take(SHOWN).map(String::as_str).collect();
        let more = imports.len() - first.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        party = party.fact("pickle imports", format!("{}{more}", first.join(", ")));
    }
    Ok(Some(with_names(party, ClassNames::of_pickle(imports.iter().cloned()))))
}

/// All that the pickle in `source` looks up; none if it is no pickle.
///
/// # Errors
/// If it is broken or too large.
pub fn pickled_names(source: &Arc<dyn Source>) -> Result<Option<ClassNames>, ReadError> {
    let file = PickleFile::read(source, |_| true)?;
    Ok(file.map(|file| ClassNames::of_pickle(file.pickle.imports)))
}

/// A party of a file that looks up these names, which releases of Python packages have or lack.
pub fn with_names(party: Party, names: ClassNames) -> Party {
    if names.names.is_empty() {
        return party;
    }
    let names = Arc::new(names);
    let matcher = NamesMatcher(names.clone());
    party
        .require(Requirement::matches(NAMES_AXIS, matcher).irrelevant_if_absent())
        .with_capability(names)
}

/// A party of a file whose names could not be read: releases of Python packages are not judged.
pub fn with_unread_names(party: Party, error: &ReadError) -> Party {
    let why = format!("the classes that the file looks up: {}", error.problem);
    party.require(Requirement::matches(NAMES_AXIS, UnreadMatcher(why)).irrelevant_if_absent())
}
