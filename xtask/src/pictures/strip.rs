//! Strip picture: one row per file, one cell per release, green where the file works and red where it does not.

use std::fmt::Write as _;

use anyhow::{Context as _, ensure};

/// Sizes in pixels.
const CELL: usize = 24;
const LABEL: usize = 190;
const HEAD: usize = 58;
const GAP: usize = 2;

/// Colour, sign and word of an outcome.
fn shown(outcome: &str) -> Option<(&'static str, &'static str, &'static str)> {
    match outcome {
        "compatible" => Some(("#1a7f37", "✓", "works with")),
        "incompatible" => Some(("#cf222e", "✗", "fails with")),
        "unrelated" => None,
        _ => Some(("#9a6700", "?", "is not judged in part with")),
    }
}

/// The picture of `unskew matrix --format csv`. Rows that have nothing in common with the releases are left out.
///
/// # Errors
/// If this is no such table.
pub(super) fn draw(csv: &str) -> anyhow::Result<String> {
    let mut rows: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in csv.lines().skip(1) {
        let mut cells = line.split(',');
        let (row, column, outcome) = (|| Some((cells.next()?, cells.next()?, cells.next()?)))()
            .with_context(|| format!("no row of a matrix: {line}"))?;
        let version = column.split('@').next_back().unwrap_or(column);
        match rows.last_mut() {
            Some((last, cells)) if *last == row => cells.push((version, outcome)),
            _ => rows.push((row, vec![(version, outcome)])),
        }
    }
    rows.retain(|(_, cells)| cells.iter().any(|(_, outcome)| shown(outcome).is_some()));
    let (_, columns) = rows.first().context("a matrix without a row to show")?;
    ensure!(rows.iter().all(|(_, cells)| cells.len() == columns.len()), "rows of one length");
    let (width, height) = (LABEL + columns.len() * CELL + GAP, HEAD + rows.len() * CELL + GAP);
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\" font-family=\"ui-monospace, monospace\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#ffffff\"/>\n"
    );
    for (at, (version, _)) in columns.iter().enumerate() {
        let (x, y) = (LABEL + at * CELL + CELL / 2 + 4, HEAD - 6);
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\" fill=\"#1f2328\">{version}</text>"
        );
    }
    for (at, (row, cells)) in rows.iter().enumerate() {
        let y = HEAD + at * CELL;
        let name = row.rsplit('/').next().unwrap_or(row);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#1f2328\">{name}</text>",
            LABEL - 8,
            y + CELL - 8
        );
        for (column, (version, outcome)) in cells.iter().enumerate() {
            let Some((colour, sign, word)) = shown(outcome) else { continue };
            let (x, size) = (LABEL + column * CELL, CELL - GAP);
            let _ = writeln!(
                svg,
                "<g><title>{name} {word} torch {version}</title>\
                 <rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" rx=\"3\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#ffffff\">{sign}</text></g>",
                x + size / 2,
                y + CELL - 8
            );
        }
    }
    Ok(svg + "</svg>\n")
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn a_row_without_an_outcome_is_left_out() {
        let csv = "row,column,outcome,errors\nm/a.pt,torch@1.4.0,compatible,0\nm/a.pt,torch@1.5.1,incompatible,1\n\
                   b.pb,torch@1.4.0,unrelated,0\nb.pb,torch@1.5.1,unrelated,0\n";
        let svg = draw(csv).unwrap();
        assert!(svg.contains("a.pt works with torch 1.4.0"), "{svg}");
        assert!(svg.contains("a.pt fails with torch 1.5.1"), "{svg}");
        assert!(!svg.contains("b.pb"), "{svg}");
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        assert!(draw("").is_err());
        assert!(draw("row,column,outcome\nonly\n").is_err());
    }
}
