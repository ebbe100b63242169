//! Files of weights: which form a release loads, and whether all of them are there.

use unskew_core::{Judgement, Unjudged, aspect};

use super::place;
use crate::folder::FolderFiles;
use crate::{TransformersRelease, rules};

pub(super) fn judge(files: &FolderFiles, release: &TransformersRelease, judgement: &mut Judgement) {
    let weights = &files.weights;
    let label = release.label();
    if !weights.safetensors && !weights.torch {
        let why = "no weights that PyTorch loads lie beside config.json";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    }
    let loads = |is_there: bool, feature: &str| is_there && release.does(feature);
    if !weights.torch && !loads(weights.safetensors, "safetensors") {
        let finding = rules::HfWeightsNotRead { release: &label, form: &"safetensors" };
        let symptom = "no file named pytorch_model.bin";
        let finding = finding.finding().with_symptom(symptom);
        judgement.findings.push(finding.at(place("model.safetensors")));
    } else if weights.is_sharded && !release.does("shards") {
        let finding = rules::HfWeightsNotRead { release: &label, form: &"several files" };
        judgement.findings.push(finding.finding().at(place("model.safetensors.index.json")));
    }
    if weights.missing.count() > 0 {
        let count = weights.missing.count();
        let finding = rules::HfShardMissing { count: &count };
        judgement.findings.push(finding.finding().at(weights.missing.clone()));
    }
    if !weights.safetensors && release.does("torch-load-2.6") {
        let why = format!(
            "the weights are pickles, which {label} loads with PyTorch 2.6 or later only; which one is installed is not \
             known"
        );
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
    }
}
