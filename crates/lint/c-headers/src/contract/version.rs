//! Version numbers as headers define them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Spot;
use super::parts::{Constant, ConstantValue};
use foldhash::HashMap;

/// One number of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionNumber {
    /// The name that defines it: `SE_MINOR`.
    pub name: String,
    /// The number that the macro stands for.
    pub value: i64,
    /// The place of the macro.
    pub spot: Spot,
}

/// A version that a header defines: up to three numbers, or a single one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionLine {
    /// What the names of its numbers begin with: `PJRT_API`.
    pub name: String,
    /// Raised when an old side does not work any more.
    pub major: Option<VersionNumber>,
    /// Raised when something is added.
    pub minor: Option<VersionNumber>,
    /// Raised when a fault is fixed.
    pub patch: Option<VersionNumber>,
    /// One number for everything, as extensions have it.
    pub single: Option<VersionNumber>,
    /// The fourth number of versions on the way to a release.
    pub sub: Option<VersionNumber>,
}

impl VersionLine {
    /// The header in which it stands.
    pub fn file(&self) -> &str {
        self.numbers().next().map_or("", |number| &number.spot.file)
    }

    /// Its numbers, the most important first.
    pub fn numbers(&self) -> impl Iterator<Item = &VersionNumber> {
        [&self.major, &self.minor, &self.patch, &self.single].into_iter().flatten()
    }

    /// The numbers as one can compare them; what the header does not define is 0.
    pub fn key(&self) -> [i64; 4] {
        let value = |number: &Option<VersionNumber>| number.as_ref().map_or(0, |n| n.value);
        [value(&self.major), value(&self.minor), value(&self.patch), value(&self.single)]
    }

    /// The fourth number; 0 if there is none.
    pub fn step(&self) -> i64 {
        self.sub.as_ref().map_or(0, |number| number.value)
    }

    /// Whether it is one number for everything.
    pub fn is_single(&self) -> bool {
        self.single.is_some()
    }
}

impl fmt::Display for VersionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.numbers().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            write!(f, "{dot}{}", number.value)?;
        }
        Ok(())
    }
}

/// The endings of the names of numbers, and which number each means.
///
/// A longer ending stands before one that it ends with.
const ENDINGS: [(&str, usize); 23] = [
    ("_VERSION_MAJOR", 0),
    ("_MAJOR_VERSION", 0),
    ("_VER_MAJOR", 0),
    ("_MAJOR", 0),
    ("_VERSION_MINOR", 1),
    ("_MINOR_VERSION", 1),
    ("_VER_MINOR", 1),
    ("_MINOR", 1),
    ("_VERSION_PATCH", 2),
    ("_PATCH_VERSION", 2),
    ("_PATCH", 2),
    ("_VERSION_REVISION", 2),
    ("_VER_REVISION", 2),
    ("_REVISION", 2),
    ("_VERSION_MICRO", 2),
    ("_MICRO", 2),
    // Below what any change asks for.
    ("_VER_SUBREVISION", 4),
    ("_SUBREVISION", 4),
    ("_VERSION", 3),
    ("_VERNUM", 3),
    ("_VERSION_NUMBER", 3),
    ("_VERSION_NUM", 3),
    ("_VERSION_HEX", 3),
];

/// Whether a constant is part of a version.
pub fn is_version(name: &str) -> bool {
    ENDINGS.iter().any(|(ending, _)| name.len() > ending.len() && name.ends_with(ending))
}

/// The versions among the constants, each once for every header that defines it.
pub fn lines<'a>(constants: impl IntoIterator<Item = &'a Constant>) -> Vec<VersionLine> {
    let mut lines: BTreeMap<(&str, &str), VersionLine> = BTreeMap::new();
    for constant in constants {
        let ConstantValue::Number(value) = constant.value else { continue };
        let name = constant.name.as_str();
        let found = ENDINGS.iter().find_map(|(ending, part)| {
            let stem = name.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
            Some((stem, *part))
        });
        let Some((stem, part)) = found else { continue };
        let line = lines.entry((&constant.spot.file, stem)).or_default();
        stem.clone_into(&mut line.name);
        let number = VersionNumber { name: name.to_owned(), value, spot: constant.spot.clone() };
        let place = match part {
            0 => &mut line.major,
            1 => &mut line.minor,
            2 => &mut line.patch,
            3 => &mut line.single,
            _ => &mut line.sub,
        };
        place.get_or_insert(number);
    }
    lines
        .into_values()
        .map(|mut line| {
            // `X_VERSION` beside `X_MAJOR` is made of it.
            if line.major.is_some() || line.minor.is_some() {
                line.single = None;
            }
            line
        })
        .filter(|line| line.major.is_some() || line.minor.is_some() || line.single.is_some())
        .collect()
}

/// Which version covers what, for many questions.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    /// Single numbers by header and by the name that they have it from, without underscores.
    by_name: HashMap<(String, String), usize>,
    /// Single numbers by header.
    single: HashMap<String, usize>,
    /// Versions of three numbers by header.
    full: HashMap<String, usize>,
    /// Headers that declare an extension.
    extensions: BTreeSet<String>,
    /// The version of three numbers, if there is only one.
    only: Option<usize>,
    /// The headers that this one covers; all, if nobody knows what includes what.
    covered: Option<BTreeSet<String>>,
}

impl LineIndex {
    /// For these versions and the headers that declare extensions; `covered` says for which headers the version in
    /// one of them counts as well.
    pub fn new<'a>(
        lines: &[VersionLine],
        extensions: impl IntoIterator<Item = &'a str>,
        covered: impl FnOnce(&str) -> Option<BTreeSet<String>>,
    ) -> Self {
        let mut index = Self {
            extensions: extensions.into_iter().map(str::to_owned).collect(),
            ..Self::default()
        };
        let mut full = 0;
        for (at, line) in lines.iter().enumerate() {
            let file = line.file().to_owned();
            if line.is_single() {
                index.by_name.entry((file.clone(), plain(&line.name))).or_insert(at);
                index.single.entry(file).or_insert(at);
            } else {
                full += 1;
                index.only = Some(at);
                index.full.entry(file).or_insert(at);
            }
        }
        index.only = index.only.filter(|_| full == 1);
        index.covered = index.only.and_then(|at| covered(lines.get(at)?.file()));
        index
    }

    /// The number of the version that covers `name` in a header.
    pub fn line(&self, file: &str, extension: bool, name: &str) -> Option<usize> {
        let named = || self.by_name.get(&(file.to_owned(), plain(name))).copied();
        let single = || self.single.get(file).copied();
        let of_extension = || single().filter(|_| self.extensions.contains(file));
        named()
            .or_else(|| single().filter(|_| extension))
            .or_else(|| self.full.get(file).copied())
            .or_else(of_extension)
            .or_else(|| self.shared(file))
    }

    /// The number of the only version of three numbers, if it covers a header.
    pub fn shared(&self, file: &str) -> Option<usize> {
        let covers = self.covered.as_ref().is_none_or(|covered| covered.contains(file));
        self.only.filter(|_| covers)
    }
}

/// A name as it reads in any spelling: `TFE_CUSTOM_DEVICE` is `TFE_CustomDevice`.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}
