//! The checkpoint that a SavedModel has in its folder `variables`.

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Phase};

use crate::{GraphFile, SavedModelLoader, TensorFlowRuntime, rules};

/// A SavedModel whose checkpoint is not beside it. What that means depends on the loader.
pub(crate) struct VariablesMatcher {
    /// Whether it has objects, which loaders in Python restore even if none of them is a variable.
    has_objects: bool,
    /// Whether its saver reads variables.
    has_variables: bool,
}

impl VariablesMatcher {
    /// For a SavedModel without its checkpoint; none if it needs none: a graph without variables that TensorFlow 1 exported.
    pub(crate) fn new(file: &GraphFile) -> Option<Self> {
        let has_objects = file.graphs.iter().any(|graph| graph.objects.is_some());
        let has_variables = !file.restores.is_empty();
        (has_objects || has_variables).then_some(Self { has_objects, has_variables })
    }

    fn finding(&self) -> Finding {
        rules::SavedModelVariablesMissing {}.finding()
    }
}

impl Matcher for VariablesMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<TensorFlowRuntime>()?;
        let session = "The passed save_path is not a valid checkpoint";
        let finding = match runtime.usage.loader {
            // The C++ library takes the model for one without variables, and runs it with none.
            Some(SavedModelLoader::Cpp | SavedModelLoader::Serving) => {
                let finding = self.finding().in_phase(Phase::FirstUse);
                self.has_variables.then_some(finding)
            }
            Some(SavedModelLoader::Session) => Some(self.finding().with_symptom(session)),
            _ if runtime.loads_objects() && self.has_objects => {
                Some(self.finding().with_symptom("Failed to find any matching files for"))
            }
            _ => Some(self.finding()),
        };
        Some(Judgement { findings: finding.into_iter().collect(), ..Judgement::default() })
    }
}
