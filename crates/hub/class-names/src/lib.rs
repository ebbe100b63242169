//! Classes that files name in Python packages, judged against releases of these packages: what pickles and checkpoints look up, and
//! what configurations of pipelines, sentence encoders and datasets name.
//!
//! `pickle.dump`, `joblib.dump` and `torch.save` write an object as the module and the name of its class, and its attributes.
//! Whoever loads the file imports the module and looks the name up, in the release that is there: `C3k2` of
//! `ultralytics.nn.modules.block` came with ultralytics 8.3, `pandas.core.indexes.numeric` went with pandas 2.
//!
//! `model_index.json` of diffusers, `modules.json` of sentence-transformers and `dataset_info.json` of datasets name classes, too.
//!
//! * each class or function that the file looks up, against the modules of the release: whether it is there under this name;
//! * names that a loader of the package takes for others: `YOLO("best.pt")` maps those of older releases.
//!
//! What is promised: nothing. Packages move their modules as they like, and few keep the old names.
//!
//! | step | by |
//! | --- | --- |
//! | a configuration; a pickle that joblib wrote, or that is compressed; nothing is run | [`party()`] |
//! | what a file of another boundary looks up | [`pickled_names`], [`with_names`] |
//! | what all releases of a package have, as lines of one table | [`PackageClasses`] |
//! | a release | [`PackageRelease`] |
//! | what a release makes of a file | [`judge()`] |
//!
//! What is refused: a pickle that ends early, and one that is larger than 128 MiB when it is decompressed; a configuration of
//! more than 64 MiB. What is not judged and says so: most names in extension modules, classes that no release is known to have,
//! the arguments of functions that rebuild objects, and what a class makes of attributes that another release set.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_class_names::{ClassNames, PackageClasses, PackageRelease, judge};
//!
//! let table = "= ultralytics 8.2.0 8.3.0\nultralytics.nn.modules.block:C2f\t8.2.0..\n\
//!              ultralytics.nn.modules.block:C3k2\t8.3.0..\n";
//! let classes = Arc::new(PackageClasses::from_section(table).unwrap());
//! let release = PackageRelease::new(classes, "8.2.0").unwrap();
//! let names = ClassNames::of_pickle(["ultralytics.nn.modules.block.C3k2".to_owned()]);
//! assert_eq!(judge(&names, &release).unwrap().findings[0].rule.code, "CN001");
//! ```
#![forbid(unsafe_code)]

mod classes;
mod configuration;
mod judge;
mod names;
mod party;
mod release;
pub mod rules;

pub use classes::{ClassPresence, PackageClasses};
pub use judge::judge;
pub use names::{ClassNames, ModelsAreJudged, NameLookup};
pub use party::{NAMES_AXIS, party, pickled_names, with_names, with_unread_names};
pub use release::PackageRelease;
