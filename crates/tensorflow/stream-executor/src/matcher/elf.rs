//! Symbol lookup of the loader of Linux, for a plug-in in a release.

use unskew_core::{Finding, Version};

use super::{instead, is_own, listed, unbound};
use crate::exports::{FRAMEWORK, TensorFlowExports, exports, measured};
use crate::plugin::PluginImports;
use crate::rules;

/// The libraries that the plug-in needs and the release lacks, or that it should need.
pub(super) fn libraries(plugin: &PluginImports, release: &TensorFlowExports) -> Vec<Finding> {
    let version = release.version();
    let unseen = plugin.libraries.is_empty() && !release.symbols_are_global();
    if unseen && !plugin.functions.is_empty() {
        let functions: Vec<&String> = plugin.functions.iter().collect();
        return vec![not_needed(plugin, release, &functions)];
    }
    let lacking = plugin.libraries.iter().filter(|name| release.has_library(name) == Some(false));
    let finding = |library: &String| {
        let remedy = remedy(plugin, version);
        let rule = rules::LibraryNotInRelease { release: &version, library, remedy: &remedy };
        let symptom = "cannot open shared object file: No such file or directory";
        rule.finding().with_symptom(format!("{library}: {symptom}"))
    };
    lacking.map(finding).collect()
}

/// The functions that the plug-in does not find.
pub(super) fn all_functions(plugin: &PluginImports, release: &TensorFlowExports) -> Vec<Finding> {
    functions(plugin, release).into_iter().chain(out_of_reach(plugin, release)).collect()
}

/// The functions that the plug-in imports and the release does not export.
fn functions(plugin: &PluginImports, release: &TensorFlowExports) -> Option<Finding> {
    let missing = missing(plugin, release);
    let rule = rules::FunctionNotExported {
        release: &release.version(),
        missing: &missing.len(),
        imported: &plugin.functions.len(),
        names: &listed(&missing),
        remedy: &remedy(plugin, release.version()),
    };
    (!missing.is_empty()).then(|| unbound(plugin, rule.finding(), &missing))
}

fn missing<'a>(plugin: &'a PluginImports, release: &TensorFlowExports) -> Vec<&'a String> {
    plugin.functions.iter().filter(|name| release.has(name) == Some(false)).collect()
}

/// The functions that the release exports from a library that the plug-in does not see.
fn out_of_reach(plugin: &PluginImports, release: &TensorFlowExports) -> Option<Finding> {
    // Without any library nothing is seen, and that is said already.
    let unseen = if plugin.libraries.is_empty() { Vec::new() } else { unseen(plugin, release) };
    (!unseen.is_empty()).then(|| not_needed(plugin, release, &unseen))
}

fn unseen<'a>(plugin: &'a PluginImports, release: &TensorFlowExports) -> Vec<&'a String> {
    let reaches = |name: &String| release.reaches(name, &plugin.libraries);
    plugin.functions.iter().filter(|name| reaches(name) == Some(false)).collect()
}

/// That the plug-in should need the library that has `functions`.
fn not_needed(
    plugin: &PluginImports,
    release: &TensorFlowExports,
    functions: &[&String],
) -> Finding {
    let framework = [FRAMEWORK.to_owned()];
    let suffices = |name: &&String| release.reaches(name, &framework) != Some(false);
    let library = if functions.iter().all(suffices) { FRAMEWORK } else { release.other_library() };
    let rule = rules::LibraryNotNeeded {
        release: &release.version(),
        unseen: &functions.len(),
        imported: &plugin.functions.len(),
        library: &library,
        names: &listed(functions),
    };
    unbound(plugin, rule.finding(), functions)
}

/// Whether the plug-in finds a C++ symbol in the release, if that is known.
fn has_cpp(plugin: &PluginImports, release: &TensorFlowExports, name: &str) -> Option<bool> {
    let found = release.reaches_cpp(name, &plugin.libraries)?;
    // What is linked into TensorFlow may come from another library as well.
    let own = plugin.alone || is_own(name);
    (found || own).then_some(found)
}

fn absent<'a>(plugin: &'a PluginImports, release: &TensorFlowExports) -> Vec<&'a String> {
    plugin.cpp.iter().filter(|name| has_cpp(plugin, release, name) == Some(false)).collect()
}

/// Whether it is known of every C++ symbol of the plug-in whether the release has it.
pub(super) fn knows_cpp(plugin: &PluginImports, release: &TensorFlowExports) -> bool {
    // One that is not there decides, whatever is known of the others.
    let found = |name: &String| has_cpp(plugin, release, name).is_some();
    !absent(plugin, release).is_empty() || plugin.cpp.iter().all(found)
}

/// The C++ symbols that the plug-in does not find.
pub(super) fn not_found(plugin: &PluginImports, release: &TensorFlowExports) -> Option<Finding> {
    let absent = absent(plugin, release);
    let rule = rules::CppSymbolNotFound {
        release: &release.version(),
        missing: &absent.len(),
        imported: &plugin.cpp.len(),
        names: &listed(&absent),
        remedy: &remedy(plugin, release.version()),
    };
    (!absent.is_empty()).then(|| unbound(plugin, rule.finding(), &absent))
}

/// What to install instead: the newest release that has everything. A release that was not measured
/// is not named.
fn remedy(plugin: &PluginImports, release: Version) -> String {
    let has_all = |version: &&Version| {
        let offered = exports(version);
        let lacks = |name: &String| offered.has_library(name) == Some(false);
        let binds = missing(plugin, &offered).is_empty() && unseen(plugin, &offered).is_empty();
        let cpp = plugin.cpp.iter().all(|name| has_cpp(plugin, &offered, name) == Some(true));
        binds && cpp && !plugin.libraries.iter().any(lacks)
    };
    let fits = measured().iter().rev().find(has_all);
    instead(fits.map(|fits| ("tensorflow", *fits)), release)
}
