//! Models in the textual syntax, which only onnx itself reads.

use unskew_core::{Context, Judgement, Matcher, Party, Places};

use crate::{ModelReader, OnnxRelease, rules};

/// What a file of this name that is text asks of a release.
pub(crate) struct TextRequirement(pub(crate) String);

impl Matcher for TextRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<OnnxRelease>()?;
        if runtime.reader != ModelReader::OnnxRuntime {
            return Some(Judgement::default());
        }
        let release = format!("onnxruntime@{}", runtime.version);
        let reader = runtime.name();
        let rule = rules::ModelInText { file: &self.0, release: &release, reader: &reader };
        let finding = rule.finding().at(Places::from_iter([&self.0]));
        Some(Judgement { findings: vec![finding], ..Judgement::default() })
    }
}
