//! For browsers: one page without anything from elsewhere.
//!
//! The page works without its script, which only filters. A filter can stand in the address
//! (`matrix.html?rows=gelu&columns=2.1`), so a view can be sent to somebody. Everything that came
//! from a file is escaped, and the page's own policy forbids loading anything.

use std::fmt::Write as _;

use unskew_core::is_hidden;
use unskew_report::PAGE_STYLE;

use super::model::{Cell, Grid};
use super::reason::{GridReason, in_words};

/// What the matrix adds to the style of all pages.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A head of a column that is longer than this stands upright.
const LONG: usize = 10;

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
    table(grid, &mut page);
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
         <label class=\"box\"><input type=\"checkbox\" name=\"related\"> hide what is unrelated</label>\n\
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

fn table(grid: &Grid, page: &mut String) {
    page.push_str("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Matrix\"><table id=\"matrix\">\n");
    column_heads(grid, page);
    page.push_str("<tbody>\n");
    for (row, cells) in grid.cells.iter().enumerate() {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", Escaped(grid.label(row)));
        for cell in cells {
            write_cell(cell, page);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

/// Columns of one family stand below its name, each with what is its own.
fn column_heads(grid: &Grid, page: &mut String) {
    let parts: Vec<(&str, &str)> = grid
        .columns
        .iter()
        .map(|column| column.label.split_once('@').unwrap_or(("", &column.label)))
        .collect();
    let groups: Vec<&[(&str, &str)]> = parts.chunk_by(|one, next| one.0 == next.0).collect();
    page.push_str("<thead><tr><th scope=\"col\" class=\"corner\" rowspan=\"2\">Artifact</th>");
    for group in &groups {
        let family = group.first().map_or("", |(family, _)| *family);
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
    let numbered = groups.iter().enumerate();
    let of_columns = numbered.flat_map(|(number, group)| std::iter::repeat_n(number, group.len()));
    for ((column, (_, own)), group) in grid.columns.iter().zip(&parts).zip(of_columns) {
        let long = if own.chars().count() > LONG { " class=\"long\"" } else { "" };
        let _ = write!(
            page,
            "<th scope=\"col\"{long} data-group=\"{group}\" data-name=\"{}\">{}</th>",
            Escaped(&column.label),
            Escaped(own)
        );
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
         <code>{}</code> {}</h3>\n<p>{}</p>\n<dl>\n",
        finding.rule.code,
        finding.rule.name,
        Escaped(&finding.message),
        severity = finding.severity,
    );
    for (row, columns) in &reason.cells {
        let columns = in_words(columns, &grid.columns);
        let (row, columns) = (Escaped(grid.label(*row)), Escaped(&columns));
        let _ = writeln!(page, "<dt>where</dt><dd>{row} with {columns}</dd>");
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
            let _ = writeln!(page, "<dt>{label}</dt><dd>{}</dd>", Escaped(text));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_become_a_tag_or_end_an_attribute() {
        let text = Escaped("<img src=x onerror=\"alert('1')\">&").to_string();
        assert_eq!(text, "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;");
    }
}
