//! Plan of a conversion: what it does to an artifact, and what stands in its way.

use std::fmt;

use crate::{Finding, Places};

/// One kind of change that a conversion makes, with every place where it makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The adaptation that it belongs to, in kebab case. A finding that it removes has the same name as its
    /// [`Finding::adaptation`], so what `check` announces is what `convert` does.
    pub adaptation: &'static str,
    /// One sentence with the values.
    pub what: String,
    /// Where in the artifact.
    pub places: Places,
    /// Whether something is lost by it. Such a rewrite is made only if the user named its adaptation.
    pub lossy: bool,
}

impl Rewrite {
    /// An exact rewrite, without a place.
    pub fn new(adaptation: &'static str, what: impl Into<String>) -> Self {
        Self { adaptation, what: what.into(), places: Places::default(), lossy: false }
    }

    /// The same at one more place.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.places.add(place);
        self
    }

    /// The same, as one that loses something.
    #[must_use]
    pub fn losing(mut self) -> Self {
        self.lossy = true;
        self
    }
}

/// A plan: what is done to an artifact so that the other side accepts it.
///
/// A boundary crate makes it together with the converted artifact. If there is a blocker, no exact form
/// exists, and nothing is written.
///
/// ```
/// use unskew_core::{Conversion, Rewrite};
///
/// let mut plan = Conversion::default();
/// assert!(plan.changes_nothing());
/// plan.add(Rewrite::new("drop-default-attribute", "`dilations` removed: its default").at("conv1"));
/// plan.add(Rewrite::new("drop-default-attribute", "`dilations` removed: its default").at("conv2"));
/// assert_eq!(plan.rewrites.len(), 1);
/// assert_eq!(plan.rewrites[0].places.to_string(), "conv1, conv2");
/// assert!(plan.is_possible());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// What is rewritten, in the order of the work.
    pub rewrites: Vec<Rewrite>,
    /// Why no exact form exists: one finding a reason.
    pub blockers: Vec<Finding>,
}

impl Conversion {
    /// Adds a rewrite; one that says the same already gets its places.
    pub fn add(&mut self, rewrite: Rewrite) {
        let same = |known: &&mut Rewrite| {
            known.adaptation == rewrite.adaptation && known.what == rewrite.what
        };
        match self.rewrites.iter_mut().find(same) {
            Some(known) => {
                known.places.extend(&rewrite.places);
                known.lossy |= rewrite.lossy;
            }
            None => self.rewrites.push(rewrite),
        }
    }

    /// Adds the plan of another part of the same artifact.
    pub fn extend(&mut self, more: Self) {
        for rewrite in more.rewrites {
            self.add(rewrite);
        }
        self.blockers.extend(more.blockers);
    }

    /// Whether nothing stands in the way.
    pub fn is_possible(&self) -> bool {
        self.blockers.is_empty()
    }

    /// Whether the artifact stays as it is.
    pub fn changes_nothing(&self) -> bool {
        self.rewrites.is_empty()
    }
}
