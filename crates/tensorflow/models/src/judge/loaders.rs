//! Loaders of a model: what each takes and refuses apart from its ops: functions of Python, devices, tags, signatures,
//! folders.

use unskew_core::{Finding, Judgement, Party, Phase, Places, Severity, Unjudged, aspect};

use super::report::Report;
use crate::read::TensorFlowFileKind;
use crate::{
    DeviceType, GraphFile, GraphUse, NodeScope, OpUse, SavedModelLoader, TensorFlowRuntime, rules,
};

/// Ops that call a function of Python, which exists only in the process that made the graph.
const PYTHON_FUNCTIONS: [&str; 3] = ["PyFunc", "PyFuncStateless", "EagerPyFunc"];

/// Ops whose kernels stand in Python's module of some wheels, and not in the C++ library beside it. Compared in 2.15.1
/// and 2.21.0: other than these only functions of Python and ops of tests.
const IN_PYTHON_MODULE: [&str; 2] = ["AudioMicrofrontend", "SobolSample"];

/// Ops that keep a variable, which is restored when a model is loaded.
const VARIABLES: [&str; 3] = ["VarHandleOp", "VariableV2", "Variable"];

/// The tag for which TensorFlow Serving loads, and the signature that it runs unless a request names another.
const SERVED: (&str, &str) = ("serve", "serving_default");

/// What of TensorFlow Serving's rules shows beside a SavedModel. A capability of its party.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServingLayout {
    /// Whether there are requests to warm up with.
    pub(crate) warm_up: bool,
    /// The name of the folder, if it is no number.
    pub(crate) unnumbered: Option<String>,
}

/// That nodes call functions of Python, which are not in the process that loads them.
pub(super) fn python_function(
    one: &OpUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
) -> Option<Finding> {
    if !PYTHON_FUNCTIONS.contains(&&*one.op) {
        return None;
    }
    let finding = rules::PythonFunction { op: &one.op }.finding();
    let finding = match one.scope {
        NodeScope::Uncalled if as_objects => finding.with_severity(Severity::Warning),
        _ => finding,
    };
    Some(match (runtime.without_python(), runtime.version) {
        (true, _) => {
            finding.with_symptom(format!("No OpKernel was registered to support Op '{}'", one.op))
        }
        // The words between were not measured.
        (false, version) if version < unskew_core::Version::pair(2, 5) => {
            finding.with_symptom("callback pyfunc_0 is not found")
        }
        (false, version) if version >= unskew_core::Version::pair(2, 15) => {
            finding.with_symptom("Could not find callback with key=pyfunc_0 in the registry")
        }
        _ => finding,
    })
}

/// Nodes that are assigned to a GPU, where there is none and nothing places them elsewhere.
pub(super) fn devices(
    graph: &GraphUse,
    file: &GraphFile,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let absent = runtime.usage.device == DeviceType::Cpu && !graph.on_gpu.is_empty();
    if file.kind != TensorFlowFileKind::SavedModel || !absent || runtime.places_softly() {
        return;
    }
    let kept = |one: &OpUse| one.scope == NodeScope::Graph && VARIABLES.contains(&&*one.op);
    // All nodes are placed when the first is run: to restore a variable, or for a request.
    let phase = if graph.uses.iter().any(kept) { Phase::Load } else { Phase::FirstUse };
    let finding = rules::AssignedToGpu { count: &graph.on_gpu.count() }.finding();
    let symptom = "was explicitly assigned to /device:GPU:0 but available devices are";
    report.add(finding.in_phase(phase).at(graph.on_gpu.clone()).with_symptom(symptom));
}

/// The graphs of a file that a loader looks at: all but for TensorFlow Serving, which asks for a tag.
pub(super) fn looked_at<'f>(
    file: &'f GraphFile,
    runtime: &TensorFlowRuntime,
) -> impl Iterator<Item = &'f GraphUse> {
    let all = !serves(file, runtime);
    file.graphs.iter().filter(move |graph| all || is_served(graph))
}

/// What TensorFlow Serving asks of a model, its graphs apart.
pub(super) fn serving(
    owner: &Party,
    file: &GraphFile,
    runtime: &TensorFlowRuntime,
    judgement: &mut Judgement,
) {
    if !serves(file, runtime) {
        return;
    }
    let Some(graph) = file.graphs.iter().find(|graph| is_served(graph)) else {
        let tags = |graph: &GraphUse| match &*graph.tags {
            [] => "none".to_owned(),
            tags => tags.join(" and "),
        };
        let tags: Vec<String> = file.graphs.iter().map(tags).collect();
        let finding = rules::NotTaggedToServe { tags: &tags.join("; ") }.finding();
        let symptom = "Could not find meta graph def matching supplied tags: { serve }";
        judgement.findings.push(finding.with_symptom(symptom));
        return;
    };
    if !graph.signatures.iter().any(|name| name == SERVED.1) {
        let mut names = graph.signatures.clone();
        names.sort_unstable();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        judgement.findings.push(rules::NoDefaultSignature { names: &names }.finding());
    }
    let Some(beside) = owner.capability::<ServingLayout>() else { return };
    if let Some(folder) = &beside.unnumbered {
        judgement.findings.push(rules::FolderWithoutNumber { folder }.finding());
    }
    if beside.warm_up {
        let reason = "TensorFlow Serving runs the requests of assets.extra/tf_serving_warmup_requests when it loads \
                      the model, and loads it only if they succeed; they are not read";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason.to_owned()));
    }
}

/// Kernels of which it is not known whether they are there without Python.
pub(super) fn unjudged(graph: &GraphUse, runtime: &TensorFlowRuntime) -> Option<Unjudged> {
    let uses = graph.uses.iter().filter(|one| {
        runtime.without_python()
            && one.scope != NodeScope::Uncalled
            && IN_PYTHON_MODULE.contains(&&*one.op)
    });
    let mut places = Places::default();
    uses.for_each(|one| places.extend(&one.places));
    let reason = "in some releases the kernels of these nodes stand in the module for Python, and not in the C++ library";
    (!places.is_empty()).then(|| Unjudged::new(aspect::KERNELS, reason.to_owned()).at(places))
}

fn serves(file: &GraphFile, runtime: &TensorFlowRuntime) -> bool {
    file.kind == TensorFlowFileKind::SavedModel
        && runtime.usage.loader == Some(SavedModelLoader::Serving)
}

fn is_served(graph: &GraphUse) -> bool {
    graph.tags == [SERVED.0]
}
