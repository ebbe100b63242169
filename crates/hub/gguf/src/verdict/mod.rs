//! Check of a file for a release.

use unskew_core::{Finding, Judgement, Severity, Unjudged, aspect};

use crate::file::GgufFile;
use crate::header::printable;
use crate::{LlamaRelease, rules};

mod container;
mod names;
mod split;
mod tokenizer;

pub(crate) use container::of_the_file_alone;

/// What a release makes of a file: its format, its names, its tensors, its parts.
pub fn judge(file: &GgufFile, release: &LlamaRelease) -> Judgement {
    let mut judgement = judged(file, release);
    if judgement.findings.iter().any(|finding| finding.severity == Severity::Error) {
        let fix = loading(file, release);
        for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
            finding.fix = fix.clone();
        }
    }
    judgement
}

fn judged(file: &GgufFile, release: &LlamaRelease) -> Judgement {
    let mut judgement = Judgement::default();
    let is_read = container::format(file, release, &mut judgement);
    // Nothing behind a version that is not read has a meaning.
    if !is_read {
        return judgement;
    }
    container::tensors(file, release, &mut judgement);
    names::types(file, release, &mut judgement);
    split::judge(file, release, &mut judgement);
    // Only the first part has the keys of the model.
    if file.part().is_some_and(|part| part.number != 0) {
        return judgement;
    }
    if let Some(what) = file.is_not_a_model() {
        let why =
            format!("it is {what}, which a model is loaded with: only its container is looked at");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return judgement;
    }
    if names::architecture(file, release, &mut judgement) {
        names::keys(file, release, &mut judgement);
        tokenizer::judge(file, release, &mut judgement);
    }
    let why = "whether the tensors, and keys that are demanded on a condition, are those that the architecture needs is not looked at";
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    judgement
}

/// What cannot be told of a release without sources of its own.
fn between(release: &LlamaRelease, what: &str) -> Unjudged {
    let why = format!("{what} is in question: {} differ in it", release.label());
    let later = format!("{what} is in question: it may have come after {}", release.label());
    let why = match release.next {
        Some(crate::NextRelease::Unknown) => later,
        _ => why,
    };
    Unjudged::new(aspect::VERSION, why)
}

/// Which releases load the file, as a fix; none if no release does.
fn loading(file: &GgufFile, release: &LlamaRelease) -> Option<String> {
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let loads = |one: &LlamaRelease| !judged(file, one).findings.iter().any(is_error);
    let all: Vec<(LlamaRelease, bool)> = release
        .all()
        .map(|one| {
            let loads = loads(&one);
            (one, loads)
        })
        .collect();
    // The last unbroken run of releases that do.
    let last = all.iter().rposition(|(_, loads)| *loads)?;
    let first = all.iter().take(last).rposition(|(_, loads)| !loads).map_or(0, |at| at + 1);
    let (name, version) = (release.family.as_str(), |at: usize| {
        all.get(at).map(|(one, _)| release.family.version(one.version)).unwrap_or_default()
    });
    Some(match (last + 1 == all.len(), first == last) {
        (true, _) => format!("Use {name} {} or newer.", version(first)),
        (false, true) => format!("Use {name} {}.", version(last)),
        (false, false) => format!("Use {name} {} to {}.", version(first), version(last)),
    })
}

/// A name of the file as a message shows it.
fn shown(text: Option<&str>) -> String {
    match text {
        Some("") | None => "without a name".to_owned(),
        Some(text) => printable(text),
    }
}
