//! Classes that a folder names: of the model, the tokenizer, the processors.

use unskew_core::{Judgement, Unjudged, aspect};

use super::place;
use crate::folder::{FolderFiles, NamedClass};
use crate::{ModelFolder, TransformersRelease, rules};

/// The class that every release from 5.0 on takes where it has none of the name.
const BACKEND: &str = "TokenizersBackend";

pub(super) fn architectures(
    folder: &ModelFolder,
    release: &TransformersRelease,
    judgement: &mut Judgement,
) {
    for class in &folder.config.architectures {
        if !release.knows(class, "class") {
            let label = release.label();
            let finding = rules::HfArchitectureMissing { release: &label, class };
            let symptom = format!("module transformers has no attribute {class}");
            let finding = finding.finding().with_symptom(symptom);
            judgement.findings.push(finding.at(place("config.json, architectures")));
        }
    }
}

/// A tokenizer is looked for under its name, and under the same with `Fast`.
pub(super) fn tokenizer(
    files: &FolderFiles,
    release: &TransformersRelease,
    judgement: &mut Judgement,
) {
    let Some(NamedClass { class, place: at }) = &files.tokenizer else { return };
    if files.has_own_code {
        let why = format!("the code of {class} may lie in the folder (auto_map)");
        judgement.unjudged.push(Unjudged::new(aspect::CLASSES, why));
        return;
    }
    let is_known = |name: &str| release.knows(name, "class");
    if is_known(BACKEND) || is_known(class) || is_known(&format!("{class}Fast")) {
        return;
    }
    let label = release.label();
    let finding = rules::HfTokenizerClassMissing { release: &label, class };
    let symptom = format!("Tokenizer class {class} does not exist or is not currently imported.");
    judgement.findings.push(finding.finding().with_symptom(symptom).at(place(at)));
}

pub(super) fn processors(
    files: &FolderFiles,
    release: &TransformersRelease,
    judgement: &mut Judgement,
) {
    for NamedClass { class, place: at } in &files.processors {
        if files.has_own_code {
            let why = format!("the code of {class} may lie in the folder (auto_map)");
            judgement.unjudged.push(Unjudged::new(aspect::CLASSES, why));
            continue;
        }
        // Each of these names stands for the other in releases that have one of both.
        let fast = format!("{class}Fast");
        let slow = class.strip_suffix("Fast").unwrap_or(class);
        if [class, &*fast, slow].iter().any(|name| release.knows(name, "class")) {
            continue;
        }
        let label = release.label();
        let finding = rules::HfProcessorClassMissing { release: &label, class };
        judgement.findings.push(finding.finding().at(place(at)));
    }
}
