//! The steps of the table, done to a node.

use super::adapter_context::AdapterContext;
use super::node_draft::{AttributeValue, NodeDraft};
use super::special;
use super::table::FormDifference;
use crate::OnnxAttribute;

/// Takes a node over one difference between two forms.
pub(super) fn take(
    step: &FormDifference,
    work: &mut NodeDraft,
    site: &mut AdapterContext<'_, '_>,
) -> Result<(), String> {
    match step {
        FormDifference::New(name, value) if !site.up => drop_if(work, name, value, "older"),
        FormDifference::Gone(name, value) if site.up => drop_if(work, name, value, "newer"),
        FormDifference::Default(name, old, new) => {
            let value = if site.up { old } else { new };
            if work.get(name).is_none() && *value != "none" {
                work.set(name, parsed(value));
            }
            Ok(())
        }
        FormDifference::Move(name, at, how) if site.up => {
            let input = match (*how, work.remove(name)) {
                (_, None) => return Ok(()),
                ("int", Some(value)) => int(&value).map(|one| site.ints(name, &[one])),
                ("floats", Some(value)) => {
                    let one = NodeDraft::default().with(name, value);
                    one.floats(name).map(|all| site.floats(name, &all))
                }
                (_, Some(value)) => {
                    let one = NodeDraft::default().with(name, value);
                    one.ints(name).map(|all| site.ints(name, &all))
                }
            };
            let input =
                input.ok_or_else(|| format!("attribute `{name}` is given by a function"))?;
            work.put(*at, &input);
            Ok(())
        }
        FormDifference::Move(name, at, how) => {
            if work.input(*at).is_none() {
                return Ok(());
            }
            let value = match *how {
                "floats" => AttributeValue::Floats(site.known_floats(work, *at)?),
                "int" => match site.known_ints(work, *at)?.as_slice() {
                    [one] => AttributeValue::Int(*one),
                    _ => return Err(format!("`{name}` is not one number")),
                },
                _ => AttributeValue::Ints(site.known_ints(work, *at)?),
            };
            work.put(*at, "");
            work.trim();
            work.set(name, value);
            Ok(())
        }
        FormDifference::Only(name, values) if !site.up => {
            let found =
                values.iter().find(|value| work.get(name).is_some_and(|one| is(one, value)));
            found.map_or(Ok(()), |value| Err(format!("{name} = {value} is new in this form")))
        }
        FormDifference::Upward(name, value)
            if site.up && work.get(name).is_some_and(|one| is(one, value)) =>
        {
            Err(format!("the newer form has no {name} = {value}"))
        }
        FormDifference::Inputs(count) => {
            work.trim();
            match work.inputs.len() > *count {
                true => Err(format!("the older form has {count} inputs")),
                false => Ok(()),
            }
        }
        FormDifference::Outputs(count) | FormDifference::Unread(count) => {
            let unread = matches!(step, FormDifference::Unread(_));
            let is_left_out = |name: &String| name.is_empty() || unread && !site.is_read(name);
            while work.outputs.len() > *count && work.outputs.last().is_some_and(is_left_out) {
                work.outputs.pop();
            }
            match work.outputs.len() > *count {
                true => Err(format!("outputs behind the first {count} mean something else there")),
                false => Ok(()),
            }
        }
        FormDifference::Axes if !site.up => axes(work, site),
        FormDifference::Function(name) => special::run(name, work, site),
        FormDifference::Refuse(why) => Err((*why).to_owned()),
        _ => Ok(()),
    }
}

fn drop_if(work: &mut NodeDraft, name: &str, value: &str, form: &str) -> Result<(), String> {
    if work.get(name).is_none_or(|one| is(one, value)) {
        work.remove(name);
        return Ok(());
    }
    Err(format!("the {form} form has no attribute `{name}`, and its value here means something"))
}

fn axes(work: &mut NodeDraft, site: &AdapterContext<'_, '_>) -> Result<(), String> {
    let more = match &*work.op {
        "Unsqueeze" => work.ints("axes").map_or(0, |all| all.len() as i64),
        _ => 0,
    };
    if let Some(axis) = work.int("axis").filter(|axis| *axis < 0) {
        let axis = axis + site.rank(work, 0)?;
        work.set("axis", AttributeValue::Int(axis));
    }
    if let Some(all) = work.ints("axes").filter(|all| all.iter().any(|axis| *axis < 0)) {
        let rank = site.rank(work, 0)? + more;
        let all = all.into_iter().map(|axis| if axis < 0 { axis + rank } else { axis });
        work.set("axes", AttributeValue::Ints(all.collect()));
    }
    Ok(())
}

/// Whether a value is what the table writes.
pub(super) fn is(value: &AttributeValue, text: &str) -> bool {
    let one = NodeDraft::default().with("", value.clone());
    match text {
        "*" => true,
        "ones" => one.ints("").is_some_and(|all| all.iter().all(|number| *number == 1)),
        _ => {
            one.text("").is_some_and(|found| found == text)
                || one.int("").is_some_and(|found| text.parse() == Ok(found))
                || one.float("").is_some_and(|found| text.parse() == Ok(found))
        }
    }
}

/// A value as the table writes it.
pub(super) fn parsed(text: &str) -> AttributeValue {
    if let Some(list) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return AttributeValue::Ints(list.split(',').filter_map(|one| one.parse().ok()).collect());
    }
    match (text.parse::<i64>(), text.parse::<f32>()) {
        (Ok(number), _) => AttributeValue::Int(number),
        (_, Ok(number)) if text.contains('.') => AttributeValue::Float(number),
        _ => AttributeValue::Text(text.to_owned()),
    }
}

fn int(value: &AttributeValue) -> Option<i64> {
    match value {
        AttributeValue::Int(number) | AttributeValue::Read(OnnxAttribute::Int(number), _) => {
            Some(*number)
        }
        _ => None,
    }
}
