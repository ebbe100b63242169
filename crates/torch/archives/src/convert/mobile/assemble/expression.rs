//! Expressions as bytecode: each leaves its value on the stack.

use unskew_script::typing::{ResolvedCall, literal_of};
use unskew_script::{CallExpression, Expression, TextSpan};
use unskew_torch_schemas::matching::{
    BoundArgument, GivenValue, Literal, OverloadChoice, ScriptType,
};
use unskew_torch_schemas::{SchemaArgument, SchemaType};

use super::Assembler;
use crate::convert::mobile::constants::default;

impl Assembler<'_> {
    /// An expression that is one value or more; says how many.
    pub(super) fn values(&mut self, expression: &Expression) -> Option<usize> {
        match expression {
            Expression::Tuple { items, .. } => {
                items.iter().try_for_each(|item| self.one(item))?;
                Some(items.len())
            }
            Expression::Call(call) => self.resolved(call.span, &arguments(call)).or_else(|| {
                self.language(call)?;
                Some(1)
            }),
            _ => {
                self.one(expression)?;
                Some(1)
            }
        }
    }

    /// An expression that is one value.
    pub(super) fn one(&mut self, expression: &Expression) -> Option<()> {
        if let Some(literal) = self.literal(expression) {
            return match (&literal, expression) {
                (_, Expression::Name(_)) | (Literal::List(_) | Literal::Tuple(_), _) => {
                    self.expression(expression)
                }
                _ => self.load(&literal),
            };
        }
        self.expression(expression)
    }

    fn expression(&mut self, expression: &Expression) -> Option<()> {
        match expression {
            Expression::Name(name) => {
                let register = *self.registers.get(name.text.as_str())?;
                self.emit("LOAD", register, 0);
                Some(())
            }
            Expression::Call(_) => (self.values(expression)? == 1).then_some(()),
            Expression::List { items, .. } => {
                let kinds: Vec<_> = items.iter().map(|item| self.item_type(item)).collect();
                let kind = (*kinds.first()?)?;
                kinds.iter().all(|one| *one == Some(kind)).then_some(())?;
                self.list(items, kind)
            }
            Expression::Choice { test, then, otherwise, .. } => {
                if let Some(holds) = self.truth(test) {
                    return self.one(if holds { then } else { otherwise });
                }
                self.one(test)?;
                self.choice(|it| it.one(then), |it| it.one(otherwise))
            }
            Expression::Unary { operator: "not", operand, .. } => {
                self.one(operand)?;
                self.call("aten::__not__", "", 1);
                Some(())
            }
            Expression::Binary { operator: "and", left, right, .. } => {
                self.one(left)?;
                self.choice(|it| it.one(right), |it| it.load(&Literal::Bool(false)))
            }
            Expression::Binary { operator: "or", left, right, .. } => {
                self.one(left)?;
                self.choice(|it| it.load(&Literal::Bool(true)), |it| it.one(right))
            }
            Expression::Binary { operator: operator @ ("is" | "is not"), left, right, .. } => {
                self.one(left)?;
                self.one(right)?;
                let name = if *operator == "is" { "aten::__is__" } else { "aten::__isnot__" };
                self.call(name, "", 2);
                Some(())
            }
            Expression::Binary { left, right, span, .. } => self.only(*span, &[left, right]),
            Expression::Unary { operand, span, .. } => self.only(*span, &[operand]),
            Expression::Subscript { of, index, span } => self.only(*span, &[of, index]),
            Expression::Attribute { of, span, .. } => self.only(*span, &[of]),
            _ => None,
        }
    }

    fn list(&mut self, items: &[Expression], kind: &str) -> Option<()> {
        items.iter().try_for_each(|item| self.one(item))?;
        let ty = self.function.ty(self.pickle, &format!("List[{kind}]"));
        self.emit("LIST_CONSTRUCT", ty, items.len() as i64);
        Some(())
    }

    /// One value if what lies on the stack holds, else another.
    fn choice(
        &mut self,
        then: impl FnOnce(&mut Self) -> Option<()>,
        otherwise: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let over = self.emit("JF", 0, 0);
        then(self)?;
        let out = self.emit("JMP", 0, 0);
        self.land(over);
        otherwise(self)?;
        self.land(out);
        Some(())
    }

    fn only(&mut self, span: TextSpan, operands: &[&Expression]) -> Option<()> {
        (self.resolved(span, operands)? == 1).then_some(())
    }

    /// The call of an operator that stands at `span`, given these operands; says how many values it leaves.
    fn resolved(&mut self, span: TextSpan, operands: &[&Expression]) -> Option<usize> {
        let call: &ResolvedCall = self.calls.get(&span).copied()?;
        let OverloadChoice::One(signature, binding) = &call.choice else { return None };
        let schema = self.table.overload(&signature.schema.name, &signature.schema.overload)?;
        if schema != signature.schema || schema.variadic || schema.variadic_returns {
            return None;
        }
        let last = binding.arguments.iter().rposition(|bound| *bound != BoundArgument::Default);
        let all = !self.site.counted || schema.arguments.iter().any(SchemaArgument::is_out);
        let count = if all { schema.arguments.len() } else { last.map_or(0, |last| last + 1) };
        for (argument, bound) in schema.arguments.iter().zip(&binding.arguments).take(count) {
            match bound {
                BoundArgument::Given(place) => {
                    let (given, operand) = (call.given.get(*place)?, operands.get(*place)?);
                    self.argument(argument, given, operand)?;
                }
                BoundArgument::Default => {
                    let default = default(argument, self.pickle)?;
                    let number = self.function.constant(self.pickle, default);
                    self.emit("LOADC", number, 0);
                }
                BoundArgument::Rest(_) => return None,
            }
        }
        self.call(&schema.name, &schema.overload, count);
        Some(schema.returns.len())
    }

    /// An operand in the form in which the operator takes it.
    fn argument(
        &mut self,
        argument: &SchemaArgument,
        given: &GivenValue,
        operand: &Expression,
    ) -> Option<()> {
        let literal = self.literal(operand);
        match (&argument.ty, literal) {
            // An integer that stands there for a float.
            (SchemaType::Named(ty), Some(Literal::Int(number))) if ty == "float" => {
                self.load(&Literal::from(number as f64))
            }
            _ => {
                passes(&given.ty, &argument.ty).then_some(())?;
                match (operand, &given.ty) {
                    (Expression::List { items, .. }, ScriptType::List(item)) => {
                        self.list(items, kind_of(item)?)
                    }
                    _ => self.one(operand),
                }
            }
        }
    }

    fn language(&mut self, call: &CallExpression) -> Option<()> {
        let name = call.function.path()?;
        let all = arguments(call);
        match (name.as_str(), all.as_slice()) {
            ("isinstance", [value, kind]) => {
                self.one(value)?;
                let ty = self.function.ty(self.pickle, &kind.path()?);
                self.emit("ISINSTANCE", ty, 1);
                Some(())
            }
            // It is one already.
            ("int" | "float" | "bool", [value]) => self.one(value),
            _ => None,
        }
    }

    /// The value of an expression, if it is known.
    pub(super) fn literal(&self, expression: &Expression) -> Option<Literal> {
        match expression {
            Expression::Name(name) => self.known.get(name.text.as_str()).cloned(),
            Expression::Call(call) => {
                let [argument] = call.arguments.as_slice() else { return None };
                match (call.function.path()?.as_str(), self.literal(&argument.value)?) {
                    ("float", Literal::Int(number)) => Some(Literal::from(number as f64)),
                    ("float", literal @ Literal::Float(_)) => Some(literal),
                    ("float", Literal::Text(text)) if matches!(&*text, "inf" | "-inf") => {
                        Some(Literal::from(text.parse::<f64>().ok()?))
                    }
                    ("int", literal @ Literal::Int(_)) => Some(literal),
                    _ => None,
                }
            }
            _ => literal_of(expression),
        }
    }

    /// Whether a condition holds, if that is known.
    pub(super) fn truth(&self, test: &Expression) -> Option<bool> {
        match test {
            Expression::Unary { operator: "not", operand, .. } => Some(!self.truth(operand)?),
            Expression::Binary { operator, left, right, .. } => match *operator {
                "is" | "==" => Some(self.literal(left)? == self.literal(right)?),
                "is not" | "!=" => Some(self.literal(left)? != self.literal(right)?),
                "and" | "or" => {
                    let decides = *operator == "or";
                    match (self.truth(left), self.truth(right)) {
                        (Some(one), _) | (_, Some(one)) if one == decides => Some(decides),
                        (Some(_), Some(_)) => Some(!decides),
                        _ => None,
                    }
                }
                _ => None,
            },
            Expression::Call(call) if call.function.path().as_deref() == Some("isinstance") => {
                let [value, kind] = call.arguments.as_slice() else { return None };
                match (self.literal(&value.value)?, kind.value.path()?.as_str()) {
                    (literal, "float") => Some(matches!(literal, Literal::Float(_))),
                    (literal, "int") => Some(matches!(literal, Literal::Int(_))),
                    _ => None,
                }
            }
            other => self.literal(other)?.truth(),
        }
    }

    /// The type of an item of a list, as bytecode names it.
    fn item_type(&self, item: &Expression) -> Option<&'static str> {
        if let Some(literal) = self.literal(item) {
            return match literal {
                Literal::Int(_) => Some("int"),
                Literal::Float(_) => Some("float"),
                Literal::Bool(_) => Some("bool"),
                _ => None,
            };
        }
        let returns = match item {
            Expression::Name(name) => {
                let all = &self.site.schema.arguments;
                all.iter().find(|argument| argument.name == name.text).map(|one| one.ty.clone())
            }
            other => {
                let call = self.calls.get(&other.span())?;
                call.schema()?.returns.first().map(|returned| returned.ty.clone())
            }
        };
        // A name that is assigned in the function is a tensor in all that there are.
        match returns {
            Some(SchemaType::Named(ty)) if ty == "int" || ty == "SymInt" => Some("int"),
            Some(SchemaType::Named(ty)) if ty == "float" => Some("float"),
            Some(SchemaType::Named(ty)) if ty == "Tensor" => Some("Tensor"),
            _ => None,
        }
    }
}

/// The type of the items of a list, as bytecode names it.
fn kind_of(item: &ScriptType) -> Option<&'static str> {
    Some(match item {
        ScriptType::Int => "int",
        ScriptType::Float => "float",
        ScriptType::Bool => "bool",
        ScriptType::Tensor => "Tensor",
        _ => return None,
    })
}

/// What a call is given, what it is called on first.
fn arguments(call: &CallExpression) -> Vec<&Expression> {
    let mut all = Vec::new();
    if let Expression::Attribute { of, .. } = &call.function
        && !matches!(of.path().as_deref(), Some("torch" | "torch.linalg"))
    {
        all.push(&**of);
    }
    all.extend(call.arguments.iter().map(|argument| &argument.value));
    all
}

/// Whether the operator takes a value of the type as it is, without a conversion that the loader would add.
fn passes(given: &ScriptType, takes: &SchemaType) -> bool {
    match (given, takes) {
        (ScriptType::None, SchemaType::Optional(_)) => true,
        (ScriptType::Optional(given), SchemaType::Optional(takes)) => passes(given, takes),
        (given, SchemaType::Optional(takes)) => passes(given, takes),
        (ScriptType::List(item), SchemaType::List(takes, _)) => passes(item, takes),
        // A variable of the schema takes anything.
        (_, SchemaType::Named(name)) if name == "t" => true,
        (ScriptType::Tensor, SchemaType::Named(name)) => name == "Tensor",
        (ScriptType::Int, SchemaType::Named(name)) => matches!(
            &**name,
            "int" | "SymInt" | "Scalar" | "number" | "ScalarType" | "Layout" | "MemoryFormat"
        ),
        (ScriptType::Float, SchemaType::Named(name)) => {
            matches!(&**name, "float" | "Scalar" | "number")
        }
        (ScriptType::Number, SchemaType::Named(name)) => matches!(&**name, "Scalar" | "number"),
        (ScriptType::Bool, SchemaType::Named(name)) => name == "bool",
        (ScriptType::Str, SchemaType::Named(name)) => name == "str",
        (ScriptType::Named(given), SchemaType::Named(name)) => **given == **name,
        _ => false,
    }
}
