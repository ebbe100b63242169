//! The reference page of the host API against the data.

use unskew_pjrt::layout::{find_struct, slot};

const PAGE: &str = include_str!("../../../../../docs/reference/pjrt-host.md");

#[test]
fn every_function_and_field_of_the_page_has_the_age_that_the_data_say() {
    let mut seen = 0;
    for row in PAGE.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").unwrap();
        let (since, _) = rest.split_once(" | ").unwrap();
        let first: i32 = since.split(' ').next().unwrap()[2..].parse().unwrap();
        let known = match name.split_once('.') {
            Some((record, field)) => {
                let fields = find_struct(record).unwrap().fields;
                fields.iter().find(|known| known.name == field).unwrap().since
            }
            None => slot(name).map_or_else(|| find_struct(name).unwrap().since, |slot| slot.since),
        };
        assert_eq!(known, first, "{name}");
        seen += 1;
    }
    assert!(seen > 8);
}
