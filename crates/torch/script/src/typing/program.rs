//! All code that belongs together, with its functions and classes by their full names.

use std::sync::Arc;

use foldhash::HashMap;
use memchr::memchr_iter;
use smol_str::SmolStr;
use unskew_torch_schemas::matching::{Literal, ScriptType};

use super::{annotation, literal_of};
use crate::{
    ClassDefinition, Expression, FunctionDefinition, LiteralConstant, Module, ScriptError,
    Statement, TokenizedSource,
};

/// One text of a program.
#[derive(Clone, Debug)]
pub struct SourceRecord {
    /// The name of the file in the archive: `code/__torch__/m.py`.
    pub name: Arc<str>,
    /// The source text of the record.
    pub text: Arc<str>,
    /// The syntax tree of the text.
    pub module: Module,
    /// Where its lines begin.
    lines: Vec<usize>,
}

/// A text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}, {error}")]
pub struct ProgramError {
    /// The record of the archive, such as `code/__torch__.py`.
    pub record: Arc<str>,
    /// What is wrong, with its line.
    pub error: ScriptError,
}

/// The number of a function in its program.
pub type FunctionId = usize;

/// A function or a method.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The full name: `__torch__.m.M.forward`.
    pub name: Arc<str>,
    /// The number of its record.
    pub record: usize,
    /// The class that it is a method of.
    pub class: Option<Arc<str>>,
    /// The parameters, in order.
    pub parameters: Vec<ParameterType>,
    /// What it returns, if it says so.
    pub returns: ScriptType,
    /// Where it stands in its module: the statement, and the one within the class.
    path: (usize, Option<usize>),
}

/// What a function takes.
#[derive(Clone, Debug)]
pub struct ParameterType {
    /// The identifier of the parameter.
    pub name: SmolStr,
    /// The type that its values have.
    pub ty: ScriptType,
    /// Whether it may be left out.
    pub has_default: bool,
    /// The default, if it is a literal.
    pub default: Option<Literal>,
    /// Whether it is given by name only.
    pub keyword_only: bool,
}

/// A class of the program.
#[derive(Clone, Debug, Default)]
pub struct ClassType {
    /// What it is made from: `Module`, `NamedTuple`, `Enum`, `Interface`.
    pub base: String,
    /// Its attributes, in their order.
    pub attributes: Vec<(SmolStr, ScriptType, Option<Literal>)>,
    /// The methods by name.
    pub methods: HashMap<SmolStr, FunctionId>,
}

impl ClassType {
    /// The type of an attribute, and its value if it is a constant.
    pub fn attribute(&self, name: &str) -> Option<(&ScriptType, Option<&Literal>)> {
        let found = self.attributes.iter().find(|(known, ..)| &**known == name)?;
        Some((&found.1, found.2.as_ref()))
    }
}

/// All code of an archive, or a text that stands alone.
#[derive(Clone, Debug, Default)]
pub struct ScriptProgram {
    records: Vec<SourceRecord>,
    routines: Vec<Routine>,
    functions: HashMap<Arc<str>, FunctionId>,
    classes: HashMap<Arc<str>, ClassType>,
    constants: Vec<ScriptType>,
}

impl ScriptProgram {
    /// A program without code.
    pub fn new() -> Self {
        Self::default()
    }

    /// A text that stands alone, such as a file of upgraders; its functions have no longer names.
    ///
    /// # Errors
    /// [`ProgramError`] if it is no TorchScript.
    pub fn of_text(name: &str, text: &str) -> Result<Self, ProgramError> {
        let mut program = Self::new();
        program.add(name, "", text)?;
        Ok(program)
    }

    /// Adds a record, whose functions and classes get names that begin with `qualifier`: what is in
    /// `code/__torch__/m.py` is `__torch__.m`.
    ///
    /// # Errors
    /// [`ProgramError`] if it is no TorchScript.
    pub fn add<'t>(
        &mut self,
        name: &str,
        qualifier: &str,
        text: impl Into<TokenizedSource<'t>>,
    ) -> Result<(), ProgramError> {
        let record = self.read(name, text.into())?;
        let body = std::mem::take(&mut self.records[record].module.body);
        for (at, statement) in body.iter().enumerate() {
            match statement {
                Statement::Function(function) => {
                    let full = qualified(qualifier, &function.name.text);
                    let id = self.routine(full.clone(), record, function, (at, None), None);
                    self.functions.insert(full, id);
                }
                Statement::Class(class) => self.class(qualifier, record, class, at),
                _ => {}
            }
        }
        self.records[record].module.body = body;
        Ok(())
    }

    /// Adds a record whose functions are the methods of one module, as archives of 1.1 and 1.2 have them.
    ///
    /// # Errors
    /// [`ProgramError`] if it is no TorchScript.
    pub fn add_methods<'t>(
        &mut self,
        name: &str,
        class: &str,
        text: impl Into<TokenizedSource<'t>>,
    ) -> Result<(), ProgramError> {
        let record = self.read(name, text.into())?;
        let body = std::mem::take(&mut self.records[record].module.body);
        let full: Arc<str> = class.into();
        for (at, statement) in body.iter().enumerate() {
            let Statement::Function(function) = statement else { continue };
            let name = qualified(class, &function.name.text);
            let id = self.routine(name, record, function, (at, None), Some(&full));
            let described = self.classes.entry(full.clone()).or_default();
            described.methods.insert(function.name.text.clone(), id);
        }
        self.records[record].module.body = body;
        Ok(())
    }

    fn read(&mut self, name: &str, measured: TokenizedSource<'_>) -> Result<usize, ProgramError> {
        let (record, text): (Arc<str>, &str) = (name.into(), measured.text());
        let module = crate::parse(measured)
            .map_err(|error| ProgramError { record: record.clone(), error })?;
        let lines = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
        self.records.push(SourceRecord { name: record, text: text.into(), module, lines });
        Ok(self.records.len() - 1)
    }

    fn routine(
        &mut self,
        name: Arc<str>,
        record: usize,
        function: &FunctionDefinition,
        path: (usize, Option<usize>),
        class: Option<&Arc<str>>,
    ) -> FunctionId {
        let parameters = function.parameters.iter().enumerate().map(|(at, parameter)| {
            let annotated = parameter.annotation.as_ref();
            let ty = match (annotated, class) {
                (Some(annotation), _) => {
                    annotation::type_of(annotation).unwrap_or(ScriptType::Unknown)
                }
                (None, Some(class)) if at == 0 => ScriptType::Class(class.clone()),
                // What says no type is a tensor.
                (None, _) => ScriptType::Tensor,
            };
            ParameterType {
                name: parameter.name.text.clone(),
                ty,
                has_default: parameter.default.is_some(),
                default: parameter.default.as_ref().and_then(literal_of),
                keyword_only: parameter.keyword_only,
            }
        });
        let returns = function.returns.as_ref().and_then(annotation::type_of);
        self.routines.push(Routine {
            name,
            record,
            class: class.cloned(),
            parameters: parameters.collect(),
            returns: returns.unwrap_or(ScriptType::Unknown),
            path,
        });
        self.routines.len() - 1
    }

    fn class(&mut self, qualifier: &str, record: usize, class: &ClassDefinition, at: usize) {
        let full = qualified(qualifier, &class.name.text);
        let base = class.bases.first().and_then(Expression::path).unwrap_or_default();
        let mut described = ClassType { base, ..ClassType::default() };
        for (inner, statement) in class.body.iter().enumerate() {
            match statement {
                Statement::Function(function) => {
                    let name = qualified(&full, &function.name.text);
                    let id = self.routine(name, record, function, (at, Some(inner)), Some(&full));
                    described.methods.insert(function.name.text.clone(), id);
                }
                statement => described.attributes.extend(attribute(statement, &described.base)),
            }
        }
        // What was described from elsewhere stays where the text says nothing.
        if let Some(known) = self.classes.remove(&full) {
            described.attributes.extend(known.attributes);
        }
        self.classes.insert(full, described);
    }

    /// Says what attributes a class has that the code does not describe.
    pub fn describe(&mut self, class: &str, attributes: Vec<(Arc<str>, ScriptType)>) {
        let described = self.classes.entry(class.into()).or_default();
        let more = attributes.into_iter().map(|(name, ty)| ((*name).into(), ty, None));
        described.attributes.extend(more);
    }

    /// Says of what types the constants `CONSTANTS.c0`, `CONSTANTS.c1` are.
    pub fn set_constants(&mut self, types: Vec<ScriptType>) {
        self.constants = types;
    }

    /// The type of the constant `c0`; a tensor if nothing is said of it, as nearly all are.
    pub(super) fn constant(&self, name: &str) -> ScriptType {
        let at = name.strip_prefix('c').and_then(|at| at.parse::<usize>().ok());
        at.and_then(|at| self.constants.get(at)).cloned().unwrap_or(ScriptType::Tensor)
    }

    /// The records, in the order in which they were added.
    pub fn records(&self) -> &[SourceRecord] {
        &self.records
    }

    /// Every function and method.
    pub fn routines(&self) -> &[Routine] {
        &self.routines
    }

    /// The function of a full name.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.get(name).copied()
    }

    /// The class of a full name.
    pub fn class_of(&self, name: &str) -> Option<(&Arc<str>, &ClassType)> {
        self.classes.get_key_value(name)
    }

    pub(crate) fn has_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    /// The text of a function.
    pub fn body(&self, id: FunctionId) -> Option<&FunctionDefinition> {
        let routine = self.routines.get(id)?;
        let (at, inner) = routine.path;
        match (self.records.get(routine.record)?.module.body.get(at)?, inner) {
            (Statement::Function(function), None) => Some(function),
            (Statement::Class(class), Some(inner)) => match class.body.get(inner)? {
                Statement::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }
}

impl SourceRecord {
    /// The line, from 1, on which a byte stands.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at) + 1
    }

    /// The column in characters, from 1, at which a byte stands.
    pub fn column(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        before.rsplit('\n').next().unwrap_or("").chars().count() + 1
    }
}

fn qualified(qualifier: &str, name: &str) -> Arc<str> {
    if qualifier.is_empty() { name.into() } else { [qualifier, ".", name].concat().into() }
}

/// The attribute that a statement of a class declares: `weight : Tensor`, `stride : Final[int] = 1`,
/// `__annotations__["0"] = T`, and `RED = 1` in an enumeration.
fn attribute(statement: &Statement, base: &str) -> Option<(SmolStr, ScriptType, Option<Literal>)> {
    match statement {
        Statement::Annotated { target: Expression::Name(name), annotation, value, .. } => {
            let ty = annotation::type_of(annotation).unwrap_or(ScriptType::Unknown);
            // A value without `Final` is a default, not a constant.
            let is_final = matches!(annotation, Expression::Subscript { of, .. }
                if of.is_name("Final"));
            let value = value.as_ref().filter(|_| is_final).and_then(literal_of);
            Some((name.text.clone(), ty, value))
        }
        Statement::Assign { target: Expression::Subscript { of, index, .. }, value, .. } => {
            let Expression::Constant { value: LiteralConstant::Text(name), .. } = &**index else {
                return None;
            };
            of.is_name("__annotations__").then(|| {
                let ty = annotation::type_of(value).unwrap_or(ScriptType::Unknown);
                (name.as_str().into(), ty, None)
            })
        }
        Statement::Assign { target: Expression::Name(name), value, .. } if base == "Enum" => {
            Some((name.text.clone(), ScriptType::Unknown, literal_of(value)))
        }
        _ => None,
    }
}
