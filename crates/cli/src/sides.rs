//! From what a user names to the parties that stand on that side.

use std::ffi::OsString;
use std::path::Path;

use unskew_artifact::{OpenOptions, RunPolicy};
#[cfg(feature = "fleet")]
pub use unskew_verbs::neither;
pub use unskew_verbs::{ResolvedParty, is_release, side};

/// The options by which files are opened: plug-ins that may run are asked in a child process of this command.
pub fn options(running: impl Into<RunPolicy>) -> OpenOptions {
    unskew_verbs::options(running.into(), std::env::current_exe().ok())
}

/// The names of sides, each for itself: `torch@2.1,tensorflow@2.15` are two. The comma of a range (`torch>=2.1,<2.4`) and that
/// of a file's name separate nothing.
pub fn each<'n>(names: impl IntoIterator<Item = &'n OsString>) -> Vec<OsString> {
    let mut all = Vec::new();
    for name in names {
        let parts = name.to_str().filter(|_| !Path::new(name).exists()).map(|text| text.split(','));
        let is_list = |parts: &std::str::Split<'_, char>| {
            parts
                .clone()
                .all(|part| part.trim().starts_with(|letter: char| letter.is_ascii_alphabetic()))
        };
        match parts.filter(is_list) {
            Some(parts) => all.extend(parts.map(|part| part.trim().into())),
            None => all.push(name.clone()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_several_names_and_a_range_is_one() {
        let of = |text: &str| each([&OsString::from(text)]).len();
        assert_eq!(of("torch@2.1,tensorflow@2.15"), 2);
        assert_eq!(of("torch>=2.1,<2.4"), 1);
        assert_eq!(of("torch@2.1"), 1);
        assert_eq!(of("net,5.pt"), 1);
    }
}
