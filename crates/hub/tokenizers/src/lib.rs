//! `tokenizer.json`, judged against releases of the package tokenizers.
//!
//! The file holds a pipeline: a normalizer, a pre-tokenizer, a model, a post-processor, a decoder, and tokens that were added.
//! Each is an object with a type and fields. The `version` in the file is `1.0` since 2020 and says nothing: types, fields and
//! forms of values came with releases of the package, a release that does not know one refuses the whole file with
//! `data did not match any variant of untagged enum …`, and a field that it does not know is passed over, so that the same text
//! becomes other ids.
//!
//! * the type of each component, also inside of sequences;
//! * its fields and the forms of their values: merges as pairs, `prepend_scheme` of Metaspace, `behavior` of Split;
//! * what a release passes over (`ignore_merges`, `byte_fallback`, `use_regex`), and what it computes otherwise.
//!
//! What is promised: nothing is written down. What each release does was measured: a file for each value of each field of each
//! component was loaded by every release, and its ids and texts were compared with those of the newest
//! (`cargo lab tokenizers --take`).
//!
//! | step | by |
//! | --- | --- |
//! | `tokenizer.json`, without its vocabulary | [`TokenizerFile::read`] |
//! | a file as a party | [`party()`] |
//! | what was measured of all releases, as one text | [`TokenizersNames`] |
//! | a release | [`TokenizersRelease`] |
//! | what a release makes of a file | [`judge()`] |
//! | a file that a release reads, made from one that it does not | [`convert()`] |
//!
//! What is refused: a file of more than 64 MiB, or nested deeper than 128 levels. What is not judged and says so: components
//! without a type, fields that no release in the database has, and what the vocabulary contains.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Date;
//! use unskew_source::{BytesSource, Source};
//! use unskew_tokenizers::{TokenizerFile, TokenizersNames, TokenizersRelease, judge};
//!
//! let text = br#"{"added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}}"#;
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("tokenizer.json", text.to_vec()));
//! let file = TokenizerFile::read(&source).unwrap().unwrap();
//!
//! let names = "#releases\t0.19.1 0.20.0\nBPE(model)\t0.19.1-\nmodel.BPE(fails: merges=pairs)\t0.19.1\n\
//!              model.BPE(field merges)\t0.19.1-\nmodel.BPE(field vocab)\t0.19.1-\n\
//!              model.BPE(value merges=pairs)\t0.19.1-\n";
//! let release = TokenizersRelease {
//!     version: "0.19.1".parse().unwrap(),
//!     released: Date::constant(2024, 4, 17),
//!     names: Arc::new(TokenizersNames::from_text(names).unwrap()),
//! };
//! assert_eq!(judge(&file, &release).findings[0].rule.code, "TK002");
//! ```
#![forbid(unsafe_code)]

mod added_tokens;
mod component;
mod condition;
mod convert;
mod edit;
mod file;
mod judge;
mod party;
mod release;
pub mod rules;
mod text;

pub use component::{TokenizerComponent, TokenizerSection};
pub use convert::convert;
pub use file::TokenizerFile;
pub use judge::judge;
pub use party::{TOKENIZERS_AXIS, party};
pub use release::{MeasuredKind, TokenizersNames, TokenizersRelease};
