//! What the releases of one package have: `data/class-names.tsv` of the database.

use std::collections::{BTreeMap, BTreeSet};

use unskew_definitions::SpanTable;

/// The places of the first and the last release of a span.
type ReleaseSpan = (usize, usize);

/// The classes and functions of the releases of one package. The rows of its table have these forms:
///
/// | row | what it says |
/// | --- | --- |
/// | `MODULE:NAME` | the module has the class or function, or takes it from another module |
/// | `MODULE:NAME?` | its sources do not say: names that are made when it is imported |
/// | `MODULE:*` | an extension module: it may have names that were not found in it |
/// | `OLD>NEW` | a loader of the package takes a module, or a class in it, for another one |
#[derive(Clone, Debug)]
pub struct PackageClasses {
    package: String,
    releases: Vec<String>,
    /// The spans of releases of each row, by its text.
    rows: BTreeMap<String, Vec<ReleaseSpan>>,
    modules: BTreeSet<String>,
}

/// Whether a release has a class or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassPresence {
    /// It has it.
    Present,
    /// Its module is there, without it.
    Missing,
    /// Its module is not there.
    ModuleMissing,
    /// Its sources do not say.
    Unknown,
    /// No release in the table has it.
    Unheard,
}

impl PackageClasses {
    /// Reads the lines of a package; none if one of them is none of the table.
    pub fn from_section(section: &str) -> Option<Self> {
        let package = section.split([' ', '\n']).nth(1)?.to_owned();
        let table = SpanTable::read(section)?;
        let rows: BTreeMap<String, Vec<ReleaseSpan>> =
            table.rows().map(|(text, spans)| (text.to_owned(), spans.to_vec())).collect();
        let modules = rows.keys().filter_map(|text| text.split_once(':'));
        let modules = modules.map(|(module, _)| module.to_owned()).collect();
        Some(Self { package, releases: table.releases, rows, modules })
    }

    /// The row for a name of a module; an empty name for a module whose names are not read.
    pub fn row(module: &str, name: &str, is_unknown: bool) -> String {
        match (name, is_unknown) {
            ("", _) => format!("{module}:*"),
            (name, true) => format!("{module}:{name}?"),
            (name, false) => format!("{module}:{name}"),
        }
    }

    /// The row for a module or class (`module:name`) that a loader takes for another one.
    pub fn mapped_row(old: &str, new: &str) -> String {
        format!("{old}>{new}")
    }

    /// The package, as indexes compare its name.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// The releases that were read, the oldest first.
    pub fn releases(&self) -> &[String] {
        &self.releases
    }

    /// Every class and function that some release has, as module and name, and whether all have it.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        let all = (0, self.releases.len().saturating_sub(1));
        let named = self.rows.iter().filter(|(text, _)| !text.ends_with(['?', '*']));
        named.filter_map(move |(text, spans)| {
            let (module, name) = text.split_once(':')?;
            (!text.contains('>')).then_some((module, name, spans.contains(&all)))
        })
    }

    /// Whether a module at the top is one of the package's.
    pub(crate) fn has_top(&self, top: &str) -> bool {
        let first = self.modules.range(top.to_owned()..).next();
        first.is_some_and(|one| {
            one.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Whether the release in this place has what a pickle writes as `module.name`.
    pub fn presence(&self, full: &str, at: usize) -> ClassPresence {
        let mut found = ClassPresence::Unheard;
        for (dot, _) in full.rmatch_indices('.') {
            let (module, name) = (&full[..dot], &full[dot + 1..]);
            // A class in another one has a name with a dot: what counts is the outer one, and it is no module.
            let outer = name.split('.').next().unwrap_or(name);
            if !self.modules.contains(module) || (outer != name && !is_class(outer)) {
                continue;
            }
            match self.presence_in(module, outer, at) {
                ClassPresence::Unheard => {}
                ClassPresence::ModuleMissing => found = ClassPresence::ModuleMissing,
                decided => return decided,
            }
        }
        found
    }

    /// Whether the release in this place has a name in a module.
    fn presence_in(&self, module: &str, name: &str, at: usize) -> ClassPresence {
        let holds = |name: &str, is_unknown| self.holds(&Self::row(module, name, is_unknown), at);
        let is_known = |is_unknown| self.rows.contains_key(&Self::row(module, name, is_unknown));
        if holds(name, false) {
            ClassPresence::Present
        } else if holds(name, true) || (holds("", true) && !(is_rebuilder(name) && is_known(false)))
        {
            ClassPresence::Unknown
        } else if !is_known(false) && !is_known(true) {
            ClassPresence::Unheard
        } else if self.has_module(module, at) {
            ClassPresence::Missing
        } else {
            ClassPresence::ModuleMissing
        }
    }

    /// What a loader of the release in this place takes `module.name` for, as such a name; none if it looks that up itself.
    pub(crate) fn mapped(&self, full: &str, at: usize) -> Option<String> {
        let rows =
            self.rows.iter().filter(|(text, spans)| text.contains('>') && includes(spans, at));
        rows.filter_map(|(text, _)| text.split_once('>')).find_map(|(old, new)| {
            let (old, new) = (old.replace(':', "."), new.replace(':', "."));
            let rest = full.strip_prefix(&*old)?;
            (rest.is_empty() || rest.starts_with('.')).then(|| new + rest)
        })
    }

    fn has_module(&self, module: &str, at: usize) -> bool {
        let from = self.rows.range(module.to_owned()..);
        let of_module = from.take_while(|(text, _)| text.starts_with(module));
        let is_inside =
            |text: &str| text.strip_prefix(module).is_some_and(|rest| rest.starts_with([':', '.']));
        let mut inside = of_module.filter(|(text, _)| is_inside(text) && !text.contains('>'));
        inside.any(|(_, spans)| includes(spans, at))
    }

    fn holds(&self, row: &str, at: usize) -> bool {
        self.rows.get(row).is_some_and(|spans| includes(spans, at))
    }
}

fn includes(spans: &[ReleaseSpan], at: usize) -> bool {
    spans.iter().any(|(first, last)| (*first..=*last).contains(&at))
}

/// Whether it is a function by which objects are made anew. Of an extension module these are all known, if some release has one of
/// the name: their names lie in it as texts.
pub(crate) fn is_rebuilder(name: &str) -> bool {
    name.contains("unpickle") || name.ends_with("_ctor")
}

/// Whether a name is written like one of a class: `Net`, `_Net`.
fn is_class(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
