//! Differences between two forms of an operator, between two opsets, and between two lists of operators.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Places, Version};

use crate::convert::is_extension;
use crate::schema::{Arity, ParameterKind};
use crate::{FormalParameter, OpSchema, OpSchemas, ValueType, rules};

/// A form of an operator: its name and the version of its domain.
type OperatorForm = (Box<str>, i64);

/// Operators by form, one line of text each.
///
/// ```
/// let forms = unskew_onnx::OperatorForms::read("my.ops:Gain.1(X: T) -> (Y: T) {T: float} [by: float!]\n").unwrap();
/// assert_eq!(forms.len(), 1);
/// assert!(unskew_onnx::OperatorForms::read("Gain").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperatorForms(BTreeMap<OperatorForm, OpSchema>);

impl OperatorForms {
    /// The operators of a text: a schema on each line, as `unskew releases onnx --op NAME` prints them. Lines that are
    /// empty or begin with `#` say nothing.
    ///
    /// # Errors
    /// The number of the first line that is no schema, or that says a form again, with what is wrong.
    pub fn read(text: &str) -> Result<Self, (usize, String)> {
        let mut forms = BTreeMap::new();
        for (at, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let schema = OpSchema::parse(line).ok_or_else(|| {
                (at, "not a schema: NAME.VERSION(input: T) -> (output: T) {T: float}".to_owned())
            })?;
            let form = (schema.name.clone(), schema.since);
            if forms.insert(form, schema).is_some() {
                return Err((at, "this form stands above already".to_owned()));
            }
        }
        Ok(Self(forms))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names with versions: `my.ops:Gain.1`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.keys().map(|(name, since)| format!("{name}.{since}"))
    }
}

/// A change of one operator, with its name.
pub struct FormChange {
    /// What changed, as an instance of its rule.
    pub finding: Finding,
    /// The operator: `my.ops:Gain`.
    pub op: Box<str>,
}

/// What changed between two lists of operators; `old` and `new` are how these are called. A form that is out may not
/// change: what differs is a new form with a new version.
pub fn lists(
    old: &OperatorForms,
    new: &OperatorForms,
    [old_name, new_name]: [&str; 2],
) -> Vec<FormChange> {
    let mut found = Vec::new();
    let mut add = |finding, op: &str| found.push(FormChange { finding, op: op.into() });
    for ((op, since), before) in &old.0 {
        match new.0.get(&(op.clone(), *since)) {
            None => add(rules::ChangeFormRemoved { reader: &new_name, op, since }.finding(), op),
            Some(now) if now != before => {
                let what = differences(before, now).join(", ");
                let rule = rules::FormEdited { op, since, what: &what };
                add(rule.finding(), op);
            }
            Some(_) => {}
        }
    }
    let newest = |forms: &OperatorForms, op: &str| {
        forms.0.keys().filter(|(name, _)| **name == *op).map(|(_, since)| *since).max()
    };
    for ((op, since), now) in new.0.iter().filter(|(form, _)| !old.0.contains_key(*form)) {
        match newest(old, op) {
            Some(before) if before > *since => {
                let rule = rules::FormBackdated { op, since, newest: &before };
                add(rule.finding(), op);
            }
            Some(before) => {
                let old = old.0.get(&(op.clone(), before));
                add(newer(op, old, now), op);
            }
            None => {
                let rule = rules::ChangeFormsAdded { reader: &old_name, count: &1 };
                add(rule.finding().at(Places::from_iter([format!("{op} since {since}")])), op);
            }
        }
    }
    found
}

/// What a model sees that goes from one opset of a domain to another. `release`: the onnx whose forms are taken.
pub fn opsets(
    schemas: &OpSchemas,
    release: Version,
    domain: &str,
    old: i64,
    new: i64,
) -> Vec<Finding> {
    let of = |opset: i64| -> BTreeMap<Box<str>, OpSchema> {
        let all = schemas.rows().definitions_of(release).filter_map(OpSchema::parse);
        let mut forms: BTreeMap<Box<str>, OpSchema> = BTreeMap::new();
        for schema in all.filter(|one| one.since <= opset && is_of(&one.name, domain)) {
            let newer = forms.get(&schema.name).is_none_or(|one| one.since < schema.since);
            if newer {
                forms.insert(schema.name.clone(), schema);
            }
        }
        forms.retain(|_, schema| !schema.deprecated);
        forms
    };
    let (before, after) = (of(old), of(new));
    let [old_name, new_name] = [old, new].map(|opset| format!("opset {opset}"));
    let mut found = Vec::new();
    for (op, was) in &before {
        match after.get(op) {
            None => {
                let rule = rules::ChangeFormRemoved { reader: &new_name, op, since: &was.since };
                found.push(rule.finding());
            }
            Some(now) if now.since != was.since => found.push(newer(op, Some(was), now)),
            Some(_) => {}
        }
    }
    let added: Places = after.keys().filter(|op| !before.contains_key(*op)).collect();
    if !added.is_empty() {
        let rule = rules::ChangeFormsAdded { reader: &old_name, count: &added.count() };
        found.push(rule.finding().at(added));
    }
    found
}

fn is_of(name: &str, domain: &str) -> bool {
    name.split_once(':').map_or("", |(domain, _)| domain) == domain
}

/// A form in the place of another one.
fn newer(op: &str, old: Option<&OpSchema>, now: &OpSchema) -> Finding {
    let since = &now.since;
    let Some(old) = old else {
        return rules::FormWider { op: &op, since, before: &0, what: &"" }.finding();
    };
    let what = differences(old, now);
    let shown = what.join(", ");
    if now.deprecated {
        return rules::FormChanged {
            op: &op,
            since,
            before: &old.since,
            what: &"the operator is gone",
        }
        .finding();
    }
    let meaning = "what a node does, or how it is written";
    if !is_extension(op, old.since, *since) && is_wider(old, now) || what.is_empty() {
        let shown =
            if what.is_empty() { meaning.to_owned() } else { format!("{meaning}, {shown}") };
        return rules::FormChanged { op: &op, since, before: &old.since, what: &shown }.finding();
    }
    match is_wider(old, now) {
        false => rules::FormChanged { op: &op, since, before: &old.since, what: &shown }.finding(),
        true => rules::FormWider { op: &op, since, before: &old.since, what: &shown }.finding(),
    }
}

/// Whether every node of the old form is one of the new form, as far as a schema tells.
fn is_wider(old: &OpSchema, now: &OpSchema) -> bool {
    let kept = old.attributes.iter().all(|one| {
        now.attribute(&one.name)
            .is_some_and(|other| other.kind == one.kind && (one.required || !other.required))
    });
    let needs = |schema: &OpSchema| schema.counts().0;
    let most = |schema: &OpSchema| schema.counts().1.unwrap_or(usize::MAX);
    let new_needed =
        now.attributes.iter().any(|one| one.required && old.attribute(&one.name).is_none());
    let types = (0..old.inputs.len()).all(|at| {
        let (old, now) = (kinds(old, old.input(at)), kinds(now, now.input(at)));
        old.is_subset(&now)
    });
    kept && !new_needed
        && needs(now) <= needs(old)
        && most(now) >= most(old)
        && now.output_counts().0 <= old.output_counts().0
        && types
}

fn kinds(schema: &OpSchema, parameter: Option<&FormalParameter>) -> BTreeSet<ValueType> {
    match parameter.map(|one| &one.kind) {
        Some(ParameterKind::Variable(at)) => {
            schema.variables.get(*at).into_iter().flat_map(|(_, kinds)| kinds.clone()).collect()
        }
        Some(ParameterKind::Fixed(kind)) => BTreeSet::from([kind.clone()]),
        _ => BTreeSet::new(),
    }
}

/// What differs, a few words each.
fn differences(old: &OpSchema, now: &OpSchema) -> Vec<String> {
    let mut all = Vec::new();
    for one in &old.attributes {
        match now.attribute(&one.name) {
            None => all.push(format!("attribute {} gone", one.name)),
            Some(other) if other.kind != one.kind => {
                all.push(format!("attribute {} {} before, {} now", one.name, one.kind, other.kind));
            }
            Some(other) if other.required && !one.required => {
                all.push(format!("attribute {} needed now", one.name));
            }
            Some(_) => {}
        }
    }
    for one in now.attributes.iter().filter(|one| old.attribute(&one.name).is_none()) {
        let needed = if one.required { "needed " } else { "" };
        all.push(format!("new {needed}attribute {}", one.name));
    }
    for (what, old_side, new_side) in
        [("input", &old.inputs, &now.inputs), ("output", &old.outputs, &now.outputs)]
    {
        for one in new_side.iter().skip(old_side.len()) {
            let optional = if one.arity == Arity::One { "needed" } else { "optional" };
            all.push(format!("new {optional} {what} {}", one.name));
        }
        for one in old_side.iter().skip(new_side.len()) {
            all.push(format!("{what} {} gone", one.name));
        }
        for (was, is) in old_side.iter().zip(new_side) {
            let (before, after) = (kinds(old, Some(was)), kinds(now, Some(is)));
            let list = |kinds: Vec<&ValueType>| {
                kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            };
            let (more, less): (Vec<&ValueType>, Vec<&ValueType>) =
                (after.difference(&before).collect(), before.difference(&after).collect());
            if !more.is_empty() {
                let verb = if what == "input" { "takes" } else { "is" };
                all.push(format!("{what} {} {verb} {} too", is.name, list(more)));
            }
            if !less.is_empty() {
                all.push(format!("{what} {} no longer {}", is.name, list(less)));
            }
            if was.arity != is.arity {
                all.push(format!("{what} {} {} before, {} now", is.name, often(was), often(is)));
            }
        }
    }
    all
}

fn often(parameter: &FormalParameter) -> &'static str {
    match parameter.arity {
        Arity::One => "needed",
        Arity::Optional => "optional",
        Arity::Many { .. } => "repeated",
    }
}
