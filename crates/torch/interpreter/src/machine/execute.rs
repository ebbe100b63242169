//! Functions and statements.

use foldhash::{HashMap, HashMapExt as _};
use unskew_script::{Expression, FunctionDefinition, Statement};

use super::{Frame, Given, Machine, RunFault};
use crate::problem::{malformed, refused, unsupported};
use crate::{RunProblem, ScriptValue};

/// What happens after a statement.
pub(super) enum Flow {
    Next,
    /// The function is done.
    Return(ScriptValue),
}

impl<'p> Machine<'p> {
    /// Calls a function with values by place and by name.
    pub(super) fn function(
        &self,
        unit: Option<usize>,
        function: &'p FunctionDefinition,
        given: Given,
    ) -> Result<ScriptValue, RunFault> {
        let _level = self.context.meter.enter()?;
        self.context.meter.step(1)?;
        let mut frame = Frame { unit, locals: HashMap::new() };
        self.bind(function, given, &mut frame)
            .map_err(|fault| fault.at(unit, function.name.span))?;
        match self.block(&function.body, &mut frame)? {
            Flow::Return(value) => Ok(value),
            Flow::Next => Ok(ScriptValue::None),
        }
    }

    fn bind(
        &self,
        function: &'p FunctionDefinition,
        (positional, mut named): Given,
        frame: &mut Frame<'p>,
    ) -> Result<(), RunFault> {
        let name = &function.name.text;
        let mut positional = positional.into_iter();
        for parameter in &function.parameters {
            let key = parameter.name.text.as_str();
            let by_place = if parameter.keyword_only { None } else { positional.next() };
            let value = match by_place {
                Some(value) => value,
                None => match named.iter().position(|(given, _)| given == key) {
                    Some(at) => named.remove(at).1,
                    None => match &parameter.default {
                        Some(default) => self.evaluate(default, frame)?,
                        None => malformed(format!("{name}() is called without {key}"))?,
                    },
                },
            };
            frame.locals.insert(key, value);
        }
        if positional.next().is_some() || !named.is_empty() {
            let extra = named.first().map_or("a value by place", |(name, _)| name.as_str());
            malformed(format!("{name}() is called with too much: {extra}"))?;
        }
        Ok(())
    }

    pub(super) fn block(
        &self,
        body: &'p [Statement],
        frame: &mut Frame<'p>,
    ) -> Result<Flow, RunFault> {
        let _level = self.context.meter.enter()?;
        for statement in body {
            self.context.meter.step(1)?;
            let flow = self.statement(statement, frame);
            match flow.map_err(|fault| fault.at(frame.unit, statement.span()))? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&self, statement: &'p Statement, frame: &mut Frame<'p>) -> Result<Flow, RunFault> {
        match statement {
            Statement::Assign { target, value, .. } => {
                let value = self.evaluate(value, frame)?;
                self.assign(target, value, frame)?;
            }
            Statement::Annotated { target, value: Some(value), .. } => {
                let value = self.evaluate(value, frame)?;
                self.assign(target, value, frame)?;
            }
            Statement::Expression { value, .. } => drop(self.evaluate(value, frame)?),
            Statement::Return { value, .. } => {
                let value = value.as_ref().map(|value| self.evaluate(value, frame)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or(ScriptValue::None)));
            }
            Statement::If { test, then, otherwise, .. } => {
                let test = self.evaluate(test, frame)?;
                let branch = if truth(&test)? { then } else { otherwise };
                return self.block(branch, frame);
            }
            Statement::While { test, body, .. } => loop {
                let test = self.evaluate(test, frame)?;
                if !truth(&test)? {
                    break;
                }
                if let Flow::Return(value) = self.block(body, frame)? {
                    return Ok(Flow::Return(value));
                }
                self.context.meter.step(1)?;
            },
            Statement::For { target, items, body, .. } => {
                return self.repeat(target, items, body, frame);
            }
            // What is entered changes nothing here: there are no gradients, devices or profiles.
            Statement::With { body, .. } => return self.block(body, frame),
            Statement::Annotated { value: None, .. } | Statement::Pass { .. } => {}
            Statement::Class(_) | Statement::Function(_) => {
                unsupported("a function or a class within a function")?;
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(
        &self,
        target: &'p Expression,
        items: &'p Expression,
        body: &'p [Statement],
        frame: &mut Frame<'p>,
    ) -> Result<Flow, RunFault> {
        // A range may be long: it is counted, not made.
        if let Some([start, end, step]) = self.range(items, frame)? {
            let mut at = start;
            while if step > 0 { at < end } else { at > end } {
                self.context.meter.step(1)?;
                self.assign(target, ScriptValue::from(at), frame)?;
                if let Flow::Return(value) = self.block(body, frame)? {
                    return Ok(Flow::Return(value));
                }
                let Some(next) = at.checked_add(step) else { break };
                at = next;
            }
            return Ok(Flow::Next);
        }
        let items = self.evaluate(items, frame)?;
        for item in self.items(&items)? {
            self.context.meter.step(1)?;
            self.assign(target, item, frame)?;
            if let Flow::Return(value) = self.block(body, frame)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn items(&self, value: &ScriptValue) -> Result<Vec<ScriptValue>, RunProblem> {
        match value {
            ScriptValue::Dict(dict) => {
                Ok(dict.borrow().iter().map(|(key, _)| key.clone()).collect())
            }
            ScriptValue::Text(text) => Ok(text
                .chars()
                .map(|letter| ScriptValue::from(letter.to_string().as_str()))
                .collect()),
            ScriptValue::Tensor(tensor) => {
                let Some(size) = tensor.shape().first() else {
                    return refused("iteration over a 0-d tensor");
                };
                self.context.meter.step(*size as u64)?;
                (0..*size).map(|at| Ok(tensor.select(0, at)?.into())).collect()
            }
            other => match other.items() {
                Some(items) => Ok(items),
                None => malformed(format!("nothing to go over: {}", other.type_name())),
            },
        }
    }

    /// The bounds, if it is a call of `range`.
    fn range(
        &self,
        items: &'p Expression,
        frame: &mut Frame<'p>,
    ) -> Result<Option<[i64; 3]>, RunFault> {
        let Expression::Call(call) = items else { return Ok(None) };
        let Expression::Name(name) = &call.function else { return Ok(None) };
        if name.text != "range" || frame.locals.contains_key("range") {
            return Ok(None);
        }
        let mut given = Vec::new();
        for argument in &call.arguments {
            match self.evaluate(&argument.value, frame)?.number() {
                Some(number) => given.push(number.int()),
                None => malformed("range() of something that is no number")?,
            }
        }
        super::builtin::range(&given).map(Some).map_err(RunFault::from)
    }

    fn assign(
        &self,
        target: &'p Expression,
        value: ScriptValue,
        frame: &mut Frame<'p>,
    ) -> Result<(), RunFault> {
        match target {
            Expression::Name(name) => {
                frame.locals.insert(&name.text, value);
            }
            Expression::Tuple { items, .. } | Expression::List { items, .. } => {
                let values = self.items(&value)?;
                if values.len() != items.len() {
                    let (wanted, found) = (items.len(), values.len());
                    malformed(format!("{wanted} values are wanted for an assignment: {found}"))?;
                }
                for (item, value) in items.iter().zip(values) {
                    self.assign(item, value, frame)?;
                }
            }
            Expression::Attribute { of, name, .. } => match self.evaluate(of, frame)? {
                ScriptValue::Object(object) => object.set(&name.text, value),
                other => {
                    let (name, kind) = (&name.text, other.type_name());
                    malformed(format!("an attribute {name} of {kind}"))?;
                }
            },
            Expression::Subscript { of, index, .. } => {
                let (of, index) = (self.evaluate(of, frame)?, self.evaluate(index, frame)?);
                if let ScriptValue::Tensor(tensor) = &of {
                    let part = super::evaluate::tensor_item(tensor, &index)?;
                    let given = vec![part.into(), value];
                    let name =
                        if given[1].tensor().is_some() { "aten::copy_" } else { "aten::fill_" };
                    self.operator(name, &given, &[])?;
                } else {
                    self.operator("aten::_set_item", &[of, index, value], &[])?;
                }
            }
            _ => malformed("something is assigned to what is no name")?,
        }
        Ok(())
    }
}

pub(super) fn truth(value: &ScriptValue) -> Result<bool, RunProblem> {
    match value {
        ScriptValue::Number(number) => Ok(number.is_true()),
        ScriptValue::Tensor(tensor) => match tensor.count() {
            1 => Ok(tensor.item()?.is_true()),
            0 => refused("Boolean value of Tensor with no values is ambiguous"),
            _ => refused("Boolean value of Tensor with more than one value is ambiguous"),
        },
        other => malformed(format!("a condition that is no truth value: {}", other.type_name())),
    }
}
