//! What a release makes of a file.

use unskew_core::{Finding, Judgement, Places, Severity, Unjudged, Version, aspect};
use unskew_definitions::Runs;

use crate::component::{TokenizerComponent, TokenizerSection};
use crate::condition::{holds, in_words, unknown_fields};
use crate::edit::edit;
use crate::release::MeasuredKind;
use crate::{TokenizerFile, TokenizersRelease, rules};

/// From this release on a model of a known type is read as that type, and the error names the field.
const TYPED_MODELS: Version = Version::triple(0, 20, 0);

/// The same of normalizers and pre-tokenizers.
const TYPED_PARTS: Version = Version::triple(0, 21, 2);

/// What a release makes of a file: what it does not load, and what it computes otherwise than the newest release.
pub fn judge(file: &TokenizerFile, release: &TokenizersRelease) -> Judgement {
    let mut judgement = judged(file, release);
    if judgement.findings.iter().any(is_error) {
        let fits: Vec<Version> = release
            .all()
            .filter(|one| !judged(file, one).findings.iter().any(is_error))
            .map(|one| one.version)
            .collect();
        let fix = fix(&fits, release.names.rows().releases());
        for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
            finding.fix.clone_from(&fix);
        }
    }
    judgement
}

/// The same without a fix.
pub(crate) fn judged(file: &TokenizerFile, release: &TokenizersRelease) -> Judgement {
    let mut judgement = Judgement::default();
    let mut untyped = Places::default();
    for component in &file.components {
        if component.is_untyped() {
            untyped.add(&component.place);
            continue;
        }
        judgement.findings.extend(findings(component, release));
        unjudged(component, release, &mut judgement);
    }
    if !untyped.is_empty() {
        let why = "components without a type, which each release takes for what their fields fit";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(untyped));
    }
    judgement
}

/// What goes wrong with one component, and whether a conversion removes it.
fn findings(component: &TokenizerComponent, release: &TokenizersRelease) -> Vec<Finding> {
    let found = failures(component, release);
    let edited = found.iter().any(is_error).then(|| edit(component, release)).flatten();
    match edited {
        Some((edited, adaptation)) if !failures(&edited, release).iter().any(is_error) => {
            found.into_iter().map(|one| one.with_adaptation(adaptation)).collect()
        }
        _ => found,
    }
}

/// What goes wrong with one component as it is.
pub(crate) fn failures(
    component: &TokenizerComponent,
    release: &TokenizersRelease,
) -> Vec<Finding> {
    let name = release.names.name(component);
    let holds = |condition: &str| holds(condition, &name, &component.fields, &release.names);
    let wrong: Vec<(MeasuredKind, &str)> = release
        .names
        .wrong(&name, release.version)
        .filter(|(_, condition)| holds(condition))
        .collect();
    // What is not loaded makes no ids.
    let fails = wrong.iter().any(|(kind, _)| *kind == MeasuredKind::Fails);
    let counts = |kind: &MeasuredKind| !fails || *kind == MeasuredKind::Fails;
    let (label, newest) = (release.label(), format!("tokenizers {}", release.newest()));
    let finding = |(kind, condition): &(MeasuredKind, &str)| {
        let words = in_words(condition);
        let space = if words.is_empty() { "" } else { " " };
        let what = format!("the {}{space}{words}", component.in_words());
        let finding = match kind {
            MeasuredKind::Fails if words.is_empty() => {
                let rule = rules::TokenizerComponentUnknown {
                    release: &label,
                    section: &component.section.in_words(),
                    kind: &component.kind,
                };
                rule.finding()
            }
            MeasuredKind::Fails => {
                rules::TokenizerFormNotRead { release: &label, what: &what }.finding()
            }
            MeasuredKind::Ids => {
                let rule =
                    rules::TokenizerIdsDiffer { release: &label, what: &what, newest: &newest };
                rule.finding()
            }
            MeasuredKind::Text => {
                let rule =
                    rules::TokenizerTextDiffers { release: &label, what: &what, newest: &newest };
                rule.finding()
            }
        };
        let symptom = (*kind == MeasuredKind::Fails)
            .then(|| error_text(component.section, release.version, words.is_empty()))
            .flatten();
        let finding = finding.at(Places::from_iter([&component.place]));
        match symptom {
            Some(symptom) => finding.with_symptom(symptom),
            None => finding,
        }
    };
    wrong.iter().filter(|(kind, _)| counts(kind)).map(finding).collect()
}

/// What the release prints, where that is always the same.
fn error_text(
    section: TokenizerSection,
    release: Version,
    is_unknown: bool,
) -> Option<&'static str> {
    match section {
        TokenizerSection::Model if release < TYPED_MODELS => {
            Some("data did not match any variant of untagged enum ModelWrapper")
        }
        TokenizerSection::Model if is_unknown => {
            Some("data did not match any variant of untagged enum ModelUntagged")
        }
        TokenizerSection::Normalizer if release < TYPED_PARTS => {
            Some("data did not match any variant of untagged enum PyNormalizerTypeWrapper")
        }
        TokenizerSection::Normalizer if is_unknown => {
            Some("data did not match any variant of untagged enum NormalizerUntagged")
        }
        TokenizerSection::PreTokenizer if release < TYPED_PARTS => {
            Some("data did not match any variant of untagged enum PyPreTokenizerTypeWrapper")
        }
        TokenizerSection::PreTokenizer if is_unknown => {
            Some("data did not match any variant of untagged enum PreTokenizerUntagged")
        }
        TokenizerSection::Decoder => {
            Some("data did not match any variant of untagged enum PyDecoderWrapper")
        }
        TokenizerSection::PostProcessor => {
            Some("data did not match any variant of untagged enum PostProcessorWrapper")
        }
        _ => None,
    }
}

/// Fields that no release in the database has: a later one may read them.
fn unjudged(
    component: &TokenizerComponent,
    release: &TokenizersRelease,
    judgement: &mut Judgement,
) {
    let name = release.names.name(component);
    // What the file itself has beside its sections, no release loads.
    if component.section == TokenizerSection::Top || name.ends_with(".Other") {
        return;
    }
    for field in unknown_fields(&name, &component.fields, &release.names) {
        let field: String = field.chars().take(100).collect();
        let why = format!("the field {field}, which no release in the database has");
        let place = Places::from_iter([&component.place]);
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(place));
    }
}

pub(crate) fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// The releases that load the file, in words; none if no release does.
fn fix(fits: &[Version], all: &[Version]) -> Option<String> {
    let runs = Runs::from_releases(all, |version| fits.contains(&version));
    runs.in_words().map(|spans| format!("Install tokenizers {spans}."))
}
