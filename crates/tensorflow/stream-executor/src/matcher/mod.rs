//! Matchers of a plug-in and a TensorFlow release.

mod elf;
mod macho;

use std::sync::{Arc, LazyLock};

use unskew_abi::ObjectFormat;
use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Policy, Promise, PromiseState, Version,
};
use unskew_tables::toml_table;

use crate::exports::TensorFlowExports;
use crate::layout::FIRST;
use crate::plugin::PluginImports;
use crate::preflight::{PluginEntry, Preflight, PreflightFailure, TrialEnd, findings, of_entries};
use crate::rules;

/// How many names a message has.
const NAMED: usize = 3;

/// Whether the release loads plug-ins at all.
pub(crate) struct LoaderMatcher;

impl Matcher for LoaderMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<TensorFlowExports>()?;
        let version = release.version();
        let missing = rules::NoLoader { release: &version };
        let findings = if release.loads_plugins() { vec![] } else { vec![missing.finding()] };
        Some(Judgement { findings, promises: vec![promise()], ..Judgement::default() })
    }
}

/// What is promised about any two releases: nothing.
fn promise() -> Promise {
    let policy = policy();
    Promise {
        policy: policy.name.clone(),
        state: PromiseState::NotPromised,
        window: None,
        from: None,
        until: None,
        statement: policy.text.clone(),
        reference: policy.reference.clone(),
    }
}

/// What the makers of the interface promise.
pub fn policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));
    &POLICY
}

/// Whether the release has the libraries that the plug-in needs.
pub(crate) struct LibraryMatcher(pub(crate) Arc<PluginImports>);

impl Matcher for LibraryMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<TensorFlowExports>()?);
        let findings = match plugin.format {
            _ if !release.loads_plugins() => Vec::new(),
            ObjectFormat::Elf => elf::libraries(plugin, release),
            ObjectFormat::MachO if macho::has_no_wheel(plugin, release) => {
                macho::no_wheel(plugin, release).into_iter().collect()
            }
            ObjectFormat::MachO => macho::MachoContext::new(plugin, release)?.libraries(),
            // Libraries have other names on Windows, of which nothing was measured.
            ObjectFormat::Pe => Vec::new(),
        };
        Some(Judgement { findings, ..Judgement::default() })
    }
}

/// Whether the release exports the C functions that the plug-in binds to.
pub(crate) struct FunctionMatcher(pub(crate) Arc<PluginImports>);

impl Matcher for FunctionMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<TensorFlowExports>()?);
        let findings = match plugin.format {
            _ if !release.loads_plugins() => Vec::new(),
            // Of releases before the first table and after the last one, nothing was measured.
            ObjectFormat::Elf => {
                release.count()?;
                elf::all_functions(plugin, release)
            }
            ObjectFormat::MachO if macho::has_no_wheel(plugin, release) => Vec::new(),
            ObjectFormat::MachO => macho::MachoContext::new(plugin, release)?.functions(),
            ObjectFormat::Pe => return None,
        };
        Some(Judgement { findings, ..Judgement::default() })
    }
}

/// Which of the C++ symbols that the plug-in binds to it finds, and that none of them is promised. Whether all of
/// that is known says [`CppCoverageMatcher`].
pub(crate) struct CppSymbolMatcher(pub(crate) Arc<PluginImports>);

impl Matcher for CppSymbolMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<TensorFlowExports>()?);
        if !release.loads_plugins() || macho::has_no_wheel(plugin, release) {
            return Some(Judgement::default());
        }
        let absent = match (plugin.format, macho::MachoContext::new(plugin, release)) {
            (ObjectFormat::Elf, _) => elf::not_found(plugin, release).into_iter().collect(),
            (ObjectFormat::MachO, Some(seen)) => seen.cpp(),
            (ObjectFormat::MachO | ObjectFormat::Pe, _) => Vec::new(),
        };
        let findings = if absent.is_empty() { vec![no_promise(plugin)] } else { absent };
        Some(Judgement { findings, ..Judgement::default() })
    }
}

/// Whether it is known of every C++ symbol that the plug-in binds to whether the release has it.
pub(crate) struct CppCoverageMatcher(pub(crate) Arc<PluginImports>);

impl Matcher for CppCoverageMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let (plugin, release) = (&*self.0, other.capability::<TensorFlowExports>()?);
        let known = match plugin.format {
            _ if !release.loads_plugins() => true,
            ObjectFormat::Elf => elf::knows_cpp(plugin, release),
            ObjectFormat::MachO if macho::has_no_wheel(plugin, release) => true,
            ObjectFormat::MachO => macho::MachoContext::new(plugin, release)?.knows_cpp(),
            ObjectFormat::Pe => false,
        };
        known.then(Judgement::default)
    }
}

/// What cannot be told: required callbacks that are empty, because only running code shows them.
pub(crate) struct UntriedCallbackMatcher;

impl Matcher for UntriedCallbackMatcher {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        None
    }
}

/// What a host of the release finds when it registers the plug-in, as the plug-in did on trial.
pub(crate) struct CallbackMatcher(pub(crate) Arc<Preflight>);

impl Matcher for CallbackMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<TensorFlowExports>()?.version();
        let minor = u32::try_from(release.minor()).ok()?;
        if release.major() != 2 || minor < FIRST.minor {
            // It loads no plug-in, which is said already.
            return Some(Judgement::default());
        }
        if matches!(self.0.failure, Some(PreflightFailure::NotRun(_))) && self.0.trials.is_empty() {
            // That nobody ran it is said by its party.
            return Some(Judgement::default());
        }
        let trial = self.0.of_release(minor)?;
        let known = !matches!(trial.end, TrialEnd::NotMade(_)) && !trial.is_moot();
        known.then(|| Judgement { findings: findings(trial, &release), ..Judgement::default() })
    }
}

/// What a host of the release finds when it goes through the entries that come after registration.
pub(crate) struct EntryMatcher(pub(crate) Arc<Preflight>);

impl Matcher for EntryMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let release = other.capability::<TensorFlowExports>()?.version();
        let minor = u32::try_from(release.minor()).ok()?;
        if release.major() != 2 || minor < FIRST.minor {
            return Some(Judgement::default());
        }
        let accepted = self.0.of_release(minor).is_some_and(|trial| trial.is_accepted());
        let open = |entry| {
            let trial = self.0.entered(entry, minor);
            trial.is_some_and(|trial| matches!(trial.end, TrialEnd::NotMade(_)) || trial.is_moot())
        };
        // A plug-in that is not registered comes no further, which is said already.
        let known = !accepted || !PluginEntry::OTHERS.into_iter().any(open);
        let findings = of_entries(&self.0, &release);
        known.then_some(Judgement { findings, ..Judgement::default() })
    }
}

/// Whether another plug-in registers the same platform.
pub(crate) struct PlatformMatcher(pub(crate) Arc<Preflight>);

impl Matcher for PlatformMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let other = other.capability::<Preflight>()?;
        let name = self.0.platform()?;
        let same = Some(name) == other.platform();
        let twice = rules::PlatformRegisteredTwice { name: &name };
        let findings = if same { vec![twice.finding()] } else { Vec::new() };
        Some(Judgement { findings, ..Judgement::default() })
    }
}

/// That nothing is promised of the C++ symbols that the plug-in imports. No loader says so: none is missing.
fn no_promise(plugin: &PluginImports) -> Finding {
    let (count, names) = (plugin.cpp.len(), listed(&plugin.cpp));
    let rule = rules::CppSymbols { count: &count, names: &names };
    rule.finding().at(plugin.cpp.iter().map(String::as_str).collect::<Places>())
}

/// What the loader says of a symbol that it does not find.
fn symptom(plugin: &PluginImports, name: &str) -> String {
    match (plugin.format, plugin.bound.contains_key(name)) {
        (ObjectFormat::MachO, true) => format!("Symbol not found: _{name}"),
        (ObjectFormat::MachO, false) => format!("symbol not found in flat namespace '_{name}'"),
        _ => format!("undefined symbol: {name}"),
    }
}

/// A finding about symbols that the loader does not bind, with what it says about the first.
fn unbound<T: AsRef<str>>(plugin: &PluginImports, finding: Finding, symbols: &[T]) -> Finding {
    let finding = finding.at(symbols.iter().map(AsRef::as_ref).collect::<Places>());
    match symbols.first() {
        Some(first) => finding.with_symptom(symptom(plugin, first.as_ref())),
        None => finding,
    }
}

/// Whether only TensorFlow has such a symbol.
fn is_own(name: &str) -> bool {
    let of = |part| name.find(part).unwrap_or(usize::MAX);
    of("10tensorflow").min(of("3tsl")) < of("6google8protobuf").min(of("4absl"))
}

/// The first few names, and how many there are besides.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let named: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// What to install instead: `fits` of these releases, the newest one that has everything.
fn instead(fits: Option<(&str, Version)>, release: Version) -> String {
    match fits {
        Some((package, fits)) => {
            format!("Install {package}=={fits}, the newest release that has it all.")
        }
        None => {
            format!("Rebuild the plug-in with the headers and exports of TensorFlow {release}.")
        }
    }
}
