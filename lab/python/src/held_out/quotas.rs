//! Classes of what breaks, and how many environments of each are wanted.

use std::collections::{BTreeMap, BTreeSet};

use super::sample::Sample;

/// Why an import fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BreakClass {
    /// A Python name that is not there.
    Name,
    /// Symbols and libraries of PyTorch.
    Torch,
    /// NumPy's binary interface.
    Numpy,
    /// Code that compares versions.
    Check,
    Other,
}

/// How many of each kind are still wanted.
#[derive(Debug)]
pub(super) struct Quotas {
    of_class: BTreeMap<BreakClass, usize>,
    /// Broken ones of any class.
    any: usize,
    /// Working ones as an installer makes them, and those in which a package was changed.
    pub(super) installed: usize,
    pub(super) changed: usize,
    /// What imports said so far, and the environments that work: each counts once.
    seen: BTreeSet<String>,
}

impl Quotas {
    /// The shares of 42 public threads: 22 names, 7 the PyTorch ABI, 3 NumPy, 3 checks in code, and others.
    pub(super) fn new(count: usize) -> Self {
        let share = |of: usize| (count * of + 21) / 42;
        let of_class: BTreeMap<_, _> = [
            (BreakClass::Name, share(22)),
            (BreakClass::Torch, share(7)),
            (BreakClass::Numpy, share(3)),
            (BreakClass::Check, share(3)),
        ]
        .into();
        let any = count - of_class.values().sum::<usize>();
        let (installed, changed) = (count / 2, count - count / 2);
        Self { of_class, any, installed, changed, seen: BTreeSet::new() }
    }

    pub(super) fn are_met(&self) -> bool {
        self.of_class.values().all(|left| *left == 0)
            && self.any + self.installed + self.changed == 0
    }

    /// What is still wanted, for whoever watches.
    pub(super) fn left(&self) -> String {
        let Self { of_class, any, installed, changed, .. } = self;
        format!("broken {of_class:?}, any {any}; working {installed}, changed {changed}")
    }

    pub(super) fn want_torch(&self) -> bool {
        self.of_class.get(&BreakClass::Torch).is_some_and(|left| *left > 0)
    }

    /// Whether one that breaks is still wanted.
    pub(super) fn want_broken(&self, class: BreakClass) -> bool {
        self.any > 0 || self.of_class.get(&class).is_some_and(|left| *left > 0)
    }

    /// Whether a sample is wanted; it counts then.
    pub(super) fn take(&mut self, sample: &Sample) -> bool {
        let first = sample.failed.iter().next();
        let subject = first.map_or_else(
            || format!("{} {:?}", sample.package, sample.drift),
            |(package, error)| match missing_name(error) {
                Some(name) => format!("{package} {name}"),
                None => format!("{package} {:?} {}", sample.class, sample.package),
            },
        );
        if !self.seen.insert(subject) {
            return false;
        }
        let of_class = self.of_class.get_mut(&sample.class).filter(|left| **left > 0);
        let left = match (sample.failed.is_empty(), sample.drift.is_some()) {
            (false, _) => of_class.unwrap_or(&mut self.any),
            (true, false) => &mut self.installed,
            (true, true) => &mut self.changed,
        };
        let is_wanted = *left > 0;
        *left = left.saturating_sub(1);
        is_wanted
    }
}

/// Which class an exception is of.
pub(super) fn class(error: &str) -> BreakClass {
    let has = |texts: &[&str]| texts.iter().any(|text| error.contains(text));
    if has(&["numpy.core.multiarray", "numpy.dtype size", "compiled using NumPy 1", "_ARRAY_API"]) {
        return BreakClass::Numpy;
    }
    if has(&[
        "undefined symbol",
        "cannot open shared object",
        "libtorch",
        "Could not load this library",
    ]) {
        return BreakClass::Torch;
    }
    if has(&["cannot import name", "has no attribute", "No module named"]) {
        return BreakClass::Name;
    }
    let is_check = ["ImportError", "RuntimeError", "VersionConflict"];
    match is_check.iter().any(|class| error.starts_with(class)) {
        true => BreakClass::Check,
        false => BreakClass::Other,
    }
}

/// The name that an exception says is missing.
pub(super) fn missing_name(error: &str) -> Option<String> {
    let after = ["cannot import name '", "has no attribute '", "No module named '"];
    if let Some((_, rest)) = after.iter().find_map(|text| error.split_once(text)) {
        return rest.split('\'').next().map(str::to_owned);
    }
    // "`np.sctypes` was removed in the NumPy 2.0 release."
    let (name, _) = error.split_once("` was removed")?;
    name.rsplit_once("`np.").map(|(_, name)| name.to_owned())
}
