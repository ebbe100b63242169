//! Lines and columns of findings, for what annotates files: looked up in the text files that a report is about.

use std::collections::BTreeMap;
use std::fs;

use unskew_core::Finding;
use unskew_report::{Location, Report, line};

/// The largest text in which lines are looked up.
const LARGEST: u64 = 16 << 20;

/// Adds to `report` where its findings stand in the text files that are there. A file that is no text, or that cannot be
/// read, adds nothing.
pub fn locate(report: &mut Report) {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (path, finding) in report.findings() {
        let Some(place) = finding.places.named().first() else { continue };
        let text = texts.entry(path.to_owned()).or_insert_with(|| text(path));
        if let Some(location) = text.as_deref().and_then(|text| within(text, path, finding, place))
        {
            found.insert((path.to_owned(), place.clone()), location);
        }
    }
    report.locations = found;
}

fn text(path: &str) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    String::from_utf8(fs::read(path).ok()?).ok().filter(|text| !text.contains('\0'))
}

/// The line that the place names; else the line that declares what the place names.
fn within(text: &str, path: &str, finding: &Finding, place: &str) -> Option<Location> {
    let number = match line(path, finding) {
        Some(number) => number,
        None => declaration(text, place)?,
    };
    let line = text.lines().nth(usize::try_from(number.checked_sub(1)?).ok()?)?;
    let indent = line.chars().take_while(|c| c.is_whitespace()).count();
    Some(Location { line: number, column: u32::try_from(indent + 1).ok() })
}

/// Where an op is declared: in an OpList in text (`name: "Blend"` of an `op`), or in a list of schemas with one a line
/// (`aten::add.Tensor(…`).
fn declaration(text: &str, name: &str) -> Option<u32> {
    if name.is_empty() {
        return None;
    }
    let schema =
        |line: &str| line.trim().strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    let index = text.lines().position(schema).or_else(|| op(text, name))?;
    u32::try_from(index + 1).ok()
}

/// The line, counted from 0, in which a message of an OpList in text says that its name is `name`.
fn op(text: &str, name: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(at) = rest.find(['{', '}', '"', '\'', '#', 'n']) {
            let (found, after) = (rest.as_bytes()[at], &rest[at + 1..]);
            rest = after;
            match found {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'#' => break,
                b'n' if depth == 1 && after.starts_with("ame:") => {
                    let said = after["ame:".len()..].trim_start().trim_start_matches(['"', '\'']);
                    if said.strip_prefix(name).is_some_and(|rest| rest.starts_with(['"', '\''])) {
                        return Some(index);
                    }
                }
                b'"' | b'\'' => rest = after_quote(after, char::from(found)),
                _ => {}
            }
        }
    }
    None
}

/// What follows a text in quotes that has begun.
fn after_quote(text: &str, quote: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return &text[at + c.len_utf8()..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_is_found_by_its_own_name_and_not_by_that_of_an_attribute() {
        let text = "op {\n  name: \"Crop\"\n  attr {\n    name: \"Blend\"\n  }\n}\nop {\n  name: \"Blend\"\n}\n";
        assert_eq!(declaration(text, "Blend"), Some(8));
        assert_eq!(declaration(text, "Gone"), None);
        let one_line =
            "op { name: 'Crop' attr { name: \"Fade\" } summary: \"} {\" }\nop { name: \"Fade\" }\n";
        assert_eq!(declaration(one_line, "Fade"), Some(2));
    }

    #[test]
    fn a_schema_is_found_by_its_whole_name() {
        let text = "# a list\naten::add.Tensor(Tensor self) -> Tensor\n  aten::add(int a) -> int\n";
        assert_eq!(declaration(text, "aten::add"), Some(3));
        assert_eq!(declaration(text, "aten::add.Tensor"), Some(2));
    }
}
