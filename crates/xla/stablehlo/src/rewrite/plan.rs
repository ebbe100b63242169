//! A rewrite as a conversion: what is done, and what stands in its way.

use std::sync::Arc;

use unskew_core::{Conversion, Finding, Rewrite, Severity, Version, VersionRange};
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Source};

use super::{APPROXIMATE, RewriteOptions, Rewritten, rewrite};
use crate::text::TextProgram;
use crate::{Mlir, PortableArtifact, history, rules};

const ADAPTATION: &str = "rewrite-stablehlo";

/// Plans a portable artifact, or MLIR text as one, for readers of a version; none if `source` is neither. A version after the
/// newest that is known stands for that.
///
/// # Errors
/// If it is one, and is broken or holds what cannot be written anew.
pub fn plan(
    source: &Arc<dyn Source>,
    target: Version,
    options: &RewriteOptions,
) -> Result<Option<(Conversion, Assembly)>, ReadError> {
    let mut plan = Conversion::default();
    let (source, artifact, is_text) = match Mlir::read(&**source)? {
        Some(Mlir::Artifact(artifact)) => (Arc::clone(source), artifact, false),
        Some(Mlir::Text(_)) => {
            let TextProgram { bytecode, artifact } = TextProgram::read(&**source)?;
            (bytecode, artifact, true)
        }
        _ => return Ok(None),
    };
    let source = &source;
    let own = artifact.stated && history::minor(artifact.version) == history::minor(target);
    if own && missing(&artifact, target).next().is_none() {
        return Ok(Some((plan, Assembly::from_source(source))));
    }
    let Rewritten { output, changes, approximated, mut kept } = rewrite(source, target, options)?;
    if history::minor(target) < history::minor(artifact.version) {
        let unknown = artifact.features.iter().filter(|feature| feature.since.is_none());
        kept.extend(unknown.map(|feature| format!("{feature}, of which nothing is known here,")));
    }
    plan.add(Rewrite::new(
        ADAPTATION,
        match is_text {
            true => format!("written for StableHLO {target} from MLIR text"),
            false => format!("written for StableHLO {target} instead of {}", artifact.version),
        },
    ));
    for change in changes {
        plan.add(Rewrite::new(ADAPTATION, change));
    }
    for what in approximated {
        plan.add(Rewrite::new(APPROXIMATE, what).losing());
    }
    let output = Arc::new(output);
    for what in kept {
        plan.blockers.push(rules::NoOlderForm { what: &what, target: &target }.finding());
    }
    if plan.blockers.is_empty()
        && let Some(Mlir::Artifact(made)) = Mlir::read(&*output)?
    {
        plan.blockers.extend(missing(&made, target).map(|one| {
            match one.message.contains("vhlo.tan_v") {
                true => one.with_adaptation(APPROXIMATE),
                false => one,
            }
        }));
    }
    let output = Arc::try_unwrap(output).unwrap_or_else(|_| Assembly::from_source(source));
    Ok(Some((plan, output)))
}

/// What an artifact has that readers of a version have not.
fn missing(artifact: &PortableArtifact, target: Version) -> impl Iterator<Item = Finding> {
    let versions = VersionRange { min: None, max: Some(target) };
    let findings = artifact.judge(&format!("StableHLO {target}"), versions);
    findings.into_iter().filter(|one| one.severity == Severity::Error)
}

/// The same as a file.
///
/// # Errors
/// As [`plan`].
pub fn convert(
    source: &Arc<dyn Source>,
    target: Version,
    options: &RewriteOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let planned = plan(source, target, options)?;
    Ok(planned.map(|(plan, output)| (plan, ConvertedArtifact::File(Arc::new(output)))))
}
