//! Dated histories as people keep them, and what follows from their dates.
//!
//! Every promise with a window refers to a list of versions with days: *"a release done at time T should
//! support all the versions between T minus N weeks and T"* needs to know which version was there on which
//! day. Such lists are kept in three forms, and all three are read here, with the line of every entry:
//!
//! | form | an entry | kept by |
//! | --- | --- | --- |
//! | [`ChronicleFormat::Markdown`] | `## 0.56 (Nov 11, 2024)`, newest first | the PJRT C API, the IFRT proxy, changelogs of projects |
//! | [`ChronicleFormat::Comment`] | `// 4: 2026-06-10, what changed` beside the constants `current`, `minimum`, `week_4_old` | IFRT SerDes |
//! | [`ChronicleFormat::Toml`] | `[[version]]` with `number`, `landed`, `change`; `[[release]]` with `version`, `released` | this project |
//!
//! A [`Chronicle`] is what was read, faults included; [`findings`] says what is wrong with it, [`changes`]
//! what was done to it since, [`landed_findings`] what a repository knows better; [`HistoryAnswers`] say what was current on a day, what a release of that day must
//! support, what may be removed and until when each version counts; [`text`] and [`svg`] draw it.
//!
//! ```
//! use unskew_core::{Date, Version, Window};
//! use unskew_history::{HistoryAnswers, Chronicle};
//!
//! let changelog = "# Changelog\n\n## 0.3 (Mar 2, 2026)\n* c\n\n## 0.2 (Feb 1, 2026)\n* b\n\n## 0.1 (Jan 5, 2026)\n* a\n";
//! let chronicle = Chronicle::read("CHANGELOG.md", changelog.as_bytes()).ok_or("not a history")?;
//! let answers = HistoryAnswers::for_day(&chronicle, Date::constant(2026, 3, 10), Some(&Window::weeks(4)))?;
//! assert_eq!(answers.current, Some("0.3".parse()?));
//! // Four weeks before, 0.2 was in force: 0.1 is no longer needed.
//! assert_eq!(answers.supported.map(|s| s.range.to_string()), Some("0.2 to 0.3".to_owned()));
//! assert_eq!(answers.removable.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answers;
mod chronicle;
mod comment;
mod constants;
mod day;
mod declared_constants;
mod draw_svg;
mod draw_text;
mod file_history;
mod findings;
mod landing;
mod markdown;
mod read;
mod revised;
pub mod rules;
mod timeline;
mod toml_form;

pub use answers::{EndOfSupport, HistoryAnswers, Supported};
pub use chronicle::{
    Chronicle, ChronicleFormat, ChronicleProblem, ChronicleVersion, DeclaredConstant, Raised,
    StatedAs,
};
pub use draw_svg::{svg, svg_in_page};
pub use draw_text::text;
pub use file_history::{FileHistory, FileRevision, HistoryDepth};
pub use findings::{HistoryCheckOptions, HistoryFault, findings};
pub use landing::{Landed, Landings, landed_findings};
pub use revised::changes;
