//! For spreadsheets: one line a pair, as RFC 4180 has it but with plain line feeds.

use unskew_core::{Finding, Plain, Verdict};

use super::model::Grid;

const HEAD: &str =
    "row,column,outcome,first_failure,errors,warnings,codes,promises,message,unjudged\n";

pub(super) fn render(grid: &Grid) -> String {
    let mut text = HEAD.to_owned();
    for (row, cells) in grid.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let ends = [grid.label(row), &grid.columns[column].label, cell.outcome()];
            let rest = match (&cell.verdict, &grid.rows[row]) {
                (Some(verdict), _) => judged(verdict),
                (None, Err(failure)) => {
                    let mut rest = <[String; 7]>::default();
                    rest[5] = failure.message.replace('\n', " ");
                    rest
                }
                (None, Ok(_)) => Default::default(),
            };
            let fields: Vec<String> =
                ends.into_iter().chain(rest.iter().map(String::as_str)).map(field).collect();
            text.push_str(&fields.join(","));
            text.push('\n');
        }
    }
    text
}

/// First failure, errors, warnings, codes, promises, message, aspects that were not judged.
fn judged(verdict: &Verdict) -> [String; 7] {
    let tally: unskew_report::Tally = verdict.findings.iter().collect();
    let mut codes: Vec<&str> = verdict.findings.iter().map(|f: &Finding| f.rule.code).collect();
    codes.dedup();
    let aspects: Vec<&str> = verdict.unjudged.iter().map(|one| &*one.aspect).collect();
    let promises: Vec<String> =
        verdict.promises.iter().map(|p| format!("{}: {}", p.policy, p.state)).collect();
    [
        verdict.first_failure().map(|phase| phase.to_string()).unwrap_or_default(),
        tally.errors.to_string(),
        tally.warnings.to_string(),
        codes.join(" "),
        promises.join("; "),
        verdict.findings.first().map(|f| f.message.clone()).unwrap_or_default(),
        aspects.join("; "),
    ]
}

/// A value has no line of its own: readers of lines are as common as those of CSV.
fn field(text: &str) -> String {
    let text = Plain(text).to_string();
    match text.contains(['"', ',']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_field_with_a_comma_is_quoted_and_its_quotes_are_doubled() {
        assert_eq!(super::field("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(super::field("a b"), "a b");
    }
}
