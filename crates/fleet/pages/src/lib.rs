//! The pages of a fleet: HTML and SVG, made from typed data, without a script.
//!
//! The service `unskew fleet serve` mounts every page here, and the command writes a plan into a file. A page is plain
//! data that renders itself: it opens no database, waits for nothing and knows no HTTP. [`Gather`] looks up what pages
//! show in a fleet; the release explorer and the windows show the built-in database, which needs none.
//!
//! | page | shows |
//! | --- | --- |
//! | [`Overview`] | the fleet: devices, runtimes, models and how far they reach, what is not served |
//! | [`ModelPage`] | a model: its versions, and what every runtime says to them, with the reasons |
//! | [`PlanPage`] | which artifacts serve the most devices, what each more buys, what if |
//! | [`RuntimesPage`], [`RuntimePage`] | the runtimes; one of them, what it gets of every model, how it stands on every axis |
//! | [`DecisionPage`] | one decision with everything that it comes from |
//! | [`families`], [`FamilyPage`], [`ReleasePage`], [`OperatorPage`] | which release has an operator, since when, until when |
//! | [`axes`], [`AxisPage`] | the timeline of every axis |
//! | [`jobs`], [`audit`] | what a service computes in the background, and who did what |
//! | [`login`], [`problem`] | the way in, and what went wrong |
//!
//! What all pages keep to:
//!
//! * Every view is an address ([`Address`]), so that it can be sent on; every form is a plain one.
//! * All texts are escaped; [`POLICY`] allows a page its own style and nothing else, so even what was not escaped
//!   would do nothing.
//! * Tables are tables, with heads; a drawing has a table as its equal; what scrolls does so with the keyboard, too.
//! * Colours say nothing that words do not say. Dark screens, narrow ones and paper have their styles.
//!
//! ```
//! use unskew_core::Date;
//! use unskew_fleet_pages::{FamilyPage, Frame, Viewer};
//! use unskew_releases::Family;
//!
//! let reader = Viewer { name: None, jobs: false, audit: false };
//! let judge = unskew_fleet::JudgeIdentity::of_this_program();
//! let frame = Frame { reader: &reader, judge: &judge, as_of: Date::constant(2026, 11, 21) };
//! let page = FamilyPage::new(Family::Torch, "aten::gelu", "", 1).page(&frame);
//! assert!(page.contains("<code>aten::gelu</code>"));
//! assert!(!page.contains("<script"));
//! ```
#![forbid(unsafe_code)]

mod address;
mod amount;
mod asset;
mod curve;
mod decision;
mod frame;
mod gather;
mod listing;
mod login;
mod mark;
mod matrix;
mod model;
mod overview;
mod plan;
mod publish;
mod reason;
mod releases;
mod runtime;
mod runtimes;
mod standalone;
mod terms;
mod unserved;
mod watch;
mod what_if;
mod windows;

pub use address::{Address, PageView};
pub use asset::{Asset, POLICY, assets};
pub use curve::svg;
pub use decision::DecisionPage;
pub use frame::{Frame, Section, Viewer};
pub use gather::{Gather, ListRequest};
pub use listing::ListPage;
pub use login::{login, problem};
pub use matrix::VersionMatrix;
pub use model::ModelPage;
pub use overview::{ModelOverview, Overview};
pub use plan::{PlanPage, PlanQuery};
pub use publish::publish;
pub use releases::{FamilyPage, OperatorPage, ReleasePage, families};
pub use runtime::{AxisPosition, RuntimePage, Was};
pub use runtimes::RuntimesPage;
pub use standalone::plan_file;
pub use unserved::Unserved;
pub use watch::{audit, jobs};
pub use what_if::changes;
pub use windows::{AxisPage, axes};
