//! Operator entry: one overload of an operator, and running it.

use unskew_torch_schemas::FunctionSchema;

use super::bind::Default;
use super::declaration::{Body, Context};
use super::{Arguments, quantized};
use crate::limits::Meter;
use crate::problem::{malformed, refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

/// One overload of an operator, and the function that calculates it.
pub(crate) struct OperatorEntry {
    pub(crate) schema: FunctionSchema,
    /// What the values of the defaults are; one for each argument.
    pub(crate) defaults: Vec<Option<Default>>,
    pub(super) body: Body,
    pub(super) target: ResultTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultTarget {
    New,
    /// Into the first argument.
    First,
    /// Into the last argument.
    Last,
}

impl OperatorEntry {
    /// Whether it does not look at all items of its list.
    fn takes_no_look_at_items(&self) -> bool {
        let name = self.schema.name.as_str();
        matches!(
            name,
            "aten::len"
                | "aten::append"
                | "aten::__getitem__"
                | "aten::_set_item"
                | "aten::pop"
                | "aten::clear"
                | "aten::__is__"
                | "aten::__isnot__"
        )
    }

    /// Calculates it, wherever the result goes.
    pub(super) fn calculate(
        &self,
        context: &Context<'_>,
        values: &[ScriptValue],
    ) -> Result<ScriptValue, RunProblem> {
        match self.body {
            Body::Native(run) => run(context, &Arguments::new(values)),
            Body::Composed(name) => (context.compose)(context, name, values),
        }
    }

    /// Runs it on arguments that were bound to its schema.
    pub(crate) fn run(
        &self,
        context: &Context<'_>,
        values: &[ScriptValue],
    ) -> Result<ScriptValue, RunProblem> {
        if !self.takes_no_look_at_items() {
            values.iter().try_for_each(|value| pass(context.meter, value))?;
        }
        match self.target {
            ResultTarget::New => quantized::call(context, self, values),
            ResultTarget::First => {
                let result = quantized::call(context, self, values)?;
                let (Some(target), Some(result)) =
                    (values.first().and_then(ScriptValue::tensor), result.tensor())
                else {
                    return malformed("only tensors are written to");
                };
                may_store(context, result, target)?;
                if result.shape() != target.shape() {
                    return refused(format!(
                        "output with shape {:?} doesn't match the broadcast shape {:?}",
                        target.shape(),
                        result.shape()
                    ));
                }
                target.copy_from(result)?;
                Ok(ScriptValue::Tensor(target.clone()))
            }
            ResultTarget::Last => {
                let (Some(ScriptValue::Tensor(target)), rest) =
                    (values.last(), values.get(..values.len().saturating_sub(1)).unwrap_or(&[]))
                else {
                    return malformed("only tensors are written to");
                };
                let result = quantized::call(context, self, rest)?;
                let Some(result) = result.tensor() else {
                    return malformed("only tensors are written");
                };
                may_store(context, result, target)?;
                let target = target.resized(result.shape())?;
                target.copy_from(result)?;
                Ok(ScriptValue::Tensor(target))
            }
        }
    }
}

fn may_store(context: &Context<'_>, from: &Tensor, to: &Tensor) -> Result<(), RunProblem> {
    if from.quantizer() != to.quantizer() {
        return unsupported(
            "a result with another scale than that of the tensor that it is written to",
        );
    }
    let (from, to) = (from.dtype(), to.dtype());
    if !from.can_cast(to) && !context.semantics.has("results-are-cast") {
        return refused(format!(
            "result type {} can't be cast to the desired output type {}",
            from.storage_name(),
            to.storage_name()
        ));
    }
    Ok(())
}

/// Takes what it costs to pass a list or a text to an operator: it is copied, and what is made of it is of
/// its size. An item of a list is as large as some tens of numbers.
fn pass(meter: &Meter, value: &ScriptValue) -> Result<(), RunProblem> {
    match value {
        ScriptValue::List(items) => meter.step(items.borrow().len() as u64 * 4),
        ScriptValue::Tuple(tuple) => meter.step(tuple.items.len() as u64 * 4),
        ScriptValue::Dict(items) => meter.step(items.borrow().len() as u64 / 16),
        ScriptValue::Text(text) => meter.step(text.len() as u64 / 64),
        _ => Ok(()),
    }
}
