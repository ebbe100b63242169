//! Which properties of models tell what becomes of them in a release.

use std::collections::{BTreeMap, BTreeSet};

use unskew_boosters::{MeasuredOutcome, MeasuredProperty, version_numbers};

/// A model, and what a release made of it.
pub struct MeasuredModel {
    /// What its file says.
    pub properties: BTreeSet<String>,
    /// What happened.
    pub outcome: MeasuredOutcome,
    /// The error, as it was printed.
    pub error: String,
}

/// Kinds of properties. Of two that tell the same, the one that the error names is taken, then the one whose kind is named earlier
/// here: it says more to people.
const PREFERRED: [&str; 18] = [
    "format=",
    "pickled=",
    "objective=",
    "booster=",
    "trees=",
    "features=",
    "targets=",
    "leaves=",
    "base_score=",
    "parameter=",
    "version<=",
    "version>=",
    "version=",
    "class=",
    "lacks=",
    "attribute=",
    "key=",
    "configuration=",
];

/// Kinds of properties of which a model has many.
const MANY: [&str; 4] = ["lacks=", "attribute=", "key=", "configuration="];

/// What goes wrong, in the order in which it does.
const WRONG: [MeasuredOutcome; 2] = [MeasuredOutcome::Load, MeasuredOutcome::Differs];

/// Adds to each model that says a version the spans of versions that it lies in: a row holds for those between, too.
pub fn add_spans(models: &mut [MeasuredModel]) {
    let own = |model: &MeasuredModel| {
        let mut all = model.properties.iter().filter_map(|one| one.strip_prefix("version="));
        all.next().map(|text| (version_numbers(text), text.to_owned()))
    };
    let known: BTreeSet<(Vec<u32>, String)> = models.iter().filter_map(own).collect();
    for model in models {
        let Some((version, _)) = own(model) else { continue };
        for (other, text) in &known {
            if *other <= version {
                model.properties.insert(format!("version>={text}"));
            }
            if *other >= version {
                model.properties.insert(format!("version<={text}"));
            }
        }
    }
}

/// Adds to each model the attributes that others of its classes have and it has not.
pub fn add_lacking(models: &mut [MeasuredModel]) {
    let attribute = |one: &String| one.strip_prefix("attribute=").map(str::to_owned);
    let known: BTreeSet<String> =
        models.iter().flat_map(|model| model.properties.iter().filter_map(attribute)).collect();
    for model in models {
        for one in &known {
            let class = one.rsplit_once('.').map_or("", |(class, _)| class);
            if model.properties.contains(&format!("class={class}"))
                && !model.properties.contains(&format!("attribute={one}"))
            {
                model.properties.insert(format!("lacks={one}"));
            }
        }
    }
}

/// The rows of a release, and how many models no property tells. A row holds for all models that have its properties: as few
/// rows as can be are taken.
pub fn rows(models: &[MeasuredModel]) -> (Vec<MeasuredProperty>, usize) {
    let mut found = Vec::new();
    let mut unexplained = 0;
    for outcome in WRONG {
        let (failing, others): (Vec<&MeasuredModel>, Vec<&MeasuredModel>) =
            models.iter().partition(|model| model.outcome == outcome);
        // A model that does not load says nothing about answers.
        let others: Vec<&MeasuredModel> =
            others.into_iter().filter(|model| model.outcome > outcome).collect();
        let mut open = failing;
        for count in [1, 2] {
            while let Some(properties) = best(&open, &others, count) {
                let has_all = |model: &MeasuredModel| has_all(model, &properties);
                let (told, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|one| has_all(one));
                open = rest;
                let raises = outcome == MeasuredOutcome::Load;
                let error = if raises { usual_error(&told) } else { String::new() };
                found.push(MeasuredProperty { properties, outcome, error });
            }
        }
        unexplained += open.len();
    }
    let known = models.iter().filter(|model| model.outcome == MeasuredOutcome::Same);
    let objectives = known.flat_map(|model| &model.properties);
    let objectives: BTreeSet<&String> =
        objectives.filter(|one| one.starts_with("objective=")).collect();
    found.extend(objectives.into_iter().map(|objective| MeasuredProperty {
        properties: vec![objective.clone()],
        outcome: MeasuredOutcome::Same,
        error: String::new(),
    }));
    (found, unexplained)
}

fn has_all(model: &MeasuredModel, properties: &[String]) -> bool {
    properties.iter().all(|one| model.properties.contains(one))
}

/// The properties, so many together, that most of the failing models have and none of the others.
fn best(
    failing: &[&MeasuredModel],
    others: &[&MeasuredModel],
    count: usize,
) -> Option<Vec<String>> {
    let mut counts: BTreeMap<Vec<&String>, usize> = BTreeMap::new();
    for model in failing {
        for combination in combinations(&model.properties, count) {
            *counts.entry(combination).or_default() += 1;
        }
    }
    let is_clean = |combination: &[&String]| {
        !others.iter().any(|model| combination.iter().all(|one| model.properties.contains(*one)))
    };
    let rank = |combination: &[&String]| -> usize {
        let place = |one: &&String| PREFERRED.iter().position(|kind| one.starts_with(kind));
        combination.iter().map(|one| place(one).unwrap_or(PREFERRED.len())).sum()
    };
    let is_in_error = |combination: &[&String]| {
        let names = combination.iter().filter_map(|one| one.rsplit(['.', '=']).next());
        let mut quoted = names.map(|name| format!("'{name}'"));
        quoted.any(|name| failing.iter().any(|model| model.error.contains(&name)))
    };
    let mut all: Vec<(Vec<&String>, usize)> = counts.into_iter().collect();
    all.sort_by_cached_key(|(combination, covered)| {
        (std::cmp::Reverse(*covered), !is_in_error(combination), rank(combination))
    });
    let found = all.into_iter().find(|(combination, _)| is_clean(combination))?.0;
    Some(found.into_iter().cloned().collect())
}

/// Every combination of so many properties; of two, without those of which there are many.
fn combinations(properties: &BTreeSet<String>, count: usize) -> Vec<Vec<&String>> {
    if count == 1 {
        return properties.iter().map(|one| vec![one]).collect();
    }
    let is_one_of_many = |one: &&String| MANY.iter().any(|kind| one.starts_with(kind));
    let few: Vec<&String> = properties.iter().filter(|one| !is_one_of_many(one)).collect();
    let pairs = few.iter().enumerate();
    pairs.flat_map(|(at, one)| few.iter().skip(at + 1).map(|other| vec![*one, *other])).collect()
}

/// The error that most of the models have, without what differs from run to run: `Unknown objective function reg:x`.
fn usual_error(models: &[&MeasuredModel]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for model in models {
        *counts.entry(without_places(&model.error)).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(error, _)| error).unwrap_or_default()
}

/// An error without the class of the exception, the time, places on this machine, and lines of sources.
pub fn without_places(error: &str) -> String {
    let text = error.split_once(": ").map_or(error, |(_, text)| text);
    let text = text.trim_start_matches("b'").trim_start_matches("b\"");
    // `[12:00:00] /workspace/src/learner.cc:349: `
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((_, rest)) => rest.split_once(": ").map_or(rest, |(_, rest)| rest),
        None => text,
    };
    // `tools/enum_parser/enum_runtime.cpp:32: `
    let text = match text.split_once(": ") {
        Some((place, rest)) if place.contains('/') && place.contains(".cpp:") => rest,
        _ => text,
    };
    let text = text.trim_start_matches("Check failed: ");
    // The name of the file stands in front of the reason.
    let text = match text.strip_prefix("Failed to load model") {
        Some(rest) => rest.split_once("`. ").map_or(rest, |(_, reason)| reason),
        None => text,
    };
    let ends =
        [" Stack trace", "\\n", " Objective candidate", ". ", ", got: ", " but value=", " from '"];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(text);
    text.chars().take(120).collect::<String>().replace(['\t', '&'], " ").trim().to_owned()
}
