//! TorchScript archives of 1.1 and 1.2, which `model.json` describes.
//!
//! Each module has a record of its own whose functions are its methods; what attributes it has, and which
//! modules are in it, stands in the description.

use std::sync::Arc;

use serde::Deserialize;
use unskew_core::Version;
use unskew_script::typing::{ScriptProgram, type_of_annotation};
use unskew_source::ReadError;
use unskew_torch_schemas::matching::ScriptType;

use super::records::Records;
use super::script::{no_code, notice};
use crate::{TorchFormat, TorchModel};

const RECORD: &str = "model.json";

/// How deep modules nest; those of real models some ten deep.
const DEPTH: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    proto_version: Option<String>,
    main_module: Option<Module>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Module {
    name: String,
    torchscript_arena: Option<Arena>,
    parameters: Vec<Named>,
    attributes: Vec<Named>,
    submodules: Vec<Module>,
}

#[derive(Deserialize)]
struct Arena {
    key: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(rename = "type")]
    ty: Option<String>,
}

pub(super) fn read(records: &Records) -> Result<TorchModel, ReadError> {
    let mut model = TorchModel::new(TorchFormat::LegacyScript);
    model.file_format = Some(records.version()?);
    let description = records.get(RECORD)?.unwrap_or_default();
    let description: Description = serde_json::from_slice(&description).map_err(|error| {
        ReadError::malformed(records.file(), error.to_string()).in_record(RECORD)
    })?;
    let program = program(records, description.main_module.as_ref())?;
    notice(&program, &mut model);
    model.program = Some(Arc::new(program));
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

fn program(records: &Records, main: Option<&Module>) -> Result<ScriptProgram, ReadError> {
    let mut program = ScriptProgram::new();
    let mut modules = Vec::new();
    if let Some(main) = main {
        describe(&mut program, main, "", 0, &mut modules);
    }
    for (name, entry) in records.all() {
        let Some(path) = name.strip_suffix(".py") else { continue };
        let Some((_, path)) =
            path.split_once('/').filter(|(folder, _)| matches!(*folder, "code" | "libs"))
        else {
            continue;
        };
        let bytes = records.content(entry)?;
        let text = String::from_utf8_lossy(&bytes);
        let code = records.take_code(name, &text)?;
        let module = modules.iter().find(|(key, _)| key == name);
        let added = match module {
            Some((_, class)) => program.add_methods(name, class, code),
            None if path.starts_with("__torch__") => {
                program.add(name, &path.replace('/', "."), code)
            }
            None => program.add_methods(name, path, code),
        };
        added.map_err(|fault| no_code(records, &fault))?;
    }
    Ok(program)
}

/// Describes a module and those in it; notes which record has the methods of which class.
fn describe(
    program: &mut ScriptProgram,
    module: &Module,
    parent: &str,
    depth: usize,
    found: &mut Vec<(String, String)>,
) {
    if depth > DEPTH {
        return;
    }
    let class = format!("{parent}{}", module.name);
    let inner = format!("{class}/");
    let mut attributes: Vec<(Arc<str>, ScriptType)> = Vec::new();
    for parameter in &module.parameters {
        attributes.push((parameter.name.as_str().into(), ScriptType::Tensor));
    }
    for attribute in &module.attributes {
        let ty = attribute.ty.as_deref().and_then(type_of_annotation);
        attributes.push((attribute.name.as_str().into(), ty.unwrap_or(ScriptType::Unknown)));
    }
    for submodule in &module.submodules {
        let ty = ScriptType::Class(format!("{inner}{}", submodule.name).into());
        attributes.push((submodule.name.as_str().into(), ty));
        describe(program, submodule, &inner, depth + 1, found);
    }
    program.describe(&class, attributes);
    if let Some(arena) = &module.torchscript_arena {
        found.push((arena.key.clone(), class));
    }
}
