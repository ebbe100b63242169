//! For browsers: one page without anything from elsewhere.
//!
//! Releases stand newest first, and each row says in words with which it works. The page works without its script, which filters,
//! and folds neighbouring columns that say the same into one. A filter can stand in the address
//! (`matrix.html?rows=gelu&columns=2.1`), so a view can be sent to somebody. Everything that came
//! from a file is escaped, and the page's own policy forbids loading anything.

use std::fmt::Write as _;

use unskew_core::{Outcome, is_hidden};
use unskew_report::PAGE_STYLE;

use super::model::{Cell, Grid};
use super::reason::{GridReason, in_words};
use crate::ResolvedParty;

/// What the matrix adds to the style of all pages.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A head of a column that is longer than this stands upright.
const LONG: usize = 10;

/// A name of a row that is longer than this is cut in the middle; the whole is shown when the pointer rests on it.
const LONG_NAME: usize = 48;

/// Where the pages of the rules are.
const RULES: &str = "https://unskew.github.io/unskew/dev/rules";

pub(super) fn render(grid: &Grid) -> String {
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Unskew: {} x {}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n<main>\n",
        grid.rows.len(),
        grid.columns.len()
    );
    head(grid, &mut page);
    table(grid, &newest_first(grid), &mut page);
    failures(grid, &mut page);
    reasons(grid, &mut page);
    let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn head(grid: &Grid, page: &mut String) {
    let _ = write!(
        page,
        "<h1>What works with what</h1>\n<p>Promises as of {}.</p>\n<form id=\"filters\">\n\
         <label>Rows <input name=\"rows\" placeholder=\"part of a name\"></label>\n\
         <label>Columns <input name=\"columns\" placeholder=\"torch@2\"></label>\n\
         <label class=\"box\"><input type=\"checkbox\" name=\"problems\"> only rows with problems</label>\n\
         <label class=\"box\"><input type=\"checkbox\" name=\"related\" checked> hide what is unrelated</label>\n\
         <label class=\"box\"><input type=\"checkbox\" name=\"fold\" checked> fold columns that say the same</label>\n\
         <output id=\"shown\"></output>\n</form>\n<ul class=\"legend\">\n",
        grid.context.as_of
    );
    for mark in grid.marks() {
        let (class, word) = (mark.class(), mark.word());
        let _ =
            writeln!(page, "<li><span class=\"key {class}\">{word}</span> {}</li>", mark.meaning());
    }
    page.push_str("</ul>\n");
}

/// The columns in the order in which they are shown: of each run of one family, the newest release first.
fn newest_first(grid: &Grid) -> Vec<usize> {
    let places: Vec<usize> = (0..grid.columns.len()).collect();
    let runs = places.chunk_by(|&one, &next| {
        let family = |column: usize| {
            let column = &grid.columns[column];
            column.release.and(column.label.split_once('@')).map(|(family, _)| family)
        };
        family(one).is_some() && family(one) == family(next)
    });
    runs.flat_map(|run| run.iter().rev().copied()).collect()
}

fn table(grid: &Grid, order: &[usize], page: &mut String) {
    page.push_str("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Matrix\"><table id=\"matrix\">\n");
    column_heads(grid, order, page);
    page.push_str("<tbody>\n");
    for (row, cells) in grid.cells.iter().enumerate() {
        let label = grid.label(row);
        let _ = write!(
            page,
            "<tr><th scope=\"row\" id=\"row-{}\" title=\"{}\">{}</th><td class=\"summary\">{}</td>",
            row + 1,
            Escaped(label),
            Escaped(&cut_in_the_middle(label)),
            Escaped(&works_with(cells, &grid.columns))
        );
        for &column in order {
            write_cell(&cells[column], page);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

/// The columns with which a row works, in words.
fn works_with(cells: &[Cell], columns: &[ResolvedParty]) -> String {
    let works = |cell: &Cell| {
        let outcome = cell.verdict.as_ref().map(|verdict| &verdict.outcome);
        matches!(outcome, Some(Outcome::Compatible | Outcome::Adaptable(_)))
    };
    let places = cells.iter().enumerate().filter(|(_, cell)| works(cell));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    in_words(&places, columns)
}

/// The first and the last letters of a name that is long: the folders in between tell rows apart least.
fn cut_in_the_middle(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONG_NAME {
        return name.to_owned();
    }
    let (first, last) = (LONG_NAME / 3, LONG_NAME - LONG_NAME / 3 - 1);
    let head = letters.iter().take(first);
    head.chain([&'…']).chain(letters.iter().skip(letters.len() - last)).collect()
}

/// Columns of one family stand below its name, each with what is its own.
fn column_heads(grid: &Grid, order: &[usize], page: &mut String) {
    let labels = order.iter().map(|&column| grid.columns[column].label.as_str());
    let parts: Vec<(&str, &str, &str)> = labels
        .map(|label| {
            let (family, own) = label.split_once('@').unwrap_or(("", label));
            (family, own, label)
        })
        .collect();
    let groups: Vec<&[(&str, &str, &str)]> = parts.chunk_by(|one, next| one.0 == next.0).collect();
    page.push_str(
        "<thead><tr><th scope=\"col\" class=\"corner\" rowspan=\"2\">Artifact</th>\
         <th scope=\"col\" class=\"summary\" rowspan=\"2\">Works with</th>",
    );
    for group in &groups {
        let family = group.first().map_or("", |(family, ..)| *family);
        let _ = match family {
            // A file has its name below, and no family.
            "" => write!(page, "<td colspan=\"{}\"></td>", group.len()),
            family => write!(
                page,
                "<th scope=\"colgroup\" colspan=\"{}\"><span class=\"family\">{}</span></th>",
                group.len(),
                Escaped(family)
            ),
        };
    }
    page.push_str("</tr>\n<tr>");
    for (number, group) in groups.iter().enumerate() {
        for (_, own, label) in *group {
            let long = if own.chars().count() > LONG { " class=\"long\"" } else { "" };
            let _ = write!(
                page,
                "<th scope=\"col\"{long} data-group=\"{number}\" data-name=\"{}\">{}</th>",
                Escaped(label),
                Escaped(own)
            );
        }
    }
    page.push_str("</tr></thead>\n");
}

fn write_cell(cell: &Cell, page: &mut String) {
    let (class, word) = (cell.mark.class(), cell.mark.word());
    let _ = write!(page, "<td class=\"mark {class}\" title=\"{}\">", Escaped(&hint(cell)));
    match cell.reasons.split_first() {
        None => page.push_str(word),
        Some((first, others)) => {
            let _ = write!(page, "<a href=\"#reason-{first}\">{word}</a>");
            for other in others {
                let _ = write!(page, " <a class=\"also\" href=\"#reason-{other}\">{other}</a>");
            }
        }
    }
    page.push_str("</td>");
}

/// What shows when the pointer rests on a cell.
fn hint(cell: &Cell) -> String {
    let mut lines = vec![cell.mark.meaning().to_owned()];
    if let Some(verdict) = &cell.verdict {
        let promise = |p: &unskew_core::Promise| format!("{}: {}", p.policy, p.state);
        lines.extend(verdict.promises.iter().map(promise));
        lines.extend(
            verdict.unjudged.iter().map(|u| format!("not judged: {}: {}", u.aspect, u.reason)),
        );
    }
    lines.join("\n")
}

fn failures(grid: &Grid, page: &mut String) {
    for failure in grid.failures() {
        let _ = writeln!(page, "<p class=\"unread\">{}</p>", Escaped(&failure.message));
    }
}

fn reasons(grid: &Grid, page: &mut String) {
    if grid.reasons.is_empty() {
        return;
    }
    page.push_str("<h2>Reasons</h2>\n");
    for (index, reason) in grid.reasons.iter().enumerate() {
        write_reason(grid, index + 1, reason, page);
    }
}

fn write_reason(grid: &Grid, number: usize, reason: &GridReason, page: &mut String) {
    let finding = &reason.finding;
    let _ = write!(
        page,
        "<article id=\"reason-{number}\">\n<h3>{number} <span class=\"{severity}\">{severity}</span> \
         <a href=\"{RULES}/{code}.html\"><code>{code}</code></a> {}</h3>\n<p>{}</p>\n<dl>\n",
        finding.rule.name,
        Prose(&finding.message),
        code = finding.rule.code,
        severity = finding.severity,
    );
    page.push_str("<dt>where</dt>");
    for (row, columns) in &reason.cells {
        let columns = in_words(columns, &grid.columns);
        let (label, columns) = (Escaped(grid.label(*row)), Escaped(&columns));
        let _ = writeln!(page, "<dd><a href=\"#row-{}\">{label}</a> with {columns}</dd>", row + 1);
    }
    let places = finding.places.to_string();
    let lines = [
        ("phase", finding.phase.map_or("", |phase| phase.as_str())),
        ("location", &*places),
        ("error you will see", finding.symptom.as_deref().unwrap_or_default()),
        ("fix", finding.fix.as_deref().unwrap_or_default()),
    ];
    for (label, text) in lines {
        if !text.is_empty() {
            let _ = writeln!(page, "<dt>{label}</dt><dd>{}</dd>", Prose(text));
        }
    }
    page.push_str("</dl>\n</article>\n");
}

/// A text as it may stand between tags and in a quoted attribute.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write as _;
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                letter if letter != '\n' && is_hidden(letter) => {
                    write!(f, "{}", letter.escape_unicode())?;
                }
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A message, in which code stands between backticks.
struct Prose<'a>(&'a str);

impl std::fmt::Display for Prose<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A backtick without another behind it is a backtick.
        if !self.0.matches('`').count().is_multiple_of(2) {
            return write!(f, "{}", Escaped(self.0));
        }
        for (place, part) in self.0.split('`').enumerate() {
            match place % 2 {
                0 => write!(f, "{}", Escaped(part))?,
                _ => write!(f, "<code>{}</code>", Escaped(part))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_in_the_middle() {
        assert_eq!(cut_in_the_middle("models/net.pt"), "models/net.pt");
        let long = format!("models/{}/net-of-the-third-run.pt", "deep/".repeat(20));
        let cut = cut_in_the_middle(&long);
        assert_eq!(cut.chars().count(), LONG_NAME);
        assert!(
            cut.starts_with("models/deep/") && cut.ends_with("/net-of-the-third-run.pt"),
            "{cut}"
        );
    }

    #[test]
    fn backticks_become_code_where_they_close() {
        assert_eq!(
            Prose("use `a<b`, not `c`").to_string(),
            "use <code>a&lt;b</code>, not <code>c</code>"
        );
        assert_eq!(Prose("a ` alone").to_string(), "a ` alone");
    }

    #[test]
    fn a_name_cannot_become_a_tag_or_end_an_attribute() {
        let text = Escaped("<img src=x onerror=\"alert('1')\">&").to_string();
        assert_eq!(text, "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;");
    }
}
