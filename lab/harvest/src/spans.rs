//! Tables of which releases have something: a row for every unbroken run of releases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use unskew_core::Version;

/// Such a table: cells that say what it is, then the first release and the last one (empty: the newest).
pub struct Spans {
    head: &'static str,
    releases: Vec<Version>,
    rows: BTreeMap<Vec<String>, BTreeSet<Version>>,
}

impl Spans {
    /// Reads a table, an empty one if there is no such file. `head` is what stands above its releases.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(path: &Path, head: &'static str) -> Result<Self> {
        let mut table = Self { head, releases: Vec::new(), rows: BTreeMap::new() };
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        if text.is_empty() {
            return Ok(table);
        }
        let place = path.display();
        let line = text.lines().find_map(|line| line.strip_prefix("#releases\t"));
        let line = line.with_context(|| format!("no releases: {place}"))?;
        table.releases = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut cells: Vec<&str> = line.split('\t').collect();
            let (until, since) = (cells.pop().unwrap_or_default(), cells.pop());
            let since: Version = since.with_context(|| format!("{place}: {line}"))?.parse()?;
            let until: Option<Version> = if until.is_empty() { None } else { Some(until.parse()?) };
            let there = |release: &&Version| {
                **release >= since && until.is_none_or(|until| **release <= until)
            };
            let key = cells.into_iter().map(str::to_owned).collect();
            let row = table.rows.entry(key).or_default();
            row.extend(table.releases.iter().filter(there));
        }
        Ok(table)
    }

    /// The releases that were measured, in their order.
    pub fn releases(&self) -> &[Version] {
        &self.releases
    }

    /// Makes room for a release and forgets what it had: its number, and whether it is new.
    pub fn enter(&mut self, release: Version) -> (usize, bool) {
        for row in self.rows.values_mut() {
            row.remove(&release);
        }
        match self.releases.binary_search(&release) {
            Ok(at) => (at, false),
            Err(at) => {
                self.releases.insert(at, release);
                (at, true)
            }
        }
    }

    /// Adds that a release has something.
    pub fn add(&mut self, release: Version, cells: &[&str]) {
        let key = cells.iter().map(|cell| (*cell).to_owned()).collect();
        self.rows.entry(key).or_default().insert(release);
    }

    /// The table as a text.
    pub fn written(&self) -> String {
        let names: Vec<String> = self.releases.iter().map(Version::to_string).collect();
        let mut text = format!("{}#releases\t{}\n", self.head, names.join(" "));
        for (cells, there) in &self.rows {
            let mut first = None;
            for (i, release) in self.releases.iter().enumerate() {
                let (has, last) = (there.contains(release), i + 1 == self.releases.len());
                if has {
                    first = first.or(Some(release));
                }
                let before = i.checked_sub(1).filter(|_| !has);
                let before = before.and_then(|i| self.releases.get(i));
                if let (Some(since), true) = (first, !has || last) {
                    let until = before.map(Version::to_string).unwrap_or_default();
                    let _ = writeln!(text, "{}\t{since}\t{until}", cells.join("\t"));
                    first = None;
                }
            }
        }
        text
    }

    /// Writes the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, self.written()).with_context(|| path.display().to_string())
    }
}
