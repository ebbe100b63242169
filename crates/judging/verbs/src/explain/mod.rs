//! What an error message means: which rule it is of, what its numbers say, and what to run next.
//!
//! [`explain_text`] takes a line or a whole log and looks for the patterns of all rules (`error_texts` in their files) and of
//! errors that have no rule yet (`data/error_texts.toml`). An answer is an [`ErrorMatch`]: the words that were found, the
//! values in them, what these say, and the causes that the words can have. Where the database decides between causes it does
//! (`narrow`): an op that no release of TensorFlow has is not a version problem. Where nothing decides, all causes stay, and the
//! file or the environment is asked for. Nothing is guessed.
//!
//! [`here`](Explanation::here) judges an environment and keeps the findings of the rules that were found.
//!
//! ```
//! let log = b"Load model from net.onnx failed: Unsupported model IR version: 10, max supported IR version: 9";
//! let answer = unskew_verbs::explain_text(log);
//! assert_eq!(answer.matches[0].codes().collect::<Vec<_>>(), ["ON001"]);
//! assert_eq!(answer.matches[0].next.command, "unskew check net.onnx --with onnxruntime@1.17.3");
//! ```

mod cause;
mod files;
mod here;
mod json;
mod narrow;
mod next;
mod render;
mod table;

pub use cause::{ErrorCause, KnownError, OtherTrouble};
pub use here::FindingHere;
pub use next::{NextStep, NextVerb};

use unskew_error_texts::{ErrorText, Occurrence, most_specific};

/// The most bytes of the words that were found which an answer quotes.
const QUOTED: usize = 300;

/// What a text leads to.
#[derive(Debug)]
pub struct Explanation {
    /// What was found, in the order of the text. Empty where nothing in it is known.
    pub matches: Vec<ErrorMatch>,
    /// What of the text is known and is not a version problem.
    pub elsewhere: Vec<OtherTrouble>,
    /// What the rules find in the environment that was judged, and its name; none where none was.
    pub here: Option<(String, Vec<FindingHere>)>,
}

/// Words of a text that a runtime is known to print.
#[derive(Debug)]
pub struct ErrorMatch {
    /// The words, in one line.
    pub said: String,
    /// The values in them, under their names.
    pub values: Vec<(String, String)>,
    /// What the values say, by the database.
    pub facts: Vec<String>,
    /// What the words can mean. Of several causes the text alone does not tell which one it is.
    pub causes: Vec<ErrorCause>,
    /// What to run next.
    pub next: NextStep,
}

impl ErrorMatch {
    /// What fixes a cause, with the values in it.
    pub fn fix(&self, cause: &ErrorCause) -> String {
        cause::filled(cause.fix(), &self.values)
    }

    /// The codes of the rules among the causes.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> {
        self.causes.iter().filter_map(ErrorCause::rule).map(|rule| rule.code)
    }
}

/// The words that were found, to the end of the last of them.
fn quoted(text: &str, span: std::ops::Range<usize>) -> String {
    let behind = text.get(span.end..).unwrap_or_default();
    let rest = behind.find([' ', '\'', ',']).unwrap_or(behind.len());
    let found = text.get(span.start..span.end + rest).unwrap_or_default();
    found.chars().take(QUOTED).collect()
}

/// Whether something that names no rule is the text of an error, and not a misspelled name: it has characters that no name has,
/// or words that a runtime is known to print.
pub fn is_error_text(what: &str) -> bool {
    let is_near_a_name = crate::rules::nearest(what).is_some();
    let is_name = what.chars().all(|letter| {
        letter.is_ascii_alphanumeric() || "-_".contains(letter) || is_near_a_name && letter == ' '
    });
    !is_name || !explain_text(what.as_bytes()).matches.is_empty()
}

/// Looks for what runtimes print in a line or a log of any size; of a long one the end is read.
pub fn explain_text(log: &[u8]) -> Explanation {
    let text = ErrorText::new(log);
    let found = table::patterns().iter().flat_map(|entry| {
        let places = entry.pattern.find(&text);
        places.into_iter().map(move |place| (place, entry))
    });
    let found: Vec<(Occurrence, &table::ErrorEntry)> = found.collect();
    let kept = most_specific(found, |(place, entry)| (place, entry.pattern.literal_length()));
    let files = files::named_in(text.text());
    let mut answer = Explanation { matches: Vec::new(), elsewhere: Vec::new(), here: None };
    for group in kept.chunk_by(|(one, _), (other, _)| one.span == other.span) {
        let (place, _) = &group[0];
        let mut causes: Vec<ErrorCause> = Vec::new();
        for (_, entry) in group {
            if !causes.contains(&entry.cause) {
                causes.push(entry.cause);
            }
        }
        let narrowed = narrow::narrow(causes, &place.values, text.lowercase());
        for trouble in narrowed.elsewhere {
            if !answer.elsewhere.contains(&trouble) {
                answer.elsewhere.push(trouble);
            }
        }
        if narrowed.causes.is_empty() {
            continue;
        }
        let said = quoted(text.text(), place.span.clone());
        let next = next::step(&narrowed.causes, &files, narrowed.runtime.as_deref());
        let (causes, facts) = (narrowed.causes, narrowed.facts);
        // A log says the same thing more than once: the first time with the most numbers counts.
        let same = |one: &&mut ErrorMatch| one.causes == causes;
        match answer.matches.iter_mut().find(same) {
            Some(first) if first.values.is_empty() && !place.values.is_empty() => {
                *first = ErrorMatch { said, values: place.values.clone(), facts, causes, next };
            }
            Some(first) if first.values == place.values || place.values.is_empty() => {}
            _ => answer.matches.push(ErrorMatch {
                said,
                values: place.values.clone(),
                facts,
                causes,
                next,
            }),
        }
    }
    answer
}
