//! TorchScript archives of every age, and `torch.package`.

use unskew_core::Version;
use unskew_source::ReadError;

use super::records::Records;
use super::{bytecode, debug};
use crate::code;
use crate::model::{Given, Use};
use crate::{Format, Model, Stamp};

/// An archive of 1.3 or later, with or without bytecode.
pub(super) fn read(records: &Records) -> Result<Model, ReadError> {
    let mobile = records.has("bytecode.pkl");
    let mut model = Model::new(if mobile { Format::Mobile } else { Format::Script });
    model.file_format = Some(records.version()?);
    let op_version_set = read_code(records, "code/", &mut model)?;
    if mobile {
        // The mobile interpreter runs the bytecode; the code beside it is for the other loader.
        model.uses.clear();
        bytecode::read(records, &mut model)?;
    }
    written_by(records, &mut model, op_version_set)?;
    Ok(model)
}

/// An archive of 1.1 or 1.2.
pub(super) fn read_legacy(records: &Records) -> Result<Model, ReadError> {
    let mut model = Model::new(Format::LegacyScript);
    model.file_format = Some(records.version()?);
    read_code(records, "code/", &mut model)?;
    let description = records.get("model.json")?.unwrap_or_default();
    let description: LegacyDescription = serde_json::from_slice(&description).map_err(|error| {
        ReadError::malformed(records.file(), error.to_string()).in_record("model.json")
    })?;
    let (since, until, sign) = match description.proto_version.as_deref() {
        Some("3") => (Version::pair(1, 0), Version::pair(1, 1), "protoVersion 3"),
        Some("5") => (Version::pair(1, 2), Version::pair(1, 2), "protoVersion 5"),
        _ => (Version::pair(1, 0), Version::pair(1, 2), "model.json"),
    };
    model.producer.narrow(Some(since), Some(until), sign);
    if let Some(version) = description.proto_version {
        model.facts.push(("proto version", version));
    }
    Ok(model)
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct LegacyDescription {
    proto_version: Option<String>,
}

/// A `torch.package`, with the TorchScript code that it may carry.
pub(super) fn read_package(records: &Records) -> Result<Model, ReadError> {
    let mut model = Model::new(Format::Package);
    model.file_format = Some(records.version()?);
    read_code(records, ".data/ts_code/code/", &mut model)?;
    if let Some(bytes) = records.get(".data/python_version")? {
        model.facts.push(("python", String::from_utf8_lossy(&bytes).trim().to_owned()));
    }
    if let Some(bytes) = records.get(".data/extern_modules")? {
        let modules =
            String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(", ");
        model.facts.push(("extern modules", modules));
    }
    model.producer.narrow(Some(Version::pair(1, 9)), None, "torch.package");
    Ok(model)
}

/// Scans the code records under `folder`; says whether one of them has `op_version_set`.
fn read_code(records: &Records, folder: &str, model: &mut Model) -> Result<bool, ReadError> {
    let mut op_version_set = false;
    for (name, entry) in records.all() {
        if !(name.starts_with(folder) && name.ends_with(".py")) {
            continue;
        }
        let bytes = records.content(entry)?;
        let text = String::from_utf8_lossy(&bytes);
        let scan = code::scan(&text)
            .map_err(|problem| ReadError::new(records.file(), problem).in_record(name))?;
        op_version_set |= scan.op_version_set;
        for class in scan.classes {
            model.classes.entry(class).or_default().add(name);
        }
        for call in scan.calls {
            let place = format!("{name}:{}", call.line);
            let one = Use {
                name: call.name,
                given: Given::Shape(call.shape),
                kinds: call.kinds,
                has_dtype: call.has_dtype,
            };
            model.add_use(one, place, call.in_branch);
        }
    }
    Ok(op_version_set)
}

/// Tells the writer by what the archive looks like.
fn written_by(records: &Records, model: &mut Model, op_version_set: bool) -> Result<(), ReadError> {
    let version = model.operator_version();
    let dated = records.all().next().is_some_and(|(_, entry)| entry.has_date);
    let producer = &mut model.producer;
    let mut sign = |since: Option<(i64, i64)>, until: Option<(i64, i64)>, sign: &str| {
        let version = |(major, minor)| Version::pair(major, minor);
        producer.narrow(since.map(version), until.map(version), sign);
    };
    let exact = |at: (i64, i64)| (Some(at), Some(at));
    match version {
        Some(1) if dated => sign(exact((1, 3)).0, exact((1, 3)).1, "version 1, records with dates"),
        Some(1) => sign(exact((1, 4)).0, exact((1, 4)).1, "version 1, records without dates"),
        Some(2) => sign(exact((1, 5)).0, exact((1, 5)).1, "version 2"),
        Some(3..=5) => sign(Some((1, 6)), None, "version 3 to 5"),
        Some(6) => sign(Some((1, 9)), None, "version 6"),
        Some(7..=9) => sign(Some((1, 11)), None, "version 7 to 9"),
        Some(10) => sign(Some((1, 12)), None, "version 10"),
        _ => {}
    }
    if op_version_set {
        sign(None, Some((1, 4)), "op_version_set in the code");
    }
    if version.is_some_and(|version| version >= 3) {
        if records.has("byteorder") || records.has(".data/serialization_id") {
            sign(Some((2, 1)), None, "byteorder and serialization_id");
        } else {
            sign(None, Some((2, 0)), "no byteorder, no serialization_id");
        }
    }
    let record = records.all().find(|(name, _)| name.ends_with(".debug_pkl"));
    if let Some((_, entry)) = record {
        debug::narrow(&mut model.producer, &records.content(entry)?);
    }
    if let Some(Stamp { version, .. }) = model.bytecode.clone() {
        bytecode::narrow(&mut model.producer, version);
    }
    Ok(())
}
