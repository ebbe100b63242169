//! Lists on a terminal.

use unskew_core::{Padded, column};
use unskew_report::Plain;

/// `1 device`, `2 devices`.
pub(super) fn devices(count: u64) -> String {
    format!("{count} device{}", if count == 1 { "" } else { "s" })
}

/// Rows in columns as wide as what stands in them; the last column is not filled up.
pub(super) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| Plain(cell).to_string()).collect()).collect();
    let cells = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let widths: Vec<usize> =
        (0..count).map(|at| column(cells(at).map(|cell| cell.chars().count()))).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{}  ", Padded(cell, *width)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
