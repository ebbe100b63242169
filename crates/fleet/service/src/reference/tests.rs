//! What the reference says of endpoints is true of all of them.

use crate::{reference, routes};

#[test]
fn the_page_has_a_section_for_every_endpoint() {
    let page = reference::page();
    for endpoint in routes::all() {
        let heading = format!("{} {}", endpoint.verb.as_str().to_uppercase(), endpoint.path);
        assert!(page.matches(&heading).count() > 1, "{heading}: in the table and a section");
    }
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
