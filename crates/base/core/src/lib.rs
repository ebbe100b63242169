//! The model that all boundaries of Unskew share.
//!
//! Two pieces of ML software that were built at different times meet at a *boundary*: a model file
//! and a runtime, a plug-in and its host, a serialized value and its reader. Everything Unskew says
//! about such a pair reduces to **parties that provide versions and require versions along axes**:
//!
//! * an [`Axis`] is a named version line (`tf.graph_def`, `pjrt.api`, `torch.file_format`), whose
//!   dated [`History`] says which version was there on which day;
//! * a [`Party`] is anything that stands on one side. It *provides* a version or a range on some
//!   axes and *requires* something of whoever stands opposite: a range, a set, "not these", a
//!   feature, or — for what only the boundary understands — whatever its [`Matcher`] says;
//! * [`check`] walks the requirements of both against what the other provides. The [`Verdict`] has
//!   one [`Finding`] per reason, and, apart from whether the pair works, the [`Promise`]s: whether
//!   its makers *say* that it works, in which [`Window`], until which day;
//! * [`negotiate`] finds the highest version that two sides share, with the floor of each part;
//! * what nobody looked at is [`Unjudged`]: a part of the verdict, never a pass;
//! * a [`Conversion`] lists what is done to an artifact so that the other side accepts it, and what stands
//!   in the way.
//!
//! The path of the data is one-way: a boundary crate reads bytes and makes a `Party`; `check` makes
//! a `Verdict`; a renderer prints it. Nothing here knows a file format, opens a file or asks a clock:
//! the day on which a question is asked comes in with the [`Context`].
//!
//! ```
//! use unskew_core::{check, Clash, Context, Date, Finding, Need, Party, RuleText, Phase, Provision};
//! use unskew_core::{Requirement, Role, Rule, Severity, Version, VersionRange};
//!
//! const NO_TEXT: RuleText = RuleText::plain("");
//! static TOO_NEW: Rule = Rule {
//!     code: "XX001", name: "too-new", since: "0.1",
//!     severity: Severity::Error, phase: Some(Phase::Load),
//!     summary: "The file is newer than its reader.", reference: NO_TEXT, what: NO_TEXT, why: NO_TEXT, fix: "",
//!     error_texts: NO_TEXT, fires: NO_TEXT, silent: NO_TEXT,
//! };
//!
//! let file = Party::new("net.pt", Role::Artifact, "archive")
//!     .provide(Provision::new("torch.file_format", VersionRange::exactly(Version::number(10))));
//! let runtime = Party::new("torch 1.10.2", Role::Runtime, "release").require(Requirement::new(
//!     "torch.file_format",
//!     Need::Within(VersionRange::between(Version::number(1), Version::number(6))),
//!     |clash: &Clash<'_>| Finding::new(&TOO_NEW, format!("version {}, max 6", clash.found)),
//! ));
//!
//! let verdict = check(&file, &runtime, &Context::on(Date::constant(2026, 11, 1)));
//! assert!(!verdict.works());
//! assert_eq!(verdict.findings[0].message, "version 10, max 6");
//! ```
#![forbid(unsafe_code)]

mod axis;
mod compressed_text;
mod conversion;
mod data_version;
mod finding;
mod history;
mod merge;
mod negotiation;
mod nesting;
mod padded;
mod party;
mod plain;
mod policy;
mod promise;
mod question;
mod range;
mod rule;
pub mod rules;
mod unjudged;
mod verdict;
mod version;
mod window;

pub use axis::Axis;
pub use compressed_text::{CompressedText, RuleText};
pub use conversion::{Conversion, Rewrite};
pub use data_version::{DataConsumer, DataRefusal, DataVersions};
pub use finding::{Accepted, Finding, Places, Side};
pub use history::{Floor, History, HistoryEntry, HistoryError};
/// A calendar day. Every date of Unskew is one; none carries a time or a zone.
/// The days in this crate's API are those of this release of `jiff`.
pub use jiff::{self, civil::Date};
pub use negotiation::{Agreement, NoAgreement, Offer, PartFloor, negotiate};
pub use nesting::nested_too_deep;
pub use padded::{Padded, column};
pub use party::{
    AbsentAxis, Clash, Context, Fact, Judgement, Matcher, Need, Party, Provision, Requirement, Role,
};
pub use plain::{OneLine, Plain, is_hidden};
pub use policy::Policy;
pub use promise::{Promise, PromiseState};
pub use question::{Answer, VerdictQuestion};
pub use range::VersionRange;
pub use rule::{Phase, Rule, Severity};
pub use unjudged::{Unjudged, aspect};
pub use verdict::{Outcome, Verdict, check};
pub use version::{Version, VersionError};
pub use window::{Span, Window, WindowError};
