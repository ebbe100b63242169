//! Check of a file for a release.

use unskew_core::{Finding, Judgement, Places, Severity, Unjudged, Version, aspect};

use crate::file::SklearnFile;
use crate::release::{MeasuredTrouble, TroubleKind};
use crate::{SklearnRelease, rules};

/// What a release makes of a file: its classes by name, then by what was measured of their estimators.
pub fn judge(file: &SklearnFile, release: &SklearnRelease) -> Judgement {
    let mut judgement = judged(file, release);
    let is_broken = |judgement: &Judgement| {
        judgement.findings.iter().any(|finding| finding.severity == Severity::Error)
    };
    if is_broken(&judgement) {
        let fits = release.all().filter(|other| !is_broken(&judged(file, other)));
        let fits: Vec<Version> = fits.map(|other| other.version).collect();
        if let Some(fix) = fix(&fits, release.names.rows().releases()) {
            for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
                finding.fix = Some(fix.clone());
            }
        }
    }
    judgement
}

fn judged(file: &SklearnFile, release: &SklearnRelease) -> Judgement {
    let mut judgement = Judgement::default();
    names(file, release, &mut judgement);
    measured(file, release, &mut judgement);
    if !file.others.is_empty() {
        let why = "classes of other packages than scikit-learn";
        let places: Places = file.others.iter().collect();
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(places));
    }
    if !file.needs.is_empty() {
        let needs: Vec<&str> = file.needs.iter().copied().collect();
        let why = format!("what else is installed: the file needs {}", needs.join(", "));
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    }
    judgement
}

/// Whether the release has what the file looks up.
fn names(file: &SklearnFile, release: &SklearnRelease, judgement: &mut Judgement) {
    let (mut missing, mut unknown) = (Vec::new(), Vec::new());
    for class in &file.classes {
        match release.names.having(class) {
            Some(runs) if runs.contains(release.version) => {}
            Some(_) => missing.push(class),
            None => unknown.push(format!("{}.{}", class.module, class.name)),
        }
    }
    if let Some(first) = missing.first() {
        let (label, name) = (release.label(), format!("{}.{}", first.module, first.name));
        let places: Places =
            missing.iter().map(|class| format!("{}.{}", class.module, class.name)).collect();
        let finding = rules::SklearnClassMissing { release: &label, class: &name }.finding();
        // The module is looked up first.
        let symptom = format!("No module named '{}'", first.module);
        judgement.findings.push(finding.at(places).with_symptom(symptom));
    }
    if !unknown.is_empty() {
        let why = "classes that no release of scikit-learn in the database has";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(unknown.iter().collect()));
    }
}

/// What was measured of the estimators in the file.
fn measured(file: &SklearnFile, release: &SklearnRelease, judgement: &mut Judgement) {
    let Some(written) = file.writer() else {
        let why = match file.written_by.is_empty() {
            true => "the file does not say which release wrote it".to_owned(),
            false => "several releases wrote parts of it".to_owned(),
        };
        judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
        return;
    };
    if written == release.version {
        return;
    }
    let label = release.label();
    judgement
        .findings
        .push(rules::SklearnVersionDiffers { release: &label, written: &written }.finding());
    let Some((writer, reader)) =
        release.names.measured(written).zip(release.names.measured(release.version))
    else {
        let why = format!("how {label} loads what scikit-learn {written} wrote was not measured");
        judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
        return;
    };
    if writer == reader {
        return;
    }
    for class in &file.classes {
        for trouble in release.names.troubles(&class.name) {
            if trouble.writers.contains(writer) && trouble.readers.contains(reader) {
                judgement.findings.push(found(&class.name, &trouble, &label, written));
            }
        }
    }
    let why = format!(
        "arguments other than the defaults: what {label} makes of estimators of scikit-learn {written} was measured with these"
    );
    judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
}

fn found(class: &str, trouble: &MeasuredTrouble, label: &str, written: Version) -> Finding {
    let MeasuredTrouble { kind, what, .. } = trouble;
    let finding = match kind {
        TroubleKind::Load => {
            rules::SklearnStateNotLoaded { release: &label, class: &class, written: &written }
                .finding()
        }
        TroubleKind::Use => {
            rules::SklearnMethodRaises { release: &label, class: &class, written: &written }
                .finding()
        }
        TroubleKind::Differs => {
            let rule = rules::SklearnAnswerDiffers {
                release: &label,
                class: &class,
                written: &written,
                method: &what,
            };
            return rule.finding();
        }
    };
    finding.with_symptom(what.clone())
}

/// The releases that load the file, in words.
fn fix(fits: &[Version], all: &[Version]) -> Option<String> {
    let runs = unskew_definitions::Runs::from_releases(all, |version| fits.contains(&version));
    runs.in_words().map(|spans| format!("Install scikit-learn {spans}, or train the model again."))
}
