//! What releases of packages declare that they require: `data/requirements.tsv`, made by `cargo lab harvest requirements==PACKAGE`.
//!
//! A package is a line `= NAME VERSION VERSION...` with its releases, the oldest first. Each line below it is a requirement
//! without spaces but around its marker, a tab, and the releases that declare it: `2.4.0`, `2.4.0..2.6.1`, `2.7.0..` for those up to
//! the newest. A requirement of `python` is the `Requires-Python` of the release. What only an extra requires is left out, but
//! for jax: `minimum-jaxlib` is the least jaxlib that it loads, and the extras for devices name the packages with plug-ins that it takes.
//!
//! Pre-releases, releases before July 2022, and those without a wheel for Linux on x86-64 are not in the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unskew_core::CompressedText;

static TABLE: std::sync::LazyLock<&'static CompressedText> =
    std::sync::LazyLock::new(|| unskew_tables::packed_text!("data/requirements.tsv"));

/// What each release of one package declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredRequirements {
    /// The releases, the oldest first.
    pub releases: Vec<String>,
    /// Each requirement, with the releases that declare it, as places in `releases`.
    rows: Vec<(String, Vec<(usize, usize)>)>,
}

impl DeclaredRequirements {
    /// Those of a package of the table, by its name as indexes compare it (`huggingface-hub`); none if the table lacks it.
    pub fn of_package(key: &str) -> Option<Self> {
        let text = TABLE.text();
        let head = format!("= {key} ");
        let at = match text.starts_with(&head) {
            true => 0,
            false => text.find(&format!("\n{head}"))? + 1,
        };
        let section = text.get(at..)?;
        let end = section.find("\n=").unwrap_or(section.len());
        Self::read(section.get(..end)?)
    }

    /// What a release declares, with its `Requires-Python`; none if it is not in the table.
    pub fn of_release(&self, version: &str) -> Option<Vec<&str>> {
        let at = self.releases.iter().position(|one| one == version)?;
        let is_declared =
            |spans: &[(usize, usize)]| spans.iter().any(|(a, b)| (*a..=*b).contains(&at));
        let rows = self.rows.iter().filter(|(_, spans)| is_declared(spans));
        Some(rows.map(|(requirement, _)| requirement.as_str()).collect())
    }

    /// Puts together what each release declares, the oldest release first.
    pub fn from_releases(releases: &[(String, Vec<String>)]) -> Self {
        let mut rows: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, (_, declared)) in releases.iter().enumerate() {
            for requirement in declared {
                let place = *places.entry(requirement).or_insert(rows.len());
                if place == rows.len() {
                    rows.push((requirement.clone(), Vec::new()));
                }
                let Some((_, spans)) = rows.get_mut(place) else { continue };
                match spans.last_mut() {
                    Some((_, last)) if *last + 1 >= at => *last = at,
                    _ => spans.push((at, at)),
                }
            }
        }
        let releases = releases.iter().map(|(version, _)| version.clone()).collect();
        Self { releases, rows }
    }

    /// The lines of a package, of which the first names it.
    pub fn write(&self, key: &str) -> String {
        let mut text = format!("= {key} {}\n", self.releases.join(" "));
        for (requirement, spans) in &self.rows {
            let spans: Vec<String> = spans.iter().map(|span| self.written(*span)).collect();
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{requirement}\t{}", spans.join(" "));
        }
        text
    }

    fn written(&self, (first, last): (usize, usize)) -> String {
        let name = |at: usize| self.releases.get(at).map(String::as_str).unwrap_or_default();
        match last {
            last if last + 1 == self.releases.len() => format!("{}..", name(first)),
            last if last == first => name(first).to_owned(),
            last => format!("{}..{}", name(first), name(last)),
        }
    }

    /// Reads the lines of a package; none if one of them is none of the table.
    fn read(section: &str) -> Option<Self> {
        let mut lines = section.lines();
        let releases: Vec<String> = lines.next()?.split(' ').skip(2).map(str::to_owned).collect();
        let place = |version: &str| releases.iter().position(|one| one == version);
        let span = |text: &str| match text.split_once("..") {
            Some((first, "")) => Some((place(first)?, releases.len().checked_sub(1)?)),
            Some((first, last)) => Some((place(first)?, place(last)?)),
            None => place(text).map(|at| (at, at)),
        };
        let row = |line: &str| {
            let (requirement, spans) = line.split_once('\t')?;
            Some((requirement.to_owned(), spans.split(' ').map(span).collect::<Option<_>>()?))
        };
        let rows = lines.map(row).collect::<Option<_>>()?;
        Some(Self { releases, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let releases = [("1.0", &["a", "b>=2"][..]), ("1.1", &["a"]), ("2.0", &["b>=2", "c"])].map(
            |(version, all)| (version.to_owned(), all.iter().map(ToString::to_string).collect()),
        );
        let table = DeclaredRequirements::from_releases(&releases);
        let text = table.write("x");
        assert_eq!(text, "= x 1.0 1.1 2.0\na\t1.0..1.1\nb>=2\t1.0 2.0..\nc\t2.0..\n");
        assert_eq!(DeclaredRequirements::read(&text), Some(table));
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let heads = TABLE.text().lines().filter_map(|line| line.strip_prefix("= "));
        let keys: Vec<&str> = heads.filter_map(|head| head.split(' ').next()).collect();
        assert!(keys.len() > 50 && keys.is_sorted(), "{keys:?}");
        for key in keys {
            let table = DeclaredRequirements::of_package(key).expect(key);
            assert!(!table.releases.is_empty(), "{key}");
            assert!(table.of_release(&table.releases[0]).is_some(), "{key}");
        }
    }

    #[test]
    fn releases_declare_what_their_makers_published() {
        let declares = |key: &str, version: &str, requirement: &str| {
            let table = DeclaredRequirements::of_package(key).unwrap();
            let all = table.of_release(version).unwrap();
            assert!(all.contains(&requirement), "{key} {version}: {all:?}");
        };
        declares("torchvision", "0.15.2", "torch==2.0.1");
        declares("jax", "0.4.30", "jaxlib<=0.4.30,>=0.4.27");
        declares("jax", "0.4.20", "jaxlib==0.4.14 ; extra == 'minimum-jaxlib'");
        declares("mediapipe", "0.10.14", "protobuf<5,>=4.25.3");
        assert!(DeclaredRequirements::of_package("no-such-package").is_none());
    }
}
