//! The names of models and runtimes.

use crate::FleetError;

/// The most letters of a name.
const LONGEST: usize = 128;

/// Whether `name` may name a model or a runtime: letters, digits and `. _ - @ + /`, the first and the last of
/// them a letter or a digit, no empty piece and no `..` between slashes.
///
/// # Errors
/// [`FleetError::Name`] if not. Names never become paths, but people put them into addresses and file names.
pub fn check(name: &str) -> Result<(), FleetError> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-@+/".contains(&b);
    let ends = name.bytes().next().zip(name.bytes().last());
    let fine = name.len() <= LONGEST
        && name.bytes().all(plain)
        && ends.is_some_and(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
        && name.split('/').all(|piece| !piece.is_empty() && piece != "." && piece != "..");
    if fine { Ok(()) } else { Err(FleetError::Name(name.chars().take(LONGEST).collect())) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_is_no_path_trick() {
        for good in ["camera-7", "torch@2.1.2", "vision/net_v2", "a"] {
            assert!(super::check(good).is_ok(), "{good}");
        }
        let long = "x".repeat(129);
        for bad in
            ["", "../etc", "a/../b", "/a", "a/", "a//b", "a b", "a\n", ".hidden", "<b>", &long]
        {
            assert!(super::check(bad).is_err(), "{bad}");
        }
    }
}
