//! The code of a program: functions and classes by their qualified names.

use foldhash::HashMap;
use unskew_script::{
    ClassDefinition, Expression, FunctionDefinition, Module, ScriptError, Statement, TextSpan,
    TokenizedSource,
};

/// The code of a program.
#[derive(Debug, Default)]
pub struct ProgramCode {
    units: Vec<Unit>,
    /// Functions and classes by qualified name: the unit, and the statement in it.
    names: HashMap<String, (usize, usize)>,
}

#[derive(Debug)]
struct Unit {
    file: String,
    text: String,
    module: Module,
}

impl ProgramCode {
    /// Adds a file; its functions and classes get `prefix` and a dot before their names.
    ///
    /// # Errors
    /// If it is not TorchScript.
    pub fn add<'t>(
        &mut self,
        file: &str,
        prefix: &str,
        text: impl Into<TokenizedSource<'t>>,
    ) -> Result<(), ScriptError> {
        let measured = text.into();
        let text = measured.text();
        let module = unskew_script::parse(measured)?;
        for (at, statement) in module.body.iter().enumerate() {
            let name = match statement {
                Statement::Function(function) => &function.name.text,
                Statement::Class(class) => &class.name.text,
                _ => continue,
            };
            let name =
                if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
            self.names.insert(name, (self.units.len(), at));
        }
        self.units.push(Unit { file: file.to_owned(), text: text.to_owned(), module });
        Ok(())
    }

    fn statement(&self, name: &str) -> Option<(usize, &Statement)> {
        let (unit, at) = self.names.get(name)?;
        Some((*unit, self.units.get(*unit)?.module.body.get(*at)?))
    }

    /// How many parameters a function has.
    #[cfg(test)]
    pub(crate) fn parameters(&self, name: &str) -> Option<usize> {
        self.function(name).map(|(_, function)| function.parameters.len())
    }

    pub(super) fn function(&self, name: &str) -> Option<(usize, &FunctionDefinition)> {
        match self.statement(name)? {
            (unit, Statement::Function(function)) => Some((unit, function)),
            _ => None,
        }
    }

    pub(crate) fn class(&self, name: &str) -> Option<(usize, &ClassDefinition)> {
        match self.statement(name)? {
            (unit, Statement::Class(class)) => Some((unit, class)),
            _ => None,
        }
    }

    /// The method of a class; archives of 1.1 have functions of the file in its place.
    pub(crate) fn method(&self, class: &str, name: &str) -> Option<(usize, &FunctionDefinition)> {
        if let Some((unit, class)) = self.class(class) {
            return class.functions().find(|method| method.name.text == name).map(|m| (unit, m));
        }
        self.function(&format!("{class}.{name}"))
    }

    /// The names of the functions of a class, or of a file of 1.1.
    pub(crate) fn methods(&self, class: &str) -> Vec<String> {
        if let Some((_, class)) = self.class(class) {
            return class.functions().map(|method| method.name.text.to_string()).collect();
        }
        let start = format!("{class}.");
        let mut names: Vec<String> = self
            .names
            .keys()
            .filter_map(|name| name.strip_prefix(&start))
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    }

    /// The place as messages name it: `file:line:column`.
    pub(super) fn place(&self, unit: usize, span: TextSpan) -> Option<String> {
        let unit = self.units.get(unit)?;
        let before = unit.text.get(..span.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        Some(format!("{}:{line}:{column}", unit.file))
    }
}

/// The fields of a named tuple; none if the class is none.
pub(crate) fn named_fields(class: &ClassDefinition) -> Option<Vec<&str>> {
    let named = class.bases.iter().any(|base| base.path().as_deref() == Some("NamedTuple"));
    named.then(|| {
        let field = |statement| match statement {
            &Statement::Annotated { target: Expression::Name(ref name), .. } => {
                Some(name.text.as_str())
            }
            _ => None,
        };
        class.body.iter().filter_map(field).collect()
    })
}
