//! What a server of language models makes of a folder.

use unskew_core::{Finding, Judgement, Unjudged, Version, aspect};

use super::{is_error, last_run, place};
use crate::server::ServerRelease;
use crate::{ModelFolder, rules};

/// The code of transformers runs what the server has no code for.
const FALLBACK: &str = "transformers-fallback";

/// What a release makes of a folder: its architecture, its quantization, and the transformers beside it.
pub fn judge_server(folder: &ModelFolder, release: &ServerRelease) -> Judgement {
    let mut judgement = judged(folder, release);
    if judgement.findings.iter().any(is_error) {
        let fix = serving(folder, release);
        for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
            finding.fix = fix.clone();
        }
    }
    judgement
}

fn judged(folder: &ModelFolder, release: &ServerRelease) -> Judgement {
    let mut judgement = Judgement::default();
    architectures(folder, release, &mut judgement);
    quantization(folder, release, &mut judgement);
    transformers(folder, release, &mut judgement);
    let why = format!("devices, memory and options of {}", release.label());
    judgement.unjudged.push(Unjudged::new(aspect::KERNELS, why));
    let why = "what the code of the model computes was not compared between releases";
    judgement.unjudged.push(Unjudged::new(aspect::CODE, why));
    judgement
}

/// A server takes the first class in `architectures` that it has code for.
fn architectures(folder: &ModelFolder, release: &ServerRelease, judgement: &mut Judgement) {
    let all = &folder.config.architectures;
    let Some(first) = all.first() else {
        let why = "config.json has no architectures, by which a server finds its code";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    };
    if all.iter().any(|class| release.knows(class, "architecture")) {
        return;
    }
    let label = release.label();
    let finding = match release.knows(FALLBACK, "feature") {
        true => {
            let why = format!("whether {label} runs {first} by the code of transformers");
            judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            rules::HfServerFallsBack { release: &label, class: first }.finding()
        }
        false => {
            let symptom = format!("Model architectures ['{first}'] are not supported for now.");
            let rule = rules::HfServerArchitectureMissing { release: &label, class: first };
            rule.finding().with_symptom(symptom)
        }
    };
    judgement.findings.push(finding.at(place("config.json, architectures")));
}

fn quantization(folder: &ModelFolder, release: &ServerRelease, judgement: &mut Judgement) {
    let Some(method) = &folder.config.quantization else { return };
    let label = release.label();
    if !release.lists_quantizations() {
        let why = format!("whether {label} loads weights of {method}");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    }
    // Folders write both.
    let other = method.replace('_', "-");
    if [method, &other].iter().any(|name| release.knows(name, "quantization")) {
        return;
    }
    let finding = rules::HfServerQuantizationUnknown { release: &label, method }.finding();
    let symptom = format!("Unknown quantization method: {method}. Must be one of");
    let at = place("config.json, quantization_config");
    judgement.findings.push(finding.with_symptom(symptom).at(at));
}

/// The configuration is read by the transformers that is installed beside the server.
fn transformers(folder: &ModelFolder, release: &ServerRelease, judgement: &mut Judgement) {
    let (Some(model_type), Some(wanted)) = (&folder.config.model_type, release.accepted_text())
    else {
        let why = "the configuration is read by the transformers that is installed, and which one that is is not known";
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
        return;
    };
    let accepted = release.accepted();
    let Some(names) = release.transformers.as_ref().filter(|_| !accepted.is_empty()) else {
        return;
    };
    let knows = |version: &Version| names.knows(model_type, "model", *version);
    let label = release.label();
    match accepted.iter().find(|version| knows(version)) {
        None if folder.config.has_own_code => {}
        // The server may have a configuration of its own.
        None => {
            let rule =
                rules::HfServerTransformersTooOld { release: &label, wanted: &wanted, model_type };
            judgement.findings.push(rule.finding().at(place("config.json, model_type")));
        }
        Some(first) if Some(first) == accepted.first() => {}
        Some(first) => {
            let why = format!(
                "which transformers is installed: {label} accepts {wanted}, and {model_type} is known from {first} on"
            );
            judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
        }
    }
}

/// Which releases serve the folder, as a fix: those of which nothing is to be said, or else those without an error; none if there
/// are none.
fn serving(folder: &ModelFolder, release: &ServerRelease) -> Option<String> {
    let without = |said: &dyn Fn(&Finding) -> bool| {
        let serves = |one: &ServerRelease| !judged(folder, one).findings.iter().any(said);
        let all: Vec<_> = release.all().map(|one| (one.version, serves(&one))).collect();
        last_run(&all, release.kind.package())
    };
    without(&|_| true).or_else(|| without(&is_error))
}
