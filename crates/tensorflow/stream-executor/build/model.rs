//! The files of `data/abi/` as they are written.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The first release with the interface, and the last that the data were held against.
pub const RELEASES: (u32, u32) = (4, 21);

/// The whole interface, as the data files describe it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Abi {
    #[serde(default, rename = "struct")]
    pub structs: BTreeMap<String, Struct>,
    #[serde(default, rename = "enum")]
    pub enums: BTreeMap<String, Enum>,
    #[serde(default, rename = "callback")]
    pub callbacks: BTreeMap<String, Callback>,
    #[serde(default, rename = "entry")]
    pub entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Struct {
    pub doc: String,
    pub since: Option<String>,
    pub fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    pub r#type: String,
    pub doc: String,
    pub since: Option<String>,
    pub until: Option<String>,
    pub required: Option<String>,
    #[serde(default)]
    pub crash: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enum {
    pub doc: String,
    pub values: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub name: String,
    pub value: i32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    pub doc: String,
    pub r#type: String,
}

/// A function by which a host enters a plug-in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub name: String,
    pub arguments: Option<String>,
    pub doc: String,
}

impl Abi {
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut abi = Self::default();
        for path in files(folder)? {
            let text = fs::read_to_string(&path)?;
            let file: Self =
                toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            abi.structs.extend(file.structs);
            abi.enums.extend(file.enums);
            abi.callbacks.extend(file.callbacks);
            abi.entries.extend(file.entries);
        }
        Ok(abi)
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The minor of a release of TensorFlow 2: `2.9`.
pub fn minor(release: &str) -> Result<u32, Box<dyn Error>> {
    let minor = release.strip_prefix("2.").ok_or_else(|| format!("not a release: {release}"))?;
    Ok(minor.parse()?)
}

/// `2.5`, or `2.5-2.13`, as the first and the last release.
pub fn span(text: &str) -> Result<(u32, u32), Box<dyn Error>> {
    match text.split_once('-') {
        Some((first, last)) => Ok((minor(first)?, minor(last)?)),
        None => Ok((minor(text)?, RELEASES.1)),
    }
}

impl Struct {
    /// Its fields in a release; none if the release does not have it.
    pub fn fields_in(&self, release: u32) -> Result<Option<Vec<&Field>>, Box<dyn Error>> {
        if self.since.as_deref().map(minor).transpose()?.is_some_and(|since| release < since) {
            return Ok(None);
        }
        let mut there = Vec::new();
        for field in &self.fields {
            let since = field.since.as_deref().map(minor).transpose()?.unwrap_or(0);
            let until = field.until.as_deref().map(minor).transpose()?.unwrap_or(u32::MAX);
            if (since..=until).contains(&release) {
                there.push(field);
            }
        }
        Ok(Some(there))
    }
}
