//! What a release makes of a folder.

use unskew_core::{Finding, Judgement, Places, Severity, Unjudged, Version, aspect};

use crate::{ModelFolder, TransformersRelease, rules};

mod classes;
mod numbers;
mod server;
mod tokenizer_json;
mod weights;

pub use server::judge_server;
pub use tokenizer_json::FastTokenizer;

/// What a release makes of a folder: its names, its numbers, its files.
pub fn judge(folder: &ModelFolder, release: &TransformersRelease) -> Judgement {
    let mut judgement = judged(folder, release);
    let fails = judgement.findings.iter().any(is_error);
    if fails {
        let fix = loading(folder, release);
        for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
            finding.fix = fix.clone();
        }
    }
    judgement
}

fn judged(folder: &ModelFolder, release: &TransformersRelease) -> Judgement {
    let mut judgement = Judgement::default();
    let is_known = model_type(folder, release, &mut judgement);
    if is_known {
        numbers::rope(folder, release, &mut judgement);
        numbers::dtype(folder, release, &mut judgement);
        classes::architectures(folder, release, &mut judgement);
    }
    quantization(folder, release, &mut judgement);
    match &folder.files {
        Some(files) => {
            tokenizer_json::judge(files, release, &mut judgement);
            classes::tokenizer(files, release, &mut judgement);
            classes::processors(files, release, &mut judgement);
            weights::judge(files, release, &mut judgement);
            for (file, why) in &files.unread {
                let one =
                    Unjudged::new(aspect::CONTENTS, format!("{file} could not be read: {why}"));
                judgement.unjudged.push(one);
            }
        }
        None => {
            let why =
                "what lies beside config.json is not known: tokenizer, processors and weights";
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        }
    }
    let why = "what the code of the model computes was not compared between releases";
    judgement.unjudged.push(Unjudged::new(aspect::CODE, why));
    judgement
}

/// Whether the release knows the type of the model.
fn model_type(
    folder: &ModelFolder,
    release: &TransformersRelease,
    judgement: &mut Judgement,
) -> bool {
    if folder.config.has_own_code {
        let why = "the code of the model lies in the folder (auto_map), and what it imports was not looked at";
        judgement.unjudged.push(Unjudged::new(aspect::CLASSES, why));
        return false;
    }
    let Some(model_type) = &folder.config.model_type else {
        let why =
            "config.json has no model_type; transformers guesses it from the name of the folder";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return false;
    };
    if release.knows(model_type, "model") {
        return true;
    }
    let label = release.label();
    let symptom = match release.does("model-type-message") {
        true => format!(
            "The checkpoint you are trying to load has model type `{model_type}` but Transformers does not recognize \
             this architecture."
        ),
        false => format!("KeyError: '{model_type}'"),
    };
    let finding = rules::HfModelTypeUnknown { release: &label, model_type };
    let finding = finding.finding().with_symptom(symptom).at(place("config.json, model_type"));
    judgement.findings.push(finding);
    false
}

/// The method by which the weights are quantized.
fn quantization(folder: &ModelFolder, release: &TransformersRelease, judgement: &mut Judgement) {
    let Some(method) = &folder.config.quantization else { return };
    // Before the list, each method stood in the code that loads weights.
    if !release.does("quantizers") {
        let why = format!("whether {} loads weights of {method}", release.label());
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    }
    // bitsandbytes has a suffix for the width, which the release adds.
    let is_known = release.knows(method, "quantization")
        || method == "bitsandbytes" && release.knows("bitsandbytes_4bit", "quantization");
    if is_known {
        let why = format!("the package that loads weights of {method} is not known");
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
        return;
    }
    let label = release.label();
    let finding = rules::HfQuantizationUnknown { release: &label, method };
    let symptom = format!("Unknown quantization type, got {method} - supported types are:");
    let place = place("config.json, quantization_config");
    judgement.findings.push(finding.finding().with_symptom(symptom).at(place));
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

fn place(text: &str) -> Places {
    Places::from_iter([text])
}

/// Which releases load the folder, as a fix; none if no release does.
fn loading(folder: &ModelFolder, release: &TransformersRelease) -> Option<String> {
    let loads = |one: &TransformersRelease| !judged(folder, one).findings.iter().any(is_error);
    let all: Vec<_> = release.all().map(|one| (one.version, loads(&one))).collect();
    last_run(&all, "transformers")
}

/// The last unbroken run of the releases that do it, in a sentence; none if none does.
fn last_run(all: &[(Version, bool)], package: &str) -> Option<String> {
    let last = all.iter().rposition(|(_, does)| *does)?;
    let first = all.iter().take(last).rposition(|(_, does)| !does).map_or(0, |at| at + 1);
    let (first, end) = (all.get(first)?.0, all.get(last)?.0);
    Some(match (last + 1 == all.len(), first == end) {
        (true, _) => format!("Install {package} {first} or later."),
        (false, true) => format!("Install {package} {first}."),
        (false, false) => format!("Install {package} {first} to {end}."),
    })
}
