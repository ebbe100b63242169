//! The interpreter.

use std::cell::Cell;
use std::rc::Rc;

use unskew_script::FunctionDefinition;
use unskew_torch_operators::OperatorRegistry;

use crate::limits::Meter;
use crate::machine::{Machine, Upgraders, composed};
use crate::operators::{Context, find};
use crate::{
    OperatorProfile, ProgramCode, QuantizedEngine, ReleaseSemantics, RunError, RunLimits,
    RunProblem, RunnableProgram, ScriptValue, Trace,
};

/// Runs operators, functions and programs.
#[derive(Clone)]
pub struct Interpreter {
    semantics: ReleaseSemantics,
    limits: RunLimits,
    registry: Option<(&'static OperatorRegistry, u32)>,
    engine: QuantizedEngine,
    threads: usize,
    profile: Option<Rc<OperatorProfile>>,
    trace: Option<Rc<Trace>>,
}

impl Interpreter {
    /// With the operators of these semantics, and the usual limits.
    pub fn new(semantics: ReleaseSemantics) -> Self {
        Self {
            semantics,
            limits: RunLimits::default(),
            registry: None,
            engine: QuantizedEngine::default(),
            threads: 1,
            profile: None,
            trace: None,
        }
    }

    /// The same with other limits on steps and memory.
    #[must_use]
    pub fn with_limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// With upgraders: an operator of a program means what it meant at the program's operator version, as a
    /// release does it that knows the operator versions up to `known`.
    #[must_use]
    pub fn with_upgraders(mut self, registry: &'static OperatorRegistry, known: u32) -> Self {
        self.registry = Some((registry, known));
        self
    }

    /// The same with the arithmetic of this engine in quantized operators.
    #[must_use]
    pub fn with_engine(mut self, engine: QuantizedEngine) -> Self {
        self.engine = engine;
        self
    }

    /// The same in so many threads. What it gives does not depend on how many there are.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The same, and the time that each operator takes is added to the profile.
    #[must_use]
    pub fn with_profile(mut self, profile: Rc<OperatorProfile>) -> Self {
        self.profile = Some(profile);
        self
    }

    /// The same, and every call of an operator is written down in the trace.
    #[must_use]
    pub fn with_trace(mut self, trace: Rc<Trace>) -> Self {
        self.trace = Some(trace);
        self
    }

    fn context<'c>(&'c self, meter: &'c Rc<Meter>) -> Context<'c> {
        let profile = self.profile.as_deref();
        let trace = self.trace.as_deref();
        let (semantics, engine, threads) = (&self.semantics, self.engine, self.threads);
        let compose = composed;
        Context { semantics, meter, find, compose, engine, threads, profile, trace }
    }

    /// Gives the objects of an archive whose class has a `__setstate__` the states that the archive has for them.
    pub(crate) fn restore(
        &self,
        code: &ProgramCode,
        constants: &[ScriptValue],
        states: Vec<(ScriptValue, ScriptValue)>,
    ) -> Result<(), RunError> {
        self.run(code, constants, None, |machine| {
            states.into_iter().try_for_each(|(object, state)| {
                machine.run_method(&object, "__setstate__", (vec![state], Vec::new())).map(drop)
            })
        })
    }

    fn run<R>(
        &self,
        code: &ProgramCode,
        constants: &[ScriptValue],
        version: Option<u32>,
        run: impl FnOnce(&Machine<'_>) -> R,
    ) -> R {
        let meter = Meter::new(self.limits);
        let context = self.context(&meter);
        let upgraders = self.registry.zip(version);
        let upgraders = upgraders.map(|((registry, known), version)| Upgraders {
            registry,
            version,
            known,
            mobile: false,
        });
        run(&Machine { code, constants, context, upgraders })
    }

    /// Calls an operator, `aten::add` or one overload of it, `aten::add.Tensor`, with values by place and
    /// by name.
    ///
    /// # Errors
    /// If there is no such operator, or it refuses what it is given.
    pub fn operator(
        &self,
        name: &str,
        positional: Vec<ScriptValue>,
        named: Vec<(String, ScriptValue)>,
    ) -> Result<ScriptValue, RunError> {
        self.run(&ProgramCode::default(), &[], None, |machine| {
            machine.run_operator(name, &(positional, named))
        })
    }

    /// Calls a function that stands alone, such as an upgrader.
    ///
    /// # Errors
    /// What stops it, without a place: a function alone has no text.
    pub fn function(
        &self,
        function: &FunctionDefinition,
        positional: Vec<ScriptValue>,
        named: Vec<(String, ScriptValue)>,
    ) -> Result<ScriptValue, RunError> {
        let meter = Meter::new(self.limits);
        let context = self.context(&meter);
        let code = ProgramCode::default();
        let machine = Machine { code: &code, constants: &[], context, upgraders: None };
        machine.run_alone(function, (positional, named))
    }

    /// Calls a function of some code by its qualified name.
    ///
    /// ```
    /// use unskew_interpreter::{ProgramCode, Interpreter, ReleaseSemantics, ScriptValue};
    /// let mut code = ProgramCode::default();
    /// code.add("sum.py", "", "def f(n: int) -> int:\n  s = 0\n  for i in range(n):\n    s = s + i\n  return s\n")
    ///     .unwrap();
    /// let sum = Interpreter::new(ReleaseSemantics::newest()).call(&code, "f", vec![ScriptValue::from(5_i64)]);
    /// assert_eq!(sum.unwrap().to_string(), "10");
    /// ```
    ///
    /// # Errors
    /// What stops it, with the place in the code.
    pub fn call(
        &self,
        code: &ProgramCode,
        name: &str,
        values: Vec<ScriptValue>,
    ) -> Result<ScriptValue, RunError> {
        self.run(code, &[], None, |machine| machine.run(name, (values, Vec::new())))
    }

    /// Calls a method of a program's module, most often `forward`.
    ///
    /// # Errors
    /// What stops it, with the place in the code.
    pub fn method(
        &self,
        program: &RunnableProgram,
        name: &str,
        values: Vec<ScriptValue>,
    ) -> Result<ScriptValue, RunError> {
        let version = program.operator_version();
        let result = self.run(&program.code, &program.constants, version, |machine| {
            match (&program.graph, &program.mobile) {
                (Some(graph), _) => {
                    let node = Cell::new(0_usize);
                    graph.run(values, |operator, named| {
                        let before = self.trace.as_ref().map_or(0, |trace| trace.len());
                        let result = machine.run_node(operator, named);
                        let at = node.replace(node.get() + 1);
                        if let Some(trace) = &self.trace {
                            trace.place(before, || Some(format!("node {at}")));
                        }
                        result
                    })
                }
                (None, Some(mobile)) => machine.run_bytecode(mobile, &program.module, name, values),
                (None, None) => machine.run_method(&program.module, name, (values, Vec::new())),
            }
        })?;
        // An array has no place for a scale.
        if result.tensors().iter().any(|tensor| tensor.quantizer().is_some()) {
            return Err(
                RunProblem::Unsupported("an output that is a quantized tensor".into()).into()
            );
        }
        Ok(result)
    }
}
