//! Registry of a fleet: which artifact for which runtime, decisions with their reasons, and plans.
//!
//! A delivery service has models with a history of versions, and runtimes of many ages in the field. Before anything is
//! delivered it asks three questions, which this crate answers with the same `check` and `convert` as the
//! command `unskew`:
//!
//! * **What does this runtime get of this model?** A [`Decision`]: the newest version as it is, or converted, or an
//!   older one, or nothing, with every reason.
//! * **Which artifacts does the whole fleet need?** A [`Plan`]: for every number of artifacts those that serve the
//!   most devices, what each more buys, and which runtimes keep a version alive.
//! * **What if** a release arrives, an operator goes, a window moves? A plan for the fleet as it would be ([`WhatIf`]).
//!
//! | part | what it is |
//! | --- | --- |
//! | [`RuntimeProfile`] | a runtime as its owner describes it: a release, or a device with operators and ranges of its own |
//! | [`BlobStore`] | artifacts on disk or in an object store, under the digest of what is in them |
//! | [`store`] | the database: SQLite, or PostgreSQL for several processes |
//! | [`Prune`] | what is kept of all this, and what is taken away when nothing refers to it |
//! | [`ArtifactAnswer`] | what a runtime says to an artifact and to what a conversion makes of it; made once, kept, and found again by the digests of the artifact, of the profile, and of whoever judged |
//! | [`Inspectors`] | processes that read artifacts, for whoever does not trust them |
//! | [`DeliveryPolicy`], [`Decision`] | what is good enough, and what follows |
//! | [`AnswerIndex`] | what is known of many pairs at once, without asking anybody |
//! | [`Cover`], [`Plan`] | the optimization, alone and for a fleet |
//!
//! A decision is reproducible: it names the day, the profile, the policy and the [`JudgeIdentity`], and the same of these
//! give the same bytes of JSON. Nothing that is stored is ever run: plug-ins are read only.
//!
//! There is no HTTP here and nothing asynchronous; a service stands on top.
//!
//! ```
//! use unskew_core::Date;
//! use unskew_fleet::{DecisionKind, Fleet, DeliveryPolicy, RuntimeProfile};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let mut fleet = Fleet::open(folder.path()).unwrap();
//! let profile = r#"{ "fleet_runtime": 1, "name": "phones", "devices": 1200, "release": "torch@1.10" }"#;
//! fleet.put_runtime(&RuntimeProfile::read(profile).unwrap(), "2026-11-01").unwrap();
//!
//! let model = std::path::Path::new(env!("UNSKEW_ROOT")).join("examples/gelu-2.15.0.pt");
//! fleet.publish("gelu", &model, "2026-11-01").unwrap();
//!
//! let policy = DeliveryPolicy::on(Date::constant(2026, 11, 21));
//! let decision = fleet.decide("gelu", "phones", &policy).unwrap();
//! assert_eq!(decision.decision, DecisionKind::Converted);
//! assert!(!decision.considered[0].answer.as_is.findings.is_empty());
//! let again = fleet.decide("gelu", "phones", &policy).unwrap();
//! assert_eq!(again.to_json(), decision.to_json());
//! ```
#![forbid(unsafe_code)]

mod answer;
mod answer_index;
mod blob_store;
mod cover;
mod decision;
mod digest;
pub mod documents;
mod error;
mod examine;
mod fleet;
mod inspection;
mod judge;
mod name;
mod plan;
mod profile;
mod prune;
pub mod store;
mod words;

pub use answer::{
    ArtifactAnswer, Attempt, Compatibility, ConversionStep, FindingRecord, FindingSide, NotJudged,
    Promised, VerdictRecord,
};
pub use answer_index::{AnswerIndex, Coverage, RuntimeAnswer, coverage};
pub use blob_store::{BlobStore, StoredArtifact, list_digest};
pub use cover::{Best, Cover, EFFORT};
pub use decision::{
    AcceptUnjudged, Considered, Decision, DecisionKind, Delivery, DeliveryMode, DeliveryPolicy,
    For, PolicySpec,
};
pub use digest::{Digest, DigestError};
pub use error::{FleetError, chain};
pub use fleet::{Fleet, PublishResult, RegistrationResult};
pub use inspection::{Allowance, InspectionError, Inspectors, inspection_main};
pub use judge::JudgeIdentity;
pub use name::check as check_name;
pub use plan::{
    BlockingVersion, DeliveryCandidate, Needing, Plan, PlanOptions, Point, Served, WhatIf,
};
pub use profile::{ProfileError, ProfileOperator, Runtime, RuntimeProfile};
pub use prune::{Prune, Pruned};
