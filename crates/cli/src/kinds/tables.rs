//! The operator tables that `unskew ops table` writes, as tables among others.

use unskew_core::Finding;
use unskew_source::NotRead;
use unskew_torch::DeviceTable;
use unskew_torch_operators::rules;
use unskew_torch_schemas::OperatorTable;

/// The table of a device, with its operators; none if the file does not say that it is one.
///
/// # Errors
/// If it says so and is none, with the field.
pub fn read(name: &str, bytes: &[u8]) -> Result<Option<(DeviceTable, OperatorTable)>, NotRead> {
    if !DeviceTable::recognizes(bytes) {
        return Ok(None);
    }
    let wrong = |why: String| NotRead::new(name, why);
    let text = std::str::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    let device = DeviceTable::read(text).map_err(|error| wrong(error.to_string()))?;
    let schemas: Vec<&str> = device.operators.iter().map(|one| one.schema.as_str()).collect();
    let no_schema = |at: usize| {
        let schema = schemas.get(at).copied().unwrap_or_default();
        wrong(format!("operator table, operators[{at}]: no schema of an operator: {schema}"))
    };
    // A line break in a schema would move the numbers of those behind it.
    if let Some(at) = schemas.iter().position(|schema| schema.contains('\n')) {
        return Err(no_schema(at));
    }
    match OperatorTable::read(name, &schemas.join("\n")) {
        Ok(Some(table)) => Ok(Some((device, table))),
        Ok(None) if schemas.is_empty() => Err(wrong("operator table without operators".to_owned())),
        Ok(None) => Err(no_schema(0)),
        Err(error) => Err(no_schema(error.line.saturating_sub(1))),
    }
}

/// What two tables of a device say besides their operators: formats that the newer one no longer reads.
pub fn narrowed(old: &DeviceTable, new: &DeviceTable) -> Vec<Finding> {
    let device = &new.name;
    let shown = |range: Option<[i64; 2]>| match range {
        Some([first, last]) => format!("{first} to {last}"),
        None => "none".to_owned(),
    };
    let mut found = Vec::new();
    let mut narrow = |what: &str, old: Option<[i64; 2]>, new: Option<[i64; 2]>| {
        let Some([first, last]) = old else { return };
        if !new.is_some_and(|[least, most]| least <= first && most >= last) {
            let (before, after) = (&shown(old), &shown(new));
            let rule = rules::FormatsNoLongerRead { device, what: &what, before, after };
            found.push(rule.finding());
        }
    };
    narrow("file formats", Some(old.file_format), Some(new.file_format));
    narrow("bytecode versions", old.bytecode, new.bytecode);
    found
}

/// The operator that a line of a table is about: `aten::div.Tensor` of a schema, alone or in JSON.
pub fn operator_of(line: &str) -> &str {
    let line = line.trim();
    let line = match line.split_once("\"schema\":") {
        Some((_, rest)) => rest.trim_start().trim_start_matches('"'),
        None => line,
    };
    line.split_once('(').map_or(line, |(name, _)| name)
}
