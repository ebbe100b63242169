//! Names that are part of the language.

use unskew_script::{CallExpression, Expression};

use super::execute::truth;
use super::{Frame, Machine, RunFault, instance_checks};
use crate::problem::{malformed, refused};
use crate::{RunProblem, ScalarValue, ScriptValue};

impl<'p> Machine<'p> {
    pub(super) fn builtin(
        &self,
        name: &str,
        call: &'p CallExpression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        let argument = |at: usize| call.arguments.get(at).map(|argument| &argument.value);
        match (name, argument(0), argument(1)) {
            ("annotate" | "unchecked_cast", Some(kind), Some(value)) => {
                let value = self.evaluate(value, frame)?;
                return Ok(instance_checks::annotated(kind, value));
            }
            ("uninitialized", Some(_), None) => return Ok(ScriptValue::None),
            ("isinstance", Some(value), Some(kind)) => {
                let value = self.evaluate(value, frame)?;
                return Ok(instance_checks::is_instance(&value, kind).into());
            }
            ("getattr", Some(of), Some(Expression::Constant { value, .. })) => {
                let of = self.evaluate(of, frame)?;
                let unskew_script::LiteralConstant::Text(name) = value else {
                    return Ok(malformed("getattr() without a name")?);
                };
                return self.attribute(&of, name);
            }
            ("getattr", Some(of), Some(name)) => {
                let (of, name) = (self.evaluate(of, frame)?, self.evaluate(name, frame)?);
                return self.attribute(&of, name.text().unwrap_or(""));
            }
            _ => {}
        }
        let (positional, named) = self.given(call, frame)?;
        let first = positional.first();
        match (name, first) {
            ("int", _) => self.operator("aten::Int", &positional, &named),
            ("float", _) => self.operator("aten::Float", &positional, &named),
            ("bool", Some(value @ (ScriptValue::Number(_) | ScriptValue::Tensor(_)))) => {
                Ok(truth(value)?.into())
            }
            ("complex", _) => self.operator("aten::Complex", &positional, &named),
            ("str", Some(value)) => self.operator("aten::str", std::slice::from_ref(value), &[]),
            ("len", Some(ScriptValue::Tuple(tuple))) => {
                Ok(ScriptValue::from(tuple.items.len() as i64))
            }
            ("len", _) => self.operator("aten::len", &positional, &named),
            ("list", Some(value)) => Ok(ScriptValue::list(self.items(value)?)),
            ("tuple", Some(value)) => Ok(ScriptValue::tuple(self.items(value)?)),
            ("list", None) => Ok(ScriptValue::list(Vec::new())),
            ("dict", None) => Ok(ScriptValue::Dict(Default::default())),
            ("abs", Some(ScriptValue::Tensor(_))) => {
                self.operator("aten::abs", &positional, &named)
            }
            ("abs" | "max" | "min", _) => self.extreme(name, &positional),
            ("round", _) => self.operator("aten::round", &positional, &named),
            ("sorted", _) => self.operator("aten::sorted", &positional, &named),
            ("pow", _) => self.operator("aten::pow", &positional, &named),
            ("sum", _) => self.operator("aten::sum", &positional, &named),
            ("range", _) => Ok(self.range_list(&positional)?),
            ("print", _) => Ok(ScriptValue::None),
            _ => Ok(malformed(format!("no function of this name: {name}"))?),
        }
    }

    fn extreme(&self, name: &str, positional: &[ScriptValue]) -> Result<ScriptValue, RunFault> {
        self.operator(&format!("prim::{name}"), positional, &[])
    }

    fn range_list(&self, positional: &[ScriptValue]) -> Result<ScriptValue, RunProblem> {
        let numbers: Option<Vec<ScalarValue>> =
            positional.iter().map(ScriptValue::number).collect();
        let Some(numbers) = numbers else {
            return malformed("range() of something that is no number");
        };
        let given: Vec<i64> = numbers.into_iter().map(ScalarValue::int).collect();
        let [start, end, step] = range(&given)?;
        let span = (i128::from(end) - i128::from(start)) * i128::from(step.signum());
        let size = i128::from(step).abs().max(1);
        let count = (span.max(0) + size - 1) / size;
        self.context.meter.step(u64::try_from(count).unwrap_or(u64::MAX))?;
        Ok(ScriptValue::ints((0..count as i64).map(|at| start + at * step)))
    }
}

/// Start, end and step.
pub(super) fn range(given: &[i64]) -> Result<[i64; 3], RunProblem> {
    match *given {
        [end] => Ok([0, end, 1]),
        [start, end] => Ok([start, end, 1]),
        [_, _, 0] => refused("range() arg 3 must not be zero"),
        [start, end, step] => Ok([start, end, step]),
        _ => malformed("range() of other than one to three numbers"),
    }
}
