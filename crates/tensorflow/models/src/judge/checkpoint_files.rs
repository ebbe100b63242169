//! A checkpoint against its data files, and against the graph that restores it.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet, HashSetExt as _};
use unskew_core::{Context, Finding, Judgement, Matcher, Party, Places};

use crate::RestoredTensor;
use crate::read::{Checkpoint, StoredRange};
use crate::{PartialTensorShape, TensorFlowRuntime, rules};

/// What a file says whatever release reads it.
pub struct FileMatcher(pub Vec<Finding>);

impl Matcher for FileMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<TensorFlowRuntime>()?;
        Some(Judgement { findings: self.0.clone(), ..Judgement::default() })
    }
}

/// What TensorFlow 2 keeps of its objects beside their values.
const OBJECTS: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// The most data files that a checkpoint may say it has.
const SHARDS: u64 = 1 << 16;

/// What is to be said about a checkpoint and its data files. `index` is the name of its file, `size` tells how
/// large the file of a name beside it is, none if it is not there.
pub(crate) fn data_findings(
    checkpoint: &Checkpoint,
    index: &str,
    size: &dyn Fn(&str) -> Option<u64>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = sizes(checkpoint).into_iter().collect();
    if checkpoint.format != 2 {
        return found;
    }
    let file = index.rsplit(['/', '\\']).next().unwrap_or(index);
    let prefix = file.strip_suffix(".index").unwrap_or(file);
    let count = checkpoint.shards;
    let name = |shard: u64| format!("{prefix}.data-{shard:05}-of-{count:05}");
    let sizes: BTreeMap<u64, Option<u64>> =
        (0..count.min(SHARDS)).map(|shard| (shard, size(&name(shard)))).collect();
    // Only the data files in which something lies are opened.
    let ranges = checkpoint.tensors.iter().filter_map(|tensor| tensor.range);
    let ranges = ranges.chain(checkpoint.stored_slices.iter().map(|slice| slice.range));
    let used: HashSet<u64> =
        ranges.filter(|range| range.len > 0).map(|range| range.shard).collect();
    let absent = |(i, size): &(&u64, &Option<u64>)| size.is_none() && used.contains(i);
    let missing: Places = sizes.iter().filter(absent).map(|(i, _)| name(*i)).collect();
    if !missing.is_empty() {
        let rule = rules::DataFileMissing { missing: &missing.count(), count: &count };
        found.push(rule.finding().at(missing));
    }
    let mut beyond: BTreeMap<u64, (u64, Places)> = BTreeMap::new();
    let tensors = checkpoint.tensors.iter().filter_map(|t| Some((&*t.name, t.range?)));
    let slices = checkpoint.stored_slices.iter().map(|slice| ("a slice", slice.range));
    for (tensor, StoredRange { shard, start, len }) in tensors.chain(slices) {
        let end = start.saturating_add(len);
        let file = sizes.get(&shard).copied();
        // A file that is missing has been named; one that there cannot be has not.
        let size = file.map_or(Some(0), |size| size);
        if size.is_some_and(|size| end > size && (len > 0 || file.is_none())) {
            let (farthest, places) = beyond.entry(shard).or_default();
            *farthest = end.max(*farthest);
            places.add(tensor);
        }
    }
    for (shard, (end, places)) in beyond {
        let size = sizes.get(&shard).copied().flatten().unwrap_or(0);
        let rule = rules::TensorOutsideFile { file: &name(shard), size: &size, end: &end };
        found.push(rule.finding().at(places).with_symptom("Read less bytes than requested"));
    }
    found
}

/// Tensors whose element type and shape take another number of bytes than they are said to have.
fn sizes(checkpoint: &Checkpoint) -> Option<Finding> {
    let wrong = checkpoint.tensors.iter().filter_map(|tensor| {
        let wanted = bytes(&tensor.shape)?.checked_mul(tensor.dtype.size()?)?;
        let found = tensor.range?.len;
        (wanted != found).then_some((tensor, wanted, found))
    });
    let wrong: Vec<_> = wrong.collect();
    let (tensor, wanted, len) = wrong.first()?;
    let what = format!("{} {}", tensor.dtype, tensor.shape);
    let rule = rules::TensorSize { tensor: &tensor.name, what: &what, wanted, found: len };
    Some(rule.finding().at(wrong.iter().map(|(tensor, ..)| &tensor.name).collect()))
}

/// How many elements a shape has.
fn bytes(shape: &PartialTensorShape) -> Option<u64> {
    let dims = shape.0.as_ref()?;
    dims.iter().try_fold(1u64, |count, dim| count.checked_mul(u64::try_from(*dim).ok()?))
}

/// What is to be said about a graph that restores these tensors, and a checkpoint.
pub(crate) fn restore_findings(
    restores: &[RestoredTensor],
    checkpoint: &Checkpoint,
) -> Vec<Finding> {
    if restores.is_empty() {
        return Vec::new();
    }
    let stored: HashMap<&str, _> = checkpoint.tensors.iter().map(|t| (&*t.name, t)).collect();
    let (mut missing, mut found) = (Places::default(), Vec::new());
    let mut seen: HashSet<&str> = HashSet::new();
    for wanted in restores {
        let first = seen.insert(&wanted.name);
        let Some(tensor) = stored.get(&*wanted.name) else {
            if first {
                missing.add(&wanted.name);
            }
            continue;
        };
        let dtype = wanted.dtype.filter(|dtype| *dtype != tensor.dtype);
        // A slice has a shape of its own, and unknown dimensions fit all.
        let shape =
            wanted.shape.as_ref().filter(|shape| !wanted.sliced && !fits(shape, &tensor.shape));
        for (graph, checkpoint) in [
            dtype.map(|dtype| (dtype.to_string(), tensor.dtype.to_string())),
            shape.map(|shape| (shape.to_string(), tensor.shape.to_string())),
        ]
        .into_iter()
        .flatten()
        {
            let name = &wanted.name;
            let rule = rules::TensorOfAnotherKind { name, graph: &graph, checkpoint: &checkpoint };
            found.push(rule.finding().at(Places::from_iter([name])));
        }
    }
    if !missing.is_empty() {
        let symptom = format!("Key {} not found in checkpoint", missing.named()[0]);
        let rule = rules::TensorNotInCheckpoint { count: &missing.count() };
        found.insert(0, rule.finding().with_symptom(symptom).at(missing));
    }
    let unused = checkpoint.tensors.iter().map(|tensor| &*tensor.name);
    let unused: Places = unused.filter(|name| *name != OBJECTS && !seen.contains(name)).collect();
    if !unused.is_empty() {
        let rule = rules::TensorsNotRestored { count: &unused.count() };
        found.push(rule.finding().at(unused));
    }
    found
}

fn fits(wanted: &PartialTensorShape, found: &PartialTensorShape) -> bool {
    match (&wanted.0, &found.0) {
        (Some(wanted), Some(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(a, b)| *a < 0 || *b < 0 || a == b)
        }
        _ => true,
    }
}

/// A party with these findings: as notes, and against every release.
pub(crate) fn with_findings(mut party: Party, axis: &'static str, findings: Vec<Finding>) -> Party {
    if findings.is_empty() {
        return party;
    }
    for finding in &findings {
        party = party.note(finding.clone());
    }
    party.require(unskew_core::Requirement::matches(axis, FileMatcher(findings)))
}
