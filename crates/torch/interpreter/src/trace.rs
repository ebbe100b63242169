//! Trace of a program, call by call: two runs of it are compared by this.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use unskew_torch_schemas::FunctionSchema;

use crate::{ScalarValue, ScriptValue, Tensor};

/// How many calls are written down; what comes behind them is not.
const MOST: usize = 1 << 17;

/// The calls of operators of one run.
///
/// ```
/// use std::rc::Rc;
/// use unskew_interpreter::{Interpreter, ReleaseSemantics, Trace, ScriptValue};
/// let trace = Rc::new(Trace::default());
/// let interpreter = Interpreter::new(ReleaseSemantics::newest()).with_trace(trace.clone());
/// interpreter.operator("aten::add", vec![ScriptValue::from(1_i64), ScriptValue::from(2_i64)], vec![]).unwrap();
/// let steps = trace.take();
/// assert_eq!((steps[0].operator.as_str(), steps[0].gave.as_str()), ("aten::add.int", "int 3"));
/// ```
#[derive(Debug, Default)]
pub struct Trace {
    steps: RefCell<Vec<TraceStep>>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
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
    pub fn take(&self) -> Vec<TraceStep> {
        self.steps.take()
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.borrow().len()
    }

    pub(crate) fn add(
        &self,
        schema: &FunctionSchema,
        values: &[ScriptValue],
        result: &ScriptValue,
    ) {
        let mut steps = self.steps.borrow_mut();
        if steps.len() >= MOST {
            return;
        }
        let names = schema.arguments.iter().map(|argument| argument.name.clone());
        let given = names.zip(values).map(|(name, value)| (name, in_words(value))).collect();
        let mut hasher = DefaultHasher::new();
        digest(result, &mut hasher, 0);
        steps.push(TraceStep {
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

fn in_words(value: &ScriptValue) -> String {
    match value {
        ScriptValue::None => "None".into(),
        ScriptValue::Tensor(tensor) => tensor.to_string(),
        ScriptValue::Number(number) => format!("{} {number}", value_kind(*number)),
        ScriptValue::Text(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        ScriptValue::Tuple(tuple) if tuple.items.len() <= 8 => {
            let items: Vec<String> = tuple.items.iter().map(in_words).collect();
            format!("({})", items.join(", "))
        }
        other => other.type_name(),
    }
}

fn value_kind(number: ScalarValue) -> &'static str {
    match number {
        ScalarValue::Bool(_) => "bool",
        ScalarValue::Int(_) => "int",
        ScalarValue::Float(_) => "float",
        ScalarValue::Complex(..) => "complex",
    }
}

/// A digest of a value: equal ones have the same in every run.
fn digest(value: &ScriptValue, hasher: &mut DefaultHasher, depth: usize) {
    if depth > 20 {
        return;
    }
    match value {
        ScriptValue::Tensor(tensor) => of_tensor(tensor, hasher),
        ScriptValue::Number(number) => {
            value_kind(*number).hash(hasher);
            let (re, im) = number.complex();
            (number.int(), re.to_bits(), im.to_bits()).hash(hasher);
        }
        ScriptValue::Text(text) => text.hash(hasher),
        ScriptValue::List(items) => {
            items.borrow().iter().for_each(|v| digest(v, hasher, depth + 1))
        }
        ScriptValue::Tuple(tuple) => tuple.items.iter().for_each(|v| digest(v, hasher, depth + 1)),
        ScriptValue::Dict(items) => {
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
pub fn digest_of(value: &ScriptValue) -> u64 {
    let mut hasher = DefaultHasher::new();
    digest(value, &mut hasher, 0);
    hasher.finish()
}
