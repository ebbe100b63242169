//! What a TensorFlow release says to a plug-in.

use std::sync::{Arc, LazyLock};

use unskew_abi::Format;
use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Policy, Promise, PromiseState, Version,
};

use crate::exports::{Exports, FRAMEWORK, exports, measured};
use crate::layout::FIRST;
use crate::plugin::Plugin;
use crate::preflight::{End, Entry, Preflight, findings, of_entries};
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
        Some(Judgement { findings, promises: promise().into_iter().collect() })
    }
}

/// What is promised about any two releases: nothing.
fn promise() -> Option<Promise> {
    let policy = policy()?;
    Some(Promise {
        policy: policy.name.clone(),
        state: PromiseState::NotPromised,
        window: None,
        from: None,
        until: None,
        statement: policy.text.clone(),
        reference: policy.reference.clone(),
    })
}

/// What the makers of the interface promise. None only if the file of this crate were broken, which
/// a test rules out.
pub fn policy() -> Option<&'static Policy> {
    static POLICY: LazyLock<Option<Policy>> =
        LazyLock::new(|| Policy::from_toml(include_str!("../data/policy.toml")).ok());
    POLICY.as_ref()
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
        let findings = functions(plugin, release).into_iter().chain(out_of_reach(plugin, release));
        let findings = findings.collect();
        known.then_some(Judgement { findings, promises: Vec::new() })
    }
}

/// Which of the C++ symbols that the plug-in binds to it finds, and that none of them is promised. Whether all of
/// that is known says [`CppKnown`].
pub(crate) struct CppSymbols(pub(crate) Arc<Plugin>);

impl Matcher for CppSymbols {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<Exports>()?;
        if !release.loads_plugins() {
            return Some(Judgement::default());
        }
        let absent = absent(&self.0, release);
        let finding =
            if absent.is_empty() { cpp(&self.0) } else { not_found(&self.0, release, &absent) };
        Some(Judgement { findings: finding.into_iter().collect(), promises: Vec::new() })
    }
}

/// Whether it is known of every C++ symbol that the plug-in binds to whether the release has it.
pub(crate) struct CppKnown(pub(crate) Arc<Plugin>);

impl Matcher for CppKnown {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<Exports>()?);
        let found = |name: &String| has_cpp(plugin, release, name).is_some();
        // One that is not there decides, whatever is known of the others.
        let known = !absent(plugin, release).is_empty() || plugin.cpp.iter().all(found);
        (known || !release.loads_plugins()).then(Judgement::default)
    }
}

/// What cannot be told: required callbacks that are empty, because only running code shows them.
pub(crate) struct Unknown;

impl Matcher for Unknown {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        None
    }
}

/// What a host of the release finds when it registers the plug-in, as the plug-in did on trial.
pub(crate) struct Callbacks(pub(crate) Arc<Preflight>);

impl Matcher for Callbacks {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<Exports>()?.version();
        let minor = u32::try_from(release.minor()).ok()?;
        if release.major() != 2 || minor < FIRST.minor {
            // It loads no plug-in, which is said already.
            return Some(Judgement::default());
        }
        let trial = self.0.of_release(minor)?;
        let known = !matches!(trial.end, End::NotMade(_)) && !trial.is_moot();
        known.then(|| Judgement { findings: findings(trial, &release), promises: Vec::new() })
    }
}

/// What a host of the release finds when it goes through the entries that come after registration.
pub(crate) struct Entries(pub(crate) Arc<Preflight>);

impl Matcher for Entries {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<Exports>()?.version();
        let minor = u32::try_from(release.minor()).ok()?;
        if release.major() != 2 || minor < FIRST.minor {
            return Some(Judgement::default());
        }
        let accepted = self.0.of_release(minor).is_some_and(|trial| trial.is_accepted());
        let open = |entry| {
            let trial = self.0.entered(entry, minor);
            trial.is_some_and(|trial| matches!(trial.end, End::NotMade(_)) || trial.is_moot())
        };
        // A plug-in that is not registered comes no further, which is said already.
        let known = !accepted || !Entry::OTHERS.into_iter().any(open);
        let findings = of_entries(&self.0, &release);
        known.then_some(Judgement { findings, promises: Vec::new() })
    }
}

/// Whether another plug-in registers the same platform.
pub(crate) struct OwnPlatform(pub(crate) Arc<Preflight>);

impl Matcher for OwnPlatform {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let other = other.capability::<Preflight>()?;
        let name = self.0.platform()?;
        let same = Some(name) == other.platform();
        let twice = rules::PlatformRegisteredTwice { name: &name };
        let findings = if same { vec![twice.finding()] } else { Vec::new() };
        Some(Judgement { findings, promises: Vec::new() })
    }
}

/// The libraries that the plug-in needs and the release lacks, or that it should need.
fn libraries(plugin: &Plugin, release: &Exports) -> Vec<Finding> {
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

/// The functions that the release exports from a library that the plug-in does not see.
fn out_of_reach(plugin: &Plugin, release: &Exports) -> Option<Finding> {
    // Without any library nothing is seen, and that is said already.
    let unseen = if plugin.libraries.is_empty() { Vec::new() } else { unseen(plugin, release) };
    (!unseen.is_empty()).then(|| not_needed(plugin, release, &unseen))
}

fn unseen<'a>(plugin: &'a Plugin, release: &Exports) -> Vec<&'a String> {
    let reaches = |name: &String| release.reaches(name, &plugin.libraries);
    plugin.functions.iter().filter(|name| reaches(name) == Some(false)).collect()
}

/// That the plug-in should need the library that has `functions`.
fn not_needed(plugin: &Plugin, release: &Exports, functions: &[&String]) -> Finding {
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
    unbound(rule.finding(), functions)
}

fn cpp(plugin: &Plugin) -> Option<Finding> {
    let (count, names) = (plugin.cpp.len(), listed(&plugin.cpp));
    let rule = rules::CppSymbols { count: &count, names: &names };
    (count > 0).then(|| unbound(rule.finding(), &plugin.cpp))
}

/// Whether the plug-in finds a C++ symbol in the release, if that is known.
fn has_cpp(plugin: &Plugin, release: &Exports, name: &str) -> Option<bool> {
    // Libraries have other names on macOS and Windows, of which nothing was measured.
    let elf = plugin.format == Format::Elf;
    let found = release.reaches_cpp(name, &plugin.libraries).filter(|_| elf)?;
    // What is linked into TensorFlow may come from another library as well.
    let own = plugin.alone || is_own(name);
    (found || own).then_some(found)
}

/// Whether only TensorFlow has such a symbol.
fn is_own(name: &str) -> bool {
    let of = |part| name.find(part).unwrap_or(usize::MAX);
    of("10tensorflow").min(of("3tsl")) < of("6google8protobuf").min(of("4absl"))
}

fn absent<'a>(plugin: &'a Plugin, release: &Exports) -> Vec<&'a String> {
    plugin.cpp.iter().filter(|name| has_cpp(plugin, release, name) == Some(false)).collect()
}

fn not_found(plugin: &Plugin, release: &Exports, absent: &[&String]) -> Option<Finding> {
    let rule = rules::CppSymbolNotFound {
        release: &release.version(),
        missing: &absent.len(),
        imported: &plugin.cpp.len(),
        names: &listed(absent),
        remedy: &remedy(plugin, release.version()),
    };
    Some(unbound(rule.finding(), absent))
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
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
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
        let binds = missing(plugin, &offered).is_empty() && unseen(plugin, &offered).is_empty();
        let cpp = plugin.cpp.iter().all(|name| has_cpp(plugin, &offered, name) == Some(true));
        binds && cpp && !plugin.libraries.iter().any(lacks)
    };
    match measured().iter().rev().find(has_all) {
        Some(fits) => format!("Install tensorflow=={fits}, the newest release that has it all."),
        None => {
            format!("Rebuild the plug-in with the headers and exports of TensorFlow {release}.")
        }
    }
}
