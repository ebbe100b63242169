//! Symbolic sizes as text.
//!
//! From schema 8.2 on an expression is written as the calls that build it:
//! `Mul(Integer(2), Symbol('s77', integer=True))`; before, as one writes it: `2*s77`.

use unskew_script::{Expression, LiteralConstant, Statement};

/// An expression of 8.2 or later as an earlier one; none if it has no such form.
pub(super) fn plain(text: &str) -> Option<String> {
    let module = unskew_script::parse(text).ok()?;
    match module.body.as_slice() {
        [Statement::Expression { value, .. }] => shown(value),
        _ => None,
    }
}

fn shown(expression: &Expression) -> Option<String> {
    let Expression::Call(call) = expression else {
        return match expression {
            Expression::Constant { value: LiteralConstant::Int(number), .. } => {
                Some(number.clone())
            }
            Expression::Unary { operator: "-", operand, .. } => {
                Some(format!("-{}", shown(operand)?))
            }
            Expression::Name(name) => Some(name.text.to_string()),
            _ => None,
        };
    };
    let name = call.function.path()?;
    // Assumptions on a symbol are given by keyword; there is no place for them.
    let arguments = call.arguments.iter().filter(|argument| argument.keyword.is_none());
    let values: Vec<&Expression> = arguments.map(|argument| &argument.value).collect();
    if let ("Symbol", [Expression::Constant { value: LiteralConstant::Text(symbol), .. }]) =
        (name.as_str(), values.as_slice())
    {
        return Some(symbol.clone());
    }
    let all: Vec<String> = values.into_iter().map(shown).collect::<Option<_>>()?;
    Some(match (name.as_str(), all.as_slice()) {
        ("Integer", [number]) => number.clone(),
        ("Add", [_, ..]) => format!("({})", all.join(" + ")),
        ("Mul", [_, ..]) => format!("({})", all.join("*")),
        ("Pow", [base, exponent]) => format!("({base}**{exponent})"),
        ("FloorDiv", [over, under]) => format!("({over}//{under})"),
        ("Rational", [over, under]) => format!("({over}/{under})"),
        ("Mod" | "Max" | "Min", [_, ..]) => format!("{name}({})", all.join(", ")),
        ("GreaterThan", [one, other]) => format!("({one} >= {other})"),
        ("LessThan", [one, other]) => format!("({one} <= {other})"),
        ("StrictGreaterThan", [one, other]) => format!("({one} > {other})"),
        ("StrictLessThan", [one, other]) => format!("({one} < {other})"),
        ("Equality", [one, other]) => format!("Eq({one}, {other})"),
        ("Unequality", [one, other]) => format!("Ne({one}, {other})"),
        ("And" | "Or" | "Not", [_, ..]) => format!("{name}({})", all.join(", ")),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn calls_become_operators() {
        let text = "Add(Mul(Integer(2), Symbol('s77', positive=True, integer=True)), Integer(-1))";
        assert_eq!(plain(text).unwrap(), "((2*s77) + -1)");
        let text = "GreaterThan(Symbol('u0', integer=True), Integer(2))";
        assert_eq!(plain(text).unwrap(), "(u0 >= 2)");
        assert_eq!(plain("s0").unwrap(), "s0");
        assert_eq!(plain("PythonMod(Symbol('u0'), Integer(2))"), None);
        assert_eq!(plain("import os"), None);
    }
}
