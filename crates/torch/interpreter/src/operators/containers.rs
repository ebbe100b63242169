//! Lists and dictionaries.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::index::bounds;
use super::scalars::{compare, equal};
use crate::problem::refused;
use crate::{RunProblem, ScalarValue, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::list_with_default(int[] list, int[] defaults) -> int[]", |_, a| Ok(a.value(0).clone())),
    plain("aten::len.t(t[] a) -> int", |_, a| Ok(ScriptValue::from(a.list(0)?.borrow().len() as i64))),
    plain("aten::len.Tensor(Tensor t) -> int", |_, a| a.tensor(0)?.shape().first().map_or_else(|| refused("len() of a 0-d tensor"), |size| Ok(ScriptValue::from(*size as i64)))),
    plain("aten::len.str(str s) -> int", |_, a| Ok(ScriptValue::from(a.text(0)?.chars().count() as i64))),
    plain("aten::len.Dict_str(Dict(str, t) self) -> int", |_, a| Ok(ScriptValue::from(a.dict(0)?.borrow().len() as i64))),
    plain("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)", append),
    plain("aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()", insert),
    plain("aten::extend.t(t[](a!) self, t[] other) -> ()", extend),
    plain("aten::pop.t(t[](a!) self, int idx=-1) -> t(*)", pop),
    plain("aten::clear.t(t[](a!) self) -> ()", |_, a| { a.list(0)?.borrow_mut().clear(); Ok(ScriptValue::None) }),
    plain("aten::reverse.t(t[](a!) self) -> ()", |_, a| { a.list(0)?.borrow_mut().reverse(); Ok(ScriptValue::None) }),
    plain("aten::copy.t(t[](a) self) -> t[]", |_, a| Ok(ScriptValue::list(a.items(0)?))),
    plain("aten::list.t(t[] l) -> t[]", |_, a| Ok(ScriptValue::list(a.items(0)?))),
    plain("aten::list(str t) -> str[]", letters),
    plain("aten::add.t(t[] a, t[] b) -> t[]", |_, a| Ok(ScriptValue::list([a.items(0)?, a.items(1)?].concat()))),
    plain("aten::add_.t(t[](a!) self, t[] b) -> t[]", extend_in_place),
    plain("aten::mul.left_t(t[] l, int n) -> t[]", repeat),
    plain("aten::__getitem__.t(t[](a) list, int idx) -> t(*)", item),
    plain("aten::__getitem__.str(str s, int index) -> str", letter),
    plain("aten::__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)", dict_item),
    plain("aten::__getitem__.Dict_int(Dict(int, t) self, int key) -> t(*)", dict_item),
    plain("aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)", set_item),
    plain("aten::_set_item.str(Dict(str, t)(a!) l, str(b -> *) idx, t(c -> *) v) -> ()", set_dict_item),
    plain("aten::_set_item.int(Dict(int, t)(a!) l, int(b -> *) idx, t(c -> *) v) -> ()", set_dict_item),
    plain("aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]", slice),
    plain("aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str", slice_text),
    plain("aten::__contains__.int_list(int[] l, int item) -> bool", contains),
    plain("aten::__contains__.str_list(str[] l, str item) -> bool", contains),
    plain("aten::__contains__.float_list(float[] l, float item) -> bool", contains),
    plain("aten::__contains__.str(Dict(str, t) dict, str key) -> bool", |_, a| Ok(find(a)?.is_some().into())),
    plain("aten::__contains__.int(Dict(int, t) dict, int key) -> bool", |_, a| Ok(find(a)?.is_some().into())),
    plain("aten::keys.str(Dict(str, t) self) -> str[](*)", |_, a| Ok(ScriptValue::list(a.dict(0)?.borrow().iter().map(|(key, _)| key.clone()).collect()))),
    plain("aten::values.str(Dict(str, t) self) -> t[](*)", |_, a| Ok(ScriptValue::list(a.dict(0)?.borrow().iter().map(|(_, value)| value.clone()).collect()))),
    plain("aten::items.str(Dict(str, t) self) -> ((str, t)[])", |_, a| Ok(ScriptValue::list(a.dict(0)?.borrow().iter().map(|(key, value)| ScriptValue::tuple(vec![key.clone(), value.clone()])).collect()))),
    plain("aten::get.str(Dict(str, t) self, str key) -> t(*)?", |_, a| Ok(find(a)?.unwrap_or(ScriptValue::None))),
    plain("aten::get.default_str(Dict(str, t) self, str key, t default_value) -> t(*)", |_, a| Ok(find(a)?.unwrap_or_else(|| a.value(2).clone()))),
    plain("aten::sorted.int(int[](a) input) -> int[]", |_, a| Ok(ScriptValue::list(ordered(a.items(0)?, false)))),
    plain("aten::sorted.float(float[](a) input) -> float[]", |_, a| Ok(ScriptValue::list(ordered(a.items(0)?, false)))),
    plain("aten::sorted.str(str[](a) input) -> str[]", |_, a| Ok(ScriptValue::list(ordered(a.items(0)?, false)))),
    plain("aten::sort.int(int[](a!) self, bool reverse=False) -> ()", sort),
    plain("aten::sort.float(float[](a!) self, bool reverse=False) -> ()", sort),
    plain("aten::index.list_int(int[] self, int el) -> int", index),
    plain("aten::count.int(int[] self, int el) -> int", |_, a| Ok(ScriptValue::from(a.items(0)?.iter().filter(|item| equal(item, a.value(1))).count() as i64))),
    plain("aten::sum.int(int[] self) -> int", |_, a| Ok(ScriptValue::from(a.ints(0)?.into_iter().fold(0_i64, i64::wrapping_add)))),
    plain("aten::all.int(int[] self) -> bool", |_, a| Ok(a.ints(0)?.into_iter().all(|n| n != 0).into())),
    plain("aten::all.bool(bool[] self) -> bool", |_, a| Ok(a.ints(0)?.into_iter().all(|n| n != 0).into())),
    plain("aten::any.int(int[] self) -> bool", |_, a| Ok(a.ints(0)?.into_iter().any(|n| n != 0).into())),
    plain("aten::any.bool(bool[] self) -> bool", |_, a| Ok(a.ints(0)?.into_iter().any(|n| n != 0).into())),
    plain("aten::eq.int_list(int[] a, int[] b) -> bool", |_, a| Ok(equal(a.value(0), a.value(1)).into())),
    plain("aten::eq.float_list(float[] a, float[] b) -> bool", |_, a| Ok(equal(a.value(0), a.value(1)).into())),
    plain("aten::eq.bool_list(bool[] a, bool[] b) -> bool", |_, a| Ok(equal(a.value(0), a.value(1)).into())),
    plain("aten::eq.str_list(str[] a, str[] b) -> bool", |_, a| Ok(equal(a.value(0), a.value(1)).into())),
    plain("aten::ne.int_list(int[] a, int[] b) -> bool", |_, a| Ok((!equal(a.value(0), a.value(1))).into())),
    plain("aten::ne.float_list(float[] a, float[] b) -> bool", |_, a| Ok((!equal(a.value(0), a.value(1))).into())),
    plain("aten::ne.str_list(str[] a, str[] b) -> bool", |_, a| Ok((!equal(a.value(0), a.value(1))).into())),
];

/// The place in a list of this length, from its end if it is negative.
fn place(index: i64, length: usize) -> Result<usize, RunProblem> {
    let from_start = if index < 0 { index + length as i64 } else { index };
    match usize::try_from(from_start).ok().filter(|at| *at < length) {
        Some(at) => Ok(at),
        None => refused("list index out of range"),
    }
}

fn append(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    context.meter.step(4)?;
    args.list(0)?.borrow_mut().push(args.value(1).clone());
    Ok(args.value(0).clone())
}

fn insert(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut list = args.list(0)?.borrow_mut();
    let at = bounds(Some(args.int(1)?), None, list.len()).0;
    list.insert(at, args.value(2).clone());
    Ok(ScriptValue::None)
}

fn grow(context: &Context<'_>, args: &Arguments<'_>) -> Result<(), RunProblem> {
    let more = args.items(1)?;
    context.meter.step(more.len() as u64)?;
    args.list(0)?.borrow_mut().extend(more);
    Ok(())
}

fn extend(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    grow(context, args)?;
    Ok(ScriptValue::None)
}

fn extend_in_place(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    grow(context, args)?;
    Ok(args.value(0).clone())
}

fn pop(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut list = args.list(0)?.borrow_mut();
    let at = place(args.int(1)?, list.len())?;
    Ok(list.remove(at))
}

fn repeat(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (items, times) = (args.items(0)?, args.int(1)?.max(0));
    let count = (items.len() as u64).saturating_mul(times as u64);
    context.meter.step(count.saturating_mul(4))?;
    Ok(ScriptValue::list((0..times).flat_map(|_| items.iter().cloned()).collect()))
}

fn item(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let list = args.list(0)?.borrow();
    let at = place(args.int(1)?, list.len())?;
    Ok(list.get(at).cloned().unwrap_or(ScriptValue::None))
}

fn letters(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let text = args.text(0)?;
    context.meter.step(text.len() as u64 * 4)?;
    Ok(ScriptValue::list(text.chars().map(|c| ScriptValue::from(c.to_string().as_str())).collect()))
}

fn letter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let letters: Vec<char> = args.text(0)?.chars().collect();
    let at = place(args.int(1)?, letters.len())?;
    Ok(letters
        .get(at)
        .map_or(ScriptValue::None, |letter| ScriptValue::from(letter.to_string().as_str())))
}

/// What a dictionary has under a key.
fn find(args: &Arguments<'_>) -> Result<Option<ScriptValue>, RunProblem> {
    let dict = args.dict(0)?.borrow();
    let found = dict.iter().find(|(key, _)| equal(key, args.value(1)));
    Ok(found.map(|(_, value)| value.clone()))
}

fn dict_item(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    match find(args)? {
        Some(value) => Ok(value),
        None => refused(format!("KeyError: {}", args.value(1))),
    }
}

fn set_item(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut list = args.list(0)?.borrow_mut();
    let at = place(args.int(1)?, list.len())?;
    if let Some(place) = list.get_mut(at) {
        *place = args.value(2).clone();
    }
    Ok(args.value(0).clone())
}

fn set_dict_item(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut dict = args.dict(0)?.borrow_mut();
    match dict.iter_mut().find(|(key, _)| equal(key, args.value(1))) {
        Some((_, value)) => *value = args.value(2).clone(),
        None => dict.push((args.value(1).clone(), args.value(2).clone())),
    }
    Ok(ScriptValue::None)
}

fn part<T: Clone>(items: &[T], args: &Arguments<'_>) -> Result<Vec<T>, RunProblem> {
    let (start, end) = bounds(args.int_or_none(1)?, args.int_or_none(2)?, items.len());
    match usize::try_from(args.int(3)?).ok().filter(|step| *step > 0) {
        Some(step) => Ok(items[start..end].iter().step_by(step).cloned().collect()),
        None => crate::problem::unsupported("slices of a list that go backwards"),
    }
}

fn slice(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(ScriptValue::list(part(&args.items(0)?, args)?))
}

fn slice_text(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let letters: Vec<char> = args.text(0)?.chars().collect();
    Ok(ScriptValue::from(part(&letters, args)?.into_iter().collect::<String>().as_str()))
}

fn contains(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(args.items(0)?.iter().any(|item| equal(item, args.value(1))).into())
}

fn ordered(mut items: Vec<ScriptValue>, reverse: bool) -> Vec<ScriptValue> {
    items.sort_by(|a, b| {
        let order = compare(a, b).unwrap_or(Ordering::Equal);
        if reverse { order.reverse() } else { order }
    });
    items
}

fn sort(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let sorted = ordered(args.items(0)?, args.boolean(1)?);
    *args.list(0)?.borrow_mut() = sorted;
    Ok(ScriptValue::None)
}

fn index(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    match args.items(0)?.iter().position(|item| equal(item, args.value(1))) {
        Some(at) => Ok(ScriptValue::Number(ScalarValue::Int(at as i64))),
        None => refused(format!("'{}' is not in list", args.value(1))),
    }
}

/// Whether two values are the same object.
pub(crate) fn same(a: &ScriptValue, b: &ScriptValue) -> bool {
    match (a, b) {
        (ScriptValue::None, ScriptValue::None) => true,
        (ScriptValue::List(a), ScriptValue::List(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Dict(a), ScriptValue::Dict(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Object(a), ScriptValue::Object(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Tensor(_), _) | (_, ScriptValue::Tensor(_)) => false,
        _ => equal(a, b),
    }
}
