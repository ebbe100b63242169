//! The folder for what can be made or fetched again.

use std::path::PathBuf;

/// `UNSKEW_CACHE`, else `unskew` in the user's cache folder; none if the user has none.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = set("UNSKEW_CACHE").map(PathBuf::from);
    let users = || set("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("unskew"));
    let home = || set("HOME").map(|home| PathBuf::from(home).join(".cache/unskew"));
    own.or_else(users).or_else(home)
}
