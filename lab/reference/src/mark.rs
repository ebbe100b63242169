//! How a page says that it is made.

/// The first line of every page that is made, for whoever would edit it.
pub(super) const MARK: &str =
    "<!-- made by `cargo xtask docs`; the source is named at the end -->\n\n";
