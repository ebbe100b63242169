//! The operators of all releases of a family: which release has which, since when and until when.

use std::sync::OnceLock;

use unskew_core::Version;
use unskew_definitions::Runs;

use crate::Family;

/// An operator of a family, whatever its schema was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorListing {
    /// Its name, with its overload: `aten::add.Tensor`, `Cast`.
    pub name: String,
    /// The releases that have it.
    pub runs: Runs,
    /// How many different definitions it had.
    pub definitions: usize,
}

impl OperatorListing {
    /// The first release that has it.
    pub fn since(&self) -> Option<Version> {
        self.runs.iter().next().map(|run| run.since)
    }

    /// The last release that has it; none if the newest has it.
    pub fn until(&self) -> Option<Version> {
        self.runs.iter().last().and_then(|run| run.until)
    }
}

/// One definition of an operator, and the releases that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// The whole schema or definition on one line.
    pub text: String,
    /// The releases with this definition, in runs.
    pub runs: Runs,
}

/// What a release changed against the release before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turnover {
    /// Names of operators that the release before did not have.
    pub came: Vec<&'static str>,
    /// Names of operators that only the release before has.
    pub went: Vec<&'static str>,
    /// Operators that were there before, and have another definition.
    pub changed: Vec<&'static str>,
}

impl Family {
    /// The operators that any release has, by name; none for JAX, which has no table of operators.
    ///
    /// ```
    /// use unskew_releases::Family;
    /// let gelu = Family::Torch.catalogue().iter().find(|one| one.name == "aten::gelu").unwrap();
    /// assert_eq!(gelu.definitions, 2);
    /// assert_eq!(gelu.until(), None);
    /// ```
    pub fn catalogue(self) -> &'static [OperatorListing] {
        static ALL: [OnceLock<Vec<OperatorListing>>; Family::ALL.len()] =
            [const { OnceLock::new() }; Family::ALL.len()];
        ALL[self as usize].get_or_init(|| listed(self))
    }

    /// Every definition of the operator of this name, with its overload; oldest first.
    pub fn definitions(self, name: &str) -> Vec<Defined> {
        let Some(rows) = self.history() else { return Vec::new() };
        let is = |(text, _): &(&str, &str)| name_of(text) == name;
        let defined = |(text, runs): (&str, &str)| {
            Some(Defined { text: text.to_owned(), runs: runs.parse().ok()? })
        };
        // A name is found with all its overloads, by the part before the dot.
        let base = match self.known().dotted_names {
            true => name.rsplit_once('.').map_or(name, |(base, _)| base),
            false => name.split('.').next().unwrap_or(name),
        };
        let mut all: Vec<Defined> = rows.named(base).filter(is).filter_map(defined).collect();
        all.sort_by_key(|one| one.runs.iter().next().map(|run| run.since));
        all
    }

    /// What the release of this version changed; none if it is the first, or there is none.
    pub fn turnover(self, version: Version) -> Option<Turnover> {
        let rows = self.history()?;
        let releases = rows.releases();
        let at = releases.iter().position(|release| *release == version)?;
        let before = *releases.get(at.checked_sub(1)?)?;
        let mut change = Turnover::default();
        for one in self.catalogue() {
            match (one.runs.contains(before), one.runs.contains(version)) {
                (false, true) => change.came.push(&one.name),
                (true, false) => change.went.push(&one.name),
                (true, true) if one.definitions > 1 => {
                    let had = |defined: &Defined| {
                        defined.runs.contains(before) != defined.runs.contains(version)
                    };
                    if self.definitions(&one.name).iter().any(had) {
                        change.changed.push(&one.name);
                    }
                }
                _ => {}
            }
        }
        Some(change)
    }
}

fn name_of(text: &str) -> &str {
    text.split('(').next().unwrap_or(text)
}

/// The rows of a history under one name each. Definitions of one name stand in a row, because names are what rows
/// are sorted by; but an overload may stand between two of the operator without one.
fn listed(family: Family) -> Vec<OperatorListing> {
    let Some(rows) = family.history() else { return Vec::new() };
    let mut all: Vec<(&str, Vec<Runs>)> = Vec::new();
    let read = |(text, runs): (&'static str, &str)| Some((name_of(text), runs.parse().ok()?));
    let mut found: Vec<(&str, Runs)> = rows.iter().filter_map(read).collect();
    found.sort_by_key(|(name, _)| *name);
    for (name, runs) in found {
        match all.last_mut() {
            Some((last, known)) if *last == name => known.push(runs),
            _ => all.push((name, vec![runs])),
        }
    }
    let releases = rows.releases();
    let one = |(name, known): (&str, Vec<Runs>)| OperatorListing {
        name: name.to_owned(),
        runs: match known.as_slice() {
            [only] => only.clone(),
            many => Runs::from_releases(releases, |release| {
                many.iter().any(|runs| runs.contains(release))
            }),
        },
        definitions: known.len(),
    };
    all.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torch;

    #[test]
    fn an_operator_is_listed_once_with_all_the_releases_that_have_it() {
        let all = Family::Torch.catalogue();
        assert!(all.windows(2).all(|pair| pair[0].name < pair[1].name));
        let gelu = all.iter().find(|one| one.name == "aten::gelu").unwrap();
        let definitions = Family::Torch.definitions("aten::gelu");
        assert_eq!(definitions.len(), gelu.definitions);
        assert!(definitions[0].runs.contains(gelu.since().unwrap()));
        assert!(definitions[1].text.contains("approximate"), "{}", definitions[1].text);
        assert!(!definitions[0].text.contains("approximate"));
        assert!(Family::Torch.definitions("aten::gel").is_empty());
        let counted = all.iter().filter(|one| one.until().is_none()).count();
        let newest = torch::rows().last().unwrap();
        let mut names: Vec<String> =
            Family::Torch.operators(newest, "").into_iter().map(|one| one.name).collect();
        names.dedup();
        assert_eq!(counted, names.len());
    }

    #[test]
    fn what_a_release_changed_is_what_its_table_has_and_that_before_has_not() {
        let version: Version = "1.12.1".parse().unwrap();
        let change = Family::Torch.turnover(version).unwrap();
        assert!(change.changed.contains(&"aten::gelu"));
        let all = Family::Torch
            .operators(torch::rows().iter().find(|r| r.version == version).unwrap(), "");
        assert!(change.came.iter().all(|name| all.iter().any(|one| one.name == *name)));
        assert!(change.went.iter().all(|name| all.iter().all(|one| one.name != *name)));
        let first = torch::rows()[0].version;
        assert_eq!(Family::Torch.turnover(first), None);
        assert_eq!(Family::Jax.turnover(version), None);
        assert!(!Family::TensorFlow.turnover("2.21.0".parse().unwrap()).unwrap().came.is_empty());
    }
}
