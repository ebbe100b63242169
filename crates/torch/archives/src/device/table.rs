//! The operator table of a device, as a JSON file.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unskew_core::{Version, VersionRange};
use unskew_torch_schemas::{FunctionSchema, OperatorHistory, OperatorTable};

use super::DeviceDescription;
use crate::{ReleaseCalendar, TorchRelease, TorchRuntime};

/// The format that is written.
const FORMAT: u32 = 1;

/// The key that every such file has.
const KEY: &str = "\"operator_table\"";

/// The operators of a device, and the versions that it reads.
///
/// ```
/// use unskew_torch::DeviceTable;
/// let text = r#"{
///   "operator_table": 1, "name": "camera-7", "release": "2.1.2", "file_format": [1, 10],
///   "operators": [{ "schema": "aten::relu(Tensor self) -> Tensor" }]
/// }"#;
/// let table = DeviceTable::read(text).unwrap();
/// assert_eq!((table.name.as_str(), table.operators.len()), ("camera-7", 1));
/// assert_eq!(DeviceTable::read(&table.to_json()).unwrap(), table);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceTable {
    operator_table: u32,
    /// What the device is called.
    pub name: String,
    /// The PyTorch release that its runtime was built from.
    pub release: String,
    /// The first and the last file format version that it reads, which are operator versions too.
    pub file_format: [i64; 2],
    /// The first and the last bytecode version that it reads; none if it has no mobile interpreter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytecode: Option<[i64; 2]>,
    /// The schema version of its `torch.export`; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_schema: Option<String>,
    /// The operators that the device has.
    pub operators: Vec<DeviceOperator>,
}

/// One operator of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceOperator {
    /// The schema as PyTorch prints it.
    pub schema: String,
    /// Its version: that of its last change that the device has, 0 if it never changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub version: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(version: &u32) -> bool {
    *version == 0
}

/// Why a file is no operator table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceTableError {
    /// It is no JSON, or has other fields.
    #[error("no operator table: {0}")]
    Json(String),
    /// It is of a format that is not known.
    #[error("an operator table of format {0}; this Unskew reads {FORMAT}")]
    Format(u32),
    /// The release is not in the database.
    #[error("the database has no such PyTorch release: {0}")]
    Release(String),
    /// A number or a schema is wrong.
    #[error("operator table, {field}: {what}")]
    Field {
        /// The path of the field: `operators[3]`.
        field: String,
        /// The value in question and what was expected.
        what: String,
    },
}

impl DeviceTable {
    /// Whether a file that begins like this says that it is an operator table.
    pub fn recognizes(head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        text.trim_start().starts_with('{') && text.contains(KEY)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`DeviceTableError`] with the field.
    pub fn read(text: &str) -> Result<Self, DeviceTableError> {
        #[derive(Deserialize)]
        struct Stamp {
            operator_table: u32,
        }
        let wrong = |error: serde_json::Error| DeviceTableError::Json(error.to_string());
        let stamp: Stamp = serde_json::from_str(text).map_err(wrong)?;
        if stamp.operator_table != FORMAT {
            return Err(DeviceTableError::Format(stamp.operator_table));
        }
        serde_json::from_str(text).map_err(wrong)
    }

    /// The table of a release; with `only`, of those operators whose full name it accepts.
    pub fn of_release(runtime: &TorchRuntime, name: &str, only: impl Fn(&str) -> bool) -> Self {
        let TorchRelease { version, file_format, bytecode, exported, .. } = runtime.release;
        let newest = file_format.max.map_or(0, |max| max.major());
        let numbers = |range: VersionRange| {
            let number = |version: Option<Version>| version.map_or(0, |version| version.major());
            [number(range.min), number(range.max)]
        };
        let schemas =
            runtime.operators.texts().filter_map(|text| text.parse::<FunctionSchema>().ok());
        let operators = schemas.filter(|schema| only(&schema.full_name())).map(|schema| {
            let version = operator_version(&schema.full_name(), newest);
            DeviceOperator { schema: schema.to_string(), version }
        });
        Self {
            operator_table: FORMAT,
            name: name.to_owned(),
            release: version.to_string(),
            file_format: numbers(file_format),
            bytecode: bytecode.map(numbers),
            export_schema: exported.map(|schema| schema.to_string()),
            operators: operators.collect(),
        }
    }

    /// The device as a runtime.
    ///
    /// # Errors
    /// If the release is not in the database, or a schema or a number is wrong.
    pub fn runtime(
        &self,
        operators: &Arc<OperatorHistory>,
        calendar: &Arc<ReleaseCalendar>,
    ) -> Result<TorchRuntime, DeviceTableError> {
        let unknown = || DeviceTableError::Release(self.release.clone());
        let version: Version = self.release.parse().map_err(|_| unknown())?;
        let row = calendar.releases().iter().rev().find(|row| row.version.starts_with(&version));
        let row = row.ok_or_else(unknown)?;
        let texts: Vec<String> = self.operators.iter().map(|one| one.schema.clone()).collect();
        let table = OperatorTable::of_device(operators.clone(), row.version, &texts);
        let table = table.map_err(|(at, error)| DeviceTableError::Field {
            field: format!("operators[{at}]"),
            what: error.to_string(),
        })?;
        let schema = |text: &String| {
            let field = "export_schema".to_owned();
            text.parse::<Version>()
                .map_err(|error| DeviceTableError::Field { field, what: error.to_string() })
        };
        let release = TorchRelease {
            file_format: range("file_format", self.file_format)?,
            bytecode: self.bytecode.map(|pair| range("bytecode", pair)).transpose()?,
            exported: self.export_schema.as_ref().map(schema).transpose()?,
            ..row.clone()
        };
        let name =
            |schema: &str| schema.parse::<FunctionSchema>().ok().map(|schema| schema.full_name());
        let mut versions = BTreeMap::new();
        for one in &self.operators {
            if let Some(name) = name(&one.schema) {
                versions.insert(name, one.version);
            }
        }
        let device = Some(Arc::new(DeviceDescription { name: self.name.clone(), versions }));
        Ok(TorchRuntime { release, operators: table, calendar: calendar.clone(), device })
    }

    /// The table as it is written: one operator a line.
    pub fn to_json(&self) -> String {
        let text = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap_or_default();
        let head = Self { operators: Vec::new(), ..self.clone() };
        let head = text(&|| serde_json::to_string_pretty(&head));
        let rows: Vec<String> = self
            .operators
            .iter()
            .map(|one| format!("    {}", text(&|| serde_json::to_string(one))))
            .collect();
        let body =
            if rows.is_empty() { String::new() } else { format!("\n{}\n  ", rows.join(",\n")) };
        let head = head.trim_end().trim_end_matches("[]\n}").to_owned();
        format!("{head}[{body}]\n}}\n")
    }
}

/// The version of an operator in a runtime that reads file formats up to `newest`.
pub(super) fn operator_version(operator: &str, newest: i64) -> u32 {
    let changes = unskew_torch_operators::registry().changes_of(operator).iter();
    let versions = changes.filter_map(|change| change.since.version());
    versions.filter(|version| i64::from(*version) <= newest).max().unwrap_or(0)
}

fn range(field: &str, [min, max]: [i64; 2]) -> Result<VersionRange, DeviceTableError> {
    if min > max {
        let what = format!("the first version is above the last: {min}, {max}");
        return Err(DeviceTableError::Field { field: field.to_owned(), what });
    }
    Ok(VersionRange::between(Version::number(min), Version::number(max)))
}
