//! An index of weights that lie in several files, named by itself: `model.safetensors.index.json` and its like.
//!
//! Which tensor lies in which file is all that it says. The files must lie beside it, whoever loads them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_core::{
    Context, Judgement, Matcher, Party, Places, Requirement, Role, Unjudged, aspect,
};
use unskew_source::{ReadError, Source, read_json};

use crate::party::TRANSFORMERS_AXIS;
use crate::{ServerRelease, TransformersRelease, rules};

/// How many files of weights an index may name. The largest models that are shared have some hundreds.
pub(crate) const SHARDS: usize = 1 << 12;

/// How the names of indexes end, whatever library wrote them.
const ENDING: &str = ".index.json";

/// An index of weights. A capability of its party.
#[derive(Clone, Debug)]
pub struct WeightIndex {
    /// How many tensors it names.
    pub tensors: usize,
    /// The files that they lie in, by their names.
    pub files: BTreeSet<String>,
    /// Those of them that are not there; none where nobody looked.
    pub missing: Option<Places>,
}

impl WeightIndex {
    /// What it says whatever reads it.
    fn judged(&self) -> Judgement {
        let mut judgement = Judgement::default();
        let why = match &self.missing {
            None => Some("the files that it names were not looked for".to_owned()),
            Some(_) if self.files.len() > SHARDS => {
                Some(format!("of the files that it names the first {SHARDS} were looked for"))
            }
            Some(_) => None,
        };
        judgement.unjudged.extend(why.map(|why| Unjudged::new(aspect::DATA, why)));
        if let Some(missing) = self.missing.as_ref().filter(|missing| !missing.is_empty()) {
            let finding = rules::HfShardMissing { count: &missing.count() }.finding();
            judgement.findings.push(finding.at(missing.clone()));
        }
        judgement
    }
}

/// Judges an index for what loads the folder that it lies in.
struct IndexMatcher(Arc<WeightIndex>);

impl Matcher for IndexMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let is_reader = other.capability::<TransformersRelease>().is_some()
            || other.capability::<ServerRelease>().is_some();
        let mut judgement = is_reader.then(|| self.0.judged())?;
        let why =
            "an index alone: whether the model loads depends on its configuration; name the folder";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        Some(judgement)
    }
}

/// The party of an index; none if the file is something else.
///
/// # Errors
/// If it is called like an index, and is no JSON or too large.
pub fn index_party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    if !name.ends_with(ENDING) {
        return Ok(None);
    }
    let Value::Object(json) = read_json(&**source)? else { return Ok(None) };
    let Some(map) = json.get("weight_map").and_then(Value::as_object) else { return Ok(None) };
    let files = named_files(&json).into_iter().map(str::to_owned).collect();
    Ok(Some(party_of(name, WeightIndex { tensors: map.len(), files, missing: None })))
}

/// The same party with what it misses: the files that `open` does not find by their names.
pub fn with_indexed_files(party: Party, open: &dyn Fn(&str) -> Option<Arc<dyn Source>>) -> Party {
    let Some(index) = party.capability::<WeightIndex>() else { return party };
    let missing = Some(missing(index.files.iter().map(String::as_str), open));
    party_of(&party.name, WeightIndex { missing, ..index.clone() })
}

fn party_of(name: &str, index: WeightIndex) -> Party {
    let mut party = Party::new(name, Role::Artifact, "index of weights")
        .fact("tensors", index.tensors)
        .fact("files", index.files.len());
    for finding in index.judged().findings {
        party = party.note(finding);
    }
    let index = Arc::new(index);
    let judged = Requirement::matches(TRANSFORMERS_AXIS, IndexMatcher(index.clone()));
    party.require(judged).with_capability(index)
}

/// The files that an index names.
pub(crate) fn named_files(index: &Map<String, Value>) -> BTreeSet<&str> {
    let named = index.get("weight_map").and_then(Value::as_object);
    named.into_iter().flat_map(|map| map.values().filter_map(Value::as_str)).collect()
}

/// Those of the first [`SHARDS`] files that are not there.
pub(crate) fn missing<'n>(
    named: impl Iterator<Item = &'n str>,
    open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) -> Places {
    // What lies elsewhere is not looked at: transformers joins the name to the folder.
    let is_missing = |name: &&str| name.contains(['/', '\\']) || open(name).is_none();
    named.take(SHARDS).filter(is_missing).map(str::to_owned).collect()
}
