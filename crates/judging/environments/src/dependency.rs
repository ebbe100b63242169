//! One declared requirement: a `Requires-Dist` of `METADATA`.
//!
//! The form is that of the
//! [specification](https://packaging.python.org/en/latest/specifications/dependency-specifiers/):
//! `name[extra] >=1,<2 ; marker`, the range in parentheses in older files, or `name @ URL ; marker`.

use pep440_rs::Version;
use unskew_extensions::wheels::normal;

use crate::specifiers::Specifiers;

/// What a package requires of another.
#[derive(Clone, Debug)]
pub(crate) struct Dependency<'a> {
    /// The name as indexes normalize it.
    pub(crate) key: String,
    /// The requirement without its marker: `numpy<2,>=1.21`.
    pub(crate) text: String,
    /// Under which condition it holds.
    pub(crate) marker: Option<&'a str>,
    /// The extras that it is asked for with.
    pub(crate) extras: Vec<&'a str>,
    range: Specifiers,
}

impl<'a> Dependency<'a> {
    /// Reads a requirement; none if it is none that the specification has.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        if !is_end(name.chars().next()) || !is_end(name.chars().next_back()) {
            return None;
        }
        let rest = rest.trim_start();
        let (extras, rest) = match rest.strip_prefix('[') {
            Some(list) => {
                let (extras, rest) = list.split_once(']')?;
                (extras.split(',').map(str::trim).collect(), rest.trim_start())
            }
            None => (Vec::new(), rest),
        };
        let asked =
            if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
        let key = normal(name);
        if let Some(url) = rest.strip_prefix('@') {
            // A URL may have a semicolon; the one of a marker stands behind a space.
            let marker = url.split_once(" ;").map(|(_, marker)| marker.trim());
            let (text, range) = (format!("{name}{asked}"), Specifiers::default());
            return Some(Self { key, text, marker, extras, range });
        }
        let (range, marker) = match rest.split_once(';') {
            Some((range, marker)) => (range.trim(), Some(marker.trim())),
            None => (rest.trim(), None),
        };
        let range = match range.strip_prefix('(') {
            Some(inside) => inside.strip_suffix(')')?.trim(),
            None => range,
        };
        let written: String = range.split_whitespace().collect();
        let text = format!("{name}{asked}{written}");
        Some(Self { key, text, marker, extras, range: Specifiers::read(range)? })
    }

    /// Takes what another requirement of the same package asks for on top: one that holds for a newer Python, for instance.
    pub(crate) fn narrow(&mut self, other: &Self) {
        let range = other.text.find(|c| "<>=!~".contains(c)).map(|at| &other.text[at..]);
        if let Some(range) = range.filter(|range| !self.text.ends_with(range)) {
            let is_first = !self.text.contains(|c| "<>=!~".contains(c));
            self.text += if is_first { "" } else { "," };
            self.text += range;
        }
    }

    /// Whether its range allows a version.
    pub(crate) fn allows(&self, version: &Version) -> bool {
        self.range.allow(version)
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use super::*;

    #[test]
    fn requirements_are_read_as_old_and_new_files_write_them() {
        for (text, key, written, marker) in [
            ("numpy", "numpy", "numpy", None),
            ("Jinja2 (>=2.0, <4)", "jinja2", "Jinja2>=2.0,<4", None),
            ("torch[opt]==2.1 ; extra == 'x'", "torch", "torch[opt]==2.1", Some("extra == 'x'")),
            ("a_b.c>=1;python_version<'3'", "a-b-c", "a_b.c>=1", Some("python_version<'3'")),
            ("x @ https://h/x;y.whl ; os_name == 'nt'", "x", "x", Some("os_name == 'nt'")),
            ("x@file:///x.whl", "x", "x", None),
        ] {
            let read = Dependency::read(text).unwrap();
            assert_eq!((&*read.key, &*read.text, read.marker), (key, written, marker), "{text}");
        }
        let version = Version::from_str("2.2").unwrap();
        assert_eq!(Dependency::read("a~= 1.9, != 1.9.1").unwrap().text, "a~=1.9,!=1.9.1");
        assert!(Dependency::read("a (>=2,<3)").unwrap().allows(&version));
        assert!(!Dependency::read("a (>=2,<2.2)").unwrap().allows(&version));
    }

    #[test]
    fn what_is_no_requirement_is_none() {
        for text in ["", "-a", "a-", "a>=2.0.*", "a b", "a[x>=1", "a (>=1", ">=1", "a>=1)"] {
            assert!(Dependency::read(text).is_none(), "{text}");
        }
    }
}
