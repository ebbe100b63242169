//! How many findings there are.

use std::fmt;

use unskew_core::Severity;

/// Findings counted by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How many notes.
    pub notes: usize,
}

impl FromIterator<Severity> for Tally {
    fn from_iter<I: IntoIterator<Item = Severity>>(severities: I) -> Self {
        let mut tally = Self::default();
        for severity in severities {
            match severity {
                Severity::Error => tally.errors += 1,
                Severity::Warning => tally.warnings += 1,
                Severity::Note => tally.notes += 1,
            }
        }
        tally
    }
}

/// `1 error, 2 warnings`; what there is none of is left out.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let words: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        if words.is_empty() { f.write_str("no findings") } else { f.write_str(&words.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_none_of_is_left_out() {
        assert_eq!(Tally { errors: 1, warnings: 2, notes: 0 }.to_string(), "1 error, 2 warnings");
        assert_eq!(Tally::default().to_string(), "no findings");
    }
}
