//! A model against what is stated.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Places, Unjudged, aspect};

use super::{DocumentedOperator, DocumentedSupport, OperatorFallback};
use crate::judge::place;
use crate::{OnnxGraph, OnnxModel, OnnxNode, full_name, rules};

type NodesByOperator = BTreeMap<String, Places>;

/// What the statement makes of a model.
pub(crate) fn judge(model: &OnnxModel, stated: &DocumentedSupport) -> Judgement {
    let mut judgement = Judgement::default();
    judgement.findings.extend(opset(model, stated));
    let (mut refused, mut restricted, mut unknown) =
        <(NodesByOperator, NodesByOperator, NodesByOperator)>::default();
    let mut look = |graph: &OnnxGraph, opsets: &[(Box<str>, i64)]| {
        for node in graph.all().into_iter().flat_map(|graph| &graph.nodes) {
            if is_call(model, node) {
                continue;
            }
            let name = full_name(&node.domain, &node.op);
            let opset = opsets.iter().find(|(domain, _)| *domain == node.domain);
            let opset = opset.map_or(1, |(_, version)| *version);
            let list = match stated.operators.get(&name) {
                Some(support) if !has(stated, support, &name, opset) => &mut refused,
                Some(support) if support.restricted => &mut restricted,
                Some(_) => continue,
                None if stated.otherwise == OperatorFallback::Plugin => &mut unknown,
                None => &mut refused,
            };
            list.entry(name).or_default().add(place(node));
        }
    };
    look(&model.graph, &model.opsets);
    model.functions.iter().for_each(|function| look(&function.body, &function.opsets));
    let findings = refused.into_iter().map(|(op, places)| finding(stated, &op).at(places));
    judgement.findings.extend(findings);
    let reader = &stated.name;
    let mut open = |nodes: NodesByOperator, reason: String| {
        if !nodes.is_empty() {
            let names: Places = nodes.keys().collect();
            judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason).at(names));
        }
    };
    open(
        restricted,
        format!(
            "{reader} takes these operators under conditions, which are not looked at: {}",
            stated.source
        ),
    );
    open(
        unknown,
        format!(
            "what is stated of {reader} does not name these operators; a plug-in may have them"
        ),
    );
    let rest = match stated.otherwise {
        OperatorFallback::NotBuilt => {
            "which ONNX Runtime is built: its versions, kernels and types; check with a release too"
                .to_owned()
        }
        _ => format!(
            "types, shapes and the device: of {reader} is known what is stated of its operators"
        ),
    };
    judgement.unjudged.push(Unjudged::new(aspect::KERNELS, rest));
    judgement
}

/// Whether an operator is supported under an opset. A build has the forms that its opsets mean.
fn has(stated: &DocumentedSupport, support: &DocumentedOperator, name: &str, opset: i64) -> bool {
    let Some(ranges) = &support.opsets else { return true };
    if stated.otherwise == OperatorFallback::NotBuilt {
        let form = stated.form(name, opset);
        return ranges
            .iter()
            .any(|(built, _)| *built == opset || stated.form(name, *built) == form);
    }
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&opset))
}

fn is_call(model: &OnnxModel, node: &OnnxNode) -> bool {
    let is =
        |function: &crate::OnnxFunction| function.name == node.op && function.domain == node.domain;
    model.functions.iter().any(is)
}

fn finding(stated: &DocumentedSupport, op: &str) -> Finding {
    let (reader, source) = (&stated.name, &stated.source);
    match stated.otherwise {
        OperatorFallback::NotBuilt => rules::OperatorNotBuilt { build: reader, op: &op }.finding(),
        OperatorFallback::Cpu => rules::OperatorOnCpu { reader, op: &op, source }.finding(),
        OperatorFallback::Refused | OperatorFallback::Plugin => {
            rules::OperatorNotStated { reader, op: &op, source }.finding()
        }
    }
}

fn opset(model: &OnnxModel, stated: &DocumentedSupport) -> Option<Finding> {
    let (low, high) = stated.opsets?;
    let (_, version) = model.opsets.iter().find(|(domain, _)| domain.is_empty())?;
    if (low..=high).contains(version) {
        return None;
    }
    let range = if low > 1 { format!("{low} to {high}") } else { format!("up to {high}") };
    let rule = rules::OpsetNotStated { reader: &stated.name, range: &range, version };
    Some(rule.finding().at(Places::from_iter(["opset_import ai.onnx"])))
}
