//! The matrix as a page.

use std::fmt::Write as _;

use unskew_core::Version;
use unskew_peers::{ProbeOutcome, ProcessEnd};

/// How many steps the probe has.
pub const STEPS: usize = 18;

/// A line of the table: a release, and what came of it.
#[derive(Debug, Clone)]
pub struct ReleaseTally {
    /// The release of TensorFlow.
    pub version: Version,
    /// What came of it.
    pub outcome: ProbeOutcome,
}

/// The rows as a table in Markdown.
pub fn table(rows: &[ReleaseTally]) -> String {
    let mut text = String::from(
        "| TensorFlow | device | eager | `tf.function` | variables | Keras, all on the device | Keras, placed by \
         TensorFlow | profiler | graph optimizer | steps | us a call | what fails first |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --: | --: | --- |\n",
    );
    for ReleaseTally { version, outcome } in rows {
        let mark = |names: &[&str]| if passed(outcome, names) { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| {version} | {} | {} | {} | {} | {} | {} | {} | {} | {} of {STEPS} | {} | {} |",
            mark(&["device_listed"]),
            mark(&["eager_add", "eager_matmul", "broadcasting", "reductions", "gradient"]),
            mark(&["function"]),
            mark(&["variable"]),
            mark(&["keras_training"]),
            mark(&["keras_placed_by_tensorflow"]),
            mark(&["profile"]),
            mark(&["graph_rewritten"]),
            outcome.passed(),
            speed(outcome),
            first_failure(outcome),
        );
    }
    text
}

fn passed(outcome: &ProbeOutcome, names: &[&str]) -> bool {
    names.iter().all(|name| outcome.steps.iter().any(|step| step.step == *name && step.ok))
}

/// The microseconds of one call, as the last step says.
fn speed(outcome: &ProbeOutcome) -> String {
    let step = outcome.steps.iter().find(|step| step.step == "many_calls" && step.ok);
    let number = step.and_then(|step| step.detail.split(": ").nth(1));
    number.map_or_else(String::new, |number| number.trim_end_matches('}').to_owned())
}

fn first_failure(outcome: &ProbeOutcome) -> String {
    let Some((what, words)) = outcome.failure() else { return String::new() };
    let line = words.lines().next().unwrap_or("").replace('|', "\\|");
    let ended = if outcome.end == ProcessEnd::Finished { "" } else { " (the process died)" };
    let end = line.char_indices().nth(200).map_or(line.len(), |(at, _)| at);
    format!("{what}: {}{ended}", line[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_works_and_how_fast() {
        let printed = r#"
            {"step": "device_listed", "ok": true, "detail": "", "seconds": 0}
            {"step": "function", "ok": false, "detail": "InternalError: no kernel\nmore", "seconds": 0}
            {"step": "many_calls", "ok": true, "detail": "{'us': 31.67}", "seconds": 0}"#;
        let outcome = ProbeOutcome::new(printed, "", ProcessEnd::Finished);
        let version = Version::pair(2, 6);
        let text = table(&[ReleaseTally { version, outcome }]);
        let row = text.lines().nth(2).unwrap_or_default();
        assert!(row.contains("| 2.6 | yes | no | no | no |"), "{row}");
        assert!(row.contains("| 2 of 18 | 31.67 | function: InternalError: no kernel |"), "{row}");
    }
}
