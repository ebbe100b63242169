//! A file as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::file::SklearnFile;
use crate::{SklearnRelease, judge};

/// The axis on which files of scikit-learn meet a release.
pub const SKLEARN_AXIS: &str = "scikit-learn";

/// How many classes are named where a file is described.
const SHOWN: usize = 12;

/// Judges a file against a release.
struct SklearnMatcher(Arc<SklearnFile>);

impl Matcher for SklearnMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        Some(judge(&self.0, other.capability::<SklearnRelease>()?))
    }
}

/// The party in `source`; none if it is not a pickle of scikit-learn.
///
/// # Errors
/// If it is one, but broken or too large.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(file) = SklearnFile::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let kind =
        if file.is_joblib { "scikit-learn model (joblib)" } else { "scikit-learn model (pickle)" };
    let mut party = Party::new(name, Role::Artifact, kind);
    if let Some(writer) = file.writer() {
        party = party.from_origin(format!("written by scikit-learn {writer}"));
    } else if !file.written_by.is_empty() {
        let all: Vec<&str> = file.written_by.iter().map(String::as_str).collect();
        party = party.fact("written by", format!("scikit-learn {}", all.join(", ")));
    }
    let mut names: Vec<&str> = file.classes.iter().map(|class| class.name.as_str()).collect();
    let count = names.len();
    names.truncate(SHOWN);
    let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
    party = party.fact("classes", format!("{}{more}", names.join(", ")));
    party = party.fact("pickle protocol", file.protocol);
    if !file.compression.is_empty() {
        party = party.fact("compression", file.compression);
    }
    if !file.others.is_empty() {
        let others: Vec<&str> = file.others.iter().map(String::as_str).collect();
        party = party.fact("other packages", others.join(", "));
    }
    for need in &file.needs {
        party = party.fact("needs", *need);
    }
    let file = Arc::new(file);
    // What else is pickled is judged by releases of other packages, which tell nothing of scikit-learn.
    let judged =
        Requirement::matches(SKLEARN_AXIS, SklearnMatcher(file.clone())).irrelevant_if_absent();
    Ok(Some(party.require(judged).with_capability(file)))
}
