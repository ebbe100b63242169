//! Packages that bring layers of their own: what is missing is the package, and not a class of the user's.

use crate::KerasPackage;

/// The first part of a module or of a registered name, and the package to install.
const PACKAGES: [(&str, &str); 8] = [
    ("tf_keras", "tf_keras"),
    ("keras_core", "keras-core"),
    ("keras_hub", "keras-hub"),
    ("keras_cv", "keras-cv"),
    ("keras_nlp", "keras-nlp"),
    ("tensorflow_hub", "tensorflow-hub"),
    ("tensorflow_addons", "tensorflow-addons"),
    ("Addons", "tensorflow-addons"),
];

/// The package of a class by its full name, `keras_nlp.src.layers.Reversible` or `Addons>AdamW`; none if it is no other
/// package than the one that loads the file.
pub(super) fn package_of(name: &str, loader: KerasPackage) -> Option<&'static str> {
    let first = name.split(['.', '>']).next().filter(|first| first.len() < name.len())?;
    let (_, package) = PACKAGES.iter().find(|(begins, _)| *begins == first)?;
    (*package != loader.as_str()).then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_told_from_a_class_of_the_user() {
        let of = |name| package_of(name, KerasPackage::Keras);
        assert_eq!(of("tf_keras.src.engine.functional.Functional"), Some("tf_keras"));
        assert_eq!(of("Addons>AdamW"), Some("tensorflow-addons"));
        assert_eq!(of("lab>Scale"), None);
        assert_eq!(of("keras_nlp"), None);
        assert_eq!(package_of("tf_keras.src.Functional", KerasPackage::TfKeras), None);
    }
}
