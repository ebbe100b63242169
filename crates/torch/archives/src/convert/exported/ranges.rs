//! Ranges of sizes, which older releases begin at 2.
//!
//! A size for which its maker named no least value begins at 0 since 2.4. Up to 2.3 it begins at 2, and a range that holds
//! 0 ends the load; calls with 0 and 1 pass all the same, because only a least value above 2 is checked there.

use std::collections::BTreeSet;

use unskew_core::Version;

use super::schema_migrator::MigrationReport;
use crate::exported::elements::is_size;
use crate::history;
use crate::json::JsonValue;

/// The first release that loads `2*s0` where `s0` was not read before.
const EXPRESSIONS: Version = Version::pair(2, 3);

/// The first release that loads a size from 0 that shows only when a program runs.
const UNBACKED: Version = Version::pair(2, 2);

/// Has the ranges of a program begin where the release wants it.
pub(super) fn put(program: &mut JsonValue, minor: Version, found: &mut MigrationReport) {
    if minor >= history::zero_sizes_since() {
        return;
    }
    if minor < EXPRESSIONS {
        for hidden in hidden_sizes(program) {
            let what = format!(
                "loads no size that is computed of another before that one stands alone: {hidden}"
            );
            found.block(what, "graph_module.graph");
        }
    }
    let Some(ranges) = program.get_mut("range_constraints") else { return };
    // 2.1 reads those that show only when a program runs, `u0`, like the others.
    let is_read =
        |name: &str| is_size(name) || (minor < UNBACKED && is_size(&name.replacen('u', "s", 1)));
    let holds_zero = |(name, range): &&(String, JsonValue)| {
        let least = range.get("min_val").filter(|_| is_read(name));
        least.is_some_and(|least| least.as_int().is_none_or(|number| number < 1))
    };
    let names: Vec<String> =
        ranges.fields().iter().filter(holds_zero).map(|(name, _)| name.clone()).collect();
    for name in names {
        if let Some(range) = ranges.get_mut(&name) {
            range.set("min_val", JsonValue::number(2));
            found.change(format!(
                "the range of the size {name} begins at 2, as this release writes it"
            ));
        }
    }
}

/// The sizes that stand in an expression before they stand alone: the release reads tensors first, in their order.
fn hidden_sizes(program: &JsonValue) -> BTreeSet<String> {
    let mut sizes = SizeExpressions::default();
    let graph = program.get("graph_module").and_then(|module| module.get("graph"));
    for table in ["tensor_values", "sym_int_values"] {
        graph.and_then(|graph| graph.get(table)).into_iter().for_each(|table| sizes.read(table));
    }
    sizes.hidden
}

#[derive(Default)]
struct SizeExpressions {
    alone: BTreeSet<String>,
    hidden: BTreeSet<String>,
}

impl SizeExpressions {
    fn read(&mut self, value: &JsonValue) {
        value.items().iter().for_each(|item| self.read(item));
        for (key, value) in value.fields() {
            match value.as_text().filter(|_| key == "expr_str") {
                Some(size) if is_size(size) => {
                    self.alone.insert(size.to_owned());
                }
                Some(expression) => {
                    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    let new = words.filter(|word| is_size(word) && !self.alone.contains(*word));
                    self.hidden.extend(new.map(str::to_owned));
                }
                None => self.read(value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_may_be_anything_begins_at_2_for_2_3() {
        let text = r#"{"graph_module": {"graph": {"tensor_values": {"x": {"sizes": [{"as_expr": {"expr_str": "s0"}}, {"as_expr": {"expr_str": "s0 + 1"}}]}}}},
            "range_constraints": {"s0": {"min_val": 0, "max_val": 9}, "s1": {"min_val": 1, "max_val": 9},
            "u0": {"min_val": 0, "max_val": 9}, "2*s0": {"min_val": 0, "max_val": 9}}}"#;
        let (mut program, mut found) = (JsonValue::literal(text), MigrationReport::default());
        put(&mut program, Version::pair(2, 4), &mut found);
        assert_eq!((program.clone(), found.changed.len()), (JsonValue::literal(text), 0));
        put(&mut program, Version::pair(2, 2), &mut found);
        let least =
            |name: &str| program.get("range_constraints")?.get(name)?.get("min_val")?.as_int();
        let all = ["s0", "s1", "u0", "2*s0"].map(least);
        assert_eq!(all, [Some(2), Some(1), Some(0), Some(0)]);
        assert_eq!((found.changed.len(), found.blocked.len()), (1, 0));
    }

    #[test]
    fn a_size_that_is_computed_of_a_later_one_is_refused_up_to_2_2() {
        let text = r#"{"graph_module": {"graph": {"tensor_values": {"x": {"sizes": [{"as_expr": {"expr_str": "2*s1"}}]},
            "y": {"sizes": [{"as_expr": {"expr_str": "s1"}}]}}}}}"#;
        for (minor, blocked) in [(2, 1), (3, 0)] {
            let (mut program, mut found) = (JsonValue::literal(text), MigrationReport::default());
            put(&mut program, Version::pair(2, minor), &mut found);
            assert_eq!(found.blocked.len(), blocked, "2.{minor}");
        }
    }
}
