//! Party of a TensorFlow file, from its bytes.

use std::sync::Arc;

use unskew_core::{
    DataVersions, Finding, Party, Provision, Requirement, Role, Unjudged, Version, aspect,
};
use unskew_source::{ReadError, Source};

use crate::checkpoint_state::CheckpointState;
use crate::diff::ReleaseRegistry;
use crate::judge::{self, CheckpointMatcher, GraphMatcher};
use crate::read::{self, Checkpoint, Encoding, TensorFlowFileKind};
use crate::runtime::{CHECKPOINT_AXIS, GRAPH_AXIS};
use crate::{GraphFile, GraphUse, TensorFlowFile, read_file, rules};

/// The party in `source`; none if it is no file of TensorFlow's.
///
/// # Errors
/// If it is one, but broken; with the byte and the field.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let file = source.name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    if let Some(state) = CheckpointState::read(&**source)? {
        return Ok(Some(state.unseen()));
    }
    Ok(match read_file(source)? {
        Some(TensorFlowFile::Graphs(graphs)) => Some(graph_party(file, graphs)),
        Some(TensorFlowFile::Checkpoint(checkpoint)) => Some(checkpoint_party(file, checkpoint)),
        None => ReleaseRegistry::read(source)?.map(|registry| registry_party(file, registry)),
    })
}

/// A registry asks nothing of anybody; `unskew diff` compares it with another.
fn registry_party(name: String, registry: ReleaseRegistry) -> Party {
    let deprecated = registry.ops.texts().filter(|op| op.contains(" deprecated(")).count();
    Party::new(name, Role::Runtime, "op registry (OpList)")
        .fact("ops", registry.len())
        .fact("deprecated", deprecated)
        .with_capability(Arc::new(registry))
}

fn graph_party(name: String, file: GraphFile) -> Party {
    let kind = match (file.kind, file.encoding) {
        (TensorFlowFileKind::SavedModel, Encoding::Binary) => "SavedModel",
        (TensorFlowFileKind::SavedModel, Encoding::Text) => "SavedModel as text",
        (TensorFlowFileKind::MetaGraph, Encoding::Binary) => "MetaGraphDef",
        (TensorFlowFileKind::MetaGraph, Encoding::Text) => "MetaGraphDef as text",
        (_, Encoding::Binary) => "GraphDef",
        (_, Encoding::Text) => "GraphDef as text",
    };
    let mut party = Party::new(name, Role::Artifact, kind);
    party.origin = origin(&file);
    for graph in &file.graphs {
        party = describe(party, graph, file.graphs.len() > 1);
    }
    if let Some(schema) = file.schema_version {
        party = party.fact("schema version", schema);
    }
    let file = Arc::new(file);
    party
        .require(Requirement::matches(GRAPH_AXIS, GraphMatcher(file.clone())))
        .with_capability(file)
}

/// Who wrote it, as far as it says.
fn origin(file: &GraphFile) -> String {
    let said = file.graphs.iter().find_map(|graph| graph.tensorflow_version.as_ref());
    let versions = file.graphs.iter().find_map(|graph| graph.versions.as_ref());
    match (said, versions) {
        (Some(version), _) => format!("written by tensorflow {version}"),
        (None, Some(versions)) => format!("producer {}", versions.producer),
        (None, None) => "without versions".to_owned(),
    }
}

/// The versions and facts of one graph. Labels get the tags if there are several graphs.
fn describe(mut party: Party, graph: &GraphUse, several: bool) -> Party {
    let tags = graph.tags.join(", ");
    let label = |what: &str| if several { format!("{what} ({tags})") } else { what.to_owned() };
    if let Some(versions) = &graph.versions {
        if party.provision(&GRAPH_AXIS.into()).is_none() {
            let producer = Version::number(versions.producer);
            party = party.provide(Provision::version(GRAPH_AXIS, producer).at("versions"));
        }
        party = party.fact(label("versions"), in_words(versions));
    } else {
        party = party.fact(label("versions"), "none: counts as producer 0");
        party = party.note(rules::NoVersions {}.finding());
    }
    if let Some(version) = &graph.tensorflow_version {
        party = party.fact(label("exporter"), format!("tensorflow {version}"));
    }
    if !several && !tags.is_empty() {
        party = party.fact("tags", &tags);
    }
    let stripped = if graph.stripped_defaults { ", attributes at default left out" } else { "" };
    party = party.fact(label("nodes"), format!("{} of {} ops{stripped}", graph.nodes, graph.ops()));
    let (functions, called) = (graph.functions.names.len(), graph.functions.called.len());
    if functions > 0 {
        let uncalled = functions.saturating_sub(called);
        let uncalled = if uncalled > 0 {
            format!(", {uncalled} of them not called by the graph")
        } else {
            String::new()
        };
        party = party.fact(label("functions"), format!("{functions}{uncalled}"));
    }
    if let Some(objects) = &graph.objects {
        party = party.fact(label("versioned objects"), objects.len());
    }
    party
}

/// Requests that TensorFlow Serving runs when it loads a SavedModel.
const WARM_UP: &str = "assets.extra/tf_serving_warmup_requests";

/// A party that was read from the file at hand, with what lies beside that file: the data files of a
/// checkpoint, the checkpoint of a graph (`model.meta` and `model.index`, `saved_model.pb` and
/// `variables/variables.index`). `beside` opens the file of a name relative to the folder of `file`. A graph
/// without a checkpoint beside it stays as it is: one may be given to it later.
///
/// # Errors
/// If a checkpoint beside a graph is broken.
pub fn with_what_lies_beside(
    mut party: Party,
    file: &str,
    beside: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) -> Result<Party, ReadError> {
    if let Some(state) = party.capability::<CheckpointState>() {
        return named_by(&state.clone(), party, beside);
    }
    if let Some(checkpoint) = party.capability::<Checkpoint>() {
        let size = |name: &str| beside(name).map(|source| source.size());
        let found = judge::data_findings(checkpoint, file, &size);
        return Ok(judge::with_findings(party, CHECKPOINT_AXIS, found));
    }
    let Some(graphs) = party.capability::<GraphFile>() else { return Ok(party) };
    let mut found = restored(graphs, file, beside)?;
    if graphs.kind == TensorFlowFileKind::SavedModel {
        let is_number = |folder: &str| folder.bytes().all(|byte| byte.is_ascii_digit());
        let folder = file.rsplit(['/', '\\']).nth(1).filter(|folder| !is_number(folder));
        let warm_up = beside(WARM_UP).is_some();
        let served = judge::ServingLayout { warm_up, unnumbered: folder.map(str::to_owned) };
        let graphs = graphs.clone();
        party = party.with_capability(Arc::new(served));
        match beside(VARIABLES) {
            Some(index) => found.extend(variables(&index, beside)?),
            None => {
                if let Some(missing) = judge::VariablesMatcher::new(&graphs) {
                    let required = Requirement::matches(CHECKPOINT_AXIS, missing);
                    party = party.require(required.irrelevant_if_absent());
                }
            }
        }
    }
    Ok(judge::with_findings(party, CHECKPOINT_AXIS, found))
}

/// The index of the checkpoint of a SavedModel.
const VARIABLES: &str = "variables/variables.index";

/// What is to be said of the data files of a SavedModel's checkpoint.
fn variables(
    index: &Arc<dyn Source>,
    beside: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) -> Result<Vec<Finding>, ReadError> {
    let Some(TensorFlowFile::Checkpoint(checkpoint)) = read_file(index)? else {
        return Ok(Vec::new());
    };
    let size = |name: &str| beside(&format!("variables/{name}")).map(|source| source.size());
    Ok(judge::data_findings(&checkpoint, VARIABLES, &size))
}

/// The checkpoint that a state file names, if it lies beside that.
fn named_by(
    state: &CheckpointState,
    party: Party,
    beside: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) -> Result<Party, ReadError> {
    let Some(files) = state.files() else { return Ok(party) };
    let found = files.iter().find_map(|name| Some((name, beside(name)?)));
    let Some((name, index)) = found else {
        let newest = state.shown();
        let finding = rules::NamedCheckpointMissing { newest: &newest }.finding();
        let party = state.clone().party();
        return Ok(judge::with_findings(party, CHECKPOINT_AXIS, vec![finding]));
    };
    let Some(TensorFlowFile::Checkpoint(checkpoint)) = read_file(&index)? else { return Ok(party) };
    let size = |name: &str| beside(name).map(|source| source.size());
    let found = judge::data_findings(&checkpoint, name, &size);
    let party = checkpoint_party(party.name, checkpoint)
        .fact("newest checkpoint", state.shown())
        .with_capability(Arc::new(state.clone()));
    Ok(judge::with_findings(party, CHECKPOINT_AXIS, found))
}

/// What is to be said of a graph and the checkpoint beside it, if one is there.
fn restored(
    graphs: &GraphFile,
    file: &str,
    beside: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) -> Result<Vec<Finding>, ReadError> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let index = match (graphs.kind, name.strip_suffix(".meta")) {
        (TensorFlowFileKind::SavedModel, _) => VARIABLES.to_owned(),
        (TensorFlowFileKind::MetaGraph, Some(prefix)) => format!("{prefix}.index"),
        _ => return Ok(Vec::new()),
    };
    let Some(index) = beside(&index).filter(|_| !graphs.restores.is_empty()) else {
        return Ok(Vec::new());
    };
    Ok(match read_file(&index)? {
        Some(TensorFlowFile::Checkpoint(checkpoint)) => {
            judge::restore_findings(&graphs.restores, &checkpoint)
        }
        _ => Vec::new(),
    })
}

/// A party that was read from `source`, with its data: verified if that is asked for, and else said not to be.
///
/// # Errors
/// If data cannot be read.
pub fn with_data(
    party: Party,
    source: &Arc<dyn Source>,
    beside: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
    verify: bool,
) -> Result<Party, ReadError> {
    let Some(checkpoint) = party.capability::<Checkpoint>() else { return Ok(party) };
    let count = checkpoint.tensors.len();
    let not = |reason: String| Unjudged::new(aspect::DATA, reason);
    if count == 0 {
        return Ok(party);
    }
    if !verify {
        let reason = format!("the data of {count} tensors were not compared with their checksums");
        return Ok(party.not_judged(not(reason).with_remedy("--verify")));
    }
    let file = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    // A state file stands for the checkpoint that it names.
    let named = party.capability::<CheckpointState>().and_then(CheckpointState::files);
    let named = named.iter().flatten().find_map(|name| Some((name.as_str(), beside(name)?)));
    let (file, source) = named.as_ref().map_or((file, source), |(name, index)| (*name, index));
    let prefix = file.strip_suffix(".index").unwrap_or(file).to_owned();
    let shards = checkpoint.shards;
    let open = |shard: u64| beside(&format!("{prefix}.data-{shard:05}-of-{shards:05}"));
    let verified = read::verify(checkpoint, &**source, &open)?;
    let mut party = party.fact("verified", format!("{} tensors", verified.whole));
    if !verified.left.is_empty() {
        let left = verified.left.count();
        let reason = format!("the data of {left} tensors could not be compared with checksums");
        party = party.not_judged(not(reason).at(verified.left));
    }
    if verified.damaged.is_empty() {
        return Ok(party);
    }
    let finding = rules::TensorsDamaged { count: &verified.damaged.count() }.finding();
    let finding = finding.at(verified.damaged).with_symptom("Checksum does not match");
    Ok(judge::with_findings(party, CHECKPOINT_AXIS, vec![finding]))
}

fn checkpoint_party(name: String, checkpoint: Checkpoint) -> Party {
    let checkpoint = Arc::new(checkpoint);
    let kind = format!("checkpoint, format {}", checkpoint.format);
    let producer = Version::number(checkpoint.versions.producer);
    let order = if checkpoint.big_endian { "highest first" } else { "lowest first" };
    Party::new(name, Role::Artifact, kind)
        .from_origin(format!("checkpoint producer {producer}"))
        .provide(Provision::version(CHECKPOINT_AXIS, producer).at("checkpoint header"))
        .fact("versions", in_words(&checkpoint.versions))
        .fact("data files", checkpoint.shards)
        .fact("byte order", order)
        .fact("tensors", tensors(&checkpoint))
        .require(Requirement::matches(CHECKPOINT_AXIS, CheckpointMatcher(checkpoint.clone())))
        .with_capability(checkpoint)
}

/// How many tensors there are, and how large they are together.
fn tensors(checkpoint: &Checkpoint) -> String {
    let ranges = checkpoint.tensors.iter().filter_map(|tensor| tensor.range);
    let ranges = ranges.chain(checkpoint.stored_slices.iter().map(|slice| slice.range));
    let bytes = ranges.fold(0u64, |sum, range| sum.saturating_add(range.len));
    let cut = checkpoint.tensors.iter().filter(|tensor| tensor.slices > 0).count();
    let count = checkpoint.tensors.len();
    let cut = if cut > 0 { format!(", {cut} of them in slices") } else { String::new() };
    let size = if checkpoint.format == 2 { format!(", {bytes} bytes") } else { String::new() };
    format!("{count}{cut}{size}")
}

fn in_words(versions: &DataVersions) -> String {
    let bad: Vec<String> = versions.bad_consumers.iter().map(i64::to_string).collect();
    let bad = if bad.is_empty() { "none".to_owned() } else { bad.join(", ") };
    format!(
        "producer {}, min_consumer {}, bad_consumers {bad}",
        versions.producer, versions.min_consumer
    )
}
