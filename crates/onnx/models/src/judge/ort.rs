//! Files of the format `.ort`, which ONNX Runtime writes for itself: their version, then the kernel of each node.
//!
//! What was measured on real releases: the opset of a domain counts where a node is of that domain; the IR version,
//! attributes and shapes are not looked at. A node runs if the release has a kernel of the very form that it names, for
//! its types.

use std::collections::HashSet;

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Places, Unjudged, Version, VersionRange,
    aspect,
};

use super::model_walk;
use crate::runtime::ORT_AXIS;
use crate::shapes::ModelShapes;
use crate::{OnnxModel, OnnxNode, OnnxRelease, rules};

/// The first version of the format that tells the types of kernels.
const TYPES_SINCE: i64 = 5;

/// The requirement of such a file: a release that reads its version, and has the kernels of its nodes.
pub(crate) struct OrtRequirement {
    pub(crate) version: i64,
    pub(crate) model: OnnxModel,
    /// The forms of operators of which the file tells the types of kernels, as `domain:operator:version`.
    pub(crate) typed: HashSet<String>,
}

impl Matcher for OrtRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<OnnxRelease>()?;
        let range = other.provision(&Axis::from(ORT_AXIS)).map(|provision| provision.versions);
        let mut findings: Vec<Finding> = self.finding(runtime, range).into_iter().collect();
        if findings.is_empty() {
            findings.extend(self.opsets(runtime));
        }
        if !findings.is_empty() {
            let reason = format!(
                "the operators of the file: {} refuses it before it looks at them",
                runtime.name()
            );
            let unjudged = vec![Unjudged::new(aspect::KERNELS, reason)];
            return Some(Judgement { findings, unjudged, ..Judgement::default() });
        }
        let model_walk::WalkResult { findings, mut unjudged, .. } =
            model_walk::walk(&self.model, runtime, &ModelShapes::default());
        unjudged.extend(self.untyped());
        Some(Judgement { findings, unjudged, ..Judgement::default() })
    }
}

impl OrtRequirement {
    /// Nodes of which the file does not tell the types of kernels, which it must since version 5.
    fn untyped(&self) -> Option<Unjudged> {
        if self.version < TYPES_SINCE {
            return None;
        }
        let id = |node: &OnnxNode| {
            format!("{}:{}:{}", node.domain, node.op, node.since.unwrap_or_default())
        };
        let graphs = self.model.graph.all();
        let nodes = graphs.iter().flat_map(|graph| &graph.nodes);
        let places: Vec<String> =
            nodes.filter(|node| !self.typed.contains(&id(node))).map(model_walk::place).collect();
        let reason = "the file does not tell the types of the kernels of these operators";
        (!places.is_empty())
            .then(|| Unjudged::new(aspect::KERNELS, reason).at(places.iter().collect::<Places>()))
    }

    /// The domains of nodes that are newer than the release.
    fn opsets(&self, runtime: &OnnxRelease) -> Vec<Finding> {
        let graphs = self.model.graph.all();
        let of = |domain: &str| {
            graphs.iter().flat_map(|graph| &graph.nodes).find(|node| *node.domain == *domain)
        };
        super::beyond(&self.model, runtime)
            .filter_map(|(domain, version, max)| {
                let op = &of(domain)?.op;
                let symptom = format!("No Op registered for {op} with domain_version of {version}");
                let finding = super::opset_too_new(&runtime.name(), domain, version, max);
                Some(finding.with_symptom(symptom))
            })
            .collect()
    }

    fn finding(&self, runtime: &OnnxRelease, range: Option<VersionRange>) -> Option<Finding> {
        if range.is_some_and(|range| range.contains(Version::number(self.version))) {
            return None;
        }
        let reader = runtime.name();
        let reads = match runtime.ort_format {
            None => "no such files".to_owned(),
            Some((low, high)) if low == high => format!("version {low} only"),
            Some((low, high)) => format!("versions {low} to {high}"),
        };
        let rule = rules::OrtFormat { reader: &reader, version: &self.version, reads: &reads };
        let symptom = format!("The ORT format model version [{}] is not supported", self.version);
        Some(rule.finding().at(Places::from_iter(["ort_version"])).with_symptom(symptom))
    }
}
