//! Shape check: what a release does with shapes that contradict each other.

use std::collections::BTreeMap;

use unskew_core::{Finding, Places};

use crate::shapes::{ConflictPhase, ShapeFault, ShapeFaultKind};
use crate::{OnnxRelease, rules};

/// The findings of an ONNX Runtime. Wrong shapes of values are one, with all of their places.
pub(super) fn findings(faults: &[ShapeFault], runtime: &OnnxRelease) -> Vec<Finding> {
    let reader = runtime.name();
    let mut findings = Vec::new();
    let mut clashes: BTreeMap<(ConflictPhase, &str, &str), Places> = BTreeMap::new();
    let mut first = None;
    let mut said = Places::default();
    for fault in faults {
        match &fault.kind {
            ShapeFaultKind::Clash(clash) => {
                clashes.entry((clash.when, &fault.op, &clash.what)).or_default().add(&fault.place);
            }
            ShapeFaultKind::Said { value, has, said: wrong } => {
                first.get_or_insert((value, has, wrong));
                said.add(value);
            }
        }
    }
    for ((when, op, what), places) in clashes {
        let finding = match when {
            ConflictPhase::Load => {
                let symptom = format!("Node () Op ({op}) [ShapeInferenceError]");
                let rule = rules::ShapesDiffer { reader: &reader, op: &op, what: &what };
                rule.finding().with_symptom(symptom)
            }
            ConflictPhase::Run => {
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
