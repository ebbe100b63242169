//! Models in a repository of the Triton Inference Server: `NAME/VERSION/model.onnx` beside `NAME/config.pbtxt`, which
//! says once more what goes in and comes out. Triton compares the two when it loads the model.
//!
//! The rules are those of its ONNX Runtime backend: `ValidateInputs`, `ValidateOutputs` and `CompareDimsSupported` of
//! <https://github.com/triton-inference-server/onnxruntime_backend>.

mod compare;
mod config;

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Requirement, Unjudged, aspect};
use unskew_source::{ReadError, Source};

use crate::{ModelReader, OnnxModel, OnnxRelease, rules};
use compare::ConfigComparison;

/// The axis of what is found; nobody provides it.
const AXIS: &str = "onnx.triton";

/// Where the configuration lies, seen from the model.
const CONFIG: &str = "../config.pbtxt";

/// The name under which Triton looks for a model.
const FILE: &str = "model.onnx";

/// Platforms and backends that read files of another kind. Others (`python`, `dali`, your own) read what they like.
const OTHERS: [&str; 8] = [
    "tensorrt_plan",
    "tensorrt",
    "tensorflow_graphdef",
    "tensorflow_savedmodel",
    "tensorflow",
    "pytorch_libtorch",
    "pytorch",
    "fil",
];

/// Those that give the model to ONNX Runtime.
const OURS: [&str; 2] = ["onnxruntime_onnx", "onnxruntime"];

/// Opens what lies beside the model, by a path relative to its folder.
pub type NeighbourOpener<'a> = &'a dyn Fn(&str) -> Option<Arc<dyn Source>>;

/// Says the same to every ONNX Runtime, which is what Triton loads the model with.
struct TritonRequirement(Finding);

impl Matcher for TritonRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<OnnxRelease>()?;
        let findings = (runtime.reader == ModelReader::OnnxRuntime).then(|| self.0.clone());
        Some(Judgement { findings: findings.into_iter().collect(), ..Judgement::default() })
    }
}

/// A party that was read from the model at `path`, with what the configuration of Triton says of it, if it stands in a
/// repository of models: in a folder that is a number, below one with `config.pbtxt`.
///
/// # Errors
/// If the configuration is broken.
pub fn with_triton(
    party: Party,
    path: &str,
    open: NeighbourOpener<'_>,
) -> Result<Party, ReadError> {
    let Some(model) = party.capability::<OnnxModel>() else { return Ok(party) };
    let mut parts = path.rsplit(['/', '\\', '!']);
    let (Some(file), Some(version)) = (parts.next(), parts.next()) else { return Ok(party) };
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(party);
    }
    let Some(source) = open(CONFIG) else { return Ok(party) };
    let config = config::read(&*source)?;
    let wanted = match config.text("default_model_filename") {
        "" => FILE,
        name => name,
    };
    let reads = [config.text("backend"), config.text("platform")];
    let reader = reads.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let is_ours = reader.is_empty() || OURS.contains(&reader);
    if is_ours && wanted != file && open(wanted).is_some() {
        // Triton loads the other file; this one is nobody's.
        return Ok(party);
    }
    let mut compared = ConfigComparison::default();
    if OTHERS.contains(&reader) {
        compared.add(rules::TritonBackend { backend: &reader }.finding(), "config.pbtxt");
    } else if !is_ours {
        compared.open(format!("config.pbtxt: what the backend {reader} makes of the model"));
    } else if wanted != file {
        compared.add(rules::TritonFile { file: &file, wanted: &wanted }.finding(), "config.pbtxt");
    } else {
        compared.all(&config, model);
    }
    let batches = match config.numbers("max_batch_size").last() {
        Some(most) if *most > 0 => format!("config.pbtxt, batches up to {most}"),
        _ => "config.pbtxt, no batches".to_owned(),
    };
    let mut party = party.fact("Triton", batches);
    for why in compared.open {
        party = party.not_judged(Unjudged::new(aspect::CONTENTS, why));
    }
    for finding in compared.findings {
        let matcher = Requirement::matches(AXIS, TritonRequirement(finding.clone()));
        party = party.note(finding).require(matcher.irrelevant_if_absent());
    }
    Ok(party)
}
