//! A configuration as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::{PeftConfiguration, PeftRelease, judge};

/// The axis on which adapters meet a release.
pub const PEFT_AXIS: &str = "peft";

/// Judges a configuration against a release.
struct AdapterMatcher(Arc<PeftConfiguration>);

impl Matcher for AdapterMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        Some(judge(&self.0, other.capability::<PeftRelease>()?))
    }
}

/// The party of an `adapter_config.json`; none if it is something else.
///
/// # Errors
/// If it is one, but broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(config) = PeftConfiguration::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let mut party = Party::new(name, Role::Artifact, "adapter of PEFT");
    if let Some(version) = config.written_by() {
        party = party.from_origin(format!("written by PEFT {version}"));
    }
    party = party.fact("type of the adapter", &config.peft_type);
    party = party.fact("fields", config.fields.len());
    let config = Arc::new(config);
    let judged = Requirement::matches(PEFT_AXIS, AdapterMatcher(config.clone()));
    Ok(Some(party.require(judged).with_capability(config)))
}
