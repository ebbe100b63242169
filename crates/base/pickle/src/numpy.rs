//! Modules of NumPy that a pickle looks up, which not every NumPy has.

/// The modules of `numpy._core` that NumPy 1.26.3 and 1.26.4 have, so that they read what NumPy 2 wrote.
const NUMPY_1_CORE: [&str; 6] =
    ["_dtype", "_dtype_ctypes", "_internal", "_multiarray_umath", "multiarray", "umath"];

/// The first NumPy that has a module of `numpy._core`, or what is in it; none for any other name.
///
/// ```
/// use unskew_pickle::numpy_since;
///
/// assert_eq!(numpy_since("numpy._core.multiarray.scalar"), Some("1.26.3"));
/// assert_eq!(numpy_since("numpy._core.numeric"), Some("2.0.0"));
/// assert_eq!(numpy_since("numpy.core.multiarray"), None);
/// ```
pub fn numpy_since(name: &str) -> Option<&'static str> {
    let module = name.strip_prefix("numpy._core.")?.split('.').next()?;
    Some(if NUMPY_1_CORE.contains(&module) { "1.26.3" } else { "2.0.0" })
}
