//! Models of XGBoost, LightGBM and CatBoost, judged against releases of these packages.
//!
//! A model of gradient boosting is saved as a file: JSON, UBJSON or the old binary format of XGBoost, the text of LightGBM, the
//! `.cbm` or JSON of CatBoost. Releases read what older ones wrote, with exceptions: XGBoost 3.1 reads the binary format no longer,
//! and one release may lack an objective, a parameter or a key that another one wrote.
//!
//! * the two sides: a file with its *properties* (`format=ubjson`, `objective=reg:absoluteerror`, `parameter=linear_tree`), and a
//!   release with what was measured of properties: the file does not load, fails when it is asked, or answers otherwise;
//! * what carries the version: `version` in the files of XGBoost (the release) and LightGBM (the format); nothing in others;
//! * what is promised: XGBoost reads models of all older releases in JSON and UBJSON
//!   (<https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html>). The others promise nothing.
//!
//! ```text
//! bytes ─ BoosterModel::read ─▶ properties ─ party ─▶ Party ─┐
//! pickle ─ pickled_models ────▶ properties ─ with_models ────┤
//!                                                            ├─ judge ─▶ findings, what is unjudged
//! lines of one package ─ SpanTable ─▶ BoosterRelease ────────┘
//! ```
//!
//! | step | by |
//! | --- | --- |
//! | bytes to properties; trees are passed over | [`BoosterModel::read`] |
//! | a model as a party | [`party()`] |
//! | a release, with the lines of its package that `cargo lab boosters --take` measured | [`BoosterRelease`] |
//! | what a release makes of a model | [`judge()`] |
//!
//! A pickle of a booster or an estimator holds such a model in an attribute: its properties are those of the model, its classes and
//! the attributes of both ([`pickled_models`]). The names of its classes are those of `crates/hub/class-names`.
//!
//! What is refused: JSON that is nested deeper than 128 levels, UBJSON deeper than 64, a file that ends early. What is not judged and
//! says so: objectives that were not measured.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_boosters::{BoosterModel, BoosterRelease, judge};
//! use unskew_source::{BytesSource, Source};
//!
//! let text = b"tree\nversion=v4\nobjective=rank_xendcg\n\nend of trees\n";
//! let file: Arc<dyn Source> = Arc::new(BytesSource::new("model.txt", text.to_vec()));
//! let model = BoosterModel::read(&file).unwrap().unwrap();
//!
//! let lines = "= lightgbm 2.3.1 3.0.0\nobjective=rank_xendcg => load: Unknown objective type name\t2.3.1\n";
//! let release = BoosterRelease::select(lines, "2.3.1").unwrap();
//! assert_eq!(judge(&model, &release).unwrap().findings[0].rule.code, "BO001");
//! ```
#![forbid(unsafe_code)]

mod catboost;
mod finite;
mod judge;
mod lightgbm;
mod model;
mod outline;
mod party;
mod pickled;
mod release;
pub mod rules;
mod ubjson;
mod xgboost;

pub use judge::judge;
pub use model::{BoosterLibrary, BoosterModel, version_numbers};
pub use party::{BOOSTERS_AXIS, party, with_models};
pub use pickled::pickled_models;
pub use release::{BoosterRelease, MeasuredOutcome, MeasuredProperty};
