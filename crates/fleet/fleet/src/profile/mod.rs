//! Runtimes as their owners describe them: a JSON file.
//!
//! A profile is a release of the built-in database, or a device that was built from one: with a list of
//! operators, without some, or with other ranges of versions.
//!
//! ```json
//! {
//!   "fleet_runtime": 1,
//!   "name": "camera-7",
//!   "devices": 1200,
//!   "release": "torch@2.1",
//!   "without": ["aten::gelu"],
//!   "versions": { "torch.file_format": [3, 10] }
//! }
//! ```
//!
//! | field | type | meaning |
//! | --- | --- | --- |
//! | `fleet_runtime` | integer | the format of the file: 1 |
//! | `name` | text, optional | what the runtime is called; without it the release, which is then all that it is |
//! | `devices` | integer, optional | how many devices have it; 1 if it is left out |
//! | `release` | text | the release that it is, or was built from: `torch@2.1`, `tensorflow@2.15`, `jax@0.6.2`; a shorter version means the newest that begins with it |
//! | `operators` | list, optional | its operators and no others. An entry is a name (`aten::add.Tensor`; `aten::add` with all overloads; `Conv2D`), a PyTorch schema, or an object |
//! | `operators[].schema` | text | the schema in PyTorch's own language |
//! | `operators[].version` | integer, optional | the operator version of its last change that the device has; 0 if it is left out |
//! | `without` | list of texts, optional | operators of the release that it lacks |
//! | `versions` | object, optional | ranges in place of the release's: the axis, and the first and the last version, as numbers or texts |
//!
//! The axes are `torch.file_format`, `torch.bytecode`, `torch.export_schema`, `tf.graph_def`, `tf.checkpoint`,
//! `pjrt.api` and `stablehlo`. A field that is not named here is an error, and so is an operator that the release
//! does not have: a profile with a slip in it would be judged by something else than was meant. Errors name the
//! place: `versions.torch.file_format`, `operators[3].version`.
//!
//! An operator table as `unskew ops table` writes it is a profile too: of a device with these operators and
//! ranges.

mod build;
mod error;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use unskew_releases::Release;
use unskew_torch::DeviceTable;

pub use build::Runtime;
pub use error::ProfileError;

use crate::{Digest, name};

/// The format that is read and written.
const FORMAT: u32 = 1;

/// The largest profile, in bytes: a device with all operators of a release has half a megabyte.
const LARGEST: usize = 16 << 20;

/// A runtime as its owner describes it.
///
/// ```
/// use unskew_fleet::RuntimeProfile;
///
/// let text = r#"{ "fleet_runtime": 1, "name": "camera-7", "devices": 1200, "release": "torch@2.1" }"#;
/// let profile = RuntimeProfile::read(text).unwrap();
/// assert_eq!((profile.name.as_str(), profile.devices), ("camera-7", 1200));
/// assert_eq!(profile.release.to_string(), "torch@2.1.2");
/// assert_eq!(RuntimeProfile::read(&profile.to_json()).unwrap(), profile);
///
/// let slip = r#"{ "fleet_runtime": 1, "release": "torch@2.1", "operators": [{ "schem": "" }] }"#;
/// let error = RuntimeProfile::read(slip).unwrap_err().to_string();
/// assert!(error.contains("operators[0]"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeProfile {
    /// What it is called.
    pub name: String,
    /// How many devices have it.
    pub devices: u64,
    /// The release that it is, or was built from.
    pub release: Release,
    /// Its operators, if it has no others.
    pub operators: Option<Vec<ProfileOperator>>,
    /// Operators of the release that it lacks.
    pub without: Vec<String>,
    /// Ranges in place of the release's, by axis.
    pub versions: BTreeMap<String, [String; 2]>,
}

/// One operator of a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProfileOperator {
    /// An operator of the release.
    Named(String),
    /// A schema, with the version of its last change if that is told.
    Schema(String, Option<u32>),
}

impl schemars::JsonSchema for RuntimeProfile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Profile".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}

/// A runtime as its owner describes it: a release, or a device that was built from one.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    fleet_runtime: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default = "one")]
    devices: u64,
    release: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operators: Option<Vec<WrittenOperator>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    versions: BTreeMap<String, [WrittenVersion; 2]>,
}

fn one() -> u64 {
    1
}

/// A name or a schema as a text, or a schema with its version.
#[derive(Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum WrittenOperator {
    Text(String),
    Object(OperatorObject),
}

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct OperatorObject {
    schema: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
}

/// By hand, because an untagged enum forgets the place of what is wrong in it.
impl<'de> Deserialize<'de> for WrittenOperator {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = WrittenOperator;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an operator: a text, or an object with `schema`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(WrittenOperator::Text(text.to_owned()))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                map: A,
            ) -> Result<Self::Value, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                OperatorObject::deserialize(map).map(WrittenOperator::Object)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum WrittenVersion {
    Number(i64),
    Text(String),
}

impl RuntimeProfile {
    /// A release as it is.
    pub fn of_release(release: Release) -> Self {
        Self {
            name: release.to_string(),
            devices: 1,
            release,
            operators: None,
            without: Vec::new(),
            versions: BTreeMap::new(),
        }
    }

    /// Reads a profile or an operator table, and builds the runtime to see that it can be.
    ///
    /// # Errors
    /// [`ProfileError`] with the field, or the line and the column if the text is no JSON.
    pub fn read(text: &str) -> Result<Self, ProfileError> {
        if text.len() > LARGEST {
            return Err(ProfileError::new("the file", format!("more than {LARGEST} bytes")));
        }
        let head = text.as_bytes();
        let profile = if DeviceTable::recognizes(&head[..head.len().min(512)]) {
            Self::of_table(
                &DeviceTable::read(text).map_err(|e| ProfileError::new("the table", e))?,
            )?
        } else {
            Self::of_written(written(text)?)?
        };
        profile.runtime()?;
        Ok(profile)
    }

    fn of_written(written: Written) -> Result<Self, ProfileError> {
        if written.fleet_runtime != FORMAT {
            let what = format!("format {}; this Unskew reads {FORMAT}", written.fleet_runtime);
            return Err(ProfileError::new("fleet_runtime", what));
        }
        let release = unskew_releases::find(&written.release)
            .map_err(|error| ProfileError::new("release", error))?;
        let name = written.name.unwrap_or_else(|| release.to_string());
        name::check(&name).map_err(|error| ProfileError::new("name", error))?;
        let operator = |one| match one {
            WrittenOperator::Text(text) if text.contains('(') => {
                ProfileOperator::Schema(text, None)
            }
            WrittenOperator::Text(text) => ProfileOperator::Named(text),
            WrittenOperator::Object(one) => ProfileOperator::Schema(one.schema, one.version),
        };
        let text = |version| match version {
            WrittenVersion::Number(number) => number.to_string(),
            WrittenVersion::Text(text) => text,
        };
        let range = |(axis, range): (String, [WrittenVersion; 2])| (axis, range.map(text));
        Ok(Self {
            name,
            devices: written.devices,
            release,
            operators: written.operators.map(|all| all.into_iter().map(operator).collect()),
            without: written.without,
            versions: written.versions.into_iter().map(range).collect(),
        })
    }

    fn of_table(table: &DeviceTable) -> Result<Self, ProfileError> {
        let release = unskew_releases::find(&format!("torch@{}", table.release))
            .map_err(|error| ProfileError::new("release", error))?;
        name::check(&table.name).map_err(|error| ProfileError::new("name", error))?;
        let numbers = |range: [i64; 2]| range.map(|number| number.to_string());
        let both = |text: &String| [text.clone(), text.clone()];
        let versions = [
            ("torch.file_format", Some(numbers(table.file_format))),
            ("torch.bytecode", table.bytecode.map(numbers)),
            ("torch.export_schema", table.export_schema.as_ref().map(both)),
        ];
        let own = |(axis, range): (&str, Option<_>)| Some((axis.to_owned(), range?));
        let operators = table.operators.iter();
        let schema = |one: &unskew_torch::DeviceOperator| {
            ProfileOperator::Schema(one.schema.clone(), Some(one.version))
        };
        Ok(Self {
            name: table.name.clone(),
            devices: 1,
            release,
            operators: Some(operators.map(schema).collect()),
            without: Vec::new(),
            versions: versions.into_iter().filter_map(own).collect(),
        })
    }

    /// Whether it is a release as it is, and not a device.
    pub fn is_release(&self) -> bool {
        self.operators.is_none() && self.without.is_empty() && self.versions.is_empty()
    }

    /// The profile as it is written; reading it gives the same.
    pub fn to_json(&self) -> String {
        let operator = |one: &ProfileOperator| match one {
            ProfileOperator::Named(name) => WrittenOperator::Text(name.clone()),
            ProfileOperator::Schema(schema, version) => {
                let object = OperatorObject { schema: schema.clone(), version: *version };
                WrittenOperator::Object(object)
            }
        };
        let range = |(axis, range): (&String, &[String; 2])| {
            (axis.clone(), range.clone().map(WrittenVersion::Text))
        };
        let written = Written {
            fleet_runtime: FORMAT,
            name: Some(self.name.clone()),
            devices: self.devices,
            release: self.release.to_string(),
            operators: self.operators.as_ref().map(|all| all.iter().map(operator).collect()),
            without: self.without.clone(),
            versions: self.versions.iter().map(range).collect(),
        };
        let mut text = serde_json::to_string_pretty(&written).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The digest of everything that a verdict can depend on. Releases that are what they are have that of the
    /// release, whatever they are called; the name of a device stands in findings, so it counts.
    pub fn digest(&self) -> Digest {
        let mut same = self.clone();
        same.devices = 0;
        if same.is_release() {
            same.name = same.release.to_string();
        }
        if let Some(operators) = &mut same.operators {
            operators.sort();
        }
        same.without.sort();
        Digest::sha256(same.to_json())
    }
}

/// The text as a profile, with the place of what is wrong.
fn written(text: &str) -> Result<Written, ProfileError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (place, inner) = (error.path().to_string(), error.into_inner());
        ProfileError::new(if place == "." { "the file".to_owned() } else { place }, inner)
    })?;
    json.end().map_err(|error| ProfileError::new("the file", error))?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        RuntimeProfile::read(text).unwrap_err().to_string()
    }

    #[test]
    fn a_slip_is_an_error_with_its_place() {
        let with = |rest: &str| format!(r#"{{"fleet_runtime":1,"release":"torch@2.1",{rest}}}"#);
        for (rest, place) in [
            (r#""devicess": 3"#, "devicess"),
            (r#""devices": -1"#, "devices"),
            (r#""name": "../x""#, "name"),
            (r#""versions": {"torch.fileformat": [1, 2]}"#, "versions.torch.fileformat"),
            (r#""versions": {"torch.file_format": [1]}"#, "versions.torch.file_format"),
            (r#""versions": {"torch.file_format": [10, 3]}"#, "versions.torch.file_format"),
            (r#""versions": {"tf.graph_def": [1, 3]}"#, "versions.tf.graph_def"),
            (r#""operators": ["aten::relu", 7]"#, "operators[1]"),
            (r#""operators": [{"schema": "x", "version": "y"}]"#, "operators[0].version"),
            (r#""operators": ["aten::rleu"]"#, "operators[0]"),
            (r#""operators": ["aten::relu(Tensor"]"#, "operators[0]"),
            (r#""without": ["aten::relu", "aten::rleu"]"#, "without[1]"),
        ] {
            let error = refused(&with(rest));
            assert!(error.contains(place), "{rest}: {error}");
        }
        assert!(refused(r#"{"fleet_runtime":2,"release":"torch@2.1"}"#).contains("format 2"));
        assert!(refused(r#"{"fleet_runtime":1,"release":"torch@99"}"#).contains("release"));
        assert!(refused("{").contains("line 1"));
        assert!(refused(r#"{"fleet_runtime":1,"release":"torch@2.1"} x"#).contains("trailing"));
    }

    #[test]
    fn the_digest_is_that_of_what_can_be_judged() {
        let read = |text: &str| RuntimeProfile::read(text).unwrap().digest();
        let plain = read(r#"{"fleet_runtime":1,"release":"torch@2.1"}"#);
        let named =
            read(r#"{"fleet_runtime":1,"release":"torch@2.1.2","name":"server","devices":7}"#);
        assert_eq!(plain, named);
        let device = read(
            r#"{"fleet_runtime":1,"release":"torch@2.1","name":"d","without":["aten::relu"]}"#,
        );
        assert_ne!(plain, device);
    }

    #[test]
    fn an_operator_table_is_a_profile() {
        let table = include_str!("../../../../../examples/operators/camera-7.json");
        let profile = RuntimeProfile::read(table).unwrap();
        assert_eq!(profile.name, "camera-7");
        assert!(!profile.is_release());
        assert_eq!(RuntimeProfile::read(&profile.to_json()).unwrap(), profile);
    }
}
