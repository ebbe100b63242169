//! `data/bodies.txt`: operators written by others.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::adapter_context::{FreshNames, is_float, number_of};
use super::attention;
use super::composed;
use super::node_draft::{AttributeValue, NodeDraft, ints};
use super::scope::Scope;
use super::steps::{is, parsed};
use crate::{OnnxAttribute, OnnxElementType, OpSchema, ValueType};

/// A body, as it is written.
struct Body {
    op: &'static str,
    form: i64,
    opset: i64,
    conditions: Vec<&'static str>,
    lines: Vec<&'static str>,
}

static BODIES: LazyLock<Vec<Body>> = LazyLock::new(|| {
    let mut all: Vec<Body> = Vec::new();
    for line in include_str!("../../data/bodies.txt").lines() {
        if let Some(line) = line.strip_prefix("  ") {
            if let Some(body) = all.last_mut() {
                body.lines.push(line);
            }
        } else if !line.starts_with('#') {
            all.extend(head(line));
        }
    }
    all
});

fn head(line: &'static str) -> Option<Body> {
    let (head, conditions) = line.split_once(" if ").unwrap_or((line, ""));
    let mut words = head.split([' ', '@']).filter(|word| !word.is_empty());
    let (op, form, opset) =
        (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let conditions = conditions.split("; ").filter(|one| !one.is_empty()).collect();
    Some(Body { op, form, opset, conditions, lines: Vec::new() })
}

/// The nodes that a node means, with the opset under which they are written; none if no body fits.
pub(super) fn expand(
    work: &NodeDraft,
    schema: &OpSchema,
    scope: &Scope<'_>,
    names: &mut FreshNames,
) -> Option<(i64, Vec<NodeDraft>)> {
    if !work.domain.is_empty() {
        return None;
    }
    if work.op == "Attention" {
        return Some((attention::OPSET, attention::nodes(work, scope, names)?));
    }
    if let Some(composed) = composed::nodes(work, scope, names) {
        return Some(composed);
    }
    let body = BODIES.iter().find(|body| {
        body.op == work.op
            && schema.since >= body.form
            && body.conditions.iter().all(|one| holds(one, work, scope))
    })?;
    let mut known: HashMap<&str, String> = HashMap::new();
    for (parameter, name) in schema.inputs.iter().zip(&work.inputs) {
        known.insert(&*parameter.name, name.clone());
    }
    for (parameter, name) in
        schema.outputs.iter().zip(&work.outputs).filter(|(_, name)| !name.is_empty())
    {
        known.insert(&*parameter.name, name.clone());
    }
    let mut nodes = Vec::new();
    for line in &body.lines {
        nodes.extend(self::line(line, work, scope, names, &mut known)?);
    }
    Some((body.opset, nodes))
}

fn holds(condition: &str, work: &NodeDraft, scope: &Scope<'_>) -> bool {
    let float = || work.input(0).and_then(|name| scope.kind(name)).and_then(|kind| is_float(&kind));
    match condition.split_once([' ', '=']) {
        Some(("in", at)) => at.parse().is_ok_and(|at| work.input(at).is_some()),
        Some(("is", number)) => {
            let element = work.input(0).and_then(|name| scope.element(name));
            element.is_some_and(|element| number.parse() == Ok(element.0))
        }
        Some(("no", at)) => at.parse().is_ok_and(|at| work.input(at).is_none()),
        Some((name, values)) => match work.get(name) {
            None => values.split(',').any(|one| one == "none"),
            Some(value) => values.split(',').any(|one| is_value(value, one)),
        },
        None => match condition {
            "float" => float() == Some(true),
            "int" => float() == Some(false),
            other => other.strip_prefix('!').is_some_and(|name| work.get(name).is_none()),
        },
    }
}

/// As the table writes it; the word `none` is a value of texts too.
fn is_value(value: &AttributeValue, text: &str) -> bool {
    let word =
        matches!(value, AttributeValue::Read(OnnxAttribute::Text(found), _) if **found == *text);
    word || is(value, text)
}

fn line<'l>(
    line: &'l str,
    work: &NodeDraft,
    scope: &Scope<'_>,
    names: &mut FreshNames,
    known: &mut HashMap<&'l str, String>,
) -> Option<Vec<NodeDraft>> {
    let (outputs, rest) = line.split_once(" = ")?;
    let (op, rest) = rest.split_once('(')?;
    let (inside, attributes) = rest.rsplit_once(')')?;
    let mut outs = Vec::new();
    for name in outputs.split(", ") {
        outs.push(known.entry(name).or_insert_with(|| names.fresh(name)).clone());
    }
    let out = outs.first()?.clone();
    if op == "Const" {
        let (number, like) = inside.split_once(" as ")?;
        let number = match number.strip_prefix('$') {
            Some(given) => {
                let (name, default) = given.split_once('|')?;
                match work.get(name) {
                    None => default.parse().ok()?,
                    Some(_) => f64::from(work.float(name)?),
                }
            }
            None => number.parse().ok()?,
        };
        let element = scope.element(known.get(like)?)?;
        let (made, mut nodes) = number_of(number, element, names);
        if let Some(last) = nodes.last_mut() {
            last.outputs
                .iter_mut()
                .filter(|name| **name == made)
                .for_each(|name| name.clone_from(&out));
        }
        return Some(nodes);
    }
    if op == "Ints" {
        let number = match inside.strip_prefix('$') {
            Some(given) => {
                let (name, default) = given.split_once('|')?;
                work.int(name).or_else(|| default.parse().ok())?
            }
            None => inside.parse().ok()?,
        };
        return Some(vec![NodeDraft::new("Constant", &[], &[&out]).with("value", ints(&[number]))]);
    }
    let mut node = NodeDraft { op: op.to_owned(), outputs: outs, ..NodeDraft::default() };
    for name in inside.split(", ").filter(|name| !name.is_empty()) {
        node.inputs.push(known.get(name).cloned()?);
    }
    for attribute in attributes.split(' ').filter(|one| !one.is_empty()) {
        let (name, value) = attribute.split_once('=')?;
        let value = if let Some(like) = value.strip_prefix('@') {
            let ValueType::Tensor(OnnxElementType(number)) = scope.kind(known.get(like)?)? else {
                return None;
            };
            AttributeValue::Int(i64::from(number))
        } else if let Some(given) = value.strip_prefix("tail:") {
            AttributeValue::Ints(tail(given, work, scope)?)
        } else if let Some(given) = value.strip_prefix('$') {
            let (own, default) = given.split_once('|')?;
            work.get(own).cloned().map_or_else(|| parsed(default), |value| value.renamed())
        } else {
            parsed(value)
        };
        node.set(name, value);
    }
    Some(vec![node])
}

/// The axes from the one that an attribute names to the last, counted from the end.
fn tail(given: &str, work: &NodeDraft, scope: &Scope<'_>) -> Option<Vec<i64>> {
    let (name, default) = given.split_once('|')?;
    let axis = match work.get(name) {
        Some(_) => work.int(name)?,
        None => default.parse().ok()?,
    };
    let axis = if axis < 0 { axis } else { axis.min(1024) - scope.rank(work.input(0)?)? };
    (-1024..0).contains(&axis).then(|| (axis..0).collect())
}

impl AttributeValue {
    /// The same value for an attribute of another node.
    fn renamed(self) -> Self {
        match self {
            Self::Read(OnnxAttribute::Int(number), _) => Self::Int(number),
            Self::Read(OnnxAttribute::Float(number), _) => Self::Float(number),
            Self::Read(OnnxAttribute::Text(text), _) => Self::Text(text.into()),
            Self::Read(OnnxAttribute::Ints(all), _) => Self::Ints(all),
            Self::Read(OnnxAttribute::Floats(all), _) => Self::Floats(all),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_head_is_read_and_every_body_has_lines() {
        assert!(BODIES.len() > 10);
        assert!(BODIES.iter().all(|body| !body.lines.is_empty()));
    }
}
