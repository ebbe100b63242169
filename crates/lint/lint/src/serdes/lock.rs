//! A lock as it was read.

use std::collections::BTreeMap;

/// What a type looked like at a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line on which it stands, counted from 1.
    pub line: usize,
    /// The fields or variants, as the lock has them.
    pub text: String,
}

/// The lines of a lock by type and version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SerdesLock {
    pub lines: BTreeMap<(String, u32), Line>,
    /// Lines that could not be read, and lines that stand there twice: the number and the text.
    pub problems: Vec<(usize, String)>,
}

impl SerdesLock {
    pub fn read(text: &str) -> Self {
        let mut lock = Self::default();
        for (at, text) in text.lines().enumerate() {
            let text = text.trim_end();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let line = at + 1;
            match parsed(text) {
                Some((key, text)) => {
                    let shown = format!("{} {} stands there twice", key.0, key.1);
                    let text = text.to_owned();
                    if lock.lines.insert(key, Line { line, text }).is_some() {
                        lock.problems.push((line, shown));
                    }
                }
                None => lock.problems.push((line, format!("no type with its version: {text}"))),
            }
        }
        lock
    }

    /// The newest version of a type.
    pub fn newest(&self, name: &str) -> Option<u32> {
        self.lines.keys().filter(|(of, _)| of == name).map(|(_, version)| *version).max()
    }

    /// The newest version of all.
    pub fn last(&self) -> Option<u32> {
        self.lines.keys().map(|(_, version)| *version).max()
    }
}

fn parsed(text: &str) -> Option<((String, u32), &str)> {
    let (name, rest) = text.split_once(' ')?;
    let (version, text) = rest.split_once(' ')?;
    Some(((name.to_owned(), version.parse().ok()?), text))
}

/// What came and what went from one description to the next: `adds 4 layout: bytes?; drops 2 rank: i32`.
pub(super) fn difference(was: &str, is: &str) -> String {
    let parts = |text: &str| -> Vec<String> {
        let inside = text.split_once('{').map_or(text, |(_, inside)| inside);
        let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
        inside
            .split(',')
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect()
    };
    let (was, is) = (parts(was), parts(is));
    let only = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|part| !b.contains(part)).cloned().collect()
    };
    let (came, went) = (only(&is, &was), only(&was, &is));
    match (came.is_empty(), went.is_empty()) {
        (true, true) => "its parts stand in another order".to_owned(),
        (false, true) => format!("adds {}", came.join(", ")),
        (true, false) => format!("drops {}", went.join(", ")),
        (false, false) => format!("adds {}; drops {}", came.join(", "), went.join(", ")),
    }
}
