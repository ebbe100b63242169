//! One release of the database.

use std::fmt;
use std::sync::{Arc, OnceLock};

use unskew_core::{Fact, Party};

use crate::{Family, Operator, Row};

/// A release of a family: a place in the database, as cheap as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Release {
    family: Family,
    index: usize,
}

impl Release {
    pub(crate) fn of(family: Family) -> impl DoubleEndedIterator<Item = Self> {
        (0..family.rows().len()).map(move |index| Self { family, index })
    }

    /// The family.
    pub fn family(self) -> Family {
        self.family
    }

    /// Whether `later` is the next release of the same family in the database.
    pub fn precedes(self, later: Self) -> bool {
        self.family == later.family && self.index + 1 == later.index
    }

    /// Its row of the database.
    pub fn row(self) -> &'static Row {
        &self.family.rows()[self.index]
    }

    /// The release as a party: made on the first call, shared by all later ones.
    pub fn party(self) -> Arc<Party> {
        static PARTIES: [OnceLock<Vec<OnceLock<Arc<Party>>>>; 3] = [const { OnceLock::new() }; 3];
        let row = self.row();
        let parties = PARTIES[self.family as usize]
            .get_or_init(|| self.family.rows().iter().map(|_| OnceLock::new()).collect());
        parties[self.index].get_or_init(|| Arc::new(self.family.party(row))).clone()
    }

    /// What its makers promised about it on the day of its release.
    pub fn promised(self) -> Vec<Fact> {
        match self.family {
            Family::Jax => crate::jax::window(self.row()).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Its operators whose names contain `pattern`, by name.
    pub fn operators(self, pattern: &str) -> Vec<Operator> {
        self.family.operators(self.row(), pattern)
    }
}

/// As a user names it: `torch@1.10.2`.
impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}@{}", self.family, self.row().version))
    }
}
