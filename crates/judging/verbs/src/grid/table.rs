//! For people: a table as wide as the terminal, the meaning of its words, and the reasons.

use std::fmt::Write as _;

use unskew_core::{Padded, Severity};
use unskew_report::{BAD, DIM, EMPHASIS, Plain, VerdictMark, WARN, error_lines, of_severity};

use super::model::{Cell, Grid};
use super::reason::in_words;
use crate::ResolvedParty;

/// The most letters of a row's label; the end of a path says more than its beginning.
const LABEL: usize = 40;
/// More reasons than this are counted; the other formats have them all.
const REASONS: usize = 40;
/// How many rows of a reason are named.
const ROWS: usize = 3;
/// How many numbers of reasons stand in a cell.
const NUMBERS: usize = 2;
/// The space between columns.
const GAP: &str = "  ";

pub(super) fn render(grid: &Grid, width: usize) -> String {
    let mut text = String::new();
    let labels: Vec<String> = (0..grid.rows.len()).map(|row| shortened(grid.label(row))).collect();
    let label_width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    // Once: each looks at all rows.
    let widths: Vec<usize> =
        (0..grid.columns.len()).map(|column| column_width(grid, column)).collect();
    for (start, end) in blocks(&widths, label_width, width) {
        block(grid, &labels, label_width, &widths, start..end, &mut text);
        text.push('\n');
    }
    legend(grid, &mut text);
    unjudged(grid, &mut text);
    failures(grid, &mut text);
    reasons(grid, &mut text);
    text
}

/// The columns, cut into blocks that fit the width.
fn blocks(widths: &[usize], label_width: usize, width: usize) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    let (mut start, mut used) = (0, label_width);
    for (column, own) in widths.iter().enumerate() {
        let needed = GAP.len() + own;
        if column > start && used + needed > width {
            blocks.push((start, column));
            (start, used) = (column, label_width);
        }
        used += needed;
    }
    blocks.push((start, widths.len()));
    blocks
}

fn column_width(grid: &Grid, column: usize) -> usize {
    let (family, version) = heading(&grid.columns[column]);
    let cells = grid.cells.iter().map(|cells| content(&cells[column]).len()).max().unwrap_or(0);
    cells.max(family.chars().count()).max(version.chars().count())
}

/// The two lines above a column.
fn heading(member: &ResolvedParty) -> (String, String) {
    match member.label.split_once('@').filter(|_| member.release.is_some()) {
        Some((family, version)) => (family.to_owned(), version.to_owned()),
        None => (String::new(), shortened(&member.label)),
    }
}

/// The word of a cell and the numbers of its first reasons.
fn content(cell: &Cell) -> String {
    let numbers: Vec<String> = cell.reasons.iter().take(NUMBERS).map(usize::to_string).collect();
    let more = if cell.reasons.len() > NUMBERS { ",+" } else { "" };
    if numbers.is_empty() || cell.mark == VerdictMark::Unrelated {
        cell.mark.word().to_owned()
    } else {
        format!("{} {}{more}", cell.mark.word(), numbers.join(","))
    }
}

fn block(
    grid: &Grid,
    labels: &[String],
    label_width: usize,
    widths: &[usize],
    columns: std::ops::Range<usize>,
    text: &mut String,
) {
    let mut families = Padded("", label_width).to_string();
    let mut versions = families.clone();
    for column in columns.clone() {
        let (family, version) = heading(&grid.columns[column]);
        let width = widths[column];
        let _ = write!(families, "{GAP}{}", Padded(family, width));
        let _ = write!(versions, "{GAP}{}", Padded(version, width));
    }
    for line in [families, versions] {
        if !line.trim().is_empty() {
            let _ = writeln!(text, "{EMPHASIS}{}{EMPHASIS:#}", line.trim_end());
        }
    }
    for (label, cells) in labels.iter().zip(&grid.cells) {
        let mut line = Padded(label, label_width).to_string();
        for column in columns.clone() {
            let width = widths[column];
            let style = cells[column].mark.style();
            let content = content(&cells[column]);
            let _ = write!(line, "{GAP}{style}{content}{style:#}");
            if column + 1 < columns.end {
                let _ = write!(line, "{}", Padded("", width - content.len()));
            }
        }
        let _ = writeln!(text, "{line}");
    }
}

fn legend(grid: &Grid, text: &mut String) {
    let words: Vec<String> = grid
        .marks()
        .map(|mark| {
            let style = mark.style();
            format!("{style}{}{style:#} {}", mark.word(), mark.meaning())
        })
        .collect();
    let _ = writeln!(text, "{}", words.join("; "));
}

/// Each aspect that was not judged, with the number of pairs that it concerns.
fn unjudged(grid: &Grid, text: &mut String) {
    let mut first = true;
    for (aspect, pairs) in grid.aspects() {
        if std::mem::take(&mut first) {
            text.push('\n');
        }
        let pairs = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
        let _ = writeln!(text, "{WARN}not judged{WARN:#}  {} ({pairs})", Plain(aspect));
    }
}

fn failures(grid: &Grid, text: &mut String) {
    let mut first = true;
    for failure in grid.failures() {
        if std::mem::take(&mut first) {
            text.push('\n');
        }
        for (index, line) in error_lines(&failure.message).iter().enumerate() {
            let word = if index == 0 { "unread" } else { "" };
            let _ = writeln!(text, "{BAD}{word:6}{BAD:#}  {line}");
        }
    }
}

/// The gravest reasons first, errors before warnings.
fn reasons(grid: &Grid, text: &mut String) {
    if grid.reasons.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..grid.reasons.len()).collect();
    if order.len() > REASONS {
        order.sort_by_key(|index| std::cmp::Reverse(grid.reasons[*index].finding.severity));
        order.truncate(REASONS);
        order.sort_unstable();
    }
    for index in &order {
        let reason = &grid.reasons[*index];
        let finding = &reason.finding;
        let style = of_severity(finding.severity);
        let phase = match finding.phase {
            Some(phase) if finding.severity > Severity::Note => format!(" ({phase})"),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "\n{:>3}  {style}{} {}{style:#} {}{phase}: {EMPHASIS}{}{EMPHASIS:#}",
            index + 1,
            finding.severity,
            finding.rule.code,
            finding.rule.name,
            Plain(&finding.message)
        );
        for (row, columns) in reason.cells.iter().take(ROWS) {
            let columns = in_words(columns, &grid.columns);
            let _ = writeln!(text, "     {} with {}", Plain(grid.label(*row)), Plain(&columns));
        }
        if reason.cells.len() > ROWS {
            let _ = writeln!(text, "     and {} more", reason.cells.len() - ROWS);
        }
        if let Some(fix) = &finding.fix {
            let _ = writeln!(text, "     {DIM}fix{DIM:#} {}", Plain(fix));
        }
    }
    if order.len() < grid.reasons.len() {
        let more = grid.reasons.len() - order.len();
        let _ = writeln!(text, "\nand {more} more reasons; --format html or csv has them all");
    }
}

/// A label without its beginning if it is long, safe for a terminal.
fn shortened(label: &str) -> String {
    let label = Plain(label).to_string();
    let letters = label.chars().count();
    if letters <= LABEL {
        return label;
    }
    let end: String = label.chars().skip(letters - (LABEL - 3)).collect();
    format!("...{end}")
}
