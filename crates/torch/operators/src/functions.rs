//! The functions of one side of a registry: its upgraders, or its downgraders.
//!
//! A function is read when it is asked for: a command that looks at one file needs few of some hundred, and reading
//! all takes longer than all that it does besides.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use unskew_core::CompressedText;
use unskew_script::FunctionDefinition;
use unskew_script::typing::{FunctionId, ScriptProgram};

use crate::error::{OperatorRegistryError, VERSIONS, fault, located};
use crate::registry_change::Bridge;
use crate::{inline, signature};

/// The functions of a file, or of files that are one text, by name.
#[derive(Debug)]
pub(crate) struct FunctionTexts {
    file: &'static str,
    text: Text,
    places: OnceLock<Places>,
}

#[derive(Debug)]
enum Text {
    Read(String),
    BuiltIn(&'static CompressedText),
}

type Places = BTreeMap<String, FunctionSource>;

/// Where a function stands in the text, and what it is, once it was read; nothing if it cannot be read.
#[derive(Debug)]
struct FunctionSource {
    span: Range<usize>,
    line: usize,
    function: OnceLock<Option<FunctionDefinition>>,
}

impl FunctionTexts {
    /// Finds the functions of a text; each begins with `def` at the beginning of a line.
    pub(crate) fn find(file: &'static str, text: String) -> Result<Self, OperatorRegistryError> {
        let places = OnceLock::from(places(file, &text)?);
        Ok(Self { file, text: Text::Read(text), places })
    }

    /// The functions of a text that is part of the program; they are found when the first is asked for.
    pub(crate) fn built_in(file: &'static str, text: &'static CompressedText) -> Self {
        Self { file, text: Text::BuiltIn(text), places: OnceLock::new() }
    }

    fn text(&self) -> &str {
        match &self.text {
            Text::Read(text) => text,
            Text::BuiltIn(packed) => packed.text(),
        }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| places(self.file, self.text()).unwrap_or_default())
    }

    /// The function of a name, with the bodies of those that it calls in place of the calls.
    pub(crate) fn get(&self, name: &str) -> Option<&FunctionDefinition> {
        let read = || {
            let module = unskew_script::parse(&self.expanded(name).ok()?).ok()?;
            module.functions().next().cloned()
        };
        self.places().get(name)?.function.get_or_init(read).as_ref()
    }

    fn expanded(&self, name: &str) -> Result<String, String> {
        let text_of = |name: &str| self.text().get(self.places().get(name)?.span.clone());
        inline::expand(text_of(name).unwrap_or_default(), &text_of)
    }

    pub(crate) fn program(&self) -> Result<ScriptProgram, OperatorRegistryError> {
        let read = ScriptProgram::of_text(self.file, self.text());
        read.map_err(|error| self.fault(error.error.line, error.error.what))
    }

    /// A function of [`program`](Self::program), and all that it calls.
    pub(crate) fn reached(program: &ScriptProgram, name: &str) -> BTreeSet<FunctionId> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<FunctionId> = program.function(name).into_iter().collect();
        while let Some(id) = open.pop() {
            if reached.insert(id) {
                let called = program.body(id).map(inline::named).unwrap_or_default();
                open.extend(called.into_iter().filter_map(|name| program.function(name)));
            }
        }
        reached
    }

    /// What is wrong on a line of the text.
    pub(crate) fn fault(&self, line: usize, what: impl Into<String>) -> OperatorRegistryError {
        at(self.file, self.text(), line, what)
    }

    /// Holds the functions against the schemas that they stand for.
    pub(crate) fn hold<'b>(
        &self,
        bridges: impl Iterator<Item = (&'b Bridge, usize)>,
    ) -> Result<(), OperatorRegistryError> {
        let file = self.file;
        let program = self.program()?;
        let mut used = BTreeSet::new();
        let mut reached = BTreeSet::new();
        for (bridge, entry) in bridges {
            let name = bridge.function.as_str();
            let Some(FunctionSource { line, .. }) = self.places().get(name) else {
                return Err(fault(
                    VERSIONS,
                    entry,
                    format!("{file} has no function {name}; write it"),
                ));
            };
            let wrong = |what: String| self.fault(*line, format!("{name}: {what}"));
            self.expanded(name).map_err(wrong)?;
            let function = self.get(name).ok_or_else(|| wrong("cannot be read".to_owned()))?;
            reached.extend(Self::reached(&program, name));
            if !used.insert(name) {
                let what = format!("{name} stands for another schema already");
                return Err(fault(VERSIONS, entry, what));
            }
            signature::check(function, &bridge.schema).map_err(wrong)?;
            let has = |name: &str| bridge.schema.arguments.iter().any(|one| one.name == name);
            if let Some(condition) = bridge.only.iter().find(|one| !has(&one.argument)) {
                return Err(fault(VERSIONS, entry, format!("{name}: no argument for {condition}")));
            }
        }
        let idle = |name: &str| program.function(name).is_none_or(|id| !reached.contains(&id));
        match self.places().iter().find(|(name, _)| idle(name)) {
            None => Ok(()),
            Some((name, place)) => {
                let what =
                    format!("{name} stands for nothing; delete it, or name it in {VERSIONS}");
                Err(self.fault(place.line, what))
            }
        }
    }
}

/// What is wrong on a line of a text, by the file that the line is from.
fn at(
    file: &'static str,
    text: &str,
    line: usize,
    what: impl Into<String>,
) -> OperatorRegistryError {
    let (file, line) = located(file, text, line);
    fault(file, line, what)
}

fn places(file: &'static str, text: &str) -> Result<Places, OperatorRegistryError> {
    let mut places = BTreeMap::new();
    let mut last: Option<(String, usize, usize)> = None;
    let mut end = |last: Option<(String, usize, usize)>, end: usize| {
        let Some((name, start, line)) = last else { return Ok(()) };
        let what = format!("a second function of this name: {name}");
        let place = FunctionSource { span: start..end, line, function: OnceLock::new() };
        places.insert(name, place).map_or(Ok(()), |_| Err(at(file, text, line, what)))
    };
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or(rest).trim().to_owned();
            end(last.replace((name, start, number + 1)), start)?;
        }
        start += line.len();
    }
    end(last, text.len())?;
    Ok(places)
}
