//! The pages that are made: all of them can be, and links lead to them.

use std::path::Path;

use super::{dead_links, made};

#[test]
fn every_page_is_made_and_every_link_of_the_docs_leads_somewhere() {
    let root = unskew_peers::root();
    let pages = made(root).unwrap();
    let rules = pages.keys().filter(|path| path.starts_with("docs/rules")).count();
    assert_eq!(
        rules,
        unskew_artifact::every_rule().count() + 1,
        "a page for each rule, and their index"
    );
    assert_eq!(dead_links(root, &pages).unwrap(), Vec::<String>::new());
}

#[test]
fn git_ignores_every_page_that_is_made() {
    let root = unskew_peers::root();
    let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap();
    for page in made(root).unwrap().into_keys() {
        let is_ignored = |line: &str| {
            line.strip_prefix('/').is_some_and(|path| page.starts_with(Path::new(path)))
        };
        assert!(
            ignored.lines().any(is_ignored),
            "{}: neither committed nor ignored",
            page.display()
        );
    }
}

#[test]
fn a_link_to_a_page_that_is_not_made_is_found() {
    let root = unskew_peers::root();
    let mut pages = made(root).unwrap();
    pages.remove(Path::new("docs/rules/KR001.md"));
    let dead = dead_links(root, &pages).unwrap();
    assert!(dead.iter().any(|link| link.contains("check-a-keras-model.md")), "{dead:?}");
}
