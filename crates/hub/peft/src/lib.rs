//! `adapter_config.json`, judged against releases of PEFT.
//!
//! An adapter is a folder with the configuration of the adapter and its weights. The configuration has a type, `peft_type`, and the
//! fields of that type, all of them, whether they differ from their defaults or not. Types and fields came with releases, and what
//! becomes of a field that a release does not have differs: it is passed over (to 0.5), an error (0.6 to 0.13), or passed over
//! with a warning (since 0.14). A field at its default says nothing to a release without it; another value does.
//!
//! * the type of the adapter;
//! * each field that the release does not have, with its value against the default in the releases that have it;
//! * values without which a release refuses a type: `total_step` of AdaLoRA since 0.15, `oft_block_size` of OFT since 0.14.
//!
//! What is promised: nothing is written down. What each release knows and does was measured by loading configurations with it
//! (`cargo lab peft --take`).
//!
//! | step | by |
//! | --- | --- |
//! | `adapter_config.json` | [`PeftConfiguration::read`] |
//! | a configuration as a party | [`party()`] |
//! | what was measured of all releases, as one text | [`PeftNames`] |
//! | a release | [`PeftRelease`] |
//! | what a release makes of a configuration | [`judge()`] |
//! | a configuration that a release reads, made from one that it does not | [`convert()`] |
//!
//! What is refused: a file of more than 64 MiB, or nested deeper than 128 levels. What is not judged and says so: the weights, and
//! the base model.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Date;
//! use unskew_peft::{PeftConfiguration, PeftNames, PeftRelease, judge};
//! use unskew_source::{BytesSource, Source};
//!
//! let text = br#"{"peft_type": "LORA", "r": 8, "use_dora": true}"#;
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("adapter_config.json", text.to_vec()));
//! let config = PeftConfiguration::read(&source).unwrap().unwrap();
//!
//! let names = "#releases\t0.8.2 0.9.0\nLORA(field peft_type = \"LORA\")\t0.8.2-\nLORA(field r = 8)\t0.8.2-\n\
//!              LORA(field use_dora = false)\t0.9.0-\nLORA(type)\t0.8.2-\nunknown-fields(refused)\t0.8.2-\n";
//! let release = PeftRelease {
//!     version: "0.8.2".parse().unwrap(),
//!     released: Date::constant(2024, 2, 1),
//!     names: Arc::new(PeftNames::from_text(names).unwrap()),
//! };
//! assert_eq!(judge(&config, &release).findings[0].rule.code, "PE002");
//! ```
#![forbid(unsafe_code)]

mod config;
mod convert;
mod judge;
mod party;
mod release;
pub mod rules;

pub use config::PeftConfiguration;
pub use convert::convert;
pub use judge::judge;
pub use party::{PEFT_AXIS, party};
pub use release::{PeftNames, PeftRelease, UnknownFields};
