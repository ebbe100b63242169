//! Names that are no release of a family: runtimes of which documents tell, packages with a plug-in, compilers, and packages whose
//! classes files name.

use crate::vendor_docs::{NamedParties, NotStated};
use crate::{Family, class_names, iree, named_plugins, vendor_docs};

/// What is known of the names of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBasis {
    /// What the makers state.
    Stated,
    /// What each release said when it was asked once.
    Asked,
    /// Which programs each release reads.
    Read,
    /// Which classes each release has.
    Classes,
}

/// The names, and what is known of each.
pub fn names() -> impl Iterator<Item = (&'static str, NamedBasis)> {
    let stated = vendor_docs::names().map(|name| (name, NamedBasis::Stated));
    let asked = named_plugins::names().map(|name| (name, NamedBasis::Asked));
    let classes = class_names::packages_with_classes().map(|name| (name, NamedBasis::Classes));
    let classes = classes.filter(|(name, _)| Family::of_package(name).is_none());
    stated.chain(asked).chain([(iree::NAME, NamedBasis::Read)]).chain(classes)
}

/// The parties that `text` names, with their names: `tensorrt@10.1`, `libtpu@0.0.30`, or all releases of one of them
/// (`libtpu`); none if it names something else.
///
/// ```
/// let found = unskew_releases::named_parties::select("jax-cuda12-pjrt@0.7.2").unwrap().unwrap();
/// assert_eq!(found[0].0, "jax-cuda12-pjrt@0.7.2");
/// assert!(unskew_releases::named_parties::select("torch@2.1").is_none());
/// ```
///
/// # Errors
/// If nothing is known of this release.
pub fn select(text: &str) -> Option<Result<NamedParties, NotStated>> {
    // Most names are those of a family or paths, for which no table of these is read.
    let name = text.split_once('@').map_or(text, |(name, _)| name);
    if name.contains(['/', '\\']) || Family::of_package(name).is_some() {
        return None;
    }
    let named = vendor_docs::select(text).or_else(|| named_plugins::select(text));
    named.or_else(|| iree::select(text)).or_else(|| class_names::select(text))
}
