//! Archives of 1.1 and 1.2 in the layout of 1.4 and later.
//!
//! | old | new |
//! | --- | --- |
//! | `code/NAME.py`, functions that are the methods of one module | classes in `code/__torch__.py` |
//! | `model.json`: the tree of modules with their parameters, attributes and tensors | objects in `data.pkl` |
//! | `attributes.pkl`: the values of attributes | in the objects |
//! | `tensors/N` | `data/N`, and `constants/N` for those that code names |
//!
//! Records of tensors are copied as they stand.

use std::collections::BTreeMap;

use foldhash::{HashSet, HashSetExt as _};
use unskew_core::{Conversion, Places};
use unskew_source::ReadError;

use super::tensors::{Tensors, number};
use crate::convert::archive_builder::ArchiveBuilder;
use crate::convert::task::{ConversionTask, block, rewrite};
use crate::json::JsonValue;
use crate::pickle::{self, Id, Pickle, PickleCall, PickleValue};

const LEGACY: &str = "legacy-archive";

/// How deep modules nest.
const DEPTH: usize = 100;

/// The record of the classes.
const CODE: &str = "code/__torch__.py";

/// Plans the archive in the later layout; `texts` are the texts of its code, fitted already.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    draft: &mut ArchiveBuilder,
    texts: &BTreeMap<String, String>,
) -> Result<(), ReadError> {
    let records = task.records;
    let bytes = records.get("model.json")?.unwrap_or_default();
    let description = JsonValue::read(records.file(), "model.json", &bytes)?;
    let table = description.get("tensors").map_or(&[][..], JsonValue::items);
    let sizes = records.all().map(|(name, entry)| (name.to_owned(), entry.size)).collect();
    let attributes = records.get("attributes.pkl")?.unwrap_or_else(|| b"\x80\x02).".to_vec());
    let attributes = records.pickle("attributes.pkl", &attributes)?;
    let mut builder = Builder {
        texts,
        attributes: &attributes,
        tensors: Tensors { table, sizes },
        pickle: Pickle::empty(),
        code: texts.get(CODE).cloned().unwrap_or_default(),
        methods: HashSet::new(),
        faults: Vec::new(),
    };
    let main = description.get("mainModule").unwrap_or(&JsonValue::Null);
    let root = builder.module(main, "", 0);
    builder.pickle.set_root(root);
    let Builder { pickle, code, methods, mut faults, tensors, .. } = builder;
    let data = pickle.write().unwrap_or_else(|why| {
        faults.push(("attributes.pkl".to_owned(), why.to_string()));
        Vec::new()
    });
    let mut constants = Pickle::empty();
    let named = texts.values().any(|text| text.contains("CONSTANTS."));
    let mut all = Vec::new();
    for n in 0..if named { table.len() as i64 } else { 0 } {
        match tensors.add(&mut constants, n) {
            Some(id) => all.push(id),
            None => faults.push((format!("model.json, tensor {n}"), "a tensor has no form".into())),
        }
    }
    let root = constants.tuple(all);
    constants.set_root(root);
    for (place, what) in faults {
        block(task, plan, &what, Places::from_iter([place]));
    }
    records_of(task, draft, &methods, named)?;
    for (record, text) in texts {
        if !methods.contains(record) && record != CODE {
            draft.replace(record, text.clone().into_bytes());
        }
    }
    draft.add("data.pkl", data, false);
    draft.add(CODE, code.into_bytes(), true);
    draft.add("constants.pkl", constants.write().unwrap_or_default(), false);
    let what = "modules are classes and objects, as in archives of 1.3 and later".to_owned();
    rewrite(plan, LEGACY, what, "model.json");
    Ok(())
}

/// Keeps the records of the new layout, under their names there.
fn records_of(
    task: &ConversionTask<'_>,
    draft: &mut ArchiveBuilder,
    methods: &HashSet<String>,
    named: bool,
) -> Result<(), ReadError> {
    draft.rename_all(|record| {
        let gone = matches!(record, "model.json" | "attributes.pkl" | CODE)
            || record.starts_with("debug/")
            || methods.contains(record);
        match record.strip_prefix("tensors/").or_else(|| record.strip_prefix("libs/")) {
            _ if gone => None,
            Some(key) if record.starts_with("tensors/") => Some(format!("data/{key}")),
            Some(code) => Some(format!("code/{code}")),
            None => Some(record.to_owned()),
        }
    });
    if named {
        for (record, entry) in task.records.all() {
            if let Some(key) = record.strip_prefix("tensors/") {
                draft.keep(&format!("constants/{key}"), task.records.raw(entry)?);
            }
        }
    }
    Ok(())
}

struct Builder<'b> {
    texts: &'b BTreeMap<String, String>,
    attributes: &'b Pickle,
    tensors: Tensors<'b>,
    pickle: Pickle,
    code: String,
    /// The records whose functions became methods.
    methods: HashSet<String>,
    /// What has no form: where, and what.
    faults: Vec<(String, String)>,
}

impl Builder<'_> {
    /// Adds the class and the object of a module, and of those in it; returns the object.
    fn module(&mut self, module: &JsonValue, parent: &str, depth: usize) -> Id {
        let name = module.get("name").and_then(JsonValue::as_text).unwrap_or("Module");
        let class = class_name(parent, name);
        if depth > DEPTH {
            self.faults.push(("model.json".into(), "modules nest deeper than 100 levels".into()));
            return self.pickle.push(PickleValue::None);
        }
        let mut members = Members::default();
        for parameter in module.get("parameters").map_or(&[][..], JsonValue::items) {
            let name = parameter.get("name").and_then(JsonValue::as_text).unwrap_or_default();
            let number = parameter.get("tensorId").map_or(Some(0), number).unwrap_or(-1);
            let buffer = parameter.get("isBuffer") == Some(&JsonValue::Bool(true));
            match self.tensors.add(&mut self.pickle, number) {
                Some(value) => members.tensor(&mut self.pickle, name, value, buffer),
                None => self.fault(&class, format!("the tensor {name} has no form")),
            }
        }
        for attribute in module.get("attributes").map_or(&[][..], JsonValue::items) {
            let name = attribute.get("name").and_then(JsonValue::as_text).unwrap_or_default();
            let ty = attribute.get("type").and_then(JsonValue::as_text).unwrap_or("Tensor");
            let at = attribute.get("id").map_or(Some(0), number).unwrap_or(-1);
            match self.attribute(at) {
                Some(value) => members.add(&mut self.pickle, name, ty, value),
                None => {
                    self.fault(&class, format!("the value of the attribute {name} has no form"))
                }
            }
        }
        for inner in module.get("submodules").map_or(&[][..], JsonValue::items) {
            let name = inner.get("name").and_then(JsonValue::as_text).unwrap_or_default();
            let ty = format!("__torch__.{}", class_name(&class, name));
            let value = self.module(inner, &class, depth + 1);
            members.add(&mut self.pickle, name, &ty, value);
        }
        let key = module.get("torchscriptArena").and_then(|arena| arena.get("key"));
        let methods = key.and_then(JsonValue::as_text).map(|key| {
            self.methods.insert(key.to_owned());
            self.texts.get(key).map_or("", String::as_str)
        });
        self.code.push_str(&members.class(&class, methods.unwrap_or_default()));
        let state = self.pickle.push(PickleValue::Dict(members.state.into()));
        self.pickle.object("__torch__", &class, state)
    }

    fn fault(&mut self, class: &str, what: String) {
        self.faults.push((format!("model.json, module {class}"), what));
    }

    /// The value of an attribute, taken over into the new pickle.
    fn attribute(&mut self, at: i64) -> Option<Id> {
        let (PickleValue::Tuple(all) | PickleValue::List(all)) = self.attributes.root() else {
            return None;
        };
        let id = *all.get(usize::try_from(at).ok()?)?;
        self.taken_over(id, 0)
    }

    fn taken_over(&mut self, id: Id, depth: usize) -> Option<Id> {
        if depth > DEPTH {
            return None;
        }
        let old = self.attributes;
        let mut each = |ids: &[Id]| {
            ids.iter()
                .map(|id| self.taken_over(*id, depth + 1))
                .collect::<Option<pickle::Members>>()
        };
        let value = match old.value(id) {
            PickleValue::Tuple(ids) => PickleValue::Tuple(each(ids)?),
            PickleValue::List(ids) => PickleValue::List(each(ids)?),
            PickleValue::Dict(ids) => PickleValue::Dict(each(ids)?),
            PickleValue::Call(call) => return self.call(call, depth),
            PickleValue::Bytes(_) | PickleValue::Persistent(_) | PickleValue::Global(..) => {
                return None;
            }
            plain => plain.clone(),
        };
        Some(self.pickle.push(value))
    }

    /// A list of one type, or a tensor by its number: the only calls of such a pickle.
    fn call(&mut self, call: &PickleCall, depth: usize) -> Option<Id> {
        let old = self.attributes;
        let PickleValue::Global(_, name) = old.value(call.callee) else { return None };
        let state = call.state.or(call.arguments)?;
        match name.as_str() {
            "TensorID" | "build_tensor_from_id" => {
                let plain = old.value(state).int();
                let number = plain.or_else(|| old.members(old.value(state)).next()?.int())?;
                self.tensors.add(&mut self.pickle, number)
            }
            "IntList" | "build_intlist" | "build_tensorlist" | "build_doublelist"
            | "build_boollist" => match old.value(state) {
                PickleValue::Tuple(ids) if ids.len() == 1 => self.taken_over(ids[0], depth + 1),
                _ => self.taken_over(state, depth + 1),
            },
            _ => None,
        }
    }
}

/// The attributes of a class, and what they are in its object.
#[derive(Default)]
struct Members {
    parameters: Vec<String>,
    buffers: Vec<String>,
    types: Vec<(String, String)>,
    state: Vec<Id>,
}

impl Members {
    fn tensor(&mut self, pickle: &mut Pickle, name: &str, value: Id, buffer: bool) {
        if buffer { &mut self.buffers } else { &mut self.parameters }.push(name.to_owned());
        self.add(pickle, name, "Tensor", value);
    }

    fn add(&mut self, pickle: &mut Pickle, name: &str, ty: &str, value: Id) {
        self.types.push((name.to_owned(), ty.to_owned()));
        let name = pickle.text(name);
        self.state.extend([name, value]);
    }

    /// The text of the class, with these functions as its methods.
    fn class(&self, class: &str, methods: &str) -> String {
        let list =
            |names: &[String]| names.iter().map(|name| format!("\"{name}\", ")).collect::<String>();
        let mut text = format!("class {class}(Module):\n");
        text.push_str(&format!("  __parameters__ = [{}]\n", list(&self.parameters)));
        if !self.buffers.is_empty() {
            text.push_str(&format!("  __buffers__ = [{}]\n", list(&self.buffers)));
        }
        if self.types.iter().any(|(name, _)| !is_identifier(name)) {
            text.push_str("  __annotations__ = []\n");
        }
        for (name, ty) in &self.types {
            text.push_str(&if is_identifier(name) {
                format!("  {name} : {ty}\n")
            } else {
                format!("  __annotations__[\"{name}\"] = {ty}\n")
            });
        }
        for line in methods.lines() {
            if !line.starts_with("op_version_set") && !line.trim().is_empty() {
                text.push_str(&format!("  {line}\n"));
            }
        }
        text
    }
}

fn is_identifier(name: &str) -> bool {
    let mut all = name.chars();
    all.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && all.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The class of a module: its path, as one name.
fn class_name(parent: &str, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    match parent {
        "" if is_identifier(&name) => name,
        "" => format!("m_{name}"),
        parent => format!("{parent}_{name}"),
    }
}
