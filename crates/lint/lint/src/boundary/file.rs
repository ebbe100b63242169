//! The tables of `unskew.toml`, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use unskew_core::{Date, Window};

use super::{Against, Majors, Weight};
use unskew_kinds::{Direction, Level};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigTable {
    pub baseline: Option<String>,
    #[serde(default)]
    pub boundary: Vec<Spanned<BoundaryTable>>,
    #[serde(default)]
    pub accept: Vec<Spanned<AcceptTable>>,
    #[serde(default)]
    pub release: Vec<ReleaseTable>,
    pub release_tags: Option<String>,
    /// Options of every boundary of this kind that does not say otherwise.
    #[serde(default)]
    pub headers: BTreeMap<Spanned<String>, toml::Value>,
}

/// A boundary; in a preset, what boundaries that name it need not say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoundaryTable {
    pub name: Option<Spanned<String>>,
    pub preset: Option<Spanned<String>>,
    pub kind: Option<Spanned<String>>,
    #[serde(default)]
    pub paths: Vec<Spanned<String>>,
    #[serde(default)]
    pub exclude: Vec<Spanned<String>>,
    pub baseline: Option<String>,
    pub policy: Option<Spanned<String>>,
    pub direction: Option<Direction>,
    pub forward: Option<Window>,
    pub backward: Option<Window>,
    pub against: Option<Against>,
    pub level: Option<Level>,
    pub major: Option<Majors>,
    #[serde(default)]
    pub announced: Vec<AnnouncedTable>,
    #[serde(default)]
    pub sunset: Vec<Spanned<SunsetTable>>,
    pub reader_first: Option<ReaderFirstTable>,
    #[serde(default)]
    pub severity: BTreeMap<Spanned<String>, Weight>,
    #[serde(default)]
    pub scope: Vec<ScopeTable>,
    #[serde(default)]
    pub options: BTreeMap<Spanned<String>, toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetFile {
    pub name: String,
    pub title: String,
    pub text: String,
    pub reference: String,
    pub boundary: BoundaryTable,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptTable {
    pub finding: Spanned<String>,
    pub reason: Spanned<String>,
    pub until: Day,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTable {
    pub version: String,
    pub on: Day,
    pub baseline: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnouncedTable {
    pub version: String,
    pub on: Day,
    pub landed: Option<Day>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SunsetTable {
    pub what: String,
    pub announced: Day,
    pub removed: Day,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderFirstTable {
    pub writers: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeTable {
    pub paths: Vec<Spanned<String>>,
    #[serde(default)]
    pub exclude: Vec<Spanned<String>>,
    pub level: Option<Level>,
    #[serde(default)]
    pub severity: BTreeMap<Spanned<String>, Weight>,
}

/// A TOML date without a time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "toml::value::Datetime")]
pub struct Day(pub Date);

impl TryFrom<toml::value::Datetime> for Day {
    type Error = String;

    fn try_from(value: toml::value::Datetime) -> Result<Self, String> {
        let day = value.to_string().parse();
        day.map(Self).map_err(|_| format!("not a day, written 2027-01-31: {value}"))
    }
}
