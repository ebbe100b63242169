//! What a TensorFlow release says to a plug-in.

use std::sync::Arc;

use unskew_abi::Format;
use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Promise, PromiseState, Version,
};

use crate::exports::{Exports, exports, measured};
use crate::plugin::Plugin;
use crate::rules;

/// How many names a message has.
const NAMED: usize = 3;

/// Whether the release loads plug-ins at all.
pub(crate) struct Loader;

impl Matcher for Loader {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<Exports>()?;
        let version = release.version();
        let missing = rules::NoLoader { release: &version };
        let findings = if release.loads_plugins() { vec![] } else { vec![missing.finding()] };
        let statement = "the interface has version 0.0.1 in every release and changed nonetheless";
        let promise = Promise {
            policy: "StreamExecutor C API".to_owned(),
            state: PromiseState::NotPromised,
            window: None,
            from: None,
            until: None,
            statement: statement.to_owned(),
            reference: "documents: stream-executor-c-api-versioning".to_owned(),
        };
        Some(Judgement { findings, promises: vec![promise] })
    }
}

/// Whether the release has the libraries that the plug-in needs.
pub(crate) struct Needed(pub(crate) Arc<Plugin>);

impl Matcher for Needed {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<Exports>()?);
        // Libraries have other names on macOS and Windows, of which nothing was measured.
        let known = plugin.format == Format::Elf && release.loads_plugins();
        let findings = if known { libraries(plugin, release) } else { Vec::new() };
        Some(Judgement { findings, promises: Vec::new() })
    }
}

/// Whether the release exports the C functions that the plug-in binds to.
pub(crate) struct Functions(pub(crate) Arc<Plugin>);

impl Matcher for Functions {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<Exports>()?);
        if !release.loads_plugins() {
            return Some(Judgement::default());
        }
        // Of macOS, Windows and releases before the first table, nothing was measured.
        let known = plugin.format == Format::Elf && release.count().is_some();
        let findings = functions(plugin, release).into_iter().collect();
        known.then_some(Judgement { findings, promises: Vec::new() })
    }
}

/// That the plug-in binds to C++ symbols. Which of them a release has is not known: see [`Unknown`].
pub(crate) struct CppSymbols(pub(crate) Arc<Plugin>);

impl Matcher for CppSymbols {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<Exports>()?;
        let findings = cpp(&self.0).into_iter().collect();
        Some(Judgement { findings, promises: Vec::new() })
    }
}

/// What cannot be told: required callbacks that are empty, because only running code shows them; the
/// C++ symbols of a release, because none is measured.
pub(crate) struct Unknown;

impl Matcher for Unknown {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        None
    }
}

/// The libraries that the plug-in needs and the release lacks, or that it should need.
fn libraries(plugin: &Plugin, release: &Exports) -> Vec<Finding> {
    let version = release.version();
    if plugin.libraries.is_empty() && !plugin.functions.is_empty() {
        let (imported, names) = (plugin.functions.len(), listed(&plugin.functions));
        let rule = rules::LibraryNotNeeded { imported: &imported, names: &names };
        return vec![unbound(rule.finding(), &plugin.functions)];
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

/// The functions that the plug-in imports and the release does not export.
fn functions(plugin: &Plugin, release: &Exports) -> Option<Finding> {
    let missing = missing(plugin, release);
    let rule = rules::FunctionNotExported {
        release: &release.version(),
        missing: &missing.len(),
        imported: &plugin.functions.len(),
        names: &listed(&missing),
        remedy: &remedy(plugin, release.version()),
    };
    (!missing.is_empty()).then(|| unbound(rule.finding(), &missing))
}

fn missing<'a>(plugin: &'a Plugin, release: &Exports) -> Vec<&'a String> {
    plugin.functions.iter().filter(|name| release.has(name) == Some(false)).collect()
}

fn cpp(plugin: &Plugin) -> Option<Finding> {
    let (count, names) = (plugin.cpp.len(), listed(&plugin.cpp));
    let rule = rules::CppSymbols { count: &count, names: &names };
    (count > 0).then(|| unbound(rule.finding(), &plugin.cpp))
}

/// A finding about symbols that the loader does not bind, with what it says about the first.
fn unbound<T: AsRef<str>>(finding: Finding, symbols: &[T]) -> Finding {
    let finding = finding.at(symbols.iter().map(AsRef::as_ref).collect::<Places>());
    match symbols.first() {
        Some(first) => finding.with_symptom(format!("undefined symbol: {}", first.as_ref())),
        None => finding,
    }
}

/// The first few names, and how many there are besides.
fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let named: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// What to install instead: the newest release that has everything. A release that was not measured
/// is not named.
fn remedy(plugin: &Plugin, release: Version) -> String {
    let has_all = |version: &&Version| {
        let offered = exports(version);
        let lacks = |name: &String| offered.has_library(name) == Some(false);
        missing(plugin, &offered).is_empty() && !plugin.libraries.iter().any(lacks)
    };
    match measured().iter().rev().find(has_all) {
        Some(fits) => format!("Install tensorflow=={fits}, the newest release that has it all."),
        None => {
            format!("Rebuild the plug-in with the headers and exports of TensorFlow {release}.")
        }
    }
}
