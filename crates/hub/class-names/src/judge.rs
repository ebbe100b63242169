//! Check of the names that a file looks up for a release of a package.

use unskew_core::{Judgement, Places, Unjudged, aspect};

use crate::classes::{ClassPresence, is_rebuilder};
use crate::{ClassNames, NameLookup, PackageRelease, rules};

/// A function that rebuilds objects and whose arguments stayed as they are: blocks of pandas 1.3 to 3.1, read by each other.
const ARGUMENTS_KEPT: [&str; 1] = ["_unpickle_block"];

/// Classes that read a model of their own format from their state: how each begins.
const MODEL_STATES: [&str; 3] =
    ["xgboost.core.Booster", "lightgbm.basic.Booster", "catboost.core.CatBoost"];

/// The classes that keep a model in a format of its own, if the file has some.
pub(crate) fn unread_models(asked: &ClassNames) -> Option<Unjudged> {
    let is_model = |name: &&String| MODEL_STATES.iter().any(|state| name.starts_with(state));
    let models: Places = asked.names.iter().filter(is_model).collect();
    let why = "the model that the class keeps in a format of its own: save it as a file (`save_model`), and check that";
    (!models.is_empty()).then(|| Unjudged::new(aspect::CONTENTS, why).at(models))
}

/// What a release makes of these names; none if none of them is one of its package's.
pub fn judge(asked: &ClassNames, release: &PackageRelease) -> Option<Judgement> {
    let top = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let own: Vec<&str> = asked
        .names
        .iter()
        .map(String::as_str)
        .filter(|name| release.classes.has_top(&top(name)))
        .collect();
    if own.is_empty() {
        return None;
    }
    let mut judgement = Judgement::default();
    missing(&own, asked.asked_by, release, &mut judgement);
    mapped(&own, release, &mut judgement);
    not_judged(&own, release, &mut judgement);
    Some(judgement)
}

/// What names alone do not tell.
fn not_judged(own: &[&str], release: &PackageRelease, judgement: &mut Judgement) {
    let with = |wanted: ClassPresence| -> Vec<&str> {
        own.iter().copied().filter(|name| release.presence(name) == wanted).collect()
    };
    for (presence, why) in [
        (
            ClassPresence::Unknown,
            "classes of which the sources of the release do not say whether it has them",
        ),
        (ClassPresence::Unheard, "classes that no release in the database has"),
    ] {
        let names = with(presence);
        if !names.is_empty() {
            judgement
                .unjudged
                .push(Unjudged::new(aspect::CONTENTS, why).at(names.iter().collect()));
        }
    }
    let rebuilt = own.iter().filter(|name| {
        let function = name.rsplit('.').next().unwrap_or_default();
        is_rebuilder(function) && !ARGUMENTS_KEPT.contains(&function)
    });
    let rebuilt: Places = rebuilt.collect();
    if !rebuilt.is_empty() {
        let why = "the arguments with which functions that rebuild objects are called: releases change them";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(rebuilt));
    }
    let why = format!(
        "what the classes of {} make of attributes that another release set: only their names were compared",
        release.label()
    );
    judgement.unjudged.push(Unjudged::new(aspect::CODE, why));
}

/// What the release lacks, and no loader of the package takes for something else.
fn lacking<'n>(names: &[&'n str], release: &PackageRelease) -> Vec<&'n str> {
    let lacks =
        |name: &&str| is_lacking(release.presence(name)) && stand_in(name, release).is_none();
    names.iter().copied().filter(lacks).collect()
}

fn is_lacking(presence: ClassPresence) -> bool {
    matches!(presence, ClassPresence::Missing | ClassPresence::ModuleMissing)
}

/// What a loader takes a name for that the release lacks; a class of the package only if the release has it.
fn stand_in(name: &str, release: &PackageRelease) -> Option<String> {
    let other = release.mapped(name)?;
    let is_there =
        matches!(release.presence(&other), ClassPresence::Present | ClassPresence::Unknown);
    let top = other.split('.').next().unwrap_or_default();
    (is_there || !release.classes.has_top(top)).then_some(other)
}

fn missing(
    own: &[&str],
    asked_by: NameLookup,
    release: &PackageRelease,
    judgement: &mut Judgement,
) {
    let lacking_names = lacking(own, release);
    let Some(first) = lacking_names.first() else { return };
    let (module, name) = first.rsplit_once('.').unwrap_or(("", first));
    let symptom = match release.presence(first) {
        ClassPresence::ModuleMissing => format!("No module named '{module}'"),
        _ => asked_by.class_missing(module, name),
    };
    let label = release.label();
    let finding = rules::NamedClassMissing { release: &label, class: first }.finding();
    let mut finding = finding.with_symptom(symptom).at(lacking_names.iter().collect());
    finding.fix = Some(fix(own, release));
    judgement.findings.push(finding);
}

/// Names that a loader of the package takes for others, and that `pickle.load` or `torch.load` alone look up in vain.
fn mapped(own: &[&str], release: &PackageRelease, judgement: &mut Judgement) {
    let is_lacking = |name: &&str| is_lacking(release.presence(name));
    let all = own.iter().copied().filter(is_lacking);
    let all: Vec<(&str, String)> =
        all.filter_map(|name| Some((name, stand_in(name, release)?))).collect();
    let Some((first, other)) = all.first() else { return };
    let (label, package) = (release.label(), release.classes.package());
    let rule = rules::NamedClassMapped { release: &label, class: first, other, package: &package };
    let places = all.iter().map(|(name, _)| *name).collect();
    judgement.findings.push(rule.finding().at(places));
}

/// Which releases have all that the file looks up, in one sentence.
fn fix(own: &[&str], release: &PackageRelease) -> String {
    let package = release.classes.package();
    let fits: Vec<bool> = release.all().map(|other| has_all(own, &other)).collect();
    let versions: Vec<String> = release.all().map(|other| other.version().to_owned()).collect();
    match runs(&fits, &versions).as_slice() {
        [] => format!(
            "Load the file with the {package} that wrote it, and save what you need of it in a format without classes."
        ),
        runs => format!("Install {package} {}.", runs.join(", or ")),
    }
}

/// Whether a release is known to have all that some release has.
fn has_all(own: &[&str], release: &PackageRelease) -> bool {
    let is_there = |name: &&str| match release.presence(name) {
        ClassPresence::Present | ClassPresence::Unheard => true,
        ClassPresence::Unknown => false,
        ClassPresence::Missing | ClassPresence::ModuleMissing => stand_in(name, release).is_some(),
    };
    own.iter().all(is_there)
}

/// The runs of releases that fit, in words: `8.3.0 or later`, `8.0.20 to 8.0.99`.
fn runs(fits: &[bool], versions: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = fits.iter().skip(at).position(|fits| *fits).map(|by| by + at) {
        let len = fits.iter().skip(first).take_while(|fits| **fits).count();
        let last = first + len - 1;
        let name = |at: usize| versions.get(at).map_or("", String::as_str);
        found.push(match last {
            last if last + 1 == versions.len() => format!("{} or later", name(first)),
            last if last == first => name(first).to_owned(),
            last => format!("{} to {}", name(first), name(last)),
        });
        at = last + 1;
    }
    found
}
