//! Counts of findings.

use std::fmt;

use unskew_core::{Finding, Severity};

/// Findings counted by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Findings of severity error, accepted ones left out.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity note.
    pub notes: usize,
    /// How many that are accepted, whatever they weigh.
    pub accepted: usize,
}

impl<'a> FromIterator<&'a Finding> for Tally {
    fn from_iter<I: IntoIterator<Item = &'a Finding>>(findings: I) -> Self {
        let mut tally = Self::default();
        for finding in findings {
            match finding.severity {
                _ if finding.accepted.is_some() => tally.accepted += 1,
                Severity::Error => tally.errors += 1,
                Severity::Warning => tally.warnings += 1,
                Severity::Note => tally.notes += 1,
            }
        }
        tally
    }
}

impl Tally {
    /// The tally in words, with how many aspects were not judged: those are never left out.
    pub(crate) fn with_unjudged(self, aspects: usize) -> String {
        match aspects {
            0 => self.to_string(),
            1 => format!("{self}; 1 aspect not judged"),
            aspects => format!("{self}; {aspects} aspects not judged"),
        }
    }
}

/// `1 error, 2 warnings`; what there is none of is left out.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let mut words: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        if self.accepted > 0 {
            words.push(format!("{} accepted", self.accepted));
        }
        if words.is_empty() { f.write_str("no findings") } else { f.write_str(&words.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_none_of_is_left_out() {
        assert_eq!(
            Tally { errors: 1, warnings: 2, ..Tally::default() }.to_string(),
            "1 error, 2 warnings"
        );
        assert_eq!(Tally::default().to_string(), "no findings");
    }
}
