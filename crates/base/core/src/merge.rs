//! Findings that say the same are one, with the places of all.

use crate::{Finding, Phase, Places, Severity};
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

/// What makes a finding the same as another, wherever it is.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    code: &'static str,
    severity: Severity,
    phase: Option<Phase>,
    /// The message without the value that it names.
    stem: String,
    symptom: Option<String>,
    fix: Option<String>,
    adaptation: Option<String>,
    fingerprint: Option<String>,
    sides: [Option<String>; 2],
    accepted: bool,
}

/// A finding that others joined.
struct Joined {
    finding: Finding,
    values: Places,
    seen: HashSet<String>,
}

impl Joined {
    fn new(finding: Finding) -> Self {
        let mut joined = Self { finding, values: Places::default(), seen: HashSet::new() };
        let value = value(&joined.finding).map(str::to_owned);
        joined.see(value);
        joined
    }

    fn see(&mut self, value: Option<String>) {
        if let Some(value) = value.filter(|value| !self.seen.contains(value)) {
            self.values.add(&value);
            self.seen.insert(value);
        }
    }

    /// With all values in the place of the first.
    fn finish(mut self) -> Finding {
        if self.values.count() > 1
            && let Some(range) = self.finding.value.take()
        {
            self.finding.message.replace_range(range, &self.values.to_string());
        }
        self.finding
    }
}

fn value(finding: &Finding) -> Option<&str> {
    finding.message.get(finding.value.clone()?)
}

/// The same findings, in the order in which they first come; those that differ by a [`value`](Finding::value) only name
/// the first values and count the others.
pub(crate) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut all: Vec<Joined> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    for finding in findings {
        let key = key(&finding);
        match known.get(&key).and_then(|at| all.get_mut(*at)) {
            Some(joined) => {
                joined.finding.places.extend(&finding.places);
                joined.see(value(&finding).map(str::to_owned));
            }
            None => {
                known.insert(key, all.len());
                all.push(Joined::new(finding));
            }
        }
    }
    all.into_iter().map(Joined::finish).collect()
}

fn key(finding: &Finding) -> Key {
    let mut stem = finding.message.clone();
    if let Some(range) = finding.value.clone().filter(|_| value(finding).is_some()) {
        stem.replace_range(range, "\0");
    }
    let side = |side: &Option<crate::Side>| side.as_ref().map(|side| side.name.clone());
    Key {
        code: finding.rule.code,
        severity: finding.severity,
        phase: finding.phase,
        stem,
        symptom: finding.symptom.clone(),
        fix: finding.fix.clone(),
        adaptation: finding.adaptation.clone(),
        fingerprint: finding.fingerprint.clone(),
        sides: [side(&finding.subject), side(&finding.other)],
        accepted: finding.accepted.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn at(message: &str, place: &str) -> Finding {
        Finding::new(&rules::CO001, message).at([place].into_iter().collect())
    }

    #[test]
    fn what_is_said_524_times_stands_once_with_its_places_counted() {
        let all = (0..524).map(|n| at("same", &format!("node{n}"))).collect();
        let [one] = &merged(all)[..] else { unreachable!("one is left") };
        assert_eq!(one.places.count(), 524);
        assert_eq!(one.places.named()[0], "node0");
    }

    #[test]
    fn findings_that_differ_by_a_value_name_the_first_values_and_count_all() {
        let one = |n: i32| Finding::naming(&n, |n| at(&format!("in 1.4, set to {n} here"), "a"));
        let all: Vec<Finding> = (1..=7).chain([1, 2]).map(one).collect();
        let [one] = &merged(all)[..] else { unreachable!("one is left") };
        assert_eq!(one.message, "in 1.4, set to 1, 2, 3, 4, 5 and 2 more here");
        assert_eq!(one.places.count(), 9);
    }

    #[test]
    fn another_fix_another_severity_or_another_message_is_another_finding() {
        let all = vec![
            at("m", "a"),
            at("m", "b").with_fix("so"),
            at("m", "c").with_severity(Severity::Note),
            at("n", "d"),
            at("m", "e"),
        ];
        let left: Vec<usize> = merged(all).iter().map(|one| one.places.count()).collect();
        assert_eq!(left, [2, 1, 1, 1]);
    }
}
