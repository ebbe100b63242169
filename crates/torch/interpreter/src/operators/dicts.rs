//! Dictionaries that change, and those made of others.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::scalars::equal;
use crate::problem::refused;
use crate::{RunProblem, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::dict() -> Dict(str, Tensor)", |_, _| Ok(ScriptValue::Dict(Default::default()))),
    plain("aten::dict.str((str, tVal)[] inputs) -> Dict(str, tVal)", of_pairs),
    plain("aten::dict.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)", copy),
    plain("aten::copy.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)", copy),
    plain("aten::pop.Dict_str(Dict(str, t)(a!) self, str key) -> t(*)", pop),
    plain("aten::pop.Dict_int(Dict(int, t)(a!) self, int key) -> t(*)", pop),
    plain("aten::pop.Dict_default_str(Dict(str, t)(a!) self, str key, t default_value) -> t(*)", pop),
    plain("aten::popitem.str(Dict(str, t)(a!) self) -> ((str, t))", popitem),
    plain("aten::setdefault.str(Dict(str, t)(a!) self, str(b -> *) key, t(c -> *) default_value) -> t(*)", setdefault),
    plain("aten::update.str(Dict(str, t)(a!) self, Dict(str, t)(a!) to_add) -> ()", update),
    plain("aten::Delete.Dict_str(Dict(str, t)(a!) self, str key) -> ()", |c, a| pop(c, a).map(|_| ScriptValue::None)),
    plain("aten::Delete.Dict_int(Dict(int, t)(a!) self, int key) -> ()", |c, a| pop(c, a).map(|_| ScriptValue::None)),
    plain("aten::Delete.t(t[](a!) self, int idx) -> ()", delete_item),
    plain("aten::clear.str(Dict(str, t)(a!) self) -> ()", |_, a| { a.dict(0)?.borrow_mut().clear(); Ok(ScriptValue::None) }),
    plain("aten::remove.int(int[](a!) self, int el) -> ()", remove),
    plain("aten::remove.float(float[](a!) self, float el) -> ()", remove),
    plain("aten::remove.str(str[](a!) self, str el) -> ()", remove),
    plain("aten::sum.float(float[] self) -> float", |_, a| Ok(ScriptValue::from(a.items(0)?.iter().filter_map(ScriptValue::number).map(|n| n.float()).sum::<f64>()))),
];

fn of_pairs(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut dict: Vec<(ScriptValue, ScriptValue)> = Vec::new();
    for pair in args.items(0)? {
        let Some([key, value]) =
            pair.items().and_then(|pair| <[ScriptValue; 2]>::try_from(pair).ok())
        else {
            return refused("a dictionary is made of pairs");
        };
        context.meter.step(dict.len() as u64 / 16)?;
        match dict.iter_mut().find(|(known, _)| equal(known, &key)) {
            Some((_, old)) => *old = value,
            None => dict.push((key, value)),
        }
    }
    Ok(ScriptValue::dict(dict))
}

fn copy(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(ScriptValue::dict(args.dict(0)?.borrow().clone()))
}

fn pop(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut dict = args.dict(0)?.borrow_mut();
    match dict.iter().position(|(key, _)| equal(key, args.value(1))) {
        Some(at) => Ok(dict.remove(at).1),
        None if args.len() > 2 => Ok(args.value(2).clone()),
        None => refused(format!("KeyError: {}", args.value(1))),
    }
}

fn popitem(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    match args.dict(0)?.borrow_mut().pop() {
        Some((key, value)) => Ok(ScriptValue::tuple(vec![key, value])),
        None => refused("popitem(): dictionary is empty"),
    }
}

fn setdefault(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut dict = args.dict(0)?.borrow_mut();
    if let Some((_, value)) = dict.iter().find(|(key, _)| equal(key, args.value(1))) {
        return Ok(value.clone());
    }
    dict.push((args.value(1).clone(), args.value(2).clone()));
    Ok(args.value(2).clone())
}

fn update(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let more = args.dict(1)?.borrow().clone();
    let mut dict = args.dict(0)?.borrow_mut();
    for (key, value) in more {
        context.meter.step(dict.len() as u64 / 16)?;
        match dict.iter_mut().find(|(known, _)| equal(known, &key)) {
            Some((_, old)) => *old = value,
            None => dict.push((key, value)),
        }
    }
    Ok(ScriptValue::None)
}

fn delete_item(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut list = args.list(0)?.borrow_mut();
    let (index, length) = (args.int(1)?, list.len() as i64);
    let at = if index < 0 { index.saturating_add(length) } else { index };
    if !(0..length).contains(&at) {
        return refused("list index out of range");
    }
    list.remove(at as usize);
    Ok(ScriptValue::None)
}

fn remove(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut list = args.list(0)?.borrow_mut();
    match list.iter().position(|item| equal(item, args.value(1))) {
        Some(at) => {
            list.remove(at);
            Ok(ScriptValue::None)
        }
        None => refused("list.remove(x): x not in list"),
    }
}
