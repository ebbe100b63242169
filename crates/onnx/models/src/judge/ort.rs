//! Files of the format `.ort`, which ONNX Runtime writes for itself: by their version.

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Places, Unjudged, Version, VersionRange,
    aspect,
};

use crate::runtime::ORT_AXIS;
use crate::{Runtime, rules};

/// The requirement of such a file: a release that reads its version.
pub(crate) struct Packed(pub(crate) i64);

impl Matcher for Packed {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<Runtime>()?;
        let reason = "the operators and the data of the file: it is written for one ONNX Runtime";
        let unjudged = vec![Unjudged::new(aspect::CONTENTS, reason)];
        let range = other.provision(&Axis::from(ORT_AXIS)).map(|provision| provision.versions);
        let findings = self.finding(runtime, range).into_iter().collect();
        Some(Judgement { findings, unjudged, ..Judgement::default() })
    }
}

impl Packed {
    fn finding(&self, runtime: &Runtime, range: Option<VersionRange>) -> Option<Finding> {
        if range.is_some_and(|range| range.contains(Version::number(self.0))) {
            return None;
        }
        let reader = runtime.name();
        let reads = match runtime.ort_format {
            None => "no such files".to_owned(),
            Some((low, high)) if low == high => format!("version {low} only"),
            Some((low, high)) => format!("versions {low} to {high}"),
        };
        let rule = rules::OrtFormat { reader: &reader, version: &self.0, reads: &reads };
        let symptom = format!("The ORT format model version [{}] is not supported", self.0);
        Some(rule.finding().at(Places::from_iter(["ort_version"])).with_symptom(symptom))
    }
}
