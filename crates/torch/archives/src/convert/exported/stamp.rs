//! Stamp of a program: its schema version and its dialect.
//!
//! A graph is checked by a verifier when it is loaded. Up to 2.4 its name stands in `dialect`; from 2.5 on
//! there is a list `verifiers`, and `TRAINING` in it lets operators that write to their arguments pass,
//! which `ATEN` does not.

use unskew_core::Version;
use unskew_torch_schemas::OperatorTable;

use super::functional;
use super::migration::Migration;
use super::names;
use super::schema_migrator::MigrationReport;
use crate::json::JsonValue;

pub(super) fn version(program: &JsonValue) -> Option<Version> {
    let version = program.get("schema_version")?;
    match (version.as_int(), version.get("major"), version.get("minor")) {
        (Some(number), ..) => Some(Version::number(number)),
        (None, Some(major), Some(minor)) => Some(Version::pair(major.as_int()?, minor.as_int()?)),
        _ => None,
    }
}

pub(super) fn number(program: &mut JsonValue, version: Version) {
    let (major, minor) = (JsonValue::number(version.major()), JsonValue::number(version.minor()));
    let value = if version.major() < 5 {
        major
    } else {
        JsonValue::object([("major", major), ("minor", minor)])
    };
    program.set("schema_version", value);
}

/// Has the program name its verifier in the way of the other schema.
pub(super) fn put(
    program: &mut JsonValue,
    course: &Migration,
    table: &OperatorTable,
    found: &mut MigrationReport,
) {
    let has = |name| course.to.shape("ExportedProgram").is_some_and(|s| s.field(name).is_some());
    let dialect = program.take("dialect");
    let verifiers = program.get("verifiers").cloned();
    if has("verifiers") {
        if verifiers.is_none() {
            let dialect = dialect.unwrap_or_else(|| JsonValue::text("ATEN"));
            program.set("verifiers", JsonValue::List(vec![dialect]));
            found.change("the dialect is a list of verifiers");
        } else if let Some(dialect) = dialect {
            program.set("dialect", dialect);
        }
        return;
    }
    program.take("verifiers");
    let name = dialect.or_else(|| verifiers.as_ref().and_then(|all| all.items().first().cloned()));
    let name = name.as_ref().and_then(JsonValue::as_text).unwrap_or("ATEN");
    let name = if name == "TRAINING" { "ATEN" } else { name };
    if verifiers.is_some() {
        functional::put(program, table, found);
        names::put(program, found);
        found.change(format!("the dialect is {name}"));
    }
    if has("dialect") {
        program.set("dialect", JsonValue::text(name));
    }
}
