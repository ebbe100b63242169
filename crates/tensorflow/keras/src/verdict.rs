//! Files of Keras against releases: problems as findings.

use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Role, Unjudged, Version, aspect,
};

use crate::judge::{Problem, problems};
use crate::{KerasFormat, KerasModel, KerasRelease, KerasWeightPaths, rules};

/// The first Keras that keeps weights alone in groups of layers.
const WEIGHT_PATHS: Version = Version::pair(2, 12);

/// Judges a file of Keras against a release.
pub(crate) struct KerasMatcher(pub(crate) Arc<KerasModel>);

impl Matcher for KerasMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let Some(keras) = other.capability::<KerasRelease>() else {
            let reads = other.kind == "TensorFlow release" && matches!(other.role, Role::Runtime);
            // What is not in the database is older than archives are.
            if reads && self.0.form == KerasFormat::Archive {
                let consumer = other.name.replacen("tensorflow", "TensorFlow", 1);
                let finding = rules::KerasArchiveNotRead { consumer: &consumer }.finding();
                return Some(Judgement { findings: vec![finding], ..Judgement::default() });
            }
            let why = "the classes of its Keras are not in the database";
            let unjudged = vec![Unjudged::new(aspect::CONTENTS, why)];
            return reads.then(|| Judgement { unjudged, ..Judgement::default() });
        };
        Some(judge(&self.0, keras))
    }
}

/// What a release of Keras makes of a model.
pub fn judge(model: &KerasModel, keras: &KerasRelease) -> Judgement {
    let mut judgement = Judgement::default();
    let consumer = keras.name();
    if model.form == KerasFormat::Archive && !keras.reads_archives() {
        let symptom = match keras.version < Version::pair(2, 5) {
            true => "SavedModel file does not exist at",
            false => "file signature not found",
        };
        let finding = rules::KerasArchiveNotRead { consumer: &consumer }.finding();
        judgement.findings.push(finding.with_symptom(symptom));
        return judgement;
    }
    if model.form == KerasFormat::Weights {
        if let Some(written) = model.weight_paths
            && model.weights.0 > 0
            && keras.version >= WEIGHT_PATHS
            && !written.is_read_as(KerasWeightPaths::of_release(keras.version))
        {
            let what = match written {
                KerasWeightPaths::Layers => "the weights as Keras 2.15 and later name them",
                KerasWeightPaths::CountedOnce => "the weights as Keras 2.14 names them",
                KerasWeightPaths::CountedTwice => "the weights as Keras 2.12 and 2.13 name them",
                KerasWeightPaths::CountedEither => "the weights as Keras 2.12 to 2.14 name them",
            };
            let rule = rules::KerasValueRefused { consumer: &consumer, what: &what };
            let symptom = "received 0 variables during loading";
            judgement.findings.push(rule.finding().with_symptom(symptom));
        }
        let why = "weights alone: whether they fit depends on the model that loads them";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return judgement;
    }
    let mut places = Vec::new();
    for problem in problems(model, keras) {
        match problem {
            Problem::Unjudged { place, why } => places.push((place, why)),
            problem => judgement.findings.push(finding(problem, model, keras, &consumer)),
        }
    }
    for part in &model.unread {
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, format!("not read: {part}")));
    }
    for (place, why) in places {
        let unjudged = Unjudged::new(aspect::CLASSES, why).at(one(place));
        judgement.unjudged.push(unjudged);
    }
    let writer = model.version();
    if writer.is_none_or(|writer| minor(writer) != minor(keras.version)) {
        let writer =
            writer.map_or("the Keras that wrote it".to_owned(), |one| format!("Keras {one}"));
        let why = format!(
            "whether layers compute in Keras {} what they compute in {writer} is not looked at",
            keras.version
        );
        judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
    }
    judgement
}

fn minor(version: Version) -> (i64, i64) {
    (version.major(), version.minor())
}

fn finding(problem: Problem, model: &KerasModel, keras: &KerasRelease, consumer: &str) -> Finding {
    let three = keras.is_three();
    match problem {
        Problem::Input => {
            let writer = model.keras.as_deref().unwrap_or("3");
            let rule = rules::KerasInputNotRead { keras: &writer, consumer: &consumer };
            let symptom = match keras.version < Version::pair(2, 12) {
                true => "Unrecognized keyword arguments",
                false => "Error when deserializing class 'InputLayer'",
            };
            rule.finding().with_symptom(symptom)
        }
        Problem::Unknown { place, kind, name, custom: false } => {
            let since = keras.classes.first(&name, &kind, None);
            let elsewhere = match since {
                Some(since) if since > keras.version => {
                    format!("Keras {since} is the first that does")
                }
                Some(_) => "an older Keras did".to_owned(),
                None => "it is registered by newer releases under this name".to_owned(),
            };
            let rule = rules::KerasClassUnknown {
                consumer: &consumer,
                kind: &kind,
                name: &name,
                elsewhere: &elsewhere,
            };
            rule.finding().with_symptom(unknown_symptom(&kind, &name, three)).at(one(place))
        }
        Problem::Unknown { place, kind, name, custom: true } => {
            let rule = rules::KerasObjectCustom { kind: &kind, name: &name };
            rule.finding().with_symptom(unknown_symptom(&kind, &name, three)).at(one(place))
        }
        Problem::Package { place, kind, name, package } => {
            let rule = rules::KerasPackageMissing { kind: &kind, name: &name, package: &package };
            rule.finding().with_symptom("Could not").at(one(place))
        }
        Problem::Argument { place, class, argument } => {
            let rule = rules::KerasArgumentUnknown {
                consumer: &consumer,
                class: &class,
                argument: &argument,
            };
            let symptom = match keras.version < Version::pair(2, 12) {
                true => format!("('Keyword argument not understood:', '{argument}')"),
                false => argument.clone(),
            };
            rule.finding().with_symptom(symptom).at(one(place))
        }
        Problem::Missing { place, class, argument } => {
            let rule = rules::KerasArgumentMissing {
                consumer: &consumer,
                class: &class,
                argument: &argument,
            };
            let symptom = format!("missing 1 required positional argument: '{argument}'");
            rule.finding().with_symptom(symptom).at(one(place))
        }
        Problem::Lambda { place } => rules::KerasLambdaNotLoaded { consumer: &consumer }
            .finding()
            .with_symptom("Requested the deserialization of a")
            .at(one(place)),
        Problem::Refused { place, what, symptom } => {
            let rule = rules::KerasValueRefused { consumer: &consumer, what: &what };
            rule.finding().with_symptom(symptom).at(one(place))
        }
        Problem::FirstCall { what, symptom } => {
            let rule = rules::KerasFirstCallFails { consumer: &consumer, what: &what };
            rule.finding().with_symptom(symptom)
        }
        Problem::Differs { place, what } => {
            let rule = rules::KerasAnswerDiffers { consumer: &consumer, what: &what };
            rule.finding().at(one(place))
        }
        Problem::Unjudged { place, why } => {
            rules::KerasValueRefused { consumer: &consumer, what: &why }.finding().at(one(place))
        }
    }
}

fn one(place: String) -> Places {
    [place].into_iter().collect()
}

/// What a loader prints of a class that it does not have.
fn unknown_symptom(kind: &str, name: &str, three: bool) -> String {
    match (kind, three) {
        ("function", _) => format!("Unknown activation function: {name}"),
        (kind, false) => format!("Unknown {kind}: {name}"),
        (_, true) => format!("Could not locate class '{name}'"),
    }
}
