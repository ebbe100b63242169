//! Whole archives: code, constants, and the module with its tensors.

mod graph;
mod legacy;
mod objects;
mod records;

use std::sync::Arc;

use unskew_source::{Archive, ReadError, Source};

use crate::{Code, Value};
pub(crate) use graph::Graph;
use records::Records;

/// A TorchScript archive, or one of `torch.export`, ready to run.
pub struct Program {
    pub(crate) code: Code,
    pub(crate) constants: Vec<Value>,
    pub(crate) module: Value,
    pub(crate) graph: Option<Graph>,
    version: Option<i64>,
}

impl Program {
    /// Reads a TorchScript archive of any age: the one of 1.1 and 1.2 with `model.json` too, and mobile ones
    /// that have their code beside the bytecode; or an archive of `torch.export`. None if it is another file.
    ///
    /// # Errors
    /// If it is such an archive, but broken, or holds what the interpreter does not have.
    pub fn open(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if !Archive::recognizes(&**source) {
            return Ok(None);
        }
        let records = Records::open(source)?;
        let is_code = |name: &str| name.starts_with("code/") && name.ends_with(".py");
        if !records.names().any(is_code) {
            let program = |graph| Self {
                code: Code::default(),
                constants: Vec::new(),
                module: Value::None,
                graph: Some(graph),
                version: None,
            };
            return Ok(graph::read(&records)?.map(program));
        }
        let mut code = Code::default();
        let legacy = records.has("model.json");
        for name in records.names().filter(|name| is_code(name)) {
            let prefix = if legacy { name.to_owned() } else { qualified(name) };
            let text = records.text(name)?;
            code.add(name, &prefix, &text).map_err(|error| {
                ReadError::malformed(records.file(), error.to_string()).in_record(name)
            })?;
        }
        let version = records.version()?;
        let (module, constants) = if legacy {
            legacy::read(&records)?
        } else {
            let constants = objects::read(&records, &code, "constants", &[])?;
            let constants = constants.and_then(|c| c.items()).unwrap_or_default();
            let module = objects::read(&records, &code, "data", &constants)?;
            (module.unwrap_or(Value::None), constants)
        };
        Ok(Some(Self { code, constants, module, graph: None, version }))
    }

    /// The operator version that the archive says it has.
    pub(crate) fn operator_version(&self) -> Option<u32> {
        self.version.and_then(|version| u32::try_from(version).ok())
    }

    /// The module: an object of a class of the code.
    pub fn module(&self) -> &Value {
        &self.module
    }

    /// The methods that can be called.
    pub fn methods(&self) -> Vec<String> {
        match &self.module {
            Value::Object(object) => self.code.methods(&object.class),
            _ => self.graph.iter().map(|_| "forward".to_owned()).collect(),
        }
    }
}

/// `__torch__.a` of `code/__torch__/a.py`.
fn qualified(record: &str) -> String {
    let name = record.strip_prefix("code/").unwrap_or(record);
    name.strip_suffix(".py").unwrap_or(name).replace('/', ".")
}
