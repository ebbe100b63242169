//! Types that are called otherwise: the same content under a similar name.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use super::pair::ContractPair;
use super::type_equivalence::TypeEquivalence;
use crate::contract::HeaderStruct;
use foldhash::{HashMap, HashMapExt as _};

/// Of names that share fewer words than this, one is not another name of the other.
const SIMILAR: f64 = 0.5;
/// How many candidates of one form are looked at: with more, nobody could tell which is which.
const CANDIDATES: usize = 16;

/// Structs with another name.
pub fn structs(pair: &ContractPair<'_>) -> BTreeMap<String, String> {
    let (old, new) = (&pair.old.structs, &pair.new.structs);
    let gone = old.values().filter(|s| !pair.new.declares(&s.name));
    let come = new.values().filter(|s| !pair.old.declares(&s.name));
    matched(gone.map(|s| (s.name.as_str(), form(s))), come.map(|s| (s.name.as_str(), form(s))))
}

/// Types of functions, enumerations and opaque types with another name.
pub fn others(pair: &ContractPair<'_>) -> BTreeMap<String, String> {
    let (old, new) = (pair.old, pair.new);
    let arity = |f: &crate::contract::HeaderFunction| {
        super::type_equivalence::parameters(&f.r#type).map(|(_, parameters)| parameters.len())
    };
    let gone = old.callbacks.iter().filter(|(name, _)| !new.declares(name));
    let come = new.callbacks.iter().filter(|(name, _)| !old.declares(name));
    let mut found = matched(
        gone.map(|(name, f)| (name.as_str(), arity(f))),
        come.map(|(name, f)| (name.as_str(), arity(f))),
    );
    found.retain(|a, b| match (old.callbacks.get(a), new.callbacks.get(b)) {
        (Some(a), Some(b)) => pair.likeness(&a.r#type, &b.r#type) != TypeEquivalence::Different,
        _ => false,
    });
    let values = |e: &crate::contract::HeaderEnum| {
        e.declared.enumerators.iter().map(|v| v.value).collect::<Vec<_>>()
    };
    let gone = old.enums.iter().filter(|(name, _)| !new.declares(name));
    let come = new.enums.iter().filter(|(name, _)| !old.declares(name));
    found.extend(matched(
        gone.map(|(name, e)| (name.as_str(), values(e))),
        come.map(|(name, e)| (name.as_str(), values(e))),
    ));
    let gone = old.opaque.keys().filter(|name| !new.declares(name));
    let come = new.opaque.keys().filter(|name| !old.declares(name));
    found.extend(matched(
        gone.map(|name| (name.as_str(), ())),
        come.map(|name| (name.as_str(), ())),
    ));
    found
}

/// What must be the same for a struct to be the same: names, places and types of its fields.
fn form(record: &HeaderStruct) -> Vec<(String, Option<u64>, String)> {
    let own = |text: String| text.replace(&record.name, "Self");
    let fields = record.members.iter();
    fields.map(|m| (m.name.clone(), m.offset, own(m.r#type.to_string()))).collect()
}

/// Pairs of names whose forms are equal, the most similar names first.
fn matched<'n, F: Eq + Hash>(
    gone: impl Iterator<Item = (&'n str, F)>,
    come: impl Iterator<Item = (&'n str, F)>,
) -> BTreeMap<String, String> {
    let mut by_form: HashMap<F, Vec<&str>> = HashMap::new();
    for (name, form) in come {
        by_form.entry(form).or_default().push(name);
    }
    let mut pairs: Vec<(f64, &str, &str)> = Vec::new();
    for (old, form) in gone {
        let candidates = by_form.get(&form).filter(|found| found.len() <= CANDIDATES);
        for new in candidates.into_iter().flatten() {
            let similar = similarity(old, new);
            if similar >= SIMILAR {
                pairs.push((similar, old, new));
            }
        }
    }
    most_similar_first(pairs)
}

/// One new name for each old one: of pairs that share a name, the most similar.
fn most_similar_first(mut pairs: Vec<(f64, &str, &str)>) -> BTreeMap<String, String> {
    pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)).then(a.2.cmp(b.2)));
    let (mut found, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (_, old, new) in pairs {
        if !found.contains_key(old) && taken.insert(new) {
            found.insert(old.to_owned(), new.to_owned());
        }
    }
    found
}

/// Whether one name may be another form of the other.
pub fn similar(a: &str, b: &str) -> bool {
    similarity(a, b) >= SIMILAR
}

/// The part of the words that two names share.
fn similarity(a: &str, b: &str) -> f64 {
    let words = |name: &str| {
        let mut words = BTreeSet::new();
        let mut word = String::new();
        for c in name.chars() {
            if (matches!(c, '_' | ':') || c.is_uppercase()) && !word.is_empty() {
                words.insert(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase().filter(|c| !matches!(c, '_' | ':')));
        }
        words.insert(word);
        words
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    // A name has few words, so that nothing is lost.
    #[allow(clippy::cast_precision_loss, reason = "counts of words")]
    let part = shared as f64 / a.len().max(b.len()).max(1) as f64;
    part
}
