//! Expressions.

use std::rc::Rc;

use unskew_script::{CallExpression, Expression, LiteralConstant, Statement};

use super::execute::truth;
use super::{Frame, Machine, RunFault};
use crate::operators;
use crate::problem::{malformed, unsupported};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

/// How much stack there must be left for one more level, and how much is added.
const RED_ZONE: usize = 256 << 10;
const STACK: usize = 2 << 20;

impl<'p> Machine<'p> {
    /// The value of an expression. All recursion comes through here, so here the stack grows with it.
    pub(super) fn evaluate(
        &self,
        expression: &'p Expression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        let _level = self.context.meter.enter()?;
        stacker::maybe_grow(RED_ZONE, STACK, || self.value(expression, frame))
    }

    fn value(
        &self,
        expression: &'p Expression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        match expression {
            Expression::Name(name) => match frame.locals.get(name.text.as_str()) {
                Some(value) => Ok(value.clone()),
                None => Ok(unknown(&name.text)?),
            },
            Expression::Constant { value, .. } => Ok(constant(value)?),
            Expression::Call(call) => {
                let before = self.context.trace.map_or(0, |trace| trace.len());
                let result = self.call(call, frame);
                if let Some(trace) = self.context.trace {
                    let unit = frame.unit;
                    trace.place(before, || self.code.place(unit?, call.span));
                }
                result.map_err(|fault| fault.at(frame.unit, call.span))
            }
            Expression::Attribute { of, name, .. } => {
                if let Some(value) = self.named(expression, frame) {
                    return Ok(value);
                }
                let of = self.evaluate(of, frame)?;
                self.attribute(&of, &name.text)
            }
            Expression::List { items, .. } => Ok(ScriptValue::list(self.all(items, frame)?)),
            Expression::Tuple { items, .. } => Ok(ScriptValue::tuple(self.all(items, frame)?)),
            Expression::Dict { items, .. } => self.dict(items, frame),
            Expression::Subscript { of, index, .. } => self.subscript(of, index, frame),
            Expression::Unary { operator, operand, .. } => {
                let value = self.evaluate(operand, frame)?;
                self.unary(operator, value)
            }
            Expression::Binary { operator, left, right, .. } => {
                self.binary(operator, left, right, frame)
            }
            Expression::Choice { test, then, otherwise, .. } => {
                let test = self.evaluate(test, frame)?;
                self.evaluate(if truth(&test)? { then } else { otherwise }, frame)
            }
            Expression::Slice { .. } => Ok(unsupported("a slice outside of brackets")?),
        }
    }

    pub(super) fn all(
        &self,
        items: &'p [Expression],
        frame: &mut Frame<'p>,
    ) -> Result<Vec<ScriptValue>, RunFault> {
        items.iter().map(|item| self.evaluate(item, frame)).collect()
    }

    fn dict(
        &self,
        items: &'p [(Expression, Expression)],
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        let dict = ScriptValue::Dict(Rc::default());
        for (key, value) in items {
            let pair = [dict.clone(), self.evaluate(key, frame)?, self.evaluate(value, frame)?];
            self.operator("aten::_set_item", &pair, &[])?;
        }
        Ok(dict)
    }

    /// What a dotted name means that is no attribute of a value.
    fn named(&self, expression: &Expression, frame: &Frame<'p>) -> Option<ScriptValue> {
        let path = expression.path()?;
        let (first, rest) = path.split_once('.')?;
        if frame.locals.contains_key(first) {
            return None;
        }
        match first {
            "__torch__" => Some(ScriptValue::Callable(path.as_str().into())),
            "CONSTANTS" => {
                let at: usize = rest.strip_prefix('c')?.parse().ok()?;
                self.constants.get(at).cloned()
            }
            "torch" => torch_name(rest),
            "math" => match rest {
                "pi" => Some(ScriptValue::from(std::f64::consts::PI)),
                "inf" => Some(ScriptValue::from(f64::INFINITY)),
                "nan" => Some(ScriptValue::from(f64::NAN)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn attribute(&self, of: &ScriptValue, name: &str) -> Result<ScriptValue, RunFault> {
        match of {
            ScriptValue::Object(object) => match object.get(name) {
                Some(value) => Ok(value),
                None => self.class_constant(&object.class, name),
            },
            ScriptValue::Tuple(tuple) => {
                let names = tuple.named.as_ref().map_or(&[][..], |(_, names)| names);
                let at = names.iter().position(|field| &**field == name);
                match at.and_then(|at| tuple.items.get(at)) {
                    Some(value) => Ok(value.clone()),
                    None => Ok(malformed(format!("a tuple without a field {name}"))?),
                }
            }
            ScriptValue::Tensor(_) => {
                let name = match name {
                    "T" => "aten::numpy_T".to_owned(),
                    "mT" | "mH" | "real" | "imag" => format!("aten::{name}"),
                    "ndim" => "aten::dim".to_owned(),
                    _ => format!("prim::{name}"),
                };
                self.operator(&name, std::slice::from_ref(of), &[])
            }
            ScriptValue::Device(_) if name == "type" => {
                self.operator("prim::type", std::slice::from_ref(of), &[])
            }
            other => Ok(malformed(format!("{} has no attribute {name}", other.type_name()))?),
        }
    }

    /// `padding : Final[int] = 1` in the class.
    fn class_constant(&self, class: &str, name: &str) -> Result<ScriptValue, RunFault> {
        let found = self.code.class(class).and_then(|(unit, class)| {
            class.body.iter().find_map(|statement| match statement {
                Statement::Annotated {
                    target: Expression::Name(own), value: Some(value), ..
                }
                | Statement::Assign { target: Expression::Name(own), value, .. }
                    if own.text == name =>
                {
                    Some((unit, value))
                }
                _ => None,
            })
        });
        match found {
            Some((unit, value)) => {
                let mut frame = Frame { unit: Some(unit), locals: Default::default() };
                self.evaluate(value, &mut frame)
            }
            None => Ok(malformed(format!("an object of {class} has no attribute {name}"))?),
        }
    }

    fn subscript(
        &self,
        of: &'p Expression,
        index: &'p Expression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        let of = self.evaluate(of, frame)?;
        if let Expression::Slice { parts, .. } = index {
            let mut given = vec![of.clone()];
            if of.tensor().is_some() {
                given.push(ScriptValue::from(0_i64));
            }
            for part in parts.iter() {
                given.push(match part {
                    Some(part) => self.evaluate(part, frame)?,
                    None => ScriptValue::None,
                });
            }
            if let Some(last @ ScriptValue::None) = given.last_mut() {
                *last = ScriptValue::from(1_i64);
            }
            if let ScriptValue::Tuple(tuple) = &of {
                given[0] = ScriptValue::list(tuple.items.clone());
                let part = self.operator("aten::slice", &given, &[])?;
                return Ok(ScriptValue::tuple(part.items().unwrap_or_default()));
            }
            return self.operator("aten::slice", &given, &[]);
        }
        let index = self.evaluate(index, frame)?;
        match &of {
            ScriptValue::Tensor(tensor) => Ok(tensor_item(tensor, &index)?.into()),
            ScriptValue::Tuple(tuple) => {
                let at = index.number().map_or(0, ScalarValue::int);
                let at = if at < 0 { at + tuple.items.len() as i64 } else { at };
                match usize::try_from(at).ok().and_then(|at| tuple.items.get(at)) {
                    Some(value) => Ok(value.clone()),
                    None => Ok(malformed(format!("a tuple without an item {at}"))?),
                }
            }
            _ => self.operator("aten::__getitem__", &[of, index], &[]),
        }
    }

    fn unary(&self, operator: &str, value: ScriptValue) -> Result<ScriptValue, RunFault> {
        match operator {
            "not" => Ok((!truth(&value)?).into()),
            "-" => self.operator("aten::neg", &[value], &[]),
            "+" => Ok(value),
            "~" => self.operator("aten::bitwise_not", &[value], &[]),
            other => Ok(unsupported(format!("the operator {other}"))?),
        }
    }

    fn binary(
        &self,
        operator: &str,
        left: &'p Expression,
        right: &'p Expression,
        frame: &mut Frame<'p>,
    ) -> Result<ScriptValue, RunFault> {
        let left = self.evaluate(left, frame)?;
        match operator {
            "and" if !truth(&left)? => return Ok(left),
            "or" if truth(&left)? => return Ok(left),
            _ => {}
        }
        let right = self.evaluate(right, frame)?;
        let tensors = left.tensor().is_some() || right.tensor().is_some();
        let name = match operator {
            "and" | "or" => return Ok(right),
            "in" | "not in" => {
                let found = self.operator("aten::__contains__", &[right, left], &[])?;
                return Ok((truth(&found)? == (operator == "in")).into());
            }
            "is" => "aten::__is__",
            "is not" => "aten::__isnot__",
            "+" => "aten::add",
            "-" if left.tensor().is_none() && tensors => {
                return self.operator("aten::rsub", &[right, left], &[]);
            }
            "-" => "aten::sub",
            "*" => "aten::mul",
            "/" if left.tensor().is_none() && tensors => {
                let inverse = self.operator("aten::reciprocal", &[right], &[])?;
                return self.operator("aten::mul", &[inverse, left], &[]);
            }
            "/" => "aten::div",
            "//" if tensors => "aten::floor_divide",
            "//" => "aten::floordiv",
            "%" => "aten::remainder",
            "**" => "aten::pow",
            "@" => "aten::matmul",
            "&" => "aten::__and__",
            "|" => "aten::__or__",
            "^" => "aten::__xor__",
            "==" => "aten::eq",
            "!=" => "aten::ne",
            "<" => "aten::lt",
            "<=" => "aten::le",
            ">" => "aten::gt",
            ">=" => "aten::ge",
            other => return Ok(unsupported(format!("the operator {other}"))?),
        };
        // A number stands left of a tensor where the operator has no such overload.
        if left.tensor().is_none() && right.tensor().is_some() && matches!(operator, "+" | "*") {
            return self.operator(name, &[right, left], &[]);
        }
        self.operator(name, &[left, right], &[])
    }

    /// The values by place and by name of a call.
    pub(super) fn given(
        &self,
        call: &'p CallExpression,
        frame: &mut Frame<'p>,
    ) -> Result<super::Given, RunFault> {
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for argument in &call.arguments {
            let value = self.evaluate(&argument.value, frame)?;
            match &argument.keyword {
                Some(keyword) => named.push((keyword.text.to_string(), value)),
                None => positional.push(value),
            }
        }
        Ok((positional, named))
    }
}

/// What `t[1]` or `t[mask]` is of a tensor.
pub(super) fn tensor_item(tensor: &Tensor, index: &ScriptValue) -> Result<Tensor, RunProblem> {
    match index {
        ScriptValue::Number(ScalarValue::Int(at)) => operators::item(tensor, *at),
        ScriptValue::Tuple(indexes) => {
            indexes.items.iter().try_fold(tensor.clone(), |part, index| tensor_item(&part, index))
        }
        other => unsupported(format!("a tensor indexed by {}", other.type_name())),
    }
}

fn unknown(name: &str) -> Result<ScriptValue, RunProblem> {
    match name {
        "inf" => Ok(ScriptValue::from(f64::INFINITY)),
        "nan" => Ok(ScriptValue::from(f64::NAN)),
        _ => malformed(format!("a name without a value: {name}")),
    }
}

/// What `torch.float32` and the like are in programs.
fn torch_name(name: &str) -> Option<ScriptValue> {
    let code = match name {
        "strided" | "contiguous_format" => 0,
        "preserve_format" => 1,
        "float" => Dtype::F32.code(),
        "double" => Dtype::F64.code(),
        "half" => Dtype::F16.code(),
        "int" => Dtype::I32.code(),
        "long" => Dtype::I64.code(),
        "inf" => return Some(ScriptValue::from(f64::INFINITY)),
        "pi" => return Some(ScriptValue::from(std::f64::consts::PI)),
        "nan" => return Some(ScriptValue::from(f64::NAN)),
        _ => Dtype::named(name)?.code(),
    };
    Some(ScriptValue::from(code))
}

fn constant(constant: &LiteralConstant) -> Result<ScriptValue, RunProblem> {
    Ok(match constant {
        LiteralConstant::None => ScriptValue::None,
        LiteralConstant::Bool(yes) => ScriptValue::from(*yes),
        LiteralConstant::Int(text) => match text.replace('_', "").parse::<i64>() {
            Ok(number) => ScriptValue::from(number),
            // The sign stands before: the lowest integer has no positive one.
            Err(_) if text == "9223372036854775808" => ScriptValue::from(i64::MIN),
            Err(_) => return unsupported(format!("an integer of more than 64 bits: {text}")),
        },
        LiteralConstant::Float(text) => match text.replace('_', "").parse::<f64>() {
            Ok(number) => ScriptValue::from(number),
            Err(_) => return malformed(format!("no number: {text}")),
        },
        LiteralConstant::Imaginary(text) => match text.trim_end_matches(['j', 'J']).parse() {
            Ok(number) => ScalarValue::Complex(0.0, number).into(),
            Err(_) => return malformed(format!("no number: {text}")),
        },
        LiteralConstant::Text(text) => ScriptValue::from(text.as_str()),
        LiteralConstant::Ellipsis => return unsupported("an ellipsis"),
    })
}
