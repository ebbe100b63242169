//! Tables of texts by the releases of one package that have them.
//!
//! A package is a line `= NAME VERSION VERSION...` with its releases, the oldest first. Each line below it is a text, a tab,
//! and the releases that have it: `2.4.0`, `2.4.0..2.6.1`, `2.7.0..` for those up to the newest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What each release of one package has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanTable {
    /// The releases, the oldest first.
    pub releases: Vec<String>,
    /// Each text, with the releases that have it, as places in `releases`.
    rows: Vec<(String, Vec<(usize, usize)>)>,
}

impl SpanTable {
    /// The lines of each package in a text with many, by the names of packages.
    pub fn sections(text: &str) -> BTreeMap<&str, &str> {
        let heads = text.match_indices("= ").map(|(at, _)| at);
        let is_head = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
        let starts: Vec<usize> = heads.filter(is_head).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let sections = starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end));
        sections.filter_map(|section| Some((section.split([' ', '\n']).nth(1)?, section))).collect()
    }

    /// A text with many packages in which these have new lines; `head` stands above all of them.
    pub fn replace_sections(head: &str, text: &str, new: BTreeMap<&str, String>) -> String {
        let old = Self::sections(text).into_iter();
        let mut all: BTreeMap<&str, String> =
            old.map(|(package, section)| (package, section.to_owned())).collect();
        all.extend(new);
        std::iter::once(head.to_owned()).chain(all.into_values()).collect()
    }

    /// Each text, with the spans of releases that have it, as places in `releases`.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &[(usize, usize)])> {
        self.rows.iter().map(|(text, spans)| (text.as_str(), spans.as_slice()))
    }

    /// What a release has; none if it is not in the table.
    pub fn of_release(&self, version: &str) -> Option<Vec<&str>> {
        let at = self.releases.iter().position(|one| one == version)?;
        let has_it = |spans: &[(usize, usize)]| spans.iter().any(|(a, b)| (*a..=*b).contains(&at));
        let rows = self.rows.iter().filter(|(_, spans)| has_it(spans));
        Some(rows.map(|(text, _)| text.as_str()).collect())
    }

    /// Puts together what each release has, the oldest release first.
    pub fn from_releases(releases: &[(String, Vec<String>)]) -> Self {
        let mut rows: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, (_, all)) in releases.iter().enumerate() {
            for one in all {
                let place = *places.entry(one).or_insert(rows.len());
                if place == rows.len() {
                    rows.push((one.clone(), Vec::new()));
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
        let mut written = format!("= {key} {}\n", self.releases.join(" "));
        for (text, spans) in &self.rows {
            let spans: Vec<String> = spans.iter().map(|span| self.written(*span)).collect();
            // Writing into a String cannot fail.
            let _ = writeln!(written, "{text}\t{}", spans.join(" "));
        }
        written
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
    pub fn read(section: &str) -> Option<Self> {
        let mut lines = section.lines();
        let releases: Vec<String> = lines.next()?.split(' ').skip(2).map(str::to_owned).collect();
        let place = |version: &str| releases.iter().position(|one| one == version);
        let span = |text: &str| match text.split_once("..") {
            Some((first, "")) => Some((place(first)?, releases.len().checked_sub(1)?)),
            Some((first, last)) => Some((place(first)?, place(last)?)),
            None => place(text).map(|at| (at, at)),
        };
        let row = |line: &str| {
            let (text, spans) = line.split_once('\t')?;
            Some((text.to_owned(), spans.split(' ').map(span).collect::<Option<_>>()?))
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
        let table = SpanTable::from_releases(&releases);
        let text = table.write("x");
        assert_eq!(text, "= x 1.0 1.1 2.0\na\t1.0..1.1\nb>=2\t1.0 2.0..\nc\t2.0..\n");
        assert_eq!(SpanTable::read(&text).as_ref(), Some(&table));
        let all = format!("# head\n= w 1\n{text}");
        let sections: Vec<(&str, &str)> = SpanTable::sections(&all).into_iter().collect();
        assert_eq!(sections, [("w", "= w 1\n"), ("x", &*text)]);
        let new = [("w", "= w 2\n".to_owned()), ("y", "= y 1\n".to_owned())].into();
        assert_eq!(
            SpanTable::replace_sections("# new\n", &all, new),
            format!("# new\n= w 2\n{text}= y 1\n")
        );
    }
}
