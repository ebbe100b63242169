//! A model as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::{BoosterModel, BoosterRelease, judge};

/// The axis on which models meet a release.
pub const BOOSTERS_AXIS: &str = "boosters";

/// Judges a model against a release.
struct BoosterMatcher(Arc<BoosterModel>);

impl Matcher for BoosterMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        judge(&self.0, other.capability::<BoosterRelease>()?)
    }
}

/// The party in `source`; none if it is no such file.
///
/// # Errors
/// If it is one, but broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(model) = BoosterModel::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let library = model.library.as_str();
    let mut party = Party::new(name, Role::Artifact, format!("{library} model"));
    if let Some(version) = &model.written_by {
        party = party.from_origin(format!("written by {library} {version}"));
    }
    for name in ["format", "version", "objective", "booster"] {
        // The release that wrote it is said above.
        let is_said = name == "version" && model.written_by.is_some();
        if let Some(value) = model.property(name).filter(|_| !is_said) {
            party = party.fact(name, value);
        }
    }
    let model = Arc::new(model);
    let judged = Requirement::matches(BOOSTERS_AXIS, BoosterMatcher(model.clone()));
    Ok(Some(party.require(judged).with_capability(model)))
}

/// The party of a pickle in which these models lie. Other packages are asked for other things of it.
pub fn with_models(party: Party, models: Vec<BoosterModel>) -> Party {
    models.into_iter().fold(party, |party, model| {
        let party = match &model.written_by {
            Some(version) => party.fact(model.library.as_str(), version),
            None => party,
        };
        let judged = Requirement::matches(BOOSTERS_AXIS, BoosterMatcher(Arc::new(model)));
        party.require(judged.irrelevant_if_absent())
    })
}
