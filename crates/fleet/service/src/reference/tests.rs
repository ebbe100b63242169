//! The reference that lies in the repository is the one that the endpoints make.

use std::path::Path;

use crate::{reference, routes};

#[test]
fn the_page_is_that_of_the_endpoints() {
    let place = Path::new(env!("UNSKEW_ROOT")).join("docs/reference/fleet-api.md");
    let page = reference::page();
    if std::env::var_os("UNSKEW_BLESS").is_some() {
        std::fs::write(&place, &page).unwrap();
    }
    let there = std::fs::read_to_string(&place).unwrap_or_default();
    assert!(there == page, "stale; UNSKEW_BLESS=1 writes it anew: {}", place.display());
}

#[test]
fn no_two_endpoints_have_one_name_or_one_place() {
    let mut names: Vec<&str> = routes::all().map(|one| one.name).collect();
    let mut places: Vec<_> = routes::all().map(|one| (one.path, one.verb)).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    places.sort_unstable();
    places.dedup();
    assert_eq!((names.len(), places.len()), (all, all));
}

#[test]
fn every_name_in_a_path_is_a_parameter() {
    for endpoint in routes::all() {
        let pieces = endpoint.path.split('/').filter_map(|piece| piece.strip_prefix('{'));
        for name in pieces.map(|piece| piece.trim_end_matches('}')) {
            let known = endpoint.parameters.iter().any(|one| one.name == name);
            assert!(known, "{}: {name}", endpoint.path);
        }
    }
}
