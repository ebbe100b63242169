//! Device check: operators that upgraders call, and versions of single operators, which only devices lack.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Judgement, Places};
use unskew_torch_operators::OperatorCall;

use super::pair::FileAndRelease;
use crate::model::GivenArguments;
use crate::needs::versioned;
use crate::{DeviceDescription, device, rules};

pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let Some(device) = &pair.runtime.device else { return Judgement::default() };
    let mut findings = upgraders(pair);
    findings.extend(versions(pair, device));
    findings.into()
}

/// The operators that upgraders of the file's calls would call and the device does not have.
fn upgraders(pair: &FileAndRelease<'_>) -> Vec<Finding> {
    let table = &pair.runtime.operators;
    let called = device::upgraders(table.history());
    let mut missing: BTreeMap<(String, String), Places> = BTreeMap::new();
    for (operator, places) in used(pair) {
        let name = operator.split('.').next().unwrap_or(&operator);
        let applied = super::operators::upgraders(pair, name);
        for upgrader in applied.filter(|upgrader| upgrader.schema.full_name() == operator) {
            for callee in called.get(&upgrader.function).into_iter().flatten() {
                let (name, overload) = callee.split_once('.').unwrap_or((callee, ""));
                if table.overload(name, overload).is_none() {
                    let kept = missing.entry((operator.clone(), callee.clone())).or_default();
                    kept.extend(&places);
                }
            }
        }
    }
    let FileAndRelease { file, runtime_name: runtime, .. } = pair;
    let finding = |((operator, callee), places): ((String, String), Places)| {
        let (operator, callee) = (&operator, &callee);
        rules::UpgraderOperatorMissing { file, operator, runtime, callee }.finding().at(places)
    };
    missing.into_iter().map(finding).collect()
}

/// The overloads that the file uses, with their places.
fn used(pair: &FileAndRelease<'_>) -> Vec<(String, Places)> {
    let calls = pair.calls.iter().map(|call| (call.full_name(), call.places.clone()));
    let uses =
        pair.model.uses.iter().filter(|(one, _)| !matches!(one.given, GivenArguments::Shape(_)));
    let uses = uses.map(|(one, known)| (one.full_name(), known.places.clone()));
    calls.chain(uses).collect()
}

/// The calls that mean what an operator means only from a later version on than the device has.
fn versions(pair: &FileAndRelease<'_>, device: &DeviceDescription) -> Vec<Finding> {
    let operators = pair.runtime.operators.history();
    let registry = unskew_torch_operators::registry();
    let Some(written) = pair.model.operator_version() else { return Vec::new() };
    let Ok(written) = u32::try_from(written) else { return Vec::new() };
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    for call in versioned(pair.model, pair.calls, operators) {
        let operator = &call.schema.full_name();
        let needs =
            &registry.needs(OperatorCall { schema: &call.schema, given: &call.given }, written);
        let Some(has) = device.versions.get(operator).filter(|has| *has < needs) else { continue };
        if seen.insert(operator.clone()) {
            let FileAndRelease { file, runtime_name: runtime, .. } = pair;
            let finding = rules::OperatorVersion { file, operator, runtime, needs, has }.finding();
            findings.push(finding.at(call.places));
        }
    }
    findings
}
