//! Inclusions among the headers at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::header::Header;

/// The headers that each includes itself, told by their file names: the folders of a project stand before them or
/// not, as its build has it.
#[derive(Clone, Debug, Default)]
pub struct Inclusions(BTreeMap<Arc<str>, BTreeSet<Arc<str>>>);

impl Inclusions {
    /// Those of headers with these names.
    pub fn from_headers(headers: &[Header], names: &[Arc<str>]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&Arc<str>>> = BTreeMap::new();
        for name in names {
            by_name.entry(base_name(name)).or_default().push(name);
        }
        let includes = |header: &Header| {
            let found = header.includes.iter().filter_map(|name| by_name.get(base_name(name)));
            found.flatten().copied().cloned().collect()
        };
        Self(names.iter().cloned().zip(headers.iter().map(includes)).collect())
    }

    /// `file`, whatever it includes and whatever includes it, over any number of steps.
    pub fn related(&self, file: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([file.to_owned()]);
        let included = |name: &str| -> Vec<&str> {
            self.0.get(name).into_iter().flatten().map(|name| &**name).collect()
        };
        let including = |name: &str| -> Vec<&str> {
            let all = self.0.iter().filter(|(_, includes)| includes.contains(name));
            all.map(|(other, _)| &**other).collect()
        };
        self.walk(file, &included, &mut found);
        self.walk(file, &including, &mut found);
        found
    }

    fn walk<'s>(
        &'s self,
        from: &str,
        next: &dyn Fn(&str) -> Vec<&'s str>,
        found: &mut BTreeSet<String>,
    ) {
        let (mut open, mut seen) = (next(from), BTreeSet::new());
        while let Some(name) = open.pop() {
            if seen.insert(name) {
                found.insert(name.to_owned());
                open.extend(next(name));
            }
        }
    }
}

/// The name of a file without its folders.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
