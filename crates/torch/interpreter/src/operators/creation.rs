//! Tensors made from nothing, and from other tensors' types.

use super::Arguments;
use super::declaration::{Context, Operator, all, only_out, plain};
use crate::problem::refused;
use crate::tensor::{Elements, cast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| made(c, a, 0)),
    plain("aten::ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| made(c, a, 1)),
    plain("aten::empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", |c, a| made(c, a, 0)),
    plain("aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", |c, a| like(c, a, 0)),
    plain("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", |c, a| like(c, a, 1)),
    plain("aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", |c, a| like(c, a, 0)),
    plain("aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", full_like),
    plain("aten::new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| new(c, a, 0)),
    plain("aten::new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| new(c, a, 1)),
    plain("aten::new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| new(c, a, 0)),
    plain("aten::new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_full),
    plain("aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", full),
    plain("aten::full.names(int[] size, Scalar fill_value, *, Dimname[]? names, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", full_names),
    plain("aten::full.out(int[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)", full_out),
    plain("aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| arange(c, [None, Some(a.number(0)?), None], a.dtype(1)?)),
    plain("aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| arange(c, [Some(a.number(0)?), Some(a.number(1)?), None], a.dtype(2)?)),
    plain("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| arange(c, [Some(a.number(0)?), Some(a.number(1)?), Some(a.number(2)?)], a.dtype(3)?)),
    plain("aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace),
    plain("aten::linspace(Scalar start, Scalar end, int? steps=None, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", linspace),
    only_out("aten::linspace(Scalar start, Scalar end, int? steps=None) -> Tensor", linspace),
    plain("aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace),
    plain("aten::logspace(Scalar start, Scalar end, int? steps=None, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", logspace),
    only_out("aten::logspace(Scalar start, Scalar end, int? steps=None, float base=10.) -> Tensor", logspace),
    plain("aten::eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| eye(c, a.sizes_at(&[0, 0])?, a.dtype(1)?)),
    plain("aten::eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| eye(c, a.sizes_at(&[0, 1])?, a.dtype(2)?)),
    plain("aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", scalar_tensor),
    plain("aten::tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
    plain("aten::tensor.int(int t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
    plain("aten::tensor.float(float t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
    plain("aten::tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
    plain("aten::as_tensor.list(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor", tensor),
    plain("aten::as_tensor.int(int t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", tensor),
    plain("aten::as_tensor.float(float t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", tensor),
    plain("aten::as_tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", tensor),
    plain("aten::as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> Tensor(b|a)", as_tensor),
    plain("prim::NumToTensor.Scalar(Scalar a) -> Tensor", scalar_of_its_type),
    plain("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", fill),
    plain("aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)", fill),
    plain("aten::zero_(Tensor(a!) self) -> Tensor(a!)", zero),
    all("aten::tril(Tensor self, int diagonal=0) -> Tensor", |c, a| triangle(c, a, |row, column, diagonal| column - row <= diagonal)),
    all("aten::triu(Tensor self, int diagonal=0) -> Tensor", |c, a| triangle(c, a, |row, column, diagonal| column - row >= diagonal)),
];

impl Arguments<'_> {
    fn sizes_at(&self, places: &[usize]) -> Result<Vec<usize>, RunProblem> {
        let ints: Vec<i64> = places.iter().map(|at| self.int(*at)).collect::<Result<_, _>>()?;
        super::arguments::sizes(&ints)
    }
}

fn made(
    context: &Context<'_>,
    args: &Arguments<'_>,
    number: i64,
) -> Result<ScriptValue, RunProblem> {
    let dtype = args.dtype(1)?.unwrap_or(Dtype::F32);
    Ok(Tensor::filled(context.meter, dtype, &args.sizes(0)?, ScalarValue::Int(number))?.into())
}

fn like(
    context: &Context<'_>,
    args: &Arguments<'_>,
    number: i64,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let dtype = args.dtype(1)?.unwrap_or(tensor.dtype());
    Ok(Tensor::filled(context.meter, dtype, tensor.shape(), ScalarValue::Int(number))?.into())
}

fn full_like(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let dtype = args.dtype(2)?.unwrap_or(tensor.dtype());
    Ok(Tensor::filled(context.meter, dtype, tensor.shape(), args.number(1)?)?.into())
}

fn new(
    context: &Context<'_>,
    args: &Arguments<'_>,
    number: i64,
) -> Result<ScriptValue, RunProblem> {
    let dtype = args.dtype(2)?.unwrap_or(args.tensor(0)?.dtype());
    Ok(Tensor::filled(context.meter, dtype, &args.sizes(1)?, ScalarValue::Int(number))?.into())
}

fn new_full(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let dtype = args.dtype(3)?.unwrap_or(args.tensor(0)?.dtype());
    Ok(Tensor::filled(context.meter, dtype, &args.sizes(1)?, args.number(2)?)?.into())
}

fn full(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    filled(context, &args.sizes(0)?, args.number(1)?, args.dtype(2)?)
}

fn full_names(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    filled(context, &args.sizes(0)?, args.number(1)?, args.dtype(3)?)
}

fn filled(
    context: &Context<'_>,
    shape: &[usize],
    number: ScalarValue,
    dtype: Option<Dtype>,
) -> Result<ScriptValue, RunProblem> {
    let integral = matches!(number, ScalarValue::Int(_) | ScalarValue::Bool(_));
    if dtype.is_none() && integral && context.semantics.has("full-refuses-integers") {
        return refused(
            "Providing a bool or integral fill value without setting the optional `dtype` or `out` \
             arguments is currently unsupported. In PyTorch 1.7, when `dtype` and `out` are not set \
             a bool fill value will return a tensor of torch.bool dtype, and an integral fill value \
             will return a tensor of torch.long dtype.",
        );
    }
    let own =
        if integral && context.semantics.has("full-floats") { Dtype::F32 } else { number.dtype() };
    Ok(Tensor::filled(context.meter, dtype.unwrap_or(own), shape, number)?.into())
}

fn full_out(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let out = args.tensor(2)?.resized(&args.sizes(0)?)?;
    out.copy_from(&Tensor::scalar(context.meter, out.dtype(), args.number(1)?)?)?;
    Ok(out.into())
}

/// Numbers from a start (0) to an end, a step (1) apart.
fn arange(
    context: &Context<'_>,
    [start, end, step]: [Option<ScalarValue>; 3],
    dtype: Option<Dtype>,
) -> Result<ScriptValue, RunProblem> {
    let given = [start, end, step].into_iter().flatten();
    let integral =
        given.clone().all(|number| matches!(number, ScalarValue::Int(_) | ScalarValue::Bool(_)));
    let floats = !integral || context.semantics.has("arange-floats");
    let dtype = dtype.unwrap_or(if floats { Dtype::F32 } else { Dtype::I64 });
    let start = start.unwrap_or(ScalarValue::Int(0));
    let end = end.unwrap_or(ScalarValue::Int(0));
    let step = step.unwrap_or(ScalarValue::Int(1));
    if !step.is_true() {
        return refused("step must be nonzero");
    }
    let span = end.float() - start.float();
    if !span.is_finite() {
        return refused(format!("unsupported range: {start} -> {end}"));
    }
    if span != 0.0 && (span < 0.0) != (step.float() < 0.0) {
        return refused("upper bound and larger bound inconsistent with step sign");
    }
    let count = if dtype.is_integral() && integral {
        let (span, step) =
            (i128::from(end.int()) - i128::from(start.int()), i128::from(step.int()));
        ((span + step - step.signum()) / step) as f64
    } else {
        (span / step.float()).ceil()
    };
    let count = count.max(0.0) as usize;
    // Before it is made: a huge range must not take memory.
    context.meter.room(&[count])?;
    let elements = if dtype.is_integral() {
        let (start, step) = (start.int(), step.int());
        let at = |i: usize| start.wrapping_add(step.wrapping_mul(i as i64));
        Elements::Int((0..count).map(at).collect())
    } else {
        let (start, step) = (start.float(), step.float());
        Elements::Float((0..count).map(|i| start + step * i as f64).collect())
    };
    Ok(Tensor::from_elements(context.meter, dtype, &[count], &elements)?.into())
}

/// How many steps, 100 if nobody says.
fn steps(args: &Arguments<'_>) -> Result<usize, RunProblem> {
    match args.int_or_none(2)? {
        None => Ok(100),
        Some(steps) => match usize::try_from(steps) {
            Ok(steps) => Ok(steps),
            Err(_) => refused("number of steps must be non-negative"),
        },
    }
}

/// Numbers at the same distance, the first half counted from the start, the other from the end.
fn spaced(
    context: &Context<'_>,
    (start, end): (f64, f64),
    steps: usize,
    dtype: Dtype,
) -> Result<Vec<f64>, RunProblem> {
    context.meter.room(&[steps])?;
    if steps == 1 {
        return Ok(vec![start]);
    }
    let round = |number: f64| cast(dtype, ScalarValue::Float(number)).float();
    let integral = dtype.is_integral();
    let step = (end - start) / (steps.max(2) - 1) as f64;
    let (start, end, step) =
        if integral { (start, end, step) } else { (round(start), round(end), round(step)) };
    let at = |i: usize| {
        if i < steps / 2 { start + step * i as f64 } else { end - step * (steps - 1 - i) as f64 }
    };
    Ok((0..steps).map(at).collect())
}

fn linspace(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let dtype = if args.len() > 3 { args.dtype(3)? } else { None }.unwrap_or(Dtype::F32);
    let numbers = spaced(context, (args.float(0)?, args.float(1)?), steps(args)?, dtype)?;
    Ok(Tensor::of_floats(context.meter, dtype, &[numbers.len()], numbers)?.into())
}

fn logspace(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let dtype = if args.len() > 4 { args.dtype(4)? } else { None }.unwrap_or(Dtype::F32);
    let base = args.float(3)?;
    let exponents = spaced(context, (args.float(0)?, args.float(1)?), steps(args)?, dtype)?;
    let numbers: Vec<f64> = exponents.into_iter().map(|exponent| base.powf(exponent)).collect();
    Ok(Tensor::of_floats(context.meter, dtype, &[numbers.len()], numbers)?.into())
}

fn eye(
    context: &Context<'_>,
    shape: Vec<usize>,
    dtype: Option<Dtype>,
) -> Result<ScriptValue, RunProblem> {
    let tensor =
        Tensor::filled(context.meter, dtype.unwrap_or(Dtype::F32), &shape, ScalarValue::Int(0))?;
    let size = shape.iter().copied().min().unwrap_or(0);
    let apart = tensor.strides().iter().sum();
    let diagonal = tensor.with(vec![size], vec![apart], tensor.offset())?;
    diagonal.copy_from(&Tensor::scalar(context.meter, tensor.dtype(), ScalarValue::Int(1))?)?;
    Ok(tensor.into())
}

fn scalar_tensor(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let dtype = args.dtype(1)?.unwrap_or(Dtype::F32);
    Ok(Tensor::scalar(context.meter, dtype, args.number(0)?)?.into())
}

fn scalar_of_its_type(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let number = args.number(0)?;
    // Unlike a number that takes part in an operation, one that becomes a tensor keeps its bits.
    let dtype = match number {
        ScalarValue::Float(_) => Dtype::F64,
        ScalarValue::Complex(..) => Dtype::C128,
        other => other.dtype(),
    };
    Ok(Tensor::scalar(context.meter, dtype, number)?.into())
}

fn tensor(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (mut shape, mut numbers) = (Vec::new(), Vec::new());
    flatten(context, args.value(0), 0, &mut shape, &mut numbers)?;
    let own = numbers.iter().map(|number| number.dtype()).reduce(crate::dtype::promote);
    let dtype = args.dtype(1)?.or(own).unwrap_or(Dtype::F32);
    let elements = Elements::of_numbers(dtype, &numbers);
    Ok(Tensor::from_elements(context.meter, dtype, &shape, &elements)?.into())
}

/// The numbers of nested lists, and the shape that they have together.
fn flatten(
    context: &Context<'_>,
    value: &ScriptValue,
    depth: usize,
    shape: &mut Vec<usize>,
    numbers: &mut Vec<ScalarValue>,
) -> Result<(), RunProblem> {
    // A list may hold one other list many times over.
    context.meter.step(1)?;
    if let ScriptValue::Number(number) = value {
        numbers.push(*number);
        return Ok(());
    }
    if let ScriptValue::Tensor(tensor) = value {
        numbers.push(tensor.item()?);
        return Ok(());
    }
    let Some(items) = value.items().filter(|_| depth < 64) else {
        return refused(format!("a list of numbers is wanted: {}", value.type_name()));
    };
    match shape.get(depth) {
        None => shape.push(items.len()),
        Some(size) if *size == items.len() => {}
        Some(size) => {
            return refused(format!(
                "Expected sequence of length {size} at dim {depth} (got {})",
                items.len()
            ));
        }
    }
    items.iter().try_for_each(|item| flatten(context, item, depth + 1, shape, numbers))
}

fn as_tensor(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match args.dtype(1)? {
        Some(dtype) if dtype != tensor.dtype() => Ok(tensor.to_dtype(dtype)?.into()),
        _ => Ok(tensor.clone().into()),
    }
}

fn fill(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match args.value(1) {
        ScriptValue::Tensor(value) if value.rank() > 0 => {
            return refused("fill_ only supports 0-dimension value tensor");
        }
        ScriptValue::Tensor(value) => tensor.copy_from(value)?,
        _ => tensor.copy_from(&Tensor::scalar(context.meter, tensor.dtype(), args.number(1)?)?)?,
    }
    Ok(tensor.clone().into())
}

fn zero(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    tensor.copy_from(&Tensor::scalar(context.meter, tensor.dtype(), ScalarValue::Int(0))?)?;
    Ok(tensor.clone().into())
}

fn triangle(
    _: &Context<'_>,
    args: &Arguments<'_>,
    keep: fn(i64, i64, i64) -> bool,
) -> Result<ScriptValue, RunProblem> {
    let (tensor, diagonal) = (args.tensor(0)?, args.int(1)?);
    let [.., rows, columns] = *tensor.shape() else {
        return refused("tril and triu need a tensor of at least 2 dimensions");
    };
    let copy = tensor.copy()?;
    let mut at = 0;
    let mut blank = |number: ScalarValue| {
        let (row, column) = ((at / columns % rows) as i64, (at % columns) as i64);
        at += 1;
        if keep(row, column, diagonal) { number } else { ScalarValue::Int(0) }
    };
    let numbers: Vec<ScalarValue> = copy.numbers().into_iter().map(&mut blank).collect();
    copy.write(&Elements::of_numbers(copy.dtype(), &numbers))?;
    Ok(copy.into())
}
