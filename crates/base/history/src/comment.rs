//! Lists of versions in the comments of source code, with the constants beside them.

use unskew_core::{Version, Window};

use crate::{
    Chronicle, ChronicleFormat, ChronicleProblem, ChronicleVersion, StatedAs, constants, day,
};

/// Reads the list; none if no comment has an entry with a day.
pub(crate) fn read(file: &str, text: &str) -> Option<Chronicle> {
    let mut steps: Vec<ChronicleVersion> = Vec::new();
    let mut problems = Vec::new();
    let mut last = 0;
    for (at, line) in text.lines().enumerate() {
        let Some(remark) = remark(line) else { continue };
        match entry(remark) {
            Some((version, rest)) => {
                let header = day::find(rest.split_once(',').map_or(rest, |(day, _)| day))
                    .or_else(|| day::find(rest));
                if header.is_none() && day::meant(rest) {
                    problems.push(ChronicleProblem {
                        line: at + 1,
                        what: format!("no day: {rest}"),
                        day: true,
                    });
                }
                let change = match rest.split_once(',') {
                    Some((day, change)) if day::find(day).is_some() || day::meant(day) => change,
                    _ => rest,
                };
                let change = change.trim().to_owned();
                steps.push(ChronicleVersion {
                    version,
                    line: at + 1,
                    header,
                    landed: None,
                    change,
                    parts: Vec::new(),
                });
                last = at;
            }
            // The next line of the same comment goes on with what changed.
            None if at == last + 1 && !steps.is_empty() && !remark.is_empty() => {
                if let Some(step) = steps.last_mut() {
                    step.change.push(' ');
                    step.change.push_str(remark);
                }
                last = at;
            }
            None => {}
        }
    }
    if steps.iter().all(|step| step.header.is_none()) && problems.is_empty() {
        return None;
    }
    // `1: ...` in other comments is no version.
    let dated: Vec<usize> =
        steps.iter().filter(|step| step.header.is_some()).map(|step| step.line).collect();
    let near = |step: &ChronicleVersion| {
        // Steps stand in the order of their lines.
        let next = dated.partition_point(|line| line.saturating_add(8) < step.line);
        dated.get(next).is_some_and(|line| line.abs_diff(step.line) <= 8)
    };
    let keep: Vec<bool> = steps.iter().map(near).collect();
    let mut keep = keep.iter();
    steps.retain(|_| keep.next().copied().unwrap_or(true));
    if steps.is_empty() {
        return None;
    }
    constants::oldest_first(&mut steps);
    let stated = constants::stated(&without_comments(text));
    // A constant that is so many weeks old says which window its makers promise.
    let window = stated.iter().find_map(|stated| match stated.what {
        StatedAs::WeeksOld(weeks) => Some(Window::weeks(weeks)),
        _ => None,
    });
    Some(Chronicle {
        file: file.to_owned(),
        form: ChronicleFormat::Comment,
        axis: String::new(),
        title: file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned(),
        steps,
        floors: Vec::new(),
        stated,
        releases: Vec::new(),
        window,
        problems,
    })
}

fn remark(line: &str) -> Option<&str> {
    let line = line.trim();
    let text = ["///", "//", "/*", "*", "#"].iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(text.trim_end_matches("*/").trim())
}

/// `4: 2026-06-10, what changed`, `v4: ...`, `0.56 - 2024-11-11: ...`.
fn entry(remark: &str) -> Option<(Version, &str)> {
    let text = remark.trim_start_matches(['-', '*', ' ']);
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let (rest, dated) = match rest.strip_prefix(':') {
        Some(rest) => (rest, true),
        None => (rest.strip_prefix(['-', '('])?, false),
    };
    let rest = rest.trim();
    let version = number.parse().ok()?;
    (dated || day::find(rest).is_some()).then_some((version, rest))
}

/// The code with blanks where comments were; lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        code.push_str(before);
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if comment.starts_with("/*") {
            comment.find("*/").map_or(comment.len(), |end| end + 2)
        } else {
            code.push('/');
            1
        };
        let (gone, after) = comment.split_at(end);
        if end > 1 {
            code.extend(gone.chars().filter(|c| *c == '\n'));
        }
        rest = after;
    }
    code.push_str(rest);
    code
}
