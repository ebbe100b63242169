//! The command that adapts a plug-in, with the path of the plug-in.

use unskew_core::{Outcome, Role, Verdict};

use crate::shell::quoted;
use crate::sides::ResolvedParty;

/// How a boundary, which knows no paths, names the adaptation; the host stands behind it.
const ADAPTATION: &str = "unskew adapt --for ";

/// Puts the path of the plug-in of a pair into the commands that adapt it, so that they can be pasted. One that is only named
/// is fetched first.
pub(crate) fn name_plugin(verdict: &mut Verdict, pair: [&ResolvedParty; 2]) {
    let plugin = pair.into_iter().find(|one| one.party.role == Role::Plugin);
    let Some(begin) = plugin.and_then(command) else { return };
    let name = |adaptation: &mut String| {
        if let Some(host) = adaptation.strip_prefix(ADAPTATION) {
            *adaptation = format!("{begin} --for {host} -o adapted/");
        }
    };
    verdict.findings.iter_mut().filter_map(|finding| finding.adaptation.as_mut()).for_each(name);
    if let Outcome::Adaptable(names) = &mut verdict.outcome {
        names.iter_mut().for_each(name);
    }
}

/// The command without the host: `unskew adapt plugin.so`.
fn command(plugin: &ResolvedParty) -> Option<String> {
    if let Some(path) = &plugin.path {
        return Some(format!("unskew adapt {}", quoted(path)));
    }
    let (package, version) = plugin.label.split_once('@')?;
    let wheel = format!("{}-{version}-*.whl", package.replace('-', "_"));
    Some(format!("pip download --no-deps {package}=={version} && unskew adapt {wheel}"))
}
