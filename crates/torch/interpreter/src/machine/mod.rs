//! Runs the syntax tree.

mod builtin;
mod call;
mod code;
mod composed;
mod evaluate;
mod execute;
mod instance_checks;
mod mobile;
mod nested_list;

use foldhash::HashMap;
use unskew_script::{FunctionDefinition, TextSpan};
use unskew_torch_operators::{Bridge, OperatorRegistry};

use crate::operators::Context;
use crate::{RunError, RunProblem, ScriptValue};

pub use code::ProgramCode;
pub(crate) use code::named_fields;
pub(crate) use composed::composed;

/// What runs a program.
pub(crate) struct Machine<'p> {
    pub(crate) code: &'p ProgramCode,
    /// What `CONSTANTS.c0` and the following are.
    pub(crate) constants: &'p [ScriptValue],
    pub(crate) context: Context<'p>,
    pub(crate) upgraders: Option<Upgraders<'p>>,
}

/// What old calls mean to a release.
#[derive(Clone, Copy)]
pub(crate) struct Upgraders<'p> {
    pub(crate) registry: &'p OperatorRegistry,
    pub(crate) version: u32,
    /// The newest operator version that the release knows.
    pub(crate) known: u32,
    /// Whether they are those of the mobile interpreter, which lacks some.
    pub(crate) mobile: bool,
}

impl<'p> Upgraders<'p> {
    /// What the program means by an operator, if that is not what it means today.
    fn bridge_of(&self, operator: &str) -> Option<&'p Bridge> {
        let change = self.registry.historic(operator, self.version)?;
        let has = change.since.version() <= Some(self.known) && (change.mobile || !self.mobile);
        change.upgrader.as_ref().filter(|_| has)
    }
}

/// The names of a function that runs.
pub(crate) struct Frame<'p> {
    /// The file; none for an upgrader.
    unit: Option<usize>,
    locals: HashMap<&'p str, ScriptValue>,
}

/// What went wrong, and where as soon as that is known.
pub(crate) struct RunFault {
    problem: Box<RunProblem>,
    place: Option<Option<(usize, TextSpan)>>,
}

impl From<RunProblem> for RunFault {
    fn from(problem: RunProblem) -> Self {
        Self { problem: Box::new(problem), place: None }
    }
}

impl RunFault {
    /// The place, if no inner one is known.
    fn at(mut self, unit: Option<usize>, span: TextSpan) -> Self {
        self.place.get_or_insert_with(|| unit.map(|unit| (unit, span)));
        self
    }
}

type Given = (Vec<ScriptValue>, Vec<(String, ScriptValue)>);

impl<'p> Machine<'p> {
    fn finish(&self, result: Result<ScriptValue, RunFault>) -> Result<ScriptValue, RunError> {
        result.map_err(|fault| RunError {
            place: fault.place.flatten().and_then(|(unit, span)| self.code.place(unit, span)),
            problem: *fault.problem,
        })
    }

    /// Calls a function of the program.
    pub(crate) fn run(&self, name: &str, given: Given) -> Result<ScriptValue, RunError> {
        let result = match self.code.function(name) {
            Some((unit, function)) => self.function(Some(unit), function, given),
            None => {
                Err(RunProblem::Malformed(format!("the program has no such function: {name}"))
                    .into())
            }
        };
        self.finish(result)
    }

    /// Calls a method of an object of the program.
    pub(crate) fn run_method(
        &self,
        object: &ScriptValue,
        name: &str,
        given: Given,
    ) -> Result<ScriptValue, RunError> {
        self.finish(self.method(object, name, given))
    }

    pub(crate) fn run_operator(&self, name: &str, given: &Given) -> Result<ScriptValue, RunError> {
        self.finish(self.operator(name, &given.0, &given.1))
    }

    /// Calls an overload as a graph does. What a graph has as a tensor may have been a number there, which
    /// is another overload here.
    pub(crate) fn run_node(
        &self,
        name: &str,
        named: Vec<(String, ScriptValue)>,
    ) -> Result<ScriptValue, RunError> {
        // Sizes are calculated with by Python's own operators, whose operands have their places only.
        if let Some(python) = name.strip_prefix("_operator.") {
            let operands = named.into_iter().map(|(_, value)| value).collect();
            return self.run_operator(&format!("aten::{python}"), &(operands, Vec::new()));
        }
        let exact = self.run_operator(name, &(Vec::new(), named.clone()));
        let base = name.split_once('.').map_or(name, |(base, _)| base);
        match exact {
            Err(error) if matches!(error.problem, RunProblem::NoOverload { .. }) => {
                let other = self.run_operator(base, &(Vec::new(), named.clone()));
                other
                    .or_else(|_| self.run_operator(name, &self.with_tensors(named)?))
                    .map_err(|_| error)
            }
            result => result,
        }
    }

    /// Numbers among operands as tensors without dimensions.
    fn with_tensors(&self, mut named: Vec<(String, ScriptValue)>) -> Result<Given, RunError> {
        for (name, value) in &mut named {
            if let ("self" | "other", ScriptValue::Number(number)) = (name.as_str(), &*value) {
                let tensor = crate::Tensor::scalar(self.context.meter, number.dtype(), *number)?;
                *value = tensor.into();
            }
        }
        Ok((Vec::new(), named))
    }

    /// Calls a function that is not part of the program, such as an upgrader.
    pub(crate) fn run_alone(
        &self,
        function: &'p FunctionDefinition,
        given: Given,
    ) -> Result<ScriptValue, RunError> {
        self.finish(self.function(None, function, given))
    }
}
