//! Matchers for models: whether a release reads and runs one.

mod external;
mod function;
mod kernel;
mod model_walk;
mod node;
mod ort;
mod shape;
mod structure;
mod tensors;
mod text;
mod wiring;

use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Severity, Unjudged, aspect,
};

use crate::shapes::ModelShapes;
use crate::vendor_docs::{self, DocumentedSupport};
use crate::{ModelReader, OnnxModel, OnnxRelease, rules};

pub(crate) use external::is_inside;
pub use external::{NeighbourFile, NeighbourLookup, with_external_data};
pub(crate) use model_walk::{is_call, place};
pub(crate) use node::ONE_PROCESSOR;
pub(crate) use ort::OrtRequirement;
pub(crate) use text::TextRequirement;

/// The first IR version whose models must say their opsets.
const OPSETS_NEEDED: i64 = 3;

pub(crate) struct ModelRequirement {
    model: Arc<OnnxModel>,
    /// What is the same for every release.
    shapes: ModelShapes,
}

impl ModelRequirement {
    pub(crate) fn new(model: Arc<OnnxModel>) -> Self {
        Self { model, shapes: ModelShapes::default() }
    }
}

impl Matcher for ModelRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if let Some(stated) = other.capability::<DocumentedSupport>() {
            return Some(vendor_docs::judge(&self.model, stated));
        }
        let runtime = other.capability::<OnnxRelease>()?;
        Some(with_shapes(&self.model, runtime, &self.shapes))
    }
}

/// What `runtime` makes of `model`.
pub fn judge(model: &OnnxModel, runtime: &OnnxRelease) -> Judgement {
    with_shapes(model, runtime, &ModelShapes::default())
}

/// What a release makes of the nodes of a model, as far as another opset could change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelFit {
    /// Nothing is refused, and every node that was looked at has a kernel that was measured.
    Measured,
    /// Nothing is refused, and whether some node has a kernel was not measured.
    Unmeasured,
    /// A form or a type of a node is refused; under another opset it may not be.
    RefusedForm,
    /// Something is refused that no opset changes.
    Refused,
}

/// The rules about the form of an operator that an opset means, by their codes.
const ABOUT_FORMS: [&str; 8] =
    ["ON101", "ON102", "ON103", "ON105", "ON201", "ON204", "ON205", "ON209"];

/// Whether a model with an error of the rule of this code may fit under another opset or IR version.
pub fn is_fixed_by_opset(code: &str) -> bool {
    ABOUT_FORMS.contains(&code) || matches!(code, "ON001" | "ON002")
}

/// Whether a release has a kernel for each node of a model.
pub(crate) fn kernel_fit(model: &OnnxModel, runtime: &OnnxRelease) -> KernelFit {
    let (judgement, has_unmeasured) = walked(model, runtime, &ModelShapes::default());
    let errors = judgement.findings.iter().filter(|one| one.severity == Severity::Error);
    let of_forms: Vec<bool> = errors.map(|one| ABOUT_FORMS.contains(&one.rule.code)).collect();
    match (of_forms.is_empty(), of_forms.iter().all(|one| *one)) {
        (true, _) if has_unmeasured => KernelFit::Unmeasured,
        (true, _) => KernelFit::Measured,
        (false, true) => KernelFit::RefusedForm,
        (false, false) => KernelFit::Refused,
    }
}

/// The same, with the shapes of the model.
fn with_shapes(model: &OnnxModel, runtime: &OnnxRelease, shapes: &ModelShapes) -> Judgement {
    walked(model, runtime, shapes).0
}

/// The same, and whether the kernels of some node were not measured.
fn walked(model: &OnnxModel, runtime: &OnnxRelease, shapes: &ModelShapes) -> (Judgement, bool) {
    let mut judgement = Judgement::default();
    judgement.findings.extend(versions(model, runtime));
    if !judgement.findings.is_empty() {
        let reason = format!(
            "the operators of the model: {} refuses it before it looks at them",
            runtime.name()
        );
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
        return (judgement, false);
    }
    let called = |function: &crate::OnnxFunction| {
        runtime.reader == ModelReader::Onnx || model_walk::calls(model, function)
    };
    judgement.findings.extend(wiring::findings(model, runtime, called));
    judgement.findings.extend(structure::findings(model, runtime.reader, called));
    judgement.findings.extend(tensors::findings(model, runtime.reader));
    judgement.findings.extend(function::twice(model, runtime));
    let walked = model_walk::walk(model, runtime, shapes);
    judgement.findings.extend(walked.findings);
    judgement.unjudged.extend(walked.unjudged);
    if runtime.reader == ModelReader::OnnxRuntime {
        judgement.findings.extend(shape::findings(shapes.faults(model), runtime));
    }
    if runtime.reader == ModelReader::Onnx {
        let reason =
            "onnx checks a model; whether something runs it is a question of another release"
                .to_owned();
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
    }
    (judgement, walked.has_unmeasured)
}

/// What the numbers of the model say: its IR version and its opsets.
fn versions(model: &OnnxModel, runtime: &OnnxRelease) -> Vec<Finding> {
    let mut findings = Vec::new();
    let reader = runtime.name();
    if model.ir_version > runtime.ir {
        let symptom = match runtime.reader {
            ModelReader::OnnxRuntime => format!(
                "Unsupported model IR version: {}, max supported IR version: {}",
                model.ir_version, runtime.ir
            ),
            ModelReader::Onnx => "Your model ir_version is higher than the checker's.".to_owned(),
        };
        let rule =
            rules::IrTooNew { reader: &reader, max: &runtime.ir, version: &model.ir_version };
        findings.push(rule.finding().with_symptom(symptom).at(Places::from_iter(["ir_version"])));
    }
    if model.opsets.is_empty() && model.ir_version >= OPSETS_NEEDED {
        findings.push(rules::NoOpset { version: &model.ir_version }.finding());
    }
    for (domain, version, max) in beyond(model, runtime) {
        let finding = opset_too_new(&reader, domain, version, max);
        findings.push(match runtime.reader {
            ModelReader::OnnxRuntime => finding.with_symptom(format!(
                "ONNX Runtime only *guarantees* support for models stamped with official released onnx opset versions. \
                 Opset {version} is under development and support for this is limited. […] Current official support for \
                 domain {} is till opset {max}.",
                node::shown(domain)
            )),
            ModelReader::Onnx => finding,
        });
    }
    findings
}

/// The domains of a model that are newer than a release: each with its version, and the highest that is accepted.
fn beyond<'m>(
    model: &'m OnnxModel,
    runtime: &'m OnnxRelease,
) -> impl Iterator<Item = (&'m str, i64, i64)> + 'm {
    model.opsets.iter().filter_map(|(domain, version)| {
        let max = runtime.opset(domain).filter(|max| version > max)?;
        Some((&**domain, *version, max))
    })
}

fn opset_too_new(reader: &str, domain: &str, version: i64, max: i64) -> Finding {
    let domain = node::shown(domain);
    let rule =
        rules::OpsetTooNew { reader: &reader, domain: &domain, max: &max, version: &version };
    rule.finding().at(Places::from_iter([format!("opset_import {domain}")]))
}
