//! Files of GGUF, judged against releases of llama.cpp and of llama-cpp-python.
//!
//! A GGUF file is one model for llama.cpp: a header with keys and values (the architecture, its dimensions, the whole
//! tokenizer), the list of its tensors, and their data. The two sides: whoever converts or quantizes a model, and the
//! llama.cpp that loads it, alone or in a package. Nothing but the version of the container is compared by number. What decides
//! is a name: the release knows an architecture, a pre-tokenizer, a type of tensors, or it does not.
//!
//! * the version of the format and the order of its bytes;
//! * `general.architecture`, and the keys that the release demands for it;
//! * `tokenizer.ggml.model`; `tokenizer.ggml.pre`, which older releases do not read, so that text becomes other tokens and
//!   nothing says so;
//! * the types of tensors; some were removed again (`Q4_0_4_4`);
//! * the parts of a split model beside the file; the bytes of each tensor within its file; the alignment.
//!
//! What is promised: nothing is written down about releases. What each knows was read from its sources, by
//! `cargo lab harvest llama.cpp==NUMBER` and `llama-cpp-python==VERSION`.
//!
//! | step | by |
//! | --- | --- |
//! | the header by range: keys, tensors, no data | [`GgufFile::read`] |
//! | a file as a party | [`party()`] |
//! | the other parts of a split model, where what lies beside the file can be opened | [`with_parts`] |
//! | what all releases know as one text | [`LlamaNames`] |
//! | a release | [`LlamaRelease`] |
//! | what a release makes of a file | [`judge()`] |
//!
//! What is refused: a header that ends early, is longer than 256 MiB, or nests arrays deeper than eight levels. A key that stands
//! twice, tensors over each other or beyond the end are findings, because some releases load such files. What is not judged
//! and says so: whether the tensors are those that the architecture needs, adapters, projectors, and the chat template.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Date;
//! use unskew_gguf::{GgufFile, LlamaFamily, LlamaNames, LlamaRelease, judge};
//! use unskew_source::{BytesSource, Source};
//!
//! let mut bytes = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
//! bytes.extend(b"\x14\0\0\0\0\0\0\0general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0qwen3");
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.gguf", bytes));
//! let file = GgufFile::read(&source).unwrap().unwrap();
//! assert_eq!(file.architecture(), Some("qwen3"));
//!
//! let text = "#releases\t4980 5415\n3(file version)\t4980-\nqwen3(architecture)\t5415-\n";
//! let release = LlamaRelease {
//!     family: LlamaFamily::LlamaCpp,
//!     version: "4980".parse().unwrap(),
//!     next: None,
//!     released: Date::constant(2025, 3, 27),
//!     names: Arc::new(LlamaNames::from_text(text).unwrap()),
//! };
//! assert_eq!(judge(&file, &release).findings[0].rule.code, "GG003");
//! ```
#![forbid(unsafe_code)]

mod cursor;
mod file;
mod header;
mod parts;
mod party;
mod release;
pub mod rules;
mod tensor_type;
mod verdict;

pub use file::{BrokenRule, GgufFile, GgufValue, OtherParts, PartOf, TypeCount};
pub use parts::with_parts;
pub use party::{GGUF_AXIS, party};
pub use release::{LlamaFamily, LlamaNames, LlamaRelease, NextRelease};
pub use verdict::judge;
