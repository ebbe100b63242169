//! Features of a host that call an extension without asking whether the plug-in has it.

use unskew_core::Finding;

use super::pair::Pair;
use crate::rules;

/// What the user sees of it.
const SIGNAL: &str = "the process dies with SIGSEGV";

/// The features that end the process of the host on this plug-in.
pub(super) fn unguarded(pair: &Pair<'_>) -> impl Iterator<Item = Finding> {
    let missing = pair.behaviour.unguarded_features(pair.host);
    let missing = missing.filter(|(_, extension)| !pair.plugin.has_extension(extension));
    missing.map(|(feature, extension)| {
        let host = &pair.host.name;
        let rule =
            rules::FeatureNeedsAnExtension { feature: &feature, host, extension: &extension };
        rule.finding().with_symptom(SIGNAL)
    })
}
