//! Profile of a run: where the time goes.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use foldhash::HashMap;

/// The time that each operator took, with how often it was called.
///
/// ```
/// use std::rc::Rc;
/// use unskew_interpreter::{Interpreter, OperatorProfile, ReleaseSemantics, ScriptValue};
/// let profile = Rc::new(OperatorProfile::default());
/// let interpreter = Interpreter::new(ReleaseSemantics::newest()).with_profile(profile.clone());
/// interpreter.operator("aten::add", vec![ScriptValue::from(1_i64), ScriptValue::from(2_i64)], vec![]).unwrap();
/// assert_eq!((profile.rows()[0].operator.as_str(), profile.rows()[0].calls), ("aten::add.int", 1));
/// ```
#[derive(Debug, Default)]
pub struct OperatorProfile {
    operators: RefCell<HashMap<String, (u64, Duration)>>,
}

/// What one operator took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorShare {
    /// The overload: `aten::conv2d`.
    pub operator: String,
    /// How often it was called.
    pub calls: u64,
    /// The time of all calls, those of other operators within them included.
    pub time: Duration,
}

impl OperatorProfile {
    /// Every operator that was called, the one that took most time first.
    pub fn rows(&self) -> Vec<OperatorShare> {
        let operators = self.operators.borrow();
        let row = |(operator, (calls, time)): (&String, &(u64, Duration))| OperatorShare {
            operator: operator.clone(),
            calls: *calls,
            time: *time,
        };
        let mut rows: Vec<OperatorShare> = operators.iter().map(row).collect();
        rows.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.operator.cmp(&b.operator)));
        rows
    }

    pub(crate) fn add(&self, operator: String, began: Instant) {
        let took = began.elapsed();
        let mut operators = self.operators.borrow_mut();
        let (calls, time) = operators.entry(operator).or_default();
        *calls += 1;
        *time += took;
    }
}
