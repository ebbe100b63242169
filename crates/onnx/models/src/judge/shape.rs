//! What a release does with shapes that contradict each other.

use std::collections::BTreeMap;

use unskew_core::{Finding, Places};

use crate::shapes::{Fault, FaultKind, When};
use crate::{Runtime, rules};

/// The findings of an ONNX Runtime. Wrong shapes of values are one, with all of their places.
pub(super) fn findings(faults: &[Fault], runtime: &Runtime) -> Vec<Finding> {
    let reader = runtime.name();
    let mut findings = Vec::new();
    let mut clashes: BTreeMap<(When, &str, &str), Places> = BTreeMap::new();
    let mut first = None;
    let mut said = Places::default();
    for fault in faults {
        match &fault.kind {
            FaultKind::Clash(clash) => {
                clashes.entry((clash.when, &fault.op, &clash.what)).or_default().add(&fault.place);
            }
            FaultKind::Said { value, has, said: wrong } => {
                first.get_or_insert((value, has, wrong));
                said.add(value);
            }
        }
    }
    for ((when, op, what), places) in clashes {
        let finding = match when {
            When::Load => {
                let symptom = format!("Node () Op ({op}) [ShapeInferenceError]");
                let rule = rules::ShapesDiffer { reader: &reader, op: &op, what: &what };
                rule.finding().with_symptom(symptom)
            }
            When::Run => {
                rules::ShapesDifferInRun { reader: &reader, op: &op, what: &what }.finding()
            }
        };
        findings.push(finding.at(places));
    }
    if let Some((value, has, wrong)) = first {
        let rule = rules::DeclaredShapeDiffers { value, has, said: wrong };
        findings.push(rule.finding().at(said));
    }
    findings
}
