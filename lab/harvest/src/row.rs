//! A row of a table of releases, as text that keeps its place and its neighbours.

use std::fs;

use anyhow::{Context, Result, bail};
use unskew_core::Version;

const HEAD: &str = "[[release]]\n";

/// One row: its keys with their values as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    cells: Vec<(String, String)>,
}

impl Row {
    pub(crate) fn new(version: &str) -> Self {
        Self { cells: vec![("version".to_owned(), format!("\"{version}\""))] }
    }

    fn read(text: &str) -> Self {
        let cell = |line: &str| {
            let (key, value) = line.split_once(" = ")?;
            Some((key.to_owned(), value.trim().to_owned()))
        };
        Self { cells: text.lines().filter_map(cell).collect() }
    }

    pub(crate) fn set(&mut self, key: &str, value: String) {
        match self.cells.iter_mut().find(|(name, _)| name == key) {
            Some((_, cell)) => *cell = value,
            None => self.cells.push((key.to_owned(), value)),
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.cells.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn version(&self) -> Result<Version> {
        let text = self.get("version").context("a row without a version")?;
        Ok(text.trim_matches('"').parse()?)
    }

    fn write(&self) -> String {
        let lines = self.cells.iter().map(|(key, value)| format!("{key} = {value}\n"));
        format!("{HEAD}{}", lines.collect::<String>())
    }
}

/// Enters what was found into the table at `place`, from the root of the repository, and prints what
/// changed.
///
/// # Errors
/// If the table cannot be read or written, or has no such row and the day is not known.
pub(crate) fn enter(place: &str, release: &str, found: &Row) -> Result<()> {
    let path = unskew_peers::root().join(place);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let (text, changes) = merge(&text, found)?;
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    println!("{release}: {} of the row changed", changes.len());
    for change in changes {
        println!("  {change}");
    }
    Ok(())
}

/// The table with what was found in its row, or with a new row in its place, and what changed.
fn merge(table: &str, found: &Row) -> Result<(String, Vec<String>)> {
    let mut parts = table.split(HEAD);
    let preamble = parts.next().unwrap_or_default().to_owned();
    let mut rows: Vec<Row> = parts.map(Row::read).collect();
    let version = found.version()?;
    let place = rows.iter().position(|row| row.version().is_ok_and(|v| v == version));
    let place = place.unwrap_or_else(|| {
        let later = rows.iter().position(|row| row.version().is_ok_and(|v| v > version));
        let place = later.unwrap_or(rows.len());
        rows.insert(place, Row::new(&version.to_string()));
        place
    });
    let row = &mut rows[place];
    let mut changes = Vec::new();
    for (key, value) in &found.cells {
        let before = row.get(key).unwrap_or("absent").to_owned();
        // The table keeps the day of the tag, where it has one; an upload may be a day later.
        if before == *value || (key == "released" && before != "absent") {
            continue;
        }
        changes.push(format!("{key}: {before} -> {value}"));
        row.set(key, value.clone());
    }
    if row.get("released").is_none() {
        bail!("the day of the release is not known; add a row with `released` to the table first");
    }
    let rows: Vec<String> = rows.iter().map(Row::write).collect();
    Ok((format!("{preamble}{}", rows.join("\n")), changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# remark\n\n[[release]]\nversion = \"0.8.2\"\nreleased = 2025-12-18\npjrt = 85\n\n\
                         [[release]]\nversion = \"0.9.0\"\nreleased = 2026-01-20\n";

    #[test]
    fn a_row_that_says_the_same_leaves_the_table_as_it_is() {
        let mut row = Row::new("0.8.2");
        row.set("pjrt", "85".to_owned());
        row.set("released", "2025-12-19".to_owned());
        assert_eq!(merge(TABLE, &row).unwrap(), (TABLE.to_owned(), vec![]));
    }

    #[test]
    fn a_new_row_takes_its_place_and_says_so() {
        let mut row = Row::new("0.8.3");
        row.set("released", "2026-01-28".to_owned());
        row.set("proxy", "[15, 22]".to_owned());
        let (text, changes) = merge(TABLE, &row).unwrap();
        assert_eq!(changes, ["released: absent -> 2026-01-28", "proxy: absent -> [15, 22]"]);
        let order: Vec<&str> = text.lines().filter(|line| line.starts_with("version")).collect();
        assert_eq!(order, ["version = \"0.8.2\"", "version = \"0.8.3\"", "version = \"0.9.0\""]);
        assert!(text.starts_with("# remark\n\n[[release]]"));
    }

    #[test]
    fn a_row_without_a_day_is_refused() {
        assert!(merge(TABLE, &Row::new("0.8.3")).is_err());
    }
}
