//! Calls: of functions, methods, classes and operators.

use std::rc::Rc;
use std::time::Instant;

use unskew_script::{CallExpression, Expression};
use unskew_torch_schemas::{CallShape, FunctionSchema};

use super::{Frame, Given, Machine, RunFault, named_fields, nested_list};
use crate::operators::{self, OperatorEntry};
use crate::problem::{malformed, unsupported};
use crate::{RunProblem, ScriptValue};
use crate::{ScriptObject, ScriptTuple};

/// What a call of an operator may mean.
enum CallMeaning<'m> {
    Now(&'m OperatorEntry),
    /// What it meant at an older operator version: the schema, and its upgrader.
    Then(&'m FunctionSchema, String),
}

impl<'p> Machine<'p> {
    pub(super) fn call(
        &self,
        call: &'p CallExpression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        match &call.function {
            Expression::Name(name) => {
                if let Some(ScriptValue::Callable(callee)) = frame.locals.get(name.text.as_str()) {
                    let callee = callee.clone();
                    let given = self.given(call, frame)?;
                    return self.callable(&callee, given);
                }
                self.builtin(&name.text, call, frame)
            }
            Expression::Attribute { of, name, .. } => {
                if let Some(path) = self.global(&call.function, frame) {
                    let given = self.given(call, frame)?;
                    return self.path(&path, given);
                }
                let of = self.evaluate(of, frame)?;
                let given = self.given(call, frame)?;
                self.method(&of, &name.text, given)
            }
            function => match self.evaluate(function, frame)? {
                ScriptValue::Callable(callee) => {
                    let given = self.given(call, frame)?;
                    self.callable(&callee, given)
                }
                other => Ok(malformed(format!("{} is no function", other.type_name()))?),
            },
        }
    }

    /// A dotted name that begins with no local one.
    fn global(&self, function: &Expression, frame: &Frame<'p>) -> Option<String> {
        let path = function.path()?;
        let first = path.split('.').next()?;
        let known = matches!(first, "torch" | "ops" | "__torch__");
        (known && !frame.locals.contains_key(first)).then_some(path)
    }

    fn path(&self, path: &str, given: Given) -> Result<ScriptValue, RunFault> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let namespaced = match first {
            "__torch__" => return self.callable(path, given),
            "ops" => Some(rest),
            _ => rest.strip_prefix("ops."),
        };
        let name = match namespaced {
            Some(rest) => {
                let parts: Vec<&str> = rest.splitn(2, '.').collect();
                parts.join("::")
            }
            // `torch.nn.functional.gelu`, `torch.linalg.qr` are written by people, in upgraders.
            None => match rest.rsplit_once('.') {
                None => format!("aten::{rest}"),
                Some(("linalg", name)) => format!("aten::linalg_{name}"),
                Some(("nn.functional", name)) => format!("aten::{name}"),
                Some(_) => return Ok(unsupported(format!("a call of {path}"))?),
            },
        };
        self.operator(&name, &given.0, &given.1)
    }

    /// Calls a function of the program, or makes an object of a class.
    fn callable(&self, name: &str, given: Given) -> Result<ScriptValue, RunFault> {
        if let Some((unit, function)) = self.code.function(name) {
            return self.function(Some(unit), function, given);
        }
        if let Some(class) = name.strip_suffix(".__new__").filter(|c| self.code.class(c).is_some())
        {
            let object = ScriptObject { class: class.into(), attributes: Default::default() };
            return Ok(ScriptValue::Object(Rc::new(object)));
        }
        let Some((_, class)) = self.code.class(name) else {
            return Ok(unsupported(format!(
                "a call of something that is not in the code: {name}"
            ))?);
        };
        if let Some(fields) = named_fields(class) {
            return Ok(named_tuple(name, &fields, given)?);
        }
        let object = Rc::new(ScriptObject { class: name.into(), attributes: Default::default() });
        let object = ScriptValue::Object(object);
        if self.code.method(name, "__init__").is_some() {
            self.method(&object, "__init__", given)?;
        }
        Ok(object)
    }

    pub(super) fn method(
        &self,
        of: &ScriptValue,
        name: &str,
        given: Given,
    ) -> Result<ScriptValue, RunFault> {
        if let ScriptValue::Object(object) = of {
            return match self.code.method(&object.class, name) {
                Some((unit, function)) => {
                    let (mut positional, named) = given;
                    positional.insert(0, of.clone());
                    self.function(Some(unit), function, (positional, named))
                }
                None => match object.get(name) {
                    Some(ScriptValue::Callable(callee)) => self.callable(&callee, given),
                    _ => Ok(malformed(format!("{} has no function {name}", object.class))?),
                },
            };
        }
        if let (ScriptValue::Tensor(tensor), "tolist") = (of, name) {
            self.context.meter.step(tensor.count() as u64)?;
            return Ok(nested_list::nested_list(self.context.meter, tensor)?);
        }
        let (mut positional, named) = given;
        positional.insert(0, of.clone());
        self.operator(&format!("aten::{name}"), &positional, &named)
    }

    /// Calls an operator by name; the overload is the first that takes what is given.
    pub(super) fn operator(
        &self,
        name: &str,
        positional: &[ScriptValue],
        named: &[(String, ScriptValue)],
    ) -> Result<ScriptValue, RunFault> {
        self.context.meter.step(1)?;
        if name == "prim::RaiseException" {
            return Err(raised(positional).into());
        }
        // With a dot it is one overload.
        let (base, overload) = match name.split_once('.') {
            Some((base, overload)) => (base, Some(overload)),
            None => (name, None),
        };
        let meanings = self.meanings(base, overload);
        if meanings.is_empty() {
            return Err(RunProblem::UnknownOperator(name.to_owned()).into());
        }
        for convert in [false, true] {
            for meaning in &meanings {
                match meaning {
                    CallMeaning::Now(entry) => {
                        let (schema, defaults) = (&entry.schema, &entry.defaults);
                        let bound = operators::bind(schema, defaults, positional, named, convert);
                        let Some(values) = bound else { continue };
                        self.in_release(base, positional, named)?;
                        return self.timed(entry, &values).map_err(RunFault::from);
                    }
                    CallMeaning::Then(schema, operator) => {
                        let defaults: Vec<_> =
                            schema.arguments.iter().map(operators::default).collect();
                        let bound = operators::bind(schema, &defaults, positional, named, convert);
                        let Some(values) = bound else { continue };
                        return self.upgraded(schema, operator, values);
                    }
                }
            }
        }
        let given = operators::given(positional, named);
        Err(RunProblem::NoOverload { operator: name.to_owned(), given }.into())
    }

    fn timed(
        &self,
        entry: &OperatorEntry,
        values: &[ScriptValue],
    ) -> Result<ScriptValue, RunProblem> {
        let began = self.context.profile.map(|_| Instant::now());
        let result = entry.run(&self.context, values);
        if let (Some(profile), Some(began)) = (self.context.profile, began) {
            profile.add(entry.schema.full_name(), began);
        }
        if let (Some(trace), Ok(result)) = (self.context.trace, &result) {
            trace.add(&entry.schema, values, result);
        }
        result
    }

    /// What an operator may mean: its overloads, or what they were when the program was written.
    fn meanings(&self, base: &str, overload: Option<&str>) -> Vec<CallMeaning<'p>> {
        let wanted = |own: &str| overload.is_none_or(|wanted| wanted == own);
        let entries = operators::find(base).iter().filter(|entry| wanted(&entry.schema.overload));
        let Some(upgraders) = self.upgraders else {
            return entries.map(CallMeaning::Now).collect();
        };
        let mut meanings: Vec<CallMeaning<'p>> = Vec::new();
        let mut upgraded: Vec<String> = Vec::new();
        let mut then = |operator: String, meanings: &mut Vec<CallMeaning<'p>>| {
            let Some(historic) = upgraders.bridge_of(&operator) else { return false };
            if !upgraded.contains(&operator) {
                upgraded.push(operator.clone());
                meanings.push(CallMeaning::Then(&historic.schema, operator));
            }
            true
        };
        for entry in entries {
            if !then(entry.schema.full_name(), &mut meanings) {
                meanings.push(CallMeaning::Now(entry));
            }
        }
        for (operator, _) in upgraders.registry.operators() {
            let (name, own) = operator.split_once('.').unwrap_or((operator, ""));
            if name == base && wanted(own) {
                then(operator.to_owned(), &mut meanings);
            }
        }
        meanings
    }

    fn upgraded(
        &self,
        schema: &FunctionSchema,
        operator: &str,
        values: Vec<ScriptValue>,
    ) -> Result<ScriptValue, RunFault> {
        let upgrader = self.upgraders.and_then(|upgraders| {
            upgraders.registry.function(&upgraders.bridge_of(operator)?.function)
        });
        let Some(upgrader) = upgrader else {
            return Ok(malformed(format!("{operator} has no upgrader"))?);
        };
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for (argument, value) in schema.arguments.iter().zip(values) {
            if argument.keyword_only {
                named.push((argument.name.clone(), value));
            } else {
                positional.push(value);
            }
        }
        // A release has upgraders of its own, made from the operators that it has: its table does not count.
        let semantics = self.context.semantics.clone().without_operators();
        let context = operators::Context { semantics: &semantics, ..self.context };
        let code = super::ProgramCode::default();
        let today = Machine { code: &code, constants: &[], context, upgraders: None };
        today.function(None, upgrader, (positional, named))
    }

    /// An operator that the release does not have is refused. What the interpreter of TorchScript does
    /// itself is in no table.
    fn in_release(
        &self,
        operator: &str,
        positional: &[ScriptValue],
        named: &[(String, ScriptValue)],
    ) -> Result<(), RunProblem> {
        let Some(table) = self.context.semantics.table() else { return Ok(()) };
        // What other packages bring is in no table of PyTorch.
        if !operator.starts_with("aten::") {
            return Ok(());
        }
        let keywords = named.iter().map(|(name, _)| name.clone()).collect();
        let shape = CallShape { positional: positional.len(), keywords };
        if table.overloads(operator).any(|schema| schema.accepts(&shape).is_ok()) {
            return Ok(());
        }
        Err(RunProblem::NotInRelease {
            release: table.release().to_string(),
            operator: operator.to_owned(),
            given: operators::given(positional, named),
        })
    }
}

fn raised(positional: &[ScriptValue]) -> RunProblem {
    let text = |at: usize| positional.get(at).and_then(ScriptValue::text).map(str::to_owned);
    RunProblem::Raised {
        message: text(0).unwrap_or_default(),
        class: text(1).unwrap_or_else(|| "Exception".to_owned()),
    }
}

pub(crate) fn named_tuple(
    class: &str,
    fields: &[&str],
    (mut positional, named): Given,
) -> Result<ScriptValue, RunProblem> {
    for field in fields.iter().skip(positional.len()) {
        match named.iter().find(|(name, _)| name == field) {
            Some((_, value)) => positional.push(value.clone()),
            None => return malformed(format!("{class} is made without {field}")),
        }
    }
    if positional.len() != fields.len() {
        return malformed(format!("{class} has {} fields: {}", fields.len(), positional.len()));
    }
    let names = fields.iter().map(|field| Rc::from(*field)).collect();
    Ok(ScriptValue::Tuple(Rc::new(ScriptTuple {
        items: positional,
        named: Some((class.into(), names)),
    })))
}
