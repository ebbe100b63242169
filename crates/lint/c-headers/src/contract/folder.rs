//! Headers of two folders that are one header in two places.

use std::collections::{BTreeMap, BTreeSet};

/// Gives old headers the names of new ones where these are in another folder: those whose file name is in
/// both sides only once.
///
/// ```
/// let mut old = ["xla/c/api.h".to_owned(), "xla/c/gone.h".to_owned()];
/// unskew_c_headers::contract::called_alike(old.iter_mut(), &["c/api.h", "c/new.h"]);
/// assert_eq!(old, ["c/api.h", "xla/c/gone.h"]);
/// ```
pub fn called_alike<'a>(old: impl IntoIterator<Item = &'a mut String>, new: &[&str]) {
    let mut old: Vec<&mut String> = old.into_iter().collect();
    let there: BTreeSet<&str> = new.iter().copied().collect();
    let mut candidates: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let here: BTreeSet<String> = old.iter().map(|name| (*name).clone()).collect();
    for name in new.iter().filter(|name| !here.contains(**name)) {
        candidates.entry(base(name).to_owned()).or_default().push(name);
    }
    let mut wanting: BTreeMap<String, usize> = BTreeMap::new();
    for name in old.iter().filter(|name| !there.contains(name.as_str())) {
        *wanting.entry(base(name).to_owned()).or_default() += 1;
    }
    for name in &mut old {
        let base = base(name);
        if there.contains(name.as_str()) || wanting.get(base) != Some(&1) {
            continue;
        }
        if let Some([one]) = candidates.get(base).map(Vec::as_slice) {
            **name = (*one).to_owned();
        }
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
