//! TorchScript archives of 1.3 and later, and `torch.package`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;
use unskew_script::typing::{ProgramError, ScriptProgram};
use unskew_source::{ReadError, SourceProblem};

use super::records::Records;
use super::{bytecode, debug};
use crate::model::{GivenArguments, OperatorUse};
use crate::pickle::PickleValue;
use crate::{TorchFormat, TorchModel, VersionStamp, code, prepacked_weights};

const ATTRIBUTES: &str = "data.pkl";

/// The record with the constants that the code names.
const CONSTANTS: &str = "constants.pkl";

/// The most classes registered in C++ of one record.
const CLASSES: usize = 1000;

/// An archive of 1.3 or later, with or without bytecode.
pub(super) fn read(records: &Records) -> Result<TorchModel, ReadError> {
    let mobile = records.has("bytecode.pkl");
    let mut model = TorchModel::new(if mobile { TorchFormat::Mobile } else { TorchFormat::Script });
    model.file_format = Some(records.version()?);
    let mut program = read_code(records, "code/", &mut model)?;
    read_constants(records, &mut program, &mut model)?;
    model.op_version_set = code::has_op_version_set(&program);
    let class = read_attributes(records, &mut model)?;
    if mobile {
        // The mobile interpreter runs the bytecode; the code beside it is for the other loader.
        model.uses.clear();
        bytecode::read(records, &mut model, class.as_deref())?;
    }
    model.program = Some(Arc::new(program));
    written_by(records, &mut model)?;
    Ok(model)
}

/// A `torch.package`, with the TorchScript code that it may carry.
pub(super) fn read_package(records: &Records) -> Result<TorchModel, ReadError> {
    let mut model = TorchModel::new(TorchFormat::Package);
    model.file_format = Some(records.version()?);
    let program = read_code(records, ".data/ts_code/code/", &mut model)?;
    if !program.records().is_empty() {
        model.program = Some(Arc::new(program));
    }
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

/// Reads the code records under `folder`.
fn read_code(
    records: &Records,
    folder: &str,
    model: &mut TorchModel,
) -> Result<ScriptProgram, ReadError> {
    let mut program = ScriptProgram::new();
    for (name, entry) in records.all() {
        let module = name.strip_prefix(folder).and_then(|name| name.strip_suffix(".py"));
        let Some(module) = module else { continue };
        let bytes = records.content(entry)?;
        // Nearly always UTF-8, which the lossy reading finds out byte by byte.
        let text =
            str::from_utf8(&bytes).map_or_else(|_| String::from_utf8_lossy(&bytes), Cow::Borrowed);
        let code = records.take_code(name, &text)?;
        let added = program.add(name, &module.replace('/', "."), code);
        added.map_err(|fault| no_code(records, &fault))?;
    }
    notice(&program, model);
    Ok(program)
}

pub(super) fn no_code(records: &Records, fault: &ProgramError) -> ReadError {
    ReadError::malformed(records.file(), format!("no TorchScript: {}", fault.error))
        .in_record(&*fault.record)
}

pub(super) fn notice(program: &ScriptProgram, model: &mut TorchModel) {
    for record in program.records() {
        let named: BTreeSet<&str> = code::classes(&record.text).take(CLASSES).collect();
        for class in named {
            model.classes.entry(class.to_owned()).or_default().add(&record.name);
        }
        if model.format.is_mobile() {
            continue;
        }
        for (ty, at) in code::type_names::type_names_of(&record.text) {
            let place = format_args!("{}:{}", record.name, record.line(at));
            model.types.entry(ty).or_default().add(place);
        }
    }
    for call in code::written(program) {
        let one = OperatorUse { name: call.name, given: GivenArguments::Shape(call.shape) };
        model.add_use(one, format_args!("{}:{}", call.record, call.line), call.in_branch);
    }
}

/// Reads what the attributes import, and how they keep quantized weights. What is broken says nothing; what is too much is
/// not passed over. Returns the class of the model: `__torch__.M`.
fn read_attributes(records: &Records, model: &mut TorchModel) -> Result<Option<String>, ReadError> {
    let pickle = match records.get(ATTRIBUTES) {
        Ok(Some(bytes)) => records.pickle(ATTRIBUTES, &bytes),
        Ok(None) => return Ok(None),
        Err(error) => Err(error),
    };
    match pickle {
        Ok(pickle) => {
            prepacked_weights::prepacked_form::note(&pickle, ATTRIBUTES, &mut model.packed);
            if model.format.is_mobile() {
                bytecode::note_enums(&pickle, ATTRIBUTES, model);
            }
            let class = match pickle.root() {
                PickleValue::Call(call) => match pickle.value(call.callee) {
                    PickleValue::Global(module, name) => Some(format!("{module}.{name}")),
                    _ => None,
                },
                _ => None,
            };
            model.imports = pickle.imports.into_iter().collect();
            Ok(class)
        }
        Err(error) if matches!(*error.problem, SourceProblem::Budget(_)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Says of what types the constants are that the code names.
fn read_constants(
    records: &Records,
    program: &mut ScriptProgram,
    model: &mut TorchModel,
) -> Result<(), ReadError> {
    let Some(bytes) = records.get(CONSTANTS)? else { return Ok(()) };
    let pickle = records.pickle(CONSTANTS, &bytes)?;
    prepacked_weights::prepacked_form::note(&pickle, CONSTANTS, &mut model.packed);
    program.set_constants(code::constant_types(&pickle));
    Ok(())
}

/// Tells the writer by what the archive looks like.
fn written_by(records: &Records, model: &mut TorchModel) -> Result<(), ReadError> {
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
    if model.op_version_set {
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
    if let Some(VersionStamp { version, .. }) = model.bytecode.clone() {
        bytecode::narrow(&mut model.producer, version);
    }
    Ok(())
}
