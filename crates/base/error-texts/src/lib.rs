//! Patterns of what runtimes print when they fail, and how they are found in a pasted line or a whole log.
//!
//! A runtime that refuses a file says so in words of its own, with numbers in them: `Unsupported model IR version: 10, max
//! supported IR version: 9`. An [`ErrorPattern`] has the words and a place for each number, so that a text that somebody pastes leads
//! to the rule, and the numbers come out of it.
//!
//! **The form of a pattern.** Literal words, in which `{name}` stands for one word (no blank and no quotation mark in it; one called `_` is no value), and
//! `…` for any text of up to [`GAP`] bytes. A blank matches any run of blanks and line ends, and every quotation mark
//! matches every other. Large and small letters are the same. `{{` and `}}` are braces.
//!
//! **The path of the data.** [`ErrorText::new`] takes the bytes of a log as they came: it removes what colours a terminal,
//! the frames that tracebacks are drawn with, and entities of HTML, joins lines, and keeps the last [`LARGEST`] bytes.
//! [`ErrorPattern::find`] looks for one pattern; [`most_specific`] drops, of matches that overlap, those with fewer literal words.
//! What two patterns of the same words match is kept twice: then the text alone does not tell the cause.
//!
//! ```
//! use unskew_error_texts::{ErrorText, ErrorPattern};
//!
//! let pattern = ErrorPattern::parse("Unsupported model IR version: {version}, max supported IR version: {limit}").unwrap();
//! let text = ErrorText::new(b"Fail: \x1b[31mUnsupported model IR\nversion: 10, max supported IR version: 9\x1b[0m");
//! let found = pattern.find(&text);
//! assert_eq!(found[0].value("version"), Some("10"));
//! assert_eq!(found[0].value("limit"), Some("9"));
//! ```
#![forbid(unsafe_code)]

mod clean;
mod find;
mod pattern;
mod specific;

pub use clean::{ErrorText, LARGEST};
pub use find::{GAP, Occurrence, WORD};
pub use pattern::{ErrorPattern, PatternError};
pub use specific::most_specific;
