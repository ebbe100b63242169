//! Difference of two releases that read models: numbers, forms of operators, types that kernels take.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Places};

use crate::{KernelSupport, KernelTypes, ModelReader, OnnxRelease, OpSchema, rules};

/// A form of an operator: its name and the version of its domain.
type OperatorForm = (Box<str>, i64);

/// The choices of types with which a form runs; none if that was not measured.
type TypeChoices = Option<BTreeSet<Vec<String>>>;

/// What each form runs with.
type KernelTypesByForm = BTreeMap<OperatorForm, TypeChoices>;

/// The most combinations of types of one form that are compared one by one.
const MOST: usize = 100_000;

/// A finding for every change from `old` to `new`; none if one runs models and the other checks them.
pub fn findings(old: &OnnxRelease, new: &OnnxRelease) -> Option<Vec<Finding>> {
    if old.reader != new.reader {
        return None;
    }
    let mut found = numbers(old, new);
    match (runs(old), runs(new)) {
        (Some(before), Some(after)) => found.extend(kernels(old, new, &before, &after)),
        _ => found.extend(forms(old, new)),
    }
    Some(found)
}

/// IR versions and opsets.
fn numbers(old: &OnnxRelease, new: &OnnxRelease) -> Vec<Finding> {
    let domains: BTreeSet<&str> =
        old.opsets.iter().chain(&new.opsets).map(|(domain, _)| &**domain).collect();
    let opset = |domain: &str| {
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        (format!("opset {shown}"), old.opset(domain), new.opset(domain))
    };
    let all = [("IR version".to_owned(), Some(old.ir), Some(new.ir))];
    let all = all.into_iter().chain(domains.into_iter().map(opset));
    let finding = |(what, before, after): (String, Option<i64>, Option<i64>)| {
        let shown =
            |number: Option<i64>| number.map_or("no limit".to_owned(), |one| one.to_string());
        let (before_text, after_text) = (shown(before), shown(after));
        // No limit is above all numbers.
        let (before, after) = (before.unwrap_or(i64::MAX), after.unwrap_or(i64::MAX));
        match before.cmp(&after) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(
                rules::ChangeRaised { what: &what, before: &before_text, after: &after_text }
                    .finding(),
            ),
            std::cmp::Ordering::Greater => Some(
                rules::ChangeLowered { what: &what, before: &before_text, after: &after_text }
                    .finding(),
            ),
        }
    };
    all.filter_map(finding).collect()
}

/// Every form with the types that it runs with; none of what runs nothing. A form that was not measured has no types here.
fn runs(runtime: &OnnxRelease) -> Option<KernelTypesByForm> {
    let kernels = runtime.kernels.as_ref()?;
    let mut all: KernelTypesByForm = BTreeMap::new();
    for kernel in kernels.rows().definitions_of(runtime.version).filter_map(KernelTypes::parse) {
        let slot = all.entry((kernel.name, kernel.since)).or_insert_with(|| Some(BTreeSet::new()));
        match kernel.measured {
            KernelSupport::Types(types) => match (choices(&types), slot.as_mut()) {
                (Some(choices), Some(known)) => known.extend(choices),
                _ => *slot = None,
            },
            KernelSupport::Nothing => {}
            KernelSupport::Unknown | KernelSupport::Sometimes(_) => *slot = None,
        }
    }
    Some(all)
}

/// Every choice of a product of types; none if there are too many.
fn choices(types: &[(Box<str>, Vec<crate::ValueType>)]) -> Option<Vec<Vec<String>>> {
    let mut all = vec![Vec::new()];
    for (name, allowed) in types {
        if all.len().saturating_mul(allowed.len()) > MOST {
            return None;
        }
        let with = |choice: &Vec<String>| {
            let more = allowed.iter().map(|kind| format!("{name} = {kind}"));
            more.map(|one| choice.iter().cloned().chain([one]).collect())
                .collect::<Vec<Vec<String>>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Some(all)
}

fn kernels(
    old: &OnnxRelease,
    new: &OnnxRelease,
    before: &KernelTypesByForm,
    after: &KernelTypesByForm,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut added, mut wider) = (Places::default(), Places::default());
    for ((name, since), types) in after {
        let is_run = |types: &TypeChoices| types.as_ref().is_none_or(|types| !types.is_empty());
        match before.get(&(name.clone(), *since)) {
            None if is_run(types) => added.add(format!("{name} since {since}")),
            Some(Some(known)) => {
                let more = types.as_ref().map_or(0, |types| types.difference(known).count());
                if more > 0 {
                    wider.add(format!("{name} since {since}"));
                }
            }
            _ => {}
        }
    }
    for ((name, since), types) in before {
        let Some(types) = types.as_ref().filter(|types| !types.is_empty()) else { continue };
        let Some(known) = after.get(&(name.clone(), *since)) else {
            found.push(rules::ChangeFormRemoved { reader: &new.name(), op: name, since }.finding());
            continue;
        };
        let Some(known) = known else { continue };
        let lost: Vec<String> = types.difference(known).map(|choice| choice.join(", ")).collect();
        if let Some(first) = lost.first() {
            let rule =
                rules::ChangeTypesRemoved { reader: &new.name(), op: name, since, types: first };
            found.push(rule.finding().at(lost.iter().collect()));
        }
    }
    let count = |places: &Places| places.count();
    if !added.is_empty() {
        let rule = rules::ChangeFormsAdded { reader: &old.name(), count: &count(&added) };
        found.push(rule.finding().at(added));
    }
    if !wider.is_empty() {
        found.push(rules::ChangeTypesAdded { count: &count(&wider) }.finding().at(wider));
    }
    found
}

fn forms(old: &OnnxRelease, new: &OnnxRelease) -> Vec<Finding> {
    let of = |runtime: &OnnxRelease| -> BTreeMap<OperatorForm, OpSchema> {
        let mut forms = BTreeMap::new();
        for schema in
            runtime.schemas.rows().definitions_of(runtime.version).filter_map(OpSchema::parse)
        {
            forms.insert((schema.name.clone(), schema.since), schema);
        }
        forms
    };
    let (before, after) = (of(old), of(new));
    let added: Places = after
        .keys()
        .filter(|form| !before.contains_key(*form))
        .map(|(name, since)| format!("{name} since {since}"))
        .collect();
    let mut found = Vec::new();
    for ((name, since), schema) in &before {
        match after.get(&(name.clone(), *since)) {
            None => found
                .push(rules::ChangeFormRemoved { reader: &new.name(), op: name, since }.finding()),
            Some(now) if now != schema => {
                found.push(
                    rules::ChangeFormInPlace { reader: &new.name(), op: name, since }.finding(),
                );
            }
            Some(_) => {}
        }
    }
    if !added.is_empty() {
        let rule = rules::ChangeFormsAdded { reader: &old.name(), count: &added.count() };
        found.push(rule.finding().at(added));
    }
    found
}

/// What it is that two releases are compared by, for messages.
pub fn kind(reader: ModelReader) -> &'static str {
    match reader {
        ModelReader::OnnxRuntime => "an ONNX Runtime",
        ModelReader::Onnx => "a release of onnx",
    }
}
