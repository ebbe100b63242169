//! Pickles and joblib files of scikit-learn, judged against releases of scikit-learn.
//!
//! A fitted estimator is saved by `joblib.dump` or `pickle.dump`: a program that looks up classes by module and name, and sets
//! the attributes that they had in the release that wrote the file. The release that loads it has classes of its own: one moved,
//! one reads an attribute that the older class did not set, one stores the nodes of its trees in another layout. scikit-learn
//! promises nothing between releases, and prints `InconsistentVersionWarning` for every difference, whether it matters or not.
//!
//! * each class that the file looks up, against the classes of the release (names were read from the modules of the release);
//! * each class with the release that wrote it, against what was measured: estimators of all classes, fitted by each release with
//!   default arguments, loaded and asked by every other one (`cargo lab scikit-learn`);
//! * `_sklearn_version`, which tells who wrote the file.
//!
//! | step | by |
//! | --- | --- |
//! | a pickle, plain, of joblib, or compressed by zlib or gzip; nothing is run | [`SklearnFile::read`] |
//! | a file as a party | [`party()`] |
//! | what all releases have, and what was measured, as one text | [`SklearnNames`] |
//! | a release | [`SklearnRelease`] |
//! | what a release makes of a file | [`judge()`] |
//!
//! What is refused: a pickle that ends early, and one that is larger than 128 MiB when it is decompressed. What is not judged and
//! says so: classes of other packages, writers that were not measured, and attributes that only other arguments than the
//! defaults make matter.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_core::Date;
//! use unskew_scikit_learn::{SklearnFile, SklearnNames, SklearnRelease, judge};
//! use unskew_source::{BytesSource, Source};
//!
//! let bytes = b"\x80\x04csklearn.linear_model.logistic\nLogisticRegression\n)\x81.".to_vec();
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("model.pkl", bytes));
//! let file = SklearnFile::read(&source).unwrap().unwrap();
//!
//! let text = "#releases\t0.22.2 1.9.1\nLogisticRegression(sklearn.linear_model._logistic)\t0.22.2-\n\
//!             LogisticRegression(sklearn.linear_model.logistic)\t0.22.2\n";
//! let release = SklearnRelease {
//!     version: "1.9.1".parse().unwrap(),
//!     released: Date::constant(2026, 9, 1),
//!     names: Arc::new(SklearnNames::from_text(text).unwrap()),
//! };
//! assert_eq!(judge(&file, &release).findings[0].rule.code, "SK001");
//! ```
#![forbid(unsafe_code)]

mod file;
mod party;
mod release;
pub mod rules;
mod verdict;

pub use file::{SklearnFile, UsedClass, release_version};
pub use party::{SKLEARN_AXIS, party};
pub use release::{MeasuredTrouble, SklearnNames, SklearnRelease, TroubleKind};
pub use verdict::judge;
