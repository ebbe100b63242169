//! C++ symbols of TensorFlow among the imports of a plug-in, and which of these the table of its libraries answers for
//! ([`unskew_extensions::tensorflow`]).

/// The parts of mangled names that say that a symbol belongs to TensorFlow or to what is linked into it.
const PARTS: [&str; 4] = ["10tensorflow", "3tsl", "6google8protobuf", "4absl"];

/// How names begin of what a compiler puts wherever it is used, so that no library has to export it: statics of
/// functions, names of types, templates of the standard library and of Eigen.
const EVERYWHERE: [&str; 10] = [
    "_ZZ",
    "_ZGV",
    "_ZTS",
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZN5Eigen",
    "_ZNK5Eigen",
    "_ZTISt",
    "_ZTVSt",
];

/// Whether the name is a C++ symbol of TensorFlow or of what is linked into it.
pub(crate) fn is_cpp(name: &str) -> bool {
    name.starts_with("_Z") && PARTS.iter().any(|part| name.contains(part))
}

/// Whether the table says of such a symbol where it is.
///
/// ```
/// use unskew_stream_executor::is_covered;
///
/// assert!(is_covered("_ZN10tensorflow8internal15LogMessageFatalD1Ev"));
/// // The name of a type, which every object that uses it brings along.
/// assert!(!is_covered("_ZTSN10tensorflow6TensorE"));
/// ```
pub fn is_covered(name: &str) -> bool {
    let everywhere = EVERYWHERE.iter().any(|start| name.starts_with(start));
    // A closure has no name that another file could know.
    is_cpp(name)
        && !everywhere
        && !name.contains("EUl")
        && !name.contains("_M_invoke")
        && !name.contains("_M_manager")
}
