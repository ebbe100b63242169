//! Calls whose results real releases recorded (`crates/torch/operators/data/operator_cases.tsv`), calculated here: by
//! the operator itself with the semantics of that release, and by the upgrader or downgrader with the
//! operators of its own side.

use std::collections::BTreeMap;

use unskew_interpreter::{
    Dtype, Interpreter, ReleaseSemantics, RunProblem, ScalarValue, ScriptValue, Tensor,
};
use unskew_script::{Expression, LiteralConstant, Statement};
use unskew_torch_operators::{Bridge, OperatorRegistry};

use crate::corpus::difference;

/// Results were recorded with nine digits; sums of 32-bit floats differ by their order.
const TOLERANCE: f64 = 2e-5;

struct Case {
    function: String,
    release: String,
    arguments: Vec<(String, ScriptValue)>,
    result: ScriptValue,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../operators/data/operator_cases.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        Case {
            function: columns[0].to_owned(),
            release: columns[1].to_owned(),
            arguments: arguments(columns[2]),
            result: literal(&expression(columns[3])),
        }
    })
    .collect()
}

fn expression(text: &str) -> Expression {
    let module = unskew_script::parse(&format!("{text}\n")).unwrap();
    match module.body.into_iter().next() {
        Some(Statement::Expression { value, .. }) => value,
        other => panic!("{text}: {other:?}"),
    }
}

fn arguments(text: &str) -> Vec<(String, ScriptValue)> {
    let Expression::Call(call) = expression(&format!("f({text})")) else { panic!("{text}") };
    let named = |argument: &unskew_script::CallArgument| {
        (argument.keyword.as_ref().unwrap().text.to_string(), literal(&argument.value))
    };
    call.arguments.iter().map(named).collect()
}

/// `tensor('int64', [2], [1, 2])` and everything that stands in it.
fn literal(expression: &Expression) -> ScriptValue {
    match expression {
        Expression::Constant { value, .. } => match value {
            LiteralConstant::None => ScriptValue::None,
            LiteralConstant::Bool(yes) => ScriptValue::from(*yes),
            LiteralConstant::Int(text) => ScriptValue::from(text.parse::<i64>().unwrap()),
            LiteralConstant::Float(text) => ScriptValue::from(text.parse::<f64>().unwrap()),
            LiteralConstant::Text(text) => ScriptValue::from(text.as_str()),
            LiteralConstant::Imaginary(text) => {
                ScalarValue::Complex(0.0, text.trim_end_matches('j').parse().unwrap()).into()
            }
            other => panic!("{other:?}"),
        },
        Expression::Unary { operator: "-", operand, .. } => {
            match literal(operand).number().unwrap() {
                ScalarValue::Int(number) => ScriptValue::from(-number),
                number => ScriptValue::from(-number.float()),
            }
        }
        Expression::Binary { operator, left, right, .. } => {
            let (left, right) = (literal(left).number().unwrap(), literal(right).number().unwrap());
            let ScalarValue::Complex(_, imaginary) = right else { panic!("{right}") };
            let imaginary = if *operator == "-" { -imaginary } else { imaginary };
            ScalarValue::Complex(left.float(), imaginary).into()
        }
        Expression::Name(name) if name.text == "nan" => ScriptValue::from(f64::NAN),
        Expression::Name(name) if name.text == "inf" => ScriptValue::from(f64::INFINITY),
        Expression::List { items, .. } => ScriptValue::list(items.iter().map(literal).collect()),
        Expression::Tuple { items, .. } => ScriptValue::tuple(items.iter().map(literal).collect()),
        Expression::Call(call) if call.function.path().as_deref() == Some("float") => {
            ScriptValue::from(
                literal(&call.arguments[0].value).text().unwrap().parse::<f64>().unwrap(),
            )
        }
        Expression::Call(call) => {
            let given: Vec<ScriptValue> =
                call.arguments.iter().map(|a| literal(&a.value)).collect();
            let dtype = Dtype::named(given[0].text().unwrap()).unwrap();
            let items = |at: usize| given[at].items().unwrap();
            let shape: Vec<usize> =
                items(1).iter().map(|n| n.number().unwrap().int() as usize).collect();
            let mut numbers: Vec<ScalarValue> = items(2)
                .iter()
                .map(|n| match n.items() {
                    Some(parts) => {
                        let part = |at: usize| parts[at].number().unwrap().float();
                        ScalarValue::Complex(part(0), part(1))
                    }
                    None => n.number().unwrap(),
                })
                .collect();
            // Complex numbers may be written as two.
            if dtype.is_complex() && numbers.len() == 2 * shape.iter().product::<usize>() {
                let pairs = numbers.chunks(2);
                numbers = pairs.map(|p| ScalarValue::Complex(p[0].float(), p[1].float())).collect();
            }
            Tensor::new(dtype, &shape, &numbers).unwrap().into()
        }
        other => panic!("{other:?}"),
    }
}

fn bridges(registry: &OperatorRegistry) -> BTreeMap<&str, &Bridge> {
    let changes = registry.operators().flat_map(|(_, changes)| changes);
    let all = changes.flat_map(|change| change.upgrader.iter().chain(&change.downgraders));
    all.map(|bridge| (bridge.function.as_str(), bridge)).collect()
}

/// Fresh tensors each time: a call may write to them.
fn copy(values: &[(String, ScriptValue)]) -> Vec<(String, ScriptValue)> {
    let copy = |value: &ScriptValue| match value {
        ScriptValue::Tensor(tensor) => ScriptValue::from(
            Tensor::new(tensor.dtype(), tensor.shape(), &tensor.numbers()).unwrap(),
        ),
        other => other.clone(),
    };
    values.iter().map(|(name, value)| (name.clone(), copy(value))).collect()
}

/// Random numbers, and uninitialized ones, have no value to compare.
fn has_no_value(function: &str) -> bool {
    ["randint", "rand_names", "randn_names", "empty_names"].iter().any(|f| function.starts_with(f))
}

/// Eigenvectors and singular vectors may point either way: without signs.
fn with_one_sign(function: &str, value: &ScriptValue) -> ScriptValue {
    let free = ["symeig", "linalg_svd_", "eig_"].iter().any(|name| function.starts_with(name));
    if !free {
        return value.clone();
    }
    let positive = |tensor: &Tensor| {
        let numbers: Vec<ScalarValue> =
            tensor.numbers().iter().map(|n| ScalarValue::Float(n.float().abs())).collect();
        ScriptValue::from(Tensor::new(tensor.dtype(), tensor.shape(), &numbers).unwrap())
    };
    ScriptValue::tuple(value.tensors().iter().map(positive).collect())
}

#[derive(Default)]
struct Tally {
    equal: usize,
    /// By the operator that the interpreter does not have.
    missing: BTreeMap<String, usize>,
    differs: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case, result: Result<ScriptValue, unskew_interpreter::RunError>) {
        let wanted = case.result.tensors();
        let shown = format!("{} on {}", case.function, case.release);
        match result {
            Err(error) => match error.problem {
                RunProblem::UnknownOperator(name) => *self.missing.entry(name).or_default() += 1,
                RunProblem::NoOverload { operator, given } => {
                    *self.missing.entry(format!("{operator}({given})")).or_default() += 1;
                }
                RunProblem::Unsupported(what) => *self.missing.entry(what).or_default() += 1,
                problem => self.differs.push(format!("{shown}: {problem}")),
            },
            Ok(_) if has_no_value(&case.function) => self.equal += 1,
            Ok(found) if wanted.is_empty() => {
                assert_eq!(found.to_string(), case.result.to_string(), "{shown}");
                self.equal += 1;
            }
            Ok(found) => match difference(
                &with_one_sign(&case.function, &case.result),
                &with_one_sign(&case.function, &found),
                TOLERANCE,
            ) {
                None => self.equal += 1,
                Some(difference) => self.differs.push(format!("{shown}: {difference}")),
            },
        }
    }

    fn show(&self, what: &str) {
        let missing: usize = self.missing.values().sum();
        println!(
            "{what}: {} equal, {missing} not executable, {} differ",
            self.equal,
            self.differs.len()
        );
        for (name, count) in &self.missing {
            println!("  {count:4} without {name}");
        }
        for line in &self.differs {
            println!("  {line}");
        }
    }
}

#[test]
fn bridges_and_operators_give_what_real_releases_gave() {
    let registry = unskew_torch_operators::registry();
    let bridges = bridges(registry);
    let (mut operators, mut functions) = (Tally::default(), Tally::default());
    for case in cases() {
        let bridge = bridges[case.function.as_str()];
        let semantics = ReleaseSemantics::for_release(case.release.parse().unwrap());
        let interpreter = Interpreter::new(semantics);
        let name = bridge.schema.full_name();
        operators.add(&case, interpreter.operator(&name, Vec::new(), copy(&case.arguments)));

        // An upgrader runs on the newest of its releases, a downgrader on the last.
        let other = match bridge.on.until {
            Some(until) => ReleaseSemantics::for_release(until),
            None => ReleaseSemantics::newest(),
        };
        let function = registry.function(&bridge.function).unwrap();
        let found = Interpreter::new(other).function(function, Vec::new(), copy(&case.arguments));
        functions.add(&case, found);
    }
    operators.show("operators");
    functions.show("upgraders and downgraders");
    assert!(operators.differs.is_empty() && functions.differs.is_empty());
    // More may become executable, none may be lost.
    assert!(operators.equal >= 409 && functions.equal >= 568);
}
