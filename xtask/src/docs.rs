//! `cargo xtask docs [--check]`: the pages that are made from something else.
//!
//! * the README of each published crate, from the head of its `lib.rs`, and the table of the laboratory in
//!   `docs/reference/made-from.md`, from what its commands state. These are committed: with `--check` they are compared;
//! * the rules and the reference, by `cargo lab reference`, which this starts. These are not committed (`.gitignore`): with
//!   `--check` they are made, every link of the docs is followed, and nothing is written.

mod made_from;
mod readme;

use unskew_lab_harness::pages;

/// Writes the pages, or, with `check`, says which of them are stale.
///
/// # Errors
/// If a page cannot be read or written, one is stale, or a link leads nowhere.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let mut pages = readme::pages(root)?;
    pages.insert(made_from::PAGE.into(), made_from::page(root)?);
    if check {
        pages::check(&pages)?;
    } else {
        pages::write(&pages, &[])?;
    }
    let check = check.then(|| "--check".into());
    crate::lab::run("reference", check)
}
