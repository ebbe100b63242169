//! Whether a release reads and runs a model.

mod external;
mod function;
mod kernel;
mod node;
mod ort;
mod tensors;
mod walk;
mod wiring;

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Places, Unjudged, aspect};

use crate::{Model, Reader, Runtime, rules};

pub use external::{Beside, with_external_data};
pub(crate) use ort::Packed;
pub(crate) use walk::place;

/// The first IR version whose models must say their opsets.
const OPSETS_NEEDED: i64 = 3;

/// The requirement of a model.
pub(crate) struct Reading(pub(crate) Arc<Model>);

impl Matcher for Reading {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<Runtime>()?;
        Some(judge(&self.0, runtime))
    }
}

/// What `runtime` makes of `model`.
pub fn judge(model: &Model, runtime: &Runtime) -> Judgement {
    let mut judgement = Judgement::default();
    judgement.findings.extend(versions(model, runtime));
    if !judgement.findings.is_empty() {
        let reason = format!(
            "the operators of the model: {} refuses it before it looks at them",
            runtime.name()
        );
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
        return judgement;
    }
    let called =
        |function: &crate::Function| runtime.reader == Reader::Onnx || walk::calls(model, function);
    judgement.findings.extend(wiring::findings(model, runtime.reader, called));
    judgement.findings.extend(tensors::findings(model, runtime.reader));
    judgement.findings.extend(function::twice(model, runtime));
    let walked = walk::walk(model, runtime);
    judgement.findings.extend(walked.findings);
    judgement.unjudged.extend(walked.unjudged);
    if runtime.reader == Reader::Onnx {
        let reason =
            "onnx checks a model; whether something runs it is a question of another release"
                .to_owned();
        judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
    }
    judgement
}

/// What the numbers of the model say: its IR version and its opsets.
fn versions(model: &Model, runtime: &Runtime) -> Vec<Finding> {
    let mut findings = Vec::new();
    let reader = runtime.name();
    if model.ir_version > runtime.ir {
        let symptom = match runtime.reader {
            Reader::OnnxRuntime => format!(
                "Unsupported model IR version: {}, max supported IR version: {}",
                model.ir_version, runtime.ir
            ),
            Reader::Onnx => "Your model ir_version is higher than the checker's.".to_owned(),
        };
        let rule =
            rules::IrTooNew { reader: &reader, max: &runtime.ir, version: &model.ir_version };
        findings.push(rule.finding().with_symptom(symptom).at(Places::from_iter(["ir_version"])));
    }
    if model.opsets.is_empty() && model.ir_version >= OPSETS_NEEDED {
        findings.push(rules::NoOpset { version: &model.ir_version }.finding());
    }
    for (domain, version) in &model.opsets {
        let Some(max) = runtime.opset(domain).filter(|max| version > max) else { continue };
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        let rule = rules::OpsetTooNew { reader: &reader, domain: &shown, max: &max, version };
        let finding = rule.finding().at(Places::from_iter([format!("opset_import {shown}")]));
        findings.push(match runtime.reader {
            Reader::OnnxRuntime => finding.with_symptom(format!(
                "ONNX Runtime only *guarantees* support for models stamped with official released onnx opset versions. \
                 Opset {version} is under development and support for this is limited. […] Current official support for \
                 domain {shown} is till opset {max}."
            )),
            Reader::Onnx => finding,
        });
    }
    findings
}
