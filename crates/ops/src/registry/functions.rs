//! The functions of one file of a registry.
//!
//! A function is read when it is asked for: a command that looks at one file needs few of some hundred, and reading
//! all takes longer than all that it does besides.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use unskew_script::Function;

use super::entry::Bridge;
use super::{RegistryError, VERSIONS, fault, signature};
use crate::typing::Program;

/// The functions of a file, by name.
#[derive(Debug)]
pub(super) struct Functions {
    file: &'static str,
    text: Cow<'static, str>,
    places: OnceLock<Places>,
}

type Places = BTreeMap<String, Place>;

/// Where a function stands in the text, and what it is, once it was read; nothing if it cannot be read.
#[derive(Debug)]
struct Place {
    span: Range<usize>,
    line: usize,
    function: OnceLock<Option<Function>>,
}

impl Functions {
    /// Finds the functions of a text; each begins with `def` at the beginning of a line.
    pub(super) fn find(file: &'static str, text: Cow<'static, str>) -> Result<Self, RegistryError> {
        let places = OnceLock::from(places(file, &text)?);
        Ok(Self { file, text, places })
    }

    /// The functions of a text that is part of the program; they are found when the first is asked for.
    pub(super) fn built_in(file: &'static str, text: &'static str) -> Self {
        Self { file, text: text.into(), places: OnceLock::new() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| places(self.file, &self.text).unwrap_or_default())
    }

    /// The function of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Function> {
        let place = self.places().get(name)?;
        let read = || {
            let module = unskew_script::parse(self.text.get(place.span.clone())?).ok()?;
            module.functions().next().cloned()
        };
        place.function.get_or_init(read).as_ref()
    }

    /// All of the file as one program.
    pub(super) fn program(&self) -> Result<Program, RegistryError> {
        let read = Program::of_text(self.file, &self.text);
        read.map_err(|error| fault(self.file, error.error.line, error.error.what))
    }

    /// Holds the functions against the schemas that they stand for.
    pub(super) fn hold<'b>(
        &self,
        bridges: impl Iterator<Item = (&'b Bridge, usize)>,
    ) -> Result<(), RegistryError> {
        let file = self.file;
        self.program()?;
        let mut used = BTreeSet::new();
        for (bridge, at) in bridges {
            let name = bridge.function.as_str();
            let known = self.places().get(name).zip(self.get(name));
            let Some((Place { line, .. }, function)) = known else {
                return Err(fault(
                    VERSIONS,
                    at,
                    format!("{file} has no function {name}; write it"),
                ));
            };
            if !used.insert(name) {
                let what = format!("{name} stands for another schema already");
                return Err(fault(VERSIONS, at, what));
            }
            signature::check(function, &bridge.schema)
                .map_err(|what| fault(file, *line, format!("{name}: {what}")))?;
            let has = |name: &str| bridge.schema.arguments.iter().any(|one| one.name == name);
            if let Some(condition) = bridge.only.iter().find(|one| !has(&one.argument)) {
                return Err(fault(VERSIONS, at, format!("{name}: no argument for {condition}")));
            }
        }
        match self.places().iter().find(|(name, _)| !used.contains(name.as_str())) {
            None => Ok(()),
            Some((name, place)) => {
                let what =
                    format!("{name} stands for nothing; delete it, or name it in {VERSIONS}");
                Err(fault(file, place.line, what))
            }
        }
    }
}

fn places(file: &'static str, text: &str) -> Result<Places, RegistryError> {
    let mut places = BTreeMap::new();
    let mut last: Option<(String, usize, usize)> = None;
    let mut end = |last: Option<(String, usize, usize)>, end: usize| {
        let Some((name, start, line)) = last else { return Ok(()) };
        let what = format!("a second function of this name: {name}");
        let place = Place { span: start..end, line, function: OnceLock::new() };
        places.insert(name, place).map_or(Ok(()), |_| Err(fault(file, line, what)))
    };
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or(rest).trim().to_owned();
            end(last.replace((name, at, number + 1)), at)?;
        }
        at += line.len();
    }
    end(last, text.len())?;
    Ok(places)
}
