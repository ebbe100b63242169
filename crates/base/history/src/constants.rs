//! Constants typed in by hand beside a list of versions, and the order of the list.

use unskew_core::Version;

use crate::{ChronicleVersion, DeclaredConstant, StatedAs};

/// Turns a list that begins with its newest version around. Which end is which is told by the majority of its
/// steps, so that one fault does not turn the list.
pub(crate) fn oldest_first(steps: &mut [ChronicleVersion]) {
    let rising = steps.windows(2).filter(|pair| pair[0].version < pair[1].version).count();
    let falling = steps.windows(2).filter(|pair| pair[0].version > pair[1].version).count();
    if falling > rising {
        steps.reverse();
    }
}

/// How many constants are read.
const MOST: usize = 1_000;

/// How far after its name the value of a constant may stand, in bytes.
const REACH: usize = 240;

/// The constants of a source text from which comments were taken: `current()`, `kMinimum = 3`,
/// `#define API_WEEK_4_OLD 2`.
pub(crate) fn stated(code: &str) -> Vec<DeclaredConstant> {
    let mut found: Vec<DeclaredConstant> = Vec::new();
    let mut start = 0;
    while let Some(offset) = code.get(start..).and_then(|rest| rest.find(is_word)) {
        let begin = start + offset;
        let rest = code.get(begin..).unwrap_or_default();
        let end = begin + rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        start = end;
        let name = code.get(begin..end).unwrap_or_default();
        let Some(what) = meaning(name) else { continue };
        // There are a handful of kinds, and as many weeks as somebody writes.
        if found.len() >= MOST || found.iter().any(|stated| stated.what == what) {
            continue;
        }
        if let Some(version) = code.get(end..).and_then(value) {
            let line = code.get(..begin).unwrap_or_default().matches('\n').count() + 1;
            found.push(DeclaredConstant { what, name: name.to_owned(), version, line });
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What a constant of this name says. `kWeek4Old`, `week_4_old` and `WEEK_4_OLD` are one.
fn meaning(name: &str) -> Option<StatedAs> {
    let plain: String = name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let plain = plain.strip_prefix('k').unwrap_or(&plain);
    let plain = plain.strip_suffix("version").unwrap_or(plain);
    match plain {
        "current" => return Some(StatedAs::Current),
        "minimum" | "minimumsupported" => return Some(StatedAs::Minimum),
        _ => {}
    }
    let weeks = plain.strip_prefix("week").or_else(|| plain.rsplit_once("week").map(|(_, w)| w))?;
    weeks.strip_suffix("old")?.parse().ok().map(StatedAs::WeeksOld)
}

/// The first whole number behind a name, before the statement ends. A name that is called with something, or
/// stands in an expression, states nothing.
fn value(after: &str) -> Option<Version> {
    let after = after.trim_start();
    let after = after.strip_prefix("()").map_or(after, str::trim_start);
    let states = after.starts_with(['{', '=', 'c', ':', '-'])
        || after.starts_with(|c: char| c.is_ascii_digit());
    let end = after.char_indices().nth(REACH).map_or(after.len(), |(at, _)| at);
    let reach = after.get(..end)?;
    let body = match reach.find('{') {
        Some(at) if reach.find(';').is_none_or(|stop| at < stop) => reach.get(at..)?,
        _ => reach,
    };
    let statement = body.get(..body.find([';', '}']).unwrap_or(body.len()))?;
    let number = statement.split(|c: char| !is_word(c)).find(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(|b| b.is_ascii_digit())
    })?;
    states.then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_found_in_functions_definitions_and_macros() {
        let code = "static V current() { return V(N(7)); }\nconstexpr int kMinimumVersion = 2;\n\
                    #define WEEK_4_OLD 5\nif (v < minimum()) fail(9);\n";
        let found = stated(code);
        let values: Vec<_> =
            found.iter().map(|s| (s.what, s.version.to_string(), s.line)).collect();
        assert_eq!(
            values,
            [
                (StatedAs::Current, "7".to_owned(), 1),
                (StatedAs::Minimum, "2".to_owned(), 2),
                (StatedAs::WeeksOld(4), "5".to_owned(), 3),
            ]
        );
    }

    #[test]
    fn a_name_in_an_expression_states_nothing() {
        assert_eq!(stated("if (version < minimum()) return 3;"), []);
        assert_eq!(stated("return current;"), []);
    }
}
