//! Fingerprint that names one finding over time.

use sha2::{Digest as _, Sha256};

use unskew_kinds::FileChange;

/// The fingerprint of a change: its rule and twelve digits.
///
/// The digits are of the rule, the file, the subject, and of what the message names and counts: its words in
/// backquotes and its numbers. Other words of a message may be improved without making another finding of it.
///
/// ```
/// use unskew_core::{Finding, rules};
/// use unskew_kinds::FileChange;
/// use unskew_lint::fingerprint;
///
/// let change = |message: &str| FileChange::new(Finding::new(&rules::CO001, message), "a.h", "Thing");
/// let moved = fingerprint(&change("`size` of `Thing` moved from 16 to 24"));
/// assert_eq!(moved, fingerprint(&change("`size` moved in `Thing`, from 16 to 24")));
/// assert_ne!(moved, fingerprint(&change("`size` of `Thing` moved from 16 to 32")));
/// ```
pub fn fingerprint(change: &FileChange) -> String {
    let mut hash = Sha256::new();
    for part in [change.finding.rule.code, &change.file, &change.subject] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    for word in words(&change.finding.message, true) {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    let digits: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{digits}", change.finding.rule.code)
}

/// The same change, seen from another version: numbers may be others.
pub fn identity(change: &FileChange) -> String {
    let words = words(&change.finding.message, false).join("\0");
    format!("{}\0{}\0{}\0{words}", change.finding.rule.code, change.file, change.subject)
}

/// The words in backquotes, and the numbers outside of them, in alphabetical order.
fn words(message: &str, numbers: bool) -> Vec<&str> {
    let mut found = Vec::new();
    for (index, part) in message.split('`').enumerate() {
        if index % 2 == 1 {
            found.push(part);
        } else if numbers {
            let words = part.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'));
            let words = words.map(|word| word.trim_matches('.'));
            found.extend(words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())));
        }
    }
    found.sort_unstable();
    found
}
