//! One node from the opset of the model to another: form by form, or by the operators that it is made of.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use unskew_source::ReadError;

use super::adapter_context::{AdapterContext, FreshNames};
use super::bodies;
use super::names::ValueReads;
use super::node_draft::{AttributeValue, NodeDraft};
use super::scope::{Constant, ConstantFacts, Scope, TensorFiles, TensorNumbers, constant, raw};
use super::shapes;
use super::steps;
use super::table::{self, FormDifference};
use crate::infer;
use crate::schema::{Arity, ParameterKind};
use crate::{OnnxAttribute, OpSchema, OpSchemas, ValueType, full_name};

/// How deep operators are made of others.
const DEPTH: usize = 8;

/// What all nodes share.
pub(super) struct ConversionContext<'a> {
    pub(super) schemas: &'a OpSchemas,
    pub(super) files: TensorFiles<'a>,
    pub(super) names: FreshNames,
    pub(super) reads: ValueReads<'a>,
    /// The forms of the operators that were asked for, by their names with the domain.
    pub(super) asked: RefCell<HashMap<String, Rc<[OpSchema]>>>,
}

impl ConversionContext<'_> {
    /// Every form of an operator, the oldest first.
    fn forms(&self, work: &NodeDraft) -> Rc<[OpSchema]> {
        let name = full_name(&work.domain, &work.op);
        if let Some(known) = self.asked.borrow().get(&*name) {
            return known.clone();
        }
        let all = self.schemas.named(&name);
        let newest = self.schemas.rows().releases().last().copied();
        let mut forms: Vec<OpSchema> = all
            .iter()
            .filter(|(_, runs)| newest.is_some_and(|newest| runs.contains(newest)))
            .map(|(schema, _)| schema.clone())
            .collect();
        forms.sort_by_key(|schema| schema.since);
        let forms: Rc<[OpSchema]> = forms.into();
        self.asked.borrow_mut().insert(name.to_string(), forms.clone());
        forms
    }

    /// Adds to a scope what a node makes.
    pub(super) fn learn(
        &self,
        work: &NodeDraft,
        opset: i64,
        scope: &mut Scope<'_>,
    ) -> Result<(), ReadError> {
        let forms = self.forms(work);
        let Some(schema) = forms.iter().rfind(|form| form.since <= opset) else { return Ok(()) };
        let node = work.node();
        let kinds: Vec<Option<ValueType>> =
            work.inputs.iter().map(|name| scope.kind(name)).collect();
        let bound = infer::bind(schema, &node, &kinds);
        let outputs = infer::outputs(schema, &node, &kinds, &bound);
        let mut made = match work.get("value") {
            Some(value) if work.op == "Constant" => vec![self.constant(value)?],
            None if work.op == "Constant" && work.get("value_ints").is_some() => {
                let all = work.ints("value_ints").unwrap_or_default();
                let dims = vec![all.len() as i64];
                vec![ConstantFacts::from_constant(Constant {
                    numbers: TensorNumbers::Ints(all),
                    dims,
                })]
            }
            _ => shapes::outputs(work, &node, opset, scope),
        };
        for (at, (name, kind)) in work.outputs.iter().zip(outputs).enumerate() {
            if name.is_empty() {
                continue;
            }
            let known = made.get_mut(at).map(std::mem::take).unwrap_or_default();
            scope.learn(name, ConstantFacts { kind, ..known });
        }
        Ok(())
    }

    /// What is known of the tensor that a `Constant` has as an attribute.
    fn constant(&self, value: &AttributeValue) -> Result<ConstantFacts, ReadError> {
        let (dims, constant) = match value {
            AttributeValue::Read(OnnxAttribute::Tensor(tensor), _) => {
                (&*tensor.dims, constant(tensor, &self.files)?)
            }
            AttributeValue::Tensor(element, dims, bytes) => (&**dims, raw(*element, dims, bytes)),
            _ => (&[][..], None),
        };
        let dims = dims.iter().copied().map(crate::Dim::Size).collect();
        Ok(ConstantFacts { kind: None, dims: Some(dims), constant })
    }

    /// The nodes that do under the opset `to` what a node does under `from`.
    pub(super) fn node(
        &mut self,
        work: NodeDraft,
        from: i64,
        to: i64,
        scope: &mut Scope<'_>,
        depth: usize,
    ) -> Result<Vec<NodeDraft>, String> {
        let forms = self.forms(&work);
        if forms.is_empty() || from == to {
            return Ok(vec![work]);
        }
        let own = match forms.iter().rposition(|form| form.since <= from) {
            Some(own) => own,
            // A model that names an opset before the operator can mean nothing but its first form.
            None => match forms.first().filter(|first| first.since <= to) {
                Some(first) => fits(first, &work, scope).map(|()| 0)?,
                None => return Err(format!("{} has no form under opset {from}", work.op)),
            },
        };
        let target = forms.iter().rposition(|form| form.since <= to);
        if target == Some(own) {
            return Ok(vec![work]);
        }
        if depth >= DEPTH {
            return Err("it is made of operators that are made of others too often".to_owned());
        }
        let original = work.clone();
        let chained = match target {
            Some(target) => self.chain(work, &forms, own, target, to, scope, depth),
            None => self.before(work, &forms, own, to, scope, depth),
        };
        let why = match chained {
            Ok(nodes) => return Ok(nodes),
            Err(why) if from < to => return Err(why),
            Err(why) => why,
        };
        let Some(schema) = forms.get(own) else { return Err(why) };
        if is_given(&original) {
            return Err(why);
        }
        let Some((opset, nodes)) = bodies::expand(&original, schema, scope, &mut self.names) else {
            return Err(why);
        };
        let nodes = nodes.into_iter().map(|node| (opset, node));
        self.all(nodes.collect(), to, scope, depth)
            .map_err(|inner| format!("{why}; written by others: {inner}"))
    }

    /// New nodes, each from the opset under which it is written.
    fn all(
        &mut self,
        nodes: Vec<(i64, NodeDraft)>,
        to: i64,
        scope: &mut Scope<'_>,
        depth: usize,
    ) -> Result<Vec<NodeDraft>, String> {
        let mut all = Vec::new();
        for (opset, node) in nodes {
            self.learn(&node, opset, scope).map_err(|error| error.to_string())?;
            // What a body writes under its opset may not be there for these types.
            let forms = self.forms(&node);
            let form = forms.iter().rfind(|form| form.since <= opset.min(to));
            match form {
                Some(form) if opset <= to => {
                    fits(form, &node, scope)?;
                }
                _ => {}
            }
            all.extend(self.node(node, opset, to, scope, depth + 1)?);
        }
        Ok(all)
    }

    /// A node and what was put before it.
    pub(super) fn among(
        &mut self,
        before: Vec<NodeDraft>,
        work: NodeDraft,
        from: i64,
        to: i64,
        scope: &mut Scope<'_>,
    ) -> Result<Vec<NodeDraft>, String> {
        // A constant is written as since opset 13.
        let before = before.into_iter().map(|one| (13, one)).collect();
        let mut all = self.all(before, to, scope, 0)?;
        all.extend(self.node(work, from, to, scope, 0)?);
        Ok(all)
    }

    #[allow(clippy::too_many_arguments, reason = "one call, from one function")]
    fn chain(
        &mut self,
        mut work: NodeDraft,
        forms: &[OpSchema],
        own: usize,
        target: usize,
        to: i64,
        scope: &mut Scope<'_>,
        depth: usize,
    ) -> Result<Vec<NodeDraft>, String> {
        let up = own < target;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut at = own;
        let op = work.op.clone();
        while at != target {
            let next = if up { at + 1 } else { at - 1 };
            let (Some(low), Some(high)) = (forms.get(at.min(next)), forms.get(at.max(next))) else {
                break;
            };
            let mut site = AdapterContext::new(scope, &mut self.names, &self.reads, up);
            let steps = table::steps(&op, low.since, high.since);
            if !steps.is_empty() && is_given(&work) {
                return Err(GIVEN.to_owned());
            }
            for step in steps {
                steps::take(step, &mut work, &mut site)?;
            }
            let (more_before, more_after) = (site.before, site.after);
            for (opset, node) in more_before.iter().chain(&more_after) {
                self.learn(node, *opset, scope).map_err(|error| error.to_string())?;
            }
            before.extend(more_before);
            after.splice(0..0, more_after);
            let renamed = steps.iter().find_map(|step| match step {
                FormDifference::Rename(_, new) if up => Some(*new),
                _ => None,
            });
            if let Some(new) = renamed {
                new.clone_into(&mut work.op);
                let mut all = self.all(before, to, scope, depth)?;
                all.extend(self.node(work, high.since, to, scope, depth + 1)?);
                all.extend(self.all(after, to, scope, depth)?);
                return Ok(all);
            }
            if up && high.deprecated {
                return Err(format!("{} is gone since opset {}", work.op, high.since));
            }
            at = next;
        }
        if let Some(form) = forms.get(target).filter(|_| work.op == op) {
            fits(form, &work, scope)?;
        }
        let mut all = self.all(before, to, scope, depth)?;
        all.push(work);
        all.extend(self.all(after, to, scope, depth)?);
        Ok(all)
    }

    /// To the operator that did this under another name.
    fn before(
        &mut self,
        mut work: NodeDraft,
        forms: &[OpSchema],
        own: usize,
        to: i64,
        scope: &mut Scope<'_>,
        depth: usize,
    ) -> Result<Vec<NodeDraft>, String> {
        let first = forms.first().map_or(0, |form| form.since);
        let none = || format!("{} is new in opset {first}", full_name(&work.domain, &work.op));
        let (old, pair) = table::before(&work.op, first).ok_or_else(none)?;
        let Some(reached) = forms.iter().rposition(|form| form.since <= pair.high) else {
            return Err(none());
        };
        let mut nodes = self.chain(work.clone(), forms, own, reached, pair.high, scope, depth)?;
        // Only a node alone can take another name.
        work = match (nodes.pop(), nodes.is_empty()) {
            (Some(work), true) => work,
            _ => return Err(none()),
        };
        let mut site = AdapterContext::new(scope, &mut self.names, &self.reads, false);
        for step in &pair.steps {
            steps::take(step, &mut work, &mut site)?;
        }
        old.clone_into(&mut work.op);
        self.node(work, pair.low.max(pair.high - 1), to, scope, depth + 1)
    }
}

/// Why a node is refused whose attributes are not known.
const GIVEN: &str = "an attribute is given by the function around it, and its value would decide";

/// Whether the calls of a function decide what an attribute is.
fn is_given(work: &NodeDraft) -> bool {
    work.attributes
        .iter()
        .any(|(_, value)| matches!(value, AttributeValue::Read(OnnxAttribute::Of(_), _)))
}

/// Whether a node is one of this form: attributes, counts, types as far as they are known.
fn fits(form: &OpSchema, work: &NodeDraft, scope: &Scope<'_>) -> Result<(), String> {
    let since = form.since;
    if let Some((name, _)) = work
        .attributes
        .iter()
        .find(|(name, _)| form.attribute(name).is_none() && !name.starts_with("__"))
    {
        return Err(format!("the form of opset {since} has no attribute `{name}`"));
    }
    let lacks = |one: &&crate::AttributeSchema| one.required && work.get(&one.name).is_none();
    if let Some(one) = form.attributes.iter().find(lacks) {
        return Err(format!("the form of opset {since} needs the attribute `{}`", one.name));
    }
    let (least, most) = form.counts();
    let outputs = form.output_counts().1;
    if work.inputs.len() < least || most.is_some_and(|most| work.inputs.len() > most) {
        return Err(format!("the form of opset {since} has other inputs"));
    }
    if outputs.is_some_and(|most| work.outputs.len() > most) {
        return Err(format!("the form of opset {since} has fewer outputs"));
    }
    let mut seen: Vec<Option<ValueType>> = vec![None; form.variables.len()];
    let inputs = work.inputs.iter().enumerate().map(|(at, name)| (form.input(at), name));
    let outputs = work.outputs.iter().enumerate().map(|(at, name)| (form.output(at), name));
    for (parameter, name) in inputs.chain(outputs) {
        let Some(parameter) = parameter else { continue };
        if name.is_empty() {
            if parameter.arity == Arity::One {
                return Err(format!("the form of opset {since} needs `{}`", parameter.name));
            }
            continue;
        }
        let Some(kind) = scope.kind(name) else { continue };
        let refused =
            || Err(format!("the form of opset {since} takes no {kind} as `{}`", parameter.name));
        match &parameter.kind {
            ParameterKind::Fixed(wanted) if *wanted != kind => return refused(),
            ParameterKind::Variable(variable) => {
                if form
                    .variables
                    .get(*variable)
                    .is_some_and(|(_, allowed)| !allowed.contains(&kind))
                {
                    return refused();
                }
                if matches!(parameter.arity, Arity::Many { same: false, .. }) {
                    continue;
                }
                match seen.get_mut(*variable) {
                    Some(Some(other)) if *other != kind => return refused(),
                    Some(slot) => *slot = Some(kind),
                    None => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}
