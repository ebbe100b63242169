//! Check of a model for a release.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Places, Unjudged, aspect};

use crate::{TfjsFormat, TfjsModel, TfjsRelease, WeightGroup, rules};

mod layers;
mod special;

/// What a release makes of a model: its graph or its layers, the types of its weights, its shards.
pub fn judge(model: &TfjsModel, tfjs: &TfjsRelease) -> Judgement {
    let mut judgement = shards(model);
    judgement.findings.extend(types(model, tfjs));
    match model.format {
        TfjsFormat::Graph => {
            judgement.findings.extend(ops(model, tfjs));
            let why = "whether the backend of the page has a kernel for each op and type is not looked at";
            judgement.unjudged.push(Unjudged::new(aspect::KERNELS, why));
            let why = "whether an op accepts the values of its attributes, and computes what TensorFlow computes, is \
                       not looked at";
            judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
        }
        TfjsFormat::Layers => {
            layers::judge(model, tfjs, &mut judgement);
            let why = "whether layers compute what they compute in Keras is not looked at";
            judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
        }
    }
    judgement
}

fn ops(model: &TfjsModel, tfjs: &TfjsRelease) -> Vec<Finding> {
    let mut unknown: BTreeMap<&str, Places> = BTreeMap::new();
    for node in model.nodes.iter().filter(|node| !tfjs.has_op(&node.op)) {
        unknown.entry(&node.op).or_default().add(&node.name);
    }
    let finding = |(op, places): (&str, Places)| {
        let elsewhere = tfjs.elsewhere(op, &["op"]);
        let rule = rules::TfjsOpUnknown { version: &tfjs.version, op: &op, elsewhere: &elsewhere };
        let symptom = match tfjs.unknown {
            unskew_core::Phase::Load => format!("Tensorflow Op is not supported: {op}"),
            _ => format!("Unknown op '{op}'"),
        };
        rule.finding().in_phase(tfjs.unknown).with_symptom(symptom).at(places)
    };
    unknown.into_iter().map(finding).collect()
}

/// Types of weights that the release does not read, each once.
fn types(model: &TfjsModel, tfjs: &TfjsRelease) -> Vec<Finding> {
    let mut unread: BTreeMap<(&str, bool), Places> = BTreeMap::new();
    for weight in model.groups.iter().flat_map(|group| &group.weights) {
        let known = |known: &[String], dtype: &str| known.iter().any(|one| one == dtype);
        match &weight.quantized {
            Some(packed) if !known(&tfjs.quantized, packed) => {
                unread.entry((packed, true)).or_default().add(&weight.name);
            }
            _ if !known(&tfjs.weights, &weight.dtype) => {
                unread.entry((&weight.dtype, false)).or_default().add(&weight.name);
            }
            _ => {}
        }
    }
    let finding = |((dtype, packed), places): ((&str, bool), Places)| {
        let what = if packed { "weights packed as" } else { "weights of type" };
        let rule = rules::TfjsWeightsNotRead { version: &tfjs.version, what: &what, dtype: &dtype };
        let symptom = match packed {
            true => format!("has unknown quantization dtype {dtype}"),
            false => "Unsupported dtype in weight".to_owned(),
        };
        rule.finding().with_symptom(symptom).at(places)
    };
    unread.into_iter().map(finding).collect()
}

/// Shards that are not there, or shorter than the weights in them.
pub(crate) fn shards(model: &TfjsModel) -> Judgement {
    let mut judgement = Judgement::default();
    let seen = |group: &&WeightGroup| group.sizes.len() == group.paths.len();
    if !model.groups.iter().all(|group| seen(&group)) {
        let unjudged = Unjudged::new(aspect::DATA, "the shards of weights were not looked at");
        judgement.unjudged.push(unjudged);
    }
    judgement.findings.extend(model.groups.iter().filter(seen).filter_map(shards_of));
    judgement
}

fn shards_of(group: &WeightGroup) -> Option<Finding> {
    let mut missing = Places::default();
    for (path, size) in group.paths.iter().zip(&group.sizes) {
        if size.is_none() {
            missing.add(path);
        }
    }
    if !missing.is_empty() {
        let (gone, count) = (missing.count(), group.paths.len());
        let rule = rules::TfjsShardMissing { missing: &gone, count: &count };
        return Some(rule.finding().at(missing));
    }
    let needed = group.weights.iter().filter_map(crate::TfjsWeight::bytes);
    let needed = needed.fold(0, u64::saturating_add);
    let there = group.sizes.iter().flatten().copied().fold(0, u64::saturating_add);
    (there < needed).then(|| {
        let mut places = Places::default();
        group.paths.iter().for_each(|path| places.add(path));
        rules::TfjsShardsTooShort { there: &there, needed: &needed }.finding().at(places)
    })
}
