//! Version numbers as headers define them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

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
    /// Versions of three numbers by header, where they speak for what the header declares.
    full: HashMap<String, usize>,
    /// Headers that declare an extension.
    extensions: BTreeSet<String>,
    /// The version of three numbers, if there is only one.
    only: Option<usize>,
    /// The version that counts for everything, whatever else there is.
    for_all: Option<usize>,
    /// The headers that this one covers; all, if nobody knows what includes what.
    covered: Option<BTreeSet<String>>,
}

impl LineIndex {
    /// For these versions and the headers that declare extensions; `covered` says which headers the version in one of
    /// them reaches, and `speaks` whether it is about what a header declares.
    pub fn new<'a>(
        lines: &[VersionLine],
        extensions: impl IntoIterator<Item = &'a str>,
        covered: impl FnOnce(&str) -> Option<BTreeSet<String>>,
        speaks: impl Fn(&VersionLine, &str) -> bool,
        files: &BTreeSet<Arc<str>>,
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
                if speaks(line, &file) {
                    index.full.entry(file).or_insert(at);
                }
            }
        }
        index.only = index.only.filter(|_| full == 1);
        if let Some(line) = index.only.and_then(|at| lines.get(at)) {
            let near = covered(line.file());
            let near = |file: &str| near.as_ref().is_none_or(|near| near.contains(file));
            let names = files.iter().map(|file| &**file);
            let spoken_for = names.filter(|file| near(file) && speaks(line, file));
            index.covered = Some(spoken_for.map(str::to_owned).collect());
        }
        index
    }

    /// One version for everything.
    pub fn for_all(at: usize) -> Self {
        Self { for_all: Some(at), only: Some(at), ..Self::default() }
    }

    /// The number of the version that covers `name` in a header.
    pub fn line(&self, file: &str, extension: bool, name: &str) -> Option<usize> {
        let named = || self.by_name.get(&(file.to_owned(), plain(name))).copied();
        let single = || self.single.get(file).copied();
        let of_extension = || single().filter(|_| self.extensions.contains(file));
        self.for_all
            .or_else(named)
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

/// The part of the names in a header from which on they show that a version is theirs: one of so many.
const SHARE: usize = 3;

/// Whether a version is about what a header declares. It is, unless most names there begin alike, and in another way than
/// the name of the version and that of its header do: a number of the protocol in `net.h` says nothing about `core_run`.
pub fn speaks(line: &VersionLine, file: &str, names: &[&str]) -> bool {
    let lower = line.name.to_ascii_lowercase();
    let lower = lower.strip_prefix("lib").filter(|rest| rest.len() > 1).unwrap_or(&lower);
    let prefix = lower.split('_').find(|word| !word.is_empty()).unwrap_or_default();
    let akin = |word: &str| word.starts_with(prefix) || prefix.starts_with(word);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut own = 0;
    for word in names.iter().filter_map(|name| first_word(name)) {
        own += usize::from(akin(&word));
        *counts.entry(word).or_default() += 1;
    }
    // In its own header a version needs no more than one name that is akin.
    if SHARE * own >= names.len() || (own > 0 && line.file() == file) {
        return true;
    }
    let most = counts.values().max().copied().unwrap_or(0);
    if most < 2 || 2 * most < names.len() {
        return true;
    }
    // The name of the header counts for its own version only.
    let base = file.rsplit('/').next().unwrap_or(file);
    let stem = base.split('.').next().unwrap_or(base).to_ascii_lowercase();
    let words = || stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let initials: String = words().filter_map(|word| word.chars().next()).collect();
    line.file() == file && (words().any(akin) || initials == prefix)
}

/// The first word of a name in lower case, if the name has several: `dev` of `dev_open`, `cuda` of `cudaMalloc`.
fn first_word(name: &str) -> Option<String> {
    let name = name.trim_start_matches('_');
    let upper = name.chars().next().is_some_and(char::is_uppercase);
    let ends = |(at, c): (usize, char)| (at > 0 && c == '_') || (!upper && c.is_uppercase());
    let end = name.char_indices().position(ends)?;
    let word: String = name.chars().take(end).collect();
    (word.len() > 1).then(|| word.to_ascii_lowercase())
}

/// A name as it reads in any spelling: `TFE_CUSTOM_DEVICE` is `TFE_CustomDevice`.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}
