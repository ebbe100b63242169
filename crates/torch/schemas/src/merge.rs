//! Adding a release's table to a history.

use unskew_core::Version;
use unskew_definitions::{Rows, TableChange};

use crate::{FunctionSchema, OperatorHistory};

/// The text of `history` with the table of `release` in it, in place of what it said about that
/// release before, and what changed against the release before it. An empty history may be none.
///
/// Schemas are written in one form, so that `-> (Tensor)`, as releases up to 1.12 print it, and
/// `-> Tensor` are not a change.
///
/// ```
/// use unskew_torch_schemas::merge;
/// let (text, change) = merge(None, "1.0".parse().unwrap(), ["a::f(int x) -> (int)", "torn"]);
/// assert_eq!(text, "#releases\t1.0\na::f(int x) -> int\t1.0-\n");
/// assert_eq!(change.refused, ["torn"]);
/// ```
pub fn merge<'t>(
    history: Option<&OperatorHistory>,
    release: Version,
    table: impl IntoIterator<Item = &'t str>,
) -> (String, TableChange) {
    let mut refused = Vec::new();
    let mut schemas = Vec::new();
    for line in table.into_iter().map(str::trim_end).filter(|line| !line.is_empty()) {
        match line.parse::<FunctionSchema>() {
            Ok(schema) if schema.name.contains("::") => schemas.push(schema.to_string()),
            _ => refused.push(line.to_owned()),
        }
    }
    let rows = history.map(OperatorHistory::rows);
    let (text, change) = Rows::with_release(rows, release, schemas);
    (text, TableChange { refused, ..change })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn tables_merge_into_the_same_history_in_any_order() {
        let tables = [
            ("1.0", vec!["a::f() -> ()", "a::g() -> ()"]),
            ("2.0", vec!["a::g() -> ()"]),
            ("3.0", vec!["a::f() -> ()", "a::g() -> ()"]),
        ];
        let build = |order: [usize; 3]| {
            let mut history: Option<OperatorHistory> = None;
            for i in order {
                let (release, table) = &tables[i];
                let (text, _) = merge(history.as_ref(), version(release), table.iter().copied());
                history = OperatorHistory::from_text(text).ok();
            }
            history.unwrap().rows().text().into_owned()
        };
        let want = "#releases\t1.0 2.0 3.0\na::f() -> ()\t1.0,3.0-\na::g() -> ()\t1.0-\n";
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(build(order), want);
        }
    }

    #[test]
    fn a_release_that_is_merged_again_replaces_itself_and_says_what_changed() {
        let (text, _) = merge(None, version("1.0"), ["a::f() -> ()"]);
        let history = OperatorHistory::from_text(text).unwrap();
        let (text, change) = merge(Some(&history), version("2.0"), ["a::h() -> ()"]);
        assert_eq!(change.added, ["a::h() -> ()"]);
        assert_eq!(change.removed, ["a::f() -> ()"]);
        let history = OperatorHistory::from_text(text).unwrap();
        let (text, _) = merge(Some(&history), version("2.0"), ["a::f() -> ()"]);
        assert_eq!(text, "#releases\t1.0 2.0\na::f() -> ()\t1.0-\n");
    }
}
