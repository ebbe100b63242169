//! One release of the database.

use std::fmt;
use std::sync::{Arc, OnceLock};

use unskew_core::{Date, Fact, Party, Unjudged, aspect};

use crate::{Basis, Carrier, Exact, Family, Operator, ReleaseRow, published};

/// A release of a family: a place in the database, as cheap as a number.
///
/// A release that has no row of its own is judged by that of another: [`Release::judged_as`] says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Release {
    family: Family,
    index: usize,
    another: Option<(Exact, Basis)>,
    carrier: Option<Carrier>,
}

impl Release {
    pub(crate) fn all_of_family(family: Family) -> impl DoubleEndedIterator<Item = Self> {
        (0..family.rows().len()).map(move |index| Self {
            family,
            index,
            another: None,
            carrier: None,
        })
    }

    /// The same row for a release that has none of its own.
    pub(crate) fn for_another(self, version: Exact, basis: Basis) -> Self {
        let own = version.is_numbers() && version.numbers == self.row().version;
        Self { another: (!own).then_some((version, basis)), ..self }
    }

    /// The same release, inside of something that has another name.
    pub(crate) fn inside_of(self, carrier: Carrier) -> Self {
        Self { carrier: Some(carrier), ..self }
    }

    /// The package or server that was named and has this release inside; none if the release itself was named.
    pub fn carrier(self) -> Option<Carrier> {
        self.carrier
    }

    /// The release itself, whatever has it inside.
    pub fn alone(self) -> Self {
        Self { carrier: None, ..self }
    }

    /// The framework that the release is of.
    pub fn family(self) -> Family {
        self.family
    }

    /// Whether `later` is the next release of the same family in the database.
    pub fn precedes(self, later: Self) -> bool {
        self.family == later.family && self.index + 1 == later.index
    }

    /// The row of the database by which it is judged.
    pub fn row(self) -> &'static ReleaseRow {
        &self.family.rows()[self.index]
    }

    /// Its own version: that of its row, or the one that was asked for.
    pub fn version(self) -> Exact {
        self.another.map_or(Exact::from_numbers(self.row().version), |(version, _)| version)
    }

    /// Why it is judged by the row of another release; none if the row is its own.
    pub fn judged_as(self) -> Option<Basis> {
        self.another.map(|(_, basis)| basis)
    }

    /// The day of its release, if that is known.
    pub fn released(self) -> Option<Date> {
        // The day of the release inside says nothing of a server.
        if self.carrier.is_some_and(|carrier| carrier.version().is_some()) {
            return None;
        }
        match self.another {
            None => Some(self.row().released),
            Some((version, _)) => {
                published::find(self.family, &version).map(|published| published.released)
            }
        }
    }

    /// What to say about a release that is judged by the row of another: `judged as 2.1.2: both packages were
    /// compared`.
    pub fn stand_in(self) -> Option<String> {
        let (version, basis) = self.another?;
        let row = self.family.version(self.row().version);
        Some(match basis {
            Basis::Compared => {
                format!("judged as {row}: what is judged is equal in both packages")
            }
            Basis::Differs => {
                let remark = published::find(self.family, &version).map(|one| one.remark.as_str());
                format!("judged as {row}, from which it differs: {}", remark.unwrap_or_default())
            }
            Basis::Patch => {
                let own = self.row().version;
                let minor = format!("{}.{}", own.major(), own.minor());
                format!("judged as {row}: patch releases of {minor} were not compared")
            }
            Basis::Between => {
                let next = self.family.rows().get(self.index + 1).map(|row| row.version);
                let next = next.map_or_else(String::new, |next| self.family.version(next));
                format!("judged by what {row} and {next} both know")
            }
            Basis::After => format!("judged by what {row} knows, the newest build of the database"),
            Basis::Unlisted => format!(
                "judged as {row}, the newest release before it that this version of Unskew knows: what changed since is a guess"
            ),
            Basis::Next => format!("judged as {row}, the next release: it was built before that"),
            Basis::Newest => {
                format!("judged as {row}, the newest release known: it was built after that")
            }
        })
    }

    /// The published releases that have no row of their own and are judged by this one.
    pub fn stands_for(self) -> Vec<Exact> {
        if self.carrier.is_some() {
            return Vec::new();
        }
        let own = self.row().version;
        let all = published::all(self.family).iter();
        let judged =
            all.filter(|one| one.row == Some(own) && one.version != Exact::from_numbers(own));
        judged.map(|one| one.version).collect()
    }

    /// The release as a party: made on the first call, shared by all later ones.
    pub fn party(self) -> Arc<Party> {
        if let Some(carrier) = self.carrier {
            let version = self.family.version(self.version());
            return Arc::new(carrier.party(&self.alone().party(), &version));
        }
        const COUNT: usize = Family::ALL.len();
        static PARTIES: [OnceLock<Vec<OnceLock<Arc<Party>>>>; COUNT] =
            [const { OnceLock::new() }; COUNT];
        let row = self.row();
        let parties = PARTIES[self.family as usize]
            .get_or_init(|| self.family.rows().iter().map(|_| OnceLock::new()).collect());
        let party = parties[self.index].get_or_init(|| Arc::new(self.family.party(row)));
        match (self.stand_in(), self.judged_as()) {
            (Some(why), Some(basis @ (Basis::Between | Basis::After))) => {
                Arc::new(self.renamed(&crate::llama::party_after(row), &why, basis))
            }
            (Some(why), Some(basis)) => Arc::new(self.renamed(party, &why, basis)),
            _ => party.clone(),
        }
    }

    /// The release as a party whose models are used so. Only TensorFlow's differ.
    pub fn party_used(self, usage: unskew_tensorflow::RuntimeUsage) -> Arc<Party> {
        let runtime = (usage != unskew_tensorflow::RuntimeUsage::default())
            .then(|| crate::tensorflow::runtime_of(self))
            .flatten();
        let Some(mut runtime) = runtime else { return self.party() };
        runtime.usage = usage;
        let party = crate::keras::with_keras(runtime.party(), self.row().version);
        match (self.stand_in(), self.judged_as()) {
            (Some(why), Some(basis)) => Arc::new(self.renamed(&party, &why, basis)),
            _ => Arc::new(party),
        }
    }

    /// The party of the row under the name of the release that it stands in for.
    fn renamed(self, party: &Party, why: &str, basis: Basis) -> Party {
        let mut party = party.clone();
        party.name = format!("{} {}", self.family, self.family.version(self.version()));
        party.dated = match basis {
            // A row before it tells no day.
            Basis::Between | Basis::After | Basis::Unlisted => None,
            _ => self.released().or(party.dated),
        };
        let released = self.released().map(|day| format!("released {day}; "));
        party.origin = format!("{}{why}", released.unwrap_or_default());
        match basis {
            // What is in question is said name by name.
            Basis::Compared | Basis::Between | Basis::After => party,
            _ => party.not_judged(Unjudged::new(aspect::VERSION, why)),
        }
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
        let version = self.family.version(self.version());
        match self.carrier {
            Some(carrier) => f.pad(&carrier.label(&version)),
            None => f.pad(&format!("{}@{version}", self.family)),
        }
    }
}
