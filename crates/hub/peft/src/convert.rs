//! A configuration that a release reads, made from one that it does not: fields at their default are left out.

use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_core::{Conversion, Finding, Rewrite, Severity};
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Source};

use crate::judge::{DEFAULTS_DROPPED, FieldMeaning, judged, meaning};
use crate::{PeftConfiguration, PeftRelease};

/// Plans the configuration in `source` anew for `release`; none if it is none.
///
/// # Errors
/// If it cannot be read.
pub fn convert(
    source: &Arc<dyn Source>,
    release: &PeftRelease,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let Some(config) = PeftConfiguration::read(source)? else { return Ok(None) };
    let mut plan = Conversion::default();
    let kind = config.peft_type.clone();
    let (fields, dropped): (Map<String, Value>, Map<String, Value>) =
        config.fields.into_iter().partition(|(field, value)| {
            release.has_field(&kind, field)
                || meaning(&kind, field, value, release) != FieldMeaning::Nothing
        });
    for (field, value) in &dropped {
        let field: String = field.chars().take(100).collect();
        let what =
            format!("{field} removed, which the release does not have: {value} is its default");
        plan.add(Rewrite::new(DEFAULTS_DROPPED, what));
    }
    let made = PeftConfiguration { peft_type: kind, fields };
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    plan.blockers = judged(&made, release).findings.into_iter().filter(is_error).collect();
    let output = match plan.is_possible() && !plan.changes_nothing() {
        true => {
            let text = serde_json::to_string_pretty(&made.fields).map_err(|error| {
                ReadError::malformed(source.name(), format!("not written: {error}"))
            })?;
            let mut output = Assembly::new(source.name());
            output.push_bytes(text.into_bytes());
            output
        }
        false => Assembly::from_source(source),
    };
    Ok(Some((plan, ConvertedArtifact::File(Arc::new(output)))))
}
