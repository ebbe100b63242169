//! One reason why two parties do not fit, or what one should know about one of them.

use std::fmt;
use std::ops::Range;

use jiff::civil::Date;

use crate::{Phase, Role, Rule, Severity};

/// Stands for a value while its place in a message is looked for.
const SLOT: char = '\0';

/// One side of a finding: who, what it is, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What the side is to the other: an artifact, a plug-in, a runtime, a host.
    pub role: Role,
    /// The name that the user knows it by: a file name, `torch 2.15.0`.
    pub name: String,
    /// What it is and where it came from: `torch.export archive, written by torch 2.4`.
    pub origin: String,
}

/// Where in a party something was found: the first few places by name, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    named: Vec<String>,
    count: usize,
}

impl Places {
    /// How many places are kept by name; the others are counted.
    pub const NAMED: usize = 5;

    /// Counts one more place; keeps its name if it is one of the first few.
    pub fn add(&mut self, place: impl fmt::Display) {
        self.add_with(|| place.to_string());
    }

    /// Counts one more place; makes its name if it is one of the first few.
    pub fn add_with(&mut self, place: impl FnOnce() -> String) {
        if self.named.len() < Self::NAMED {
            self.named.push(place());
        }
        self.count += 1;
    }

    /// Adds the places of another part of the same finding.
    pub fn extend(&mut self, more: &Self) {
        let free = Self::NAMED.saturating_sub(self.named.len());
        self.named.extend(more.named.iter().take(free).cloned());
        self.count += more.count;
    }

    /// The first few places.
    pub fn named(&self) -> &[String] {
        &self.named
    }

    /// How many places there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<T: fmt::Display> FromIterator<T> for Places {
    fn from_iter<I: IntoIterator<Item = T>>(places: I) -> Self {
        let mut all = Self::default();
        for place in places {
            all.add(place);
        }
        all
    }
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named.join(", "))?;
        match self.count - self.named.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Why somebody lives with a finding for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The reason that `unskew.toml` gives.
    pub reason: String,
    /// The last day on which the finding is accepted, inclusive.
    pub until: Date,
}

/// One reason, as an instance of a [`Rule`]. A finding is a result, not an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule that fired; its severity and phase are the defaults.
    pub rule: &'static Rule,
    /// How much it weighs.
    pub severity: Severity,
    /// When it shows; none where nothing fails.
    pub phase: Option<Phase>,
    /// One sentence with the numbers that clash.
    pub message: String,
    /// The side that the finding is about; filled in by [`check`](crate::check) if left out.
    pub subject: Option<Side>,
    /// The side that it clashes with, if any; filled in by [`check`](crate::check) if left out.
    pub other: Option<Side>,
    /// Where in the subject.
    pub places: Places,
    /// What the runtime itself says when it fails, if that is known.
    pub symptom: Option<String>,
    /// One command or edit that fixes it.
    pub fix: Option<String>,
    /// The adaptation that removes this finding without loss, if Unskew has one.
    pub adaptation: Option<String>,
    /// What names this one finding, and stays the same when lines move; none where nobody asks for it.
    pub fingerprint: Option<String>,
    /// Whether somebody accepted it; then it counts for nothing.
    pub accepted: Option<Accepted>,
    /// What the user gets where the pair works and yet does not do what it is for: `every program is compiled again`.
    pub consequence: Option<&'static str>,
    /// The bytes of the message that name a value. Findings that differ by their value only are one in a
    /// [`Verdict`](crate::Verdict).
    pub value: Option<Range<usize>>,
}

impl Finding {
    /// A finding of `rule` with the rule's own severity and phase.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            phase: rule.phase,
            message: message.into(),
            subject: None,
            other: None,
            places: Places::default(),
            symptom: None,
            fix: None,
            adaptation: None,
            fingerprint: None,
            accepted: None,
            consequence: None,
            value: None,
        }
    }

    /// The finding that `say` makes of a value, which may be another one from place to place.
    pub fn naming(value: &dyn fmt::Display, say: impl Fn(&dyn fmt::Display) -> Self) -> Self {
        let at = say(&SLOT).message.find(SLOT);
        let value_len = value.to_string().len();
        Self { value: at.map(|at| at..at + value_len), ..say(value) }
    }

    /// With another severity than the rule's.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With another phase than the rule's.
    #[must_use]
    pub fn in_phase(mut self, phase: Phase) -> Self {
        self.phase = Some(phase);
        self
    }

    /// With the places where it was found.
    #[must_use]
    pub fn at(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// With the text that the runtime itself prints.
    #[must_use]
    pub fn with_symptom(mut self, symptom: impl Into<String>) -> Self {
        self.symptom = Some(symptom.into());
        self
    }

    /// With what fixes it.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// With the name of the adaptation that removes it without loss.
    #[must_use]
    pub fn with_adaptation(mut self, adaptation: impl Into<String>) -> Self {
        self.adaptation = Some(adaptation.into());
        self
    }

    /// With what the user gets, where the pair works all the same.
    #[must_use]
    pub fn with_consequence(mut self, consequence: &'static str) -> Self {
        self.consequence = Some(consequence);
        self
    }

    /// With the side that it is about.
    #[must_use]
    pub fn about(mut self, subject: Side) -> Self {
        self.subject = Some(subject);
        self
    }

    /// Gravest first: by severity, then by how late it shows, then by code.
    pub fn gravity(&self) -> impl Ord + use<> {
        (std::cmp::Reverse(self.severity), std::cmp::Reverse(self.phase), self.rule.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_places_are_counted_and_the_first_are_named() {
        let places: Places = (0..30).map(|n| format!("node{n}")).collect();
        assert_eq!(places.to_string(), "node0, node1, node2, node3, node4 and 25 more");
        assert_eq!(places.count(), 30);
    }
}
