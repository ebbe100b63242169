//! Sums of products by an equation of labels: `bij,bjk->bik`.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::matrix::matmul;
use crate::problem::refused;
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", einsum),
];

/// A dimension: a letter, or one of those that `...` stands for, counted from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Other(usize),
    Letter(char),
}

/// A tensor whose dimensions have labels, each only once.
#[derive(Clone)]
struct Operand {
    tensor: Tensor,
    labels: Vec<Label>,
}

fn einsum(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (equation, tensors) = (args.text(0)?, args.tensors(1)?);
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation.as_str(), None),
    };
    let terms: Vec<&str> = inputs.split(',').collect();
    if terms.len() != tensors.len() || tensors.is_empty() {
        return refused(format!(
            "einsum(): {} operands for the equation {equation}",
            tensors.len()
        ));
    }
    let mut operands = Vec::new();
    let mut all: Vec<Label> = Vec::new();
    for (term, tensor) in terms.iter().zip(tensors) {
        let labels = labels(term, tensor.rank())?;
        all.extend(&labels);
        operands.push(diagonals(tensor, labels)?);
    }
    let output = match output {
        Some(output) => {
            let others = all.iter().filter_map(|label| match label {
                Label::Other(at) => Some(at + 1),
                Label::Letter(_) => None,
            });
            let letters = output.replace("...", "").chars().count();
            let extra = if output.contains("...") { others.max().unwrap_or(0) } else { 0 };
            labels(output, letters + extra)?
        }
        None => once(&all),
    };
    if let Some(label) = output.iter().find(|label| !all.contains(label)) {
        return refused(format!("einsum(): output subscript {label:?} is in no operand"));
    }
    let mut rest = operands.into_iter();
    let Some(mut product) = rest.next() else { return refused("einsum(): no operands") };
    while let Some(next) = rest.next() {
        let later: Vec<Label> = rest.as_slice().iter().flat_map(|o| o.labels.clone()).collect();
        let kept = |label: &Label| output.contains(label) || later.contains(label);
        product = pair(context, product, next, kept)?;
    }
    let product = without(context, product, |label| output.contains(label))?;
    Ok(product.ordered(&output)?.into())
}

/// The labels of a term, for a tensor of this rank.
fn labels(term: &str, rank: usize) -> Result<Vec<Label>, RunProblem> {
    let (before, after) = match term.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (term, None),
    };
    let letters = |part: &str| -> Result<Vec<Label>, RunProblem> {
        match part.chars().find(|c| !c.is_ascii_alphabetic()) {
            Some(other) => refused(format!("einsum(): invalid subscript given: {other}")),
            None => Ok(part.chars().map(Label::Letter).collect()),
        }
    };
    let (mut all, after_letters) = (letters(before)?, letters(after.unwrap_or(""))?);
    let named = all.len() + after_letters.len();
    match rank.checked_sub(named) {
        Some(others) if after.is_some() || others == 0 => {
            all.extend((0..others).rev().map(Label::Other));
            all.extend(after_letters);
            Ok(all)
        }
        _ => refused(format!(
            "einsum(): the number of subscripts in the equation ({named}) does not match the number \
             of dimensions ({rank})"
        )),
    }
}

/// What a result has that is not told: the other dimensions, then each letter that stands only once.
fn once(all: &[Label]) -> Vec<Label> {
    let mut found: Vec<Label> = all
        .iter()
        .filter(|label| {
            matches!(label, Label::Other(_))
                || all.iter().filter(|other| other == label).count() == 1
        })
        .copied()
        .collect();
    found.sort_by_key(|label| match label {
        Label::Other(at) => (0, usize::MAX - at),
        Label::Letter(letter) => (1, *letter as usize),
    });
    found.dedup();
    found
}

/// A label that stands twice in a term is the diagonal of both dimensions.
fn diagonals(mut tensor: Tensor, mut labels: Vec<Label>) -> Result<Operand, RunProblem> {
    let mut at = 0;
    while at < labels.len() {
        match labels[at + 1..].iter().position(|label| *label == labels[at]) {
            Some(other) => {
                tensor = super::shape::diagonal_of(&tensor, 0, at, at + 1 + other)?;
                let label = labels.remove(at + 1 + other);
                labels.remove(at);
                labels.push(label);
            }
            None => at += 1,
        }
    }
    Ok(Operand { tensor, labels })
}

impl Operand {
    /// Its dimensions in this order, which has all of them.
    fn ordered(&self, order: &[Label]) -> Result<Tensor, RunProblem> {
        let at = |label: &Label| self.labels.iter().position(|own| own == label);
        let order: Option<Vec<usize>> = order.iter().map(at).collect();
        order.map_or_else(
            || refused("einsum(): a subscript is lost"),
            |order| self.tensor.permute(&order),
        )
    }

    fn size(&self, label: Label) -> usize {
        let at = self.labels.iter().position(|own| *own == label);
        at.map_or(1, |at| self.tensor.shape()[at])
    }
}

/// The sum over the dimensions that are not kept.
fn without(
    context: &Context<'_>,
    operand: Operand,
    kept: impl Fn(&Label) -> bool,
) -> Result<Operand, RunProblem> {
    let gone: Vec<i64> =
        (0..).zip(&operand.labels).filter(|(_, label)| !kept(label)).map(|(at, _)| at).collect();
    if gone.is_empty() {
        return Ok(operand);
    }
    let Some(sum) = context.overload("aten::sum", "dim_IntList") else { return refused("no sum") };
    let values = [
        operand.tensor.into(),
        ScriptValue::ints(gone),
        ScriptValue::from(false),
        ScriptValue::None,
    ];
    let sum = sum.run(context, &values)?;
    let Some(tensor) = sum.tensor() else { return refused("no sum") };
    let labels = operand.labels.into_iter().filter(kept).collect();
    Ok(Operand { tensor: tensor.clone(), labels })
}

/// The product of two, summed over what is not kept: a stack of products of matrices.
fn pair(
    context: &Context<'_>,
    a: Operand,
    b: Operand,
    kept: impl Fn(&Label) -> bool,
) -> Result<Operand, RunProblem> {
    let a = without(context, a, |label| kept(label) || b.labels.contains(label))?;
    let b = without(context, b, |label| kept(label) || a.labels.contains(label))?;
    let (shared, rows): (Vec<Label>, Vec<Label>) =
        a.labels.iter().partition(|label| b.labels.contains(label));
    let (stack, inner): (Vec<Label>, Vec<Label>) =
        shared.into_iter().partition(|label| kept(label));
    let columns: Vec<Label> =
        b.labels.iter().filter(|label| !a.labels.contains(label)).copied().collect();
    let size = |label: &Label| -> Result<usize, RunProblem> {
        match (a.size(*label), b.size(*label)) {
            (x, y) if x == y => Ok(x),
            (1, size) | (size, 1) => Ok(size),
            (x, y) => refused(format!(
                "einsum(): subscript {label:?} has size {y} for one operand and {x} for another"
            )),
        }
    };
    let sizes = |labels: &[Label]| labels.iter().map(size).collect::<Result<Vec<usize>, _>>();
    let (stack_sizes, inner_sizes) = (sizes(&stack)?, sizes(&inner)?);
    let (row_sizes, column_sizes) = (sizes(&rows)?, sizes(&columns)?);
    let count = |sizes: &[usize]| crate::tensor::count(sizes);
    let of = |operand: &Operand, parts: [(&[Label], &[usize]); 3]| {
        let order: Vec<Label> =
            parts.iter().flat_map(|(labels, _)| labels.iter().copied()).collect();
        let full: Vec<usize> = parts.iter().flat_map(|(_, sizes)| sizes.iter().copied()).collect();
        let shape =
            parts.iter().map(|(_, sizes)| count(sizes)).collect::<Result<Vec<usize>, _>>()?;
        operand.ordered(&order)?.expand(&full)?.reshape(&shape)
    };
    let (stacked, summed) = ((&*stack, &*stack_sizes), (&*inner, &*inner_sizes));
    let x = of(&a, [stacked, (&rows, &row_sizes), summed])?;
    let y = of(&b, [stacked, summed, (&columns, &column_sizes)])?;
    let product = matmul(context, &x, &y)?;
    let shape = [stack_sizes, row_sizes, column_sizes].concat();
    Ok(Operand { tensor: product.reshape(&shape)?, labels: [stack, rows, columns].concat() })
}
