//! Programs from whole archives: code, constants, and the module with its tensors.

mod graph;
mod legacy;
mod mobile;
mod objects;
mod output_form;
mod records;

use std::sync::Arc;

use unskew_source::{Archive, ReadError, Source};

use crate::{Interpreter, ProgramCode, ReleaseSemantics, ScriptValue};
pub(crate) use graph::Graph;
pub(crate) use mobile::{Mobile, Routine};
use records::Records;

/// A TorchScript archive, one of `torch.export`, or mobile bytecode, ready to run.
#[derive(Default)]
pub struct RunnableProgram {
    pub(crate) code: ProgramCode,
    pub(crate) constants: Vec<ScriptValue>,
    pub(crate) module: ScriptValue,
    pub(crate) graph: Option<Graph>,
    pub(crate) mobile: Option<Mobile>,
    version: Option<i64>,
}

impl RunnableProgram {
    /// Reads a TorchScript archive of any age, the one of 1.1 and 1.2 with `model.json` too; or an archive of
    /// `torch.export`; or mobile bytecode without code: an archive or a flatbuffer. Mobile archives that have
    /// their code beside the bytecode run by the code, [`RunnableProgram::open_bytecode`] has them run by the
    /// bytecode. None if it is another file.
    ///
    /// # Errors
    /// If it is such a file, but broken, or holds what the interpreter does not have.
    pub fn open(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if !Archive::recognizes(&**source) {
            return Self::open_bytecode(source);
        }
        let records = Records::open(source)?;
        if !records.names().any(is_code) {
            if records.has(mobile::RECORD) {
                return Self::open_bytecode(source);
            }
            let program = |graph| Self { graph: Some(graph), ..Self::default() };
            return Ok(graph::read(&records)?.map(program));
        }
        let code = code(&records)?;
        let version = records.version()?;
        let (module, constants) = if records.has("model.json") {
            legacy::read(&records)?
        } else {
            let constants = objects::read(&records, &code, "constants", &[])?;
            let constants = constants.and_then(|c| c.items()).unwrap_or_default();
            let constant = |value| match value {
                ScriptValue::Tensor(tensor) => ScriptValue::Tensor(tensor.as_constant(true)),
                other => other,
            };
            let constants: Vec<ScriptValue> = constants.into_iter().map(constant).collect();
            let module = objects::read(&records, &code, "data", &constants)?;
            (module.unwrap_or(ScriptValue::None), constants)
        };
        restore(&records, &code, &constants)?;
        Ok(Some(Self { code, constants, module, version, ..Self::default() }))
    }

    /// Reads mobile bytecode: that of an archive, whatever stands beside it, or a flatbuffer. None if the file has
    /// none.
    ///
    /// # Errors
    /// If it has bytecode, but is broken, or holds what the interpreter does not have.
    pub fn open_bytecode(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let archive = match Archive::recognizes(&**source) {
            true => Some(source.clone()),
            false => unskew_torch::archive_of_flatbuffer(source)?,
        };
        let Some(archive) = archive else { return Ok(None) };
        let records = Records::open(&archive)?;
        if !records.has(mobile::RECORD) {
            return Ok(None);
        }
        let code = code(&records)?;
        let constants = objects::read(&records, &code, "constants", &[])?;
        let constants = constants.and_then(|c| c.items()).unwrap_or_default();
        let mobile = mobile::read(&records, &code, &constants)?;
        let module =
            objects::read(&records, &code, "data", &constants)?.unwrap_or(ScriptValue::None);
        restore(&records, &code, &constants)?;
        let version = records.version()?;
        Ok(Some(Self { code, constants, module, mobile, version, ..Self::default() }))
    }

    /// The operator version that the archive says it has.
    pub(crate) fn operator_version(&self) -> Option<u32> {
        self.version.and_then(|version| u32::try_from(version).ok())
    }

    /// The module: an object of a class of the code.
    pub fn module(&self) -> &ScriptValue {
        &self.module
    }

    /// The methods that can be called.
    pub fn methods(&self) -> Vec<String> {
        match (&self.module, &self.mobile) {
            (ScriptValue::Object(object), Some(mobile)) => mobile.methods(&object.class),
            (ScriptValue::Object(object), None) => self.code.methods(&object.class),
            _ => self.graph.iter().map(|_| "forward".to_owned()).collect(),
        }
    }
}

/// Gives objects their states by the code of their classes, as loading does: packed weights are made so.
fn restore(
    records: &Records,
    code: &ProgramCode,
    constants: &[ScriptValue],
) -> Result<(), ReadError> {
    let states = records.states.take();
    let interpreter = Interpreter::new(ReleaseSemantics::newest()).with_limits(records.limits());
    let restored = interpreter.restore(code, constants, states);
    restored.map_err(|error| records.fault("data.pkl", error.to_string()))
}

fn is_code(record: &str) -> bool {
    record.starts_with("code/") && record.ends_with(".py")
}

fn code(records: &Records) -> Result<ProgramCode, ReadError> {
    let (mut code, legacy) = (ProgramCode::default(), records.has("model.json"));
    for name in records.names().filter(|name| is_code(name)) {
        let prefix = if legacy { name.to_owned() } else { qualified(name) };
        let text = records.text(name)?;
        let measured = records.take_code(name, &text)?;
        code.add(name, &prefix, measured).map_err(|error| {
            ReadError::malformed(records.file(), error.to_string()).in_record(name)
        })?;
    }
    Ok(code)
}

/// The module's name, `__torch__.a`, of a record `code/__torch__/a.py`.
fn qualified(record: &str) -> String {
    let name = record.strip_prefix("code/").unwrap_or(record);
    name.strip_suffix(".py").unwrap_or(name).replace('/', ".")
}
