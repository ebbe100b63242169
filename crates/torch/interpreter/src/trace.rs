//! What a program did, call by call: two runs of it are compared by this.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use unskew_torch_schemas::Schema;

use crate::{Number, Tensor, Value};

/// How many calls are written down; what comes behind them is not.
const MOST: usize = 1 << 17;

/// The calls of operators of one run.
///
/// ```
/// use std::rc::Rc;
/// use unskew_interpreter::{Interpreter, Semantics, Trace, Value};
/// let trace = Rc::new(Trace::default());
/// let interpreter = Interpreter::new(Semantics::newest()).with_trace(trace.clone());
/// interpreter.operator("aten::add", vec![Value::from(1_i64), Value::from(2_i64)], vec![]).unwrap();
/// let steps = trace.take();
/// assert_eq!((steps[0].operator.as_str(), steps[0].gave.as_str()), ("aten::add.int", "int 3"));
/// ```
#[derive(Debug, Default)]
pub struct Trace {
    steps: RefCell<Vec<Step>>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The overload: `aten::div.Tensor`.
    pub operator: String,
    /// The file with line and column, or the node of a graph, if it is known.
    pub place: Option<String>,
    /// The arguments by name, in words: `self: int64[3]`.
    pub given: Vec<(String, String)>,
    /// What it gave, in words: `float32[3]`, `int 3`.
    pub gave: String,
    /// A digest of what it gave, element by element.
    pub digest: u64,
}

impl Trace {
    /// The calls, in their order; the trace is empty then.
    pub fn take(&self) -> Vec<Step> {
        self.steps.take()
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.borrow().len()
    }

    pub(crate) fn add(&self, schema: &Schema, values: &[Value], result: &Value) {
        let mut steps = self.steps.borrow_mut();
        if steps.len() >= MOST {
            return;
        }
        let names = schema.arguments.iter().map(|argument| argument.name.clone());
        let given = names.zip(values).map(|(name, value)| (name, in_words(value))).collect();
        let mut hasher = DefaultHasher::new();
        digest(result, &mut hasher, 0);
        steps.push(Step {
            operator: schema.full_name(),
            place: None,
            given,
            gave: in_words(result),
            digest: hasher.finish(),
        });
    }

    /// Says where the calls since then stand of which that is not known.
    pub(crate) fn place(&self, since: usize, place: impl Fn() -> Option<String>) {
        let mut steps = self.steps.borrow_mut();
        let Some(steps) = steps.get_mut(since..) else { return };
        if steps.iter().all(|step| step.place.is_some()) {
            return;
        }
        let place = place();
        for step in steps.iter_mut().filter(|step| step.place.is_none()) {
            step.place.clone_from(&place);
        }
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::None => "None".into(),
        Value::Tensor(tensor) => tensor.to_string(),
        Value::Number(number) => format!("{} {number}", value_kind(*number)),
        Value::Text(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        Value::Tuple(tuple) if tuple.items.len() <= 8 => {
            let items: Vec<String> = tuple.items.iter().map(in_words).collect();
            format!("({})", items.join(", "))
        }
        other => other.type_name(),
    }
}

fn value_kind(number: Number) -> &'static str {
    match number {
        Number::Bool(_) => "bool",
        Number::Int(_) => "int",
        Number::Float(_) => "float",
        Number::Complex(..) => "complex",
    }
}

/// A digest of a value: equal ones have the same in every run.
fn digest(value: &Value, hasher: &mut DefaultHasher, depth: usize) {
    if depth > 20 {
        return;
    }
    match value {
        Value::Tensor(tensor) => of_tensor(tensor, hasher),
        Value::Number(number) => {
            value_kind(*number).hash(hasher);
            let (re, im) = number.complex();
            (number.int(), re.to_bits(), im.to_bits()).hash(hasher);
        }
        Value::Text(text) => text.hash(hasher),
        Value::List(items) => items.borrow().iter().for_each(|v| digest(v, hasher, depth + 1)),
        Value::Tuple(tuple) => tuple.items.iter().for_each(|v| digest(v, hasher, depth + 1)),
        Value::Dict(items) => {
            for (key, value) in items.borrow().iter() {
                digest(key, hasher, depth + 1);
                digest(value, hasher, depth + 1);
            }
        }
        other => other.type_name().hash(hasher),
    }
}

fn of_tensor(tensor: &Tensor, hasher: &mut DefaultHasher) {
    (tensor.dtype(), tensor.shape()).hash(hasher);
    tensor.bytes_of_elements(|bytes| hasher.write(bytes));
}

/// A digest of a whole result, for comparing two runs.
pub fn digest_of(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    digest(value, &mut hasher, 0);
    hasher.finish()
}
