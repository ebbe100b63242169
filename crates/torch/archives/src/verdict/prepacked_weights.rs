//! Quantized weights: whether a release reads the forms in which a file keeps them, and which of its engines takes them.
//!
//! Names and schemas of quantized operators are held against the table like all others. What they calculate was equal in all
//! releases that were run, with the same engine, but for what the data name; so it is not judged of these, of operators that no
//! model had which was run, and of releases that lie beyond those.

use std::collections::BTreeSet;

use unskew_core::{Finding, Judgement, Places, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use crate::prepacked_weights::form_support::{self, FormSupport};
use crate::{TorchFormat, rules};

/// The namespaces of quantized operators.
const QUANTIZED: [&str; 2] = ["quantized::", "_quantized::"];

/// Operators on tensors that have a scale.
const TENSORS: [&str; 6] = [
    "aten::quantize_per_tensor",
    "aten::quantize_per_channel",
    "aten::quantize_per_tensor_dynamic",
    "aten::dequantize",
    "aten::int_repr",
    "aten::_empty_affine_quantized",
];

/// The prefix of classes of packed weights.
const PACKED: &str = "quantized.";

/// Holds the quantized weights of a file against what was measured.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let (findings, open) = refused_and_open(pair);
    Judgement { findings, unjudged: open.into_iter().collect(), ..Judgement::default() }
}

/// What is refused, and what was not measured.
fn refused_and_open(pair: &FileAndRelease<'_>) -> (Vec<Finding>, Option<Unjudged>) {
    let (names, mut places) = uses(pair);
    if names.is_empty() && pair.model.packed.is_empty() {
        return (Vec::new(), None);
    }
    if pair.model.format != TorchFormat::Script {
        let open = !is_of_writer(pair);
        return (
            Vec::new(),
            open.then(|| unmeasured(pair, &names, "no such file was run", places)),
        );
    }
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let (minor, mut findings, mut open) = (runtime.minor(), Vec::new(), Vec::new());
    for (form, known) in &model.packed {
        let Some(row) = form_support::row(*form) else { continue };
        match row.outcome(minor) {
            FormSupport::Reads => {}
            FormSupport::Open => {
                open.push(&*row.what);
                places.extend(known);
            }
            FormSupport::Refuses => {
                let (what, written) = (&row.what, &row.written);
                let refused =
                    rules::PackedForm { file, runtime: runtime_name, what, written }.finding();
                let refused = refused.at(known.clone());
                findings.push(match &row.symptom {
                    Some(symptom) => refused.with_symptom(&**symptom),
                    None => refused,
                });
            }
        }
    }
    findings.extend(engines(pair, &names));
    if is_of_writer(pair) {
        return (findings, None);
    }
    if !open.is_empty() {
        let why = format!("whether it reads {} was not measured", open.join(", "));
        return (findings, Some(unmeasured(pair, &names, &why, places)));
    }
    let oldest = pair.writer().since.unwrap_or(Version::pair(1, 0));
    if !form_support::is_within(minor) || !form_support::is_within(oldest) {
        let why = "one of the two is beyond the releases that were run";
        return (findings, Some(unmeasured(pair, &names, why, places)));
    }
    let writer = (oldest, pair.writer().until);
    if let Some(row) = names.iter().find_map(|name| form_support::changed(name, writer, minor)) {
        let (engine, since) = (&row.engine, &row.since);
        let why = format!("the engine {engine} gives other numbers since {since}");
        return (findings, Some(unmeasured(pair, &names, &why, places)));
    }
    let others: BTreeSet<String> =
        names.into_iter().filter(|name| !form_support::ran(name)).collect();
    if others.is_empty() {
        return (findings, None);
    }
    let open = unmeasured(pair, &others, "no model with these operators was run", places);
    (findings, Some(open))
}

fn is_of_writer(pair: &FileAndRelease<'_>) -> bool {
    let (writer, minor) = (pair.writer(), Some(pair.runtime.minor()));
    writer.since == minor && writer.until == minor
}

/// The engines of the release that refuse what another one takes.
fn engines(pair: &FileAndRelease<'_>, names: &BTreeSet<String>) -> Vec<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let has_form = |form: &str| model.packed.keys().any(|one| one.name() == form);
    let has_operator = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    let rows = form_support::engines(runtime.minor(), has_form, has_operator);
    let finding = |row: &form_support::EngineRow| {
        let (engine, what) = (&row.engine, &row.what);
        let refuses = rules::EngineRefuses { file, runtime: runtime_name, engine, what };
        refuses.finding().with_symptom(&*row.symptom)
    };
    rows.map(finding).collect()
}

fn unmeasured(
    pair: &FileAndRelease<'_>,
    names: &BTreeSet<String>,
    why: &str,
    places: Places,
) -> Unjudged {
    let (runtime, writer) = (&pair.runtime_name, pair.writer());
    let first: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let more = match names.len().saturating_sub(first.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reason = format!(
        "{}{more}: what {runtime} makes of them, written by {writer}: {why}",
        first.join(", ")
    );
    Unjudged::new(aspect::QUANTIZED, reason).at(places)
}

/// The quantized operators and classes of a file, with their places; of code only what may run.
fn uses(pair: &FileAndRelease<'_>) -> (BTreeSet<String>, Places) {
    let (mut names, mut places) = (BTreeSet::new(), Places::default());
    let is_quantized = |name: &str| {
        QUANTIZED.iter().any(|prefix| name.starts_with(prefix))
            || name.starts_with("aten::quantized_")
            || TENSORS.contains(&name)
    };
    for call in pair.calls.iter().filter(|call| call.live > 0 && is_quantized(&call.operator)) {
        names.insert(call.operator.to_string());
        places.extend(&call.places);
    }
    if pair.calls.is_empty() {
        for (one, known) in pair.model.uses.iter().filter(|(one, _)| is_quantized(&one.name)) {
            names.insert(one.name.clone());
            places.extend(&known.places);
        }
        let packed = |(class, _): &(&String, &Places)| class.starts_with(PACKED);
        for (class, known) in pair.model.classes.iter().filter(packed) {
            names.insert(class.clone());
            places.extend(known);
        }
    }
    (names, places)
}
