//! What a program says of itself as a whole: its schema version and its dialect.
//!
//! A graph is checked by a verifier when it is loaded. Up to 2.4 its name stands in `dialect`; from 2.5 on
//! there is a list `verifiers`, and `TRAINING` in it lets operators that write to their arguments pass,
//! which `ATEN` does not.

use unskew_core::Version;
use unskew_torch_schemas::OperatorTable;

use super::course::Course;
use super::functional;
use super::names;
use super::recast::RecastReport;
use crate::convert::json::Json;

/// The schema version of a program.
pub(super) fn version(program: &Json) -> Option<Version> {
    let version = program.get("schema_version")?;
    match (version.as_int(), version.get("major"), version.get("minor")) {
        (Some(number), ..) => Some(Version::number(number)),
        (None, Some(major), Some(minor)) => Some(Version::pair(major.as_int()?, minor.as_int()?)),
        _ => None,
    }
}

/// Sets the schema version.
pub(super) fn number(program: &mut Json, version: Version) {
    let (major, minor) = (Json::number(version.major()), Json::number(version.minor()));
    let value = if version.major() < 5 {
        major
    } else {
        Json::object([("major", major), ("minor", minor)])
    };
    program.set("schema_version", value);
}

/// Has the program name its verifier in the way of the other schema.
pub(super) fn put(
    program: &mut Json,
    course: &Course,
    table: &OperatorTable,
    found: &mut RecastReport,
) {
    let has = |name| course.to.shape("ExportedProgram").is_some_and(|s| s.field(name).is_some());
    let dialect = program.take("dialect");
    let verifiers = program.get("verifiers").cloned();
    if has("verifiers") {
        if verifiers.is_none() {
            let dialect = dialect.unwrap_or_else(|| Json::text("ATEN"));
            program.set("verifiers", Json::List(vec![dialect]));
            found.change("the dialect is a list of verifiers");
        } else if let Some(dialect) = dialect {
            program.set("dialect", dialect);
        }
        return;
    }
    program.take("verifiers");
    let name = dialect.or_else(|| verifiers.as_ref().and_then(|all| all.items().first().cloned()));
    let name = name.as_ref().and_then(Json::as_text).unwrap_or("ATEN");
    let name = if name == "TRAINING" { "ATEN" } else { name };
    if verifiers.is_some() {
        functional::put(program, table, found);
        names::put(program, found);
        found.change(format!("the dialect is {name}"));
    }
    if has("dialect") {
        program.set("dialect", Json::text(name));
    }
}
