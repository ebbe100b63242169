//! The command that adapts a plug-in, with the path of the plug-in.

use unskew_core::{Outcome, Role, Verdict};

use crate::shell::quoted;
use crate::sides::ResolvedParty;

/// How a boundary, which knows no paths, names the adaptation; the host stands behind it.
const ADAPTATION: &str = "unskew adapt --for ";

/// Puts the path of the plug-in of a pair into the commands that adapt it, so that they can be pasted.
pub(crate) fn name_plugin(verdict: &mut Verdict, pair: [&ResolvedParty; 2]) {
    let plugin = pair.into_iter().find(|one| one.party.role == Role::Plugin);
    let Some(path) = plugin.and_then(|plugin| plugin.path.as_deref()) else { return };
    let path = quoted(path);
    let name = |adaptation: &mut String| {
        if let Some(host) = adaptation.strip_prefix(ADAPTATION) {
            *adaptation = format!("unskew adapt {path} --for {host} -o adapted/");
        }
    };
    verdict.findings.iter_mut().filter_map(|finding| finding.adaptation.as_mut()).for_each(name);
    if let Outcome::Adaptable(names) = &mut verdict.outcome {
        names.iter_mut().for_each(name);
    }
}
