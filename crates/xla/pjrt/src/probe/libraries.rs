//! Libraries that a plug-in needs, and the packages that have them.

/// A line per library: its name, and what has it.
const LIBRARIES: &str = include_str!("../../data/libraries.tsv");

/// What has the library of this name, as the loader asks for it: `libcudart.so.12`. None if that is not
/// known.
pub(crate) fn package_of(library: &str) -> Option<&'static str> {
    let rows = || LIBRARIES.lines().filter_map(|line| line.split_once('\t'));
    let stem = library.split_inclusive(".so").next();
    let named = |name: &str| rows().find(|row| row.0 == name).map(|row| row.1);
    named(library).or_else(|| named(stem?))
}

pub(crate) fn with_packages(libraries: &[String]) -> String {
    let one = |library: &String| match package_of(library) {
        Some(package) => format!("{library}, which is in {package}"),
        None => library.clone(),
    };
    libraries.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_by_its_version_or_by_its_name() {
        assert_eq!(package_of("libcudart.so.12"), Some("nvidia-cuda-runtime-cu12 (PyPI)"));
        assert_eq!(package_of("libcudart.so.13"), Some("nvidia-cuda-runtime (PyPI)"));
        assert_eq!(package_of("libcudart.so.11"), None);
        assert_eq!(package_of("libtensorflow_framework.so.2"), Some("tensorflow (PyPI)"));
        assert_eq!(package_of("libmine.so"), None);
        let both = ["libmine.so".to_owned(), "libnuma.so.1".to_owned()];
        let text = "libmine.so; libnuma.so.1, which is in libnuma1 (Debian, Ubuntu)";
        assert_eq!(with_packages(&both), text);
    }
}
