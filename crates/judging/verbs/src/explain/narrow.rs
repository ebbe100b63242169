//! What the values of a text say by the database of releases, and which causes that leaves.

use unskew_core::{Version, VersionRange};
use unskew_releases::{Family, onnx, select, torch};

use super::cause::filled;
use super::{ErrorCause, NextVerb, OtherTrouble};

/// Namespaces of operators that PyTorch itself has.
const BUILT_IN: [&str; 4] = ["aten", "prim", "quantized", "prims"];

/// The rule about an op that no release has, which no other release would have either.
const OF_NOBODY: &str = "TF102";

/// One of these stands in the text, in small letters, if a class of Keras refuses an argument.
const OF_KERAS: [&str; 3] = ["keras", "layer", "from_config"];

/// No rule has this code: none of the causes is left.
const OF_NO_RULE: &str = "";

/// What is left of the causes.
pub(super) struct Narrowed {
    pub(super) causes: Vec<ErrorCause>,
    /// Causes that are not version problems.
    pub(super) elsewhere: Vec<OtherTrouble>,
    pub(super) facts: Vec<String>,
    /// The release that the values name: `torch@1.10.2`.
    pub(super) runtime: Option<String>,
}

/// What the values say.
#[derive(Default)]
struct NarrowedBy {
    facts: Vec<String>,
    runtime: Option<String>,
    /// The rules that are left; none if nothing decides.
    only: Option<&'static str>,
}

pub(super) fn narrow(causes: Vec<ErrorCause>, values: &[(String, String)], text: &str) -> Narrowed {
    let value =
        |name: &str| values.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str());
    let codes: Vec<&str> =
        causes.iter().filter_map(ErrorCause::rule).map(|rule| rule.code).collect();
    let said = match codes.as_slice() {
        ["PT001" | "PT002"] => {
            value("found").map(|found| file_format(found, value("max").or(value("min"))))
        }
        ["PT101"] => value("found").map(|found| bytecode(found, value("most"))),
        ["ON001"] => value("version").map(|version| ir(version, value("limit"))),
        ["ON002"] => value("opset").map(|opset| opsets(opset, value("domain"), value("limit"))),
        ["TF101", "TF102"] => value("op").map(tensorflow_op),
        ["ON101", "ON102", "ON104"] => value("op").map(|op| onnx_op(op, value("opset"))),
        ["OP001", "OP004"] => value("operator").map(torch_operator),
        ["HF001"] => value("type").map(model_type).or_else(|| value("key").map(bare_key)),
        ["KR001", "KR004"] => value("class").map(keras_class),
        ["EN127", "KR002"] | ["KR002", "EN127"] => Some(keyword(text)),
        ["HF014"] => value("class").map(served_architecture),
        ["TF001"] => value("consumer").map(|version| of_release("tensorflow", version)),
        ["TF002"] => value("release").map(|version| of_release("tensorflow", version)),
        _ => None,
    };
    let NarrowedBy { facts, runtime, only } = said.unwrap_or_default();
    let keeps = |cause: &ErrorCause| match (only, cause.rule()) {
        (Some(only), Some(rule)) => rule.code == only,
        _ => true,
    };
    let mut narrowed = Narrowed { causes: Vec::new(), elsewhere: Vec::new(), facts, runtime };
    for cause in causes.into_iter().filter(keeps) {
        match cause {
            ErrorCause::Known(error) if error.next == NextVerb::None => {
                let (about, fix) = (error.about.clone(), error.fix.clone());
                narrowed.elsewhere.push(OtherTrouble { about, fix, code: None });
            }
            ErrorCause::Rule(rule) if only == Some(OF_NOBODY) => {
                let about = narrowed.facts.join("; ");
                narrowed.elsewhere.push(OtherTrouble {
                    about,
                    fix: filled(rule.fix, values),
                    code: Some(rule.code),
                });
            }
            cause => narrowed.causes.push(cause),
        }
    }
    narrowed
}

/// A release that the text itself names.
fn of_release(family: &str, version: &str) -> NarrowedBy {
    let name = format!("{family}@{version}");
    let known = unskew_releases::find(&name).is_ok();
    NarrowedBy { runtime: known.then_some(name), ..NarrowedBy::default() }
}

/// The newest of some releases, and all of them in words.
fn span(
    family: Family,
    fits: impl Fn(unskew_releases::Release) -> bool,
) -> Option<(String, String)> {
    let all = select(family.as_str()).ok()?;
    let fitting: Vec<_> = all.into_iter().filter(|release| fits(*release)).collect();
    let (first, last) = (fitting.first()?, fitting.last()?);
    let words = match first == last {
        true => format!("{} {}", family.as_str(), first.version()),
        false => format!("{} {} to {}", family.as_str(), first.version(), last.version()),
    };
    Some((words, last.to_string()))
}

fn file_format(found: &str, limit: Option<&str>) -> NarrowedBy {
    let Some((found, calendar)) = number(found).zip(torch::database().map(|(_, all)| all)) else {
        return NarrowedBy::default();
    };
    let mut said = NarrowedBy::default();
    let reads = calendar.span(|release| release.file_format.contains(found));
    said.facts.push(format!("file format {found} is read by torch {reads}"));
    if let Some(limit) = limit.and_then(number) {
        let ends = |range: VersionRange| match found > limit {
            true => range.max == Some(limit),
            false => range.min == Some(limit),
        };
        let word = if found > limit { "up to" } else { "from" };
        let span = calendar.span(|release| ends(release.file_format));
        said.facts.push(format!("those that read {word} {limit} are torch {span}"));
        let newest = calendar.last(|release| ends(release.file_format));
        said.runtime = newest.map(|release| format!("torch@{}", release.version));
    }
    said
}

fn bytecode(found: &str, most: Option<&str>) -> NarrowedBy {
    let Some((found, calendar)) = number(found).zip(torch::database().map(|(_, all)| all)) else {
        return NarrowedBy::default();
    };
    let mut said = NarrowedBy::default();
    let within = |range: Option<VersionRange>| range.is_some_and(|range| range.contains(found));
    let reads = calendar.span(|release| within(release.bytecode));
    said.facts.push(format!("bytecode version {found} is read by torch {reads}"));
    if let Some(most) = most.and_then(number) {
        let ends = |range: Option<VersionRange>| range.is_some_and(|range| range.max == Some(most));
        let span = calendar.span(|release| ends(release.bytecode));
        said.facts.push(format!("those that read up to {most} are torch {span}"));
        let newest = calendar.last(|release| ends(release.bytecode));
        said.runtime = newest.map(|release| format!("torch@{}", release.version));
    }
    said
}

fn number(text: &str) -> Option<Version> {
    text.parse().ok().map(Version::number)
}

fn ir(version: &str, limit: Option<&str>) -> NarrowedBy {
    let mut said = NarrowedBy::default();
    let highest = |release| onnx::runtime_of(release).map(|one| one.ir);
    if let Ok(version) = version.parse::<i64>()
        && let Some((words, _)) =
            span(Family::OnnxRuntime, |one| highest(one).is_some_and(|ir| ir >= version))
    {
        said.facts.push(format!("IR version {version} is read by {words}"));
    }
    if let Some(Ok(limit)) = limit.map(str::parse::<i64>)
        && let Some((words, newest)) = span(Family::OnnxRuntime, |one| highest(one) == Some(limit))
    {
        said.facts.push(format!("those that read up to {limit} are {words}"));
        said.runtime = Some(newest);
    }
    said
}

fn opsets(opset: &str, domain: Option<&str>, limit: Option<&str>) -> NarrowedBy {
    let mut said = NarrowedBy::default();
    let domain = domain.filter(|domain| *domain != "ai.onnx").unwrap_or_default();
    let highest = |release| onnx::runtime_of(release).and_then(|one| one.opset(domain));
    if let Ok(opset) = opset.parse::<i64>()
        && let Some((words, _)) =
            span(Family::OnnxRuntime, |one| highest(one).is_some_and(|most| most >= opset))
    {
        said.facts.push(format!("opset {opset} is supported by {words}"));
    }
    if let Some(Ok(limit)) = limit.map(str::parse::<i64>)
        && let Some((words, newest)) = span(Family::OnnxRuntime, |one| highest(one) == Some(limit))
    {
        said.facts.push(format!("those that support up to {limit} are {words}"));
        said.runtime = Some(newest);
    }
    said
}

/// An op that some release of TensorFlow has is a matter of versions; one that none has is of a library of the user's own.
fn tensorflow_op(op: &str) -> NarrowedBy {
    match releases_with(Family::TensorFlow, op) {
        Some(words) => NarrowedBy {
            facts: vec![format!("{op} is an op of {words}")],
            only: Some("TF101"),
            ..NarrowedBy::default()
        },
        None => NarrowedBy {
            facts: vec![format!(
                "no known release of TensorFlow has an op {op}: a library of its own registers it"
            )],
            only: Some(OF_NOBODY),
            ..NarrowedBy::default()
        },
    }
}

fn onnx_op(op: &str, opset: Option<&str>) -> NarrowedBy {
    let forms = onnx::schemas().map(|schemas| schemas.named(op));
    let first = forms.iter().flat_map(|forms| forms.iter()).map(|(form, _)| form.since).min();
    let opset: Option<i64> = opset.and_then(|opset| opset.parse().ok());
    let (fact, only) = match (first, opset) {
        (Some(first), Some(opset)) if opset < first => {
            (format!("{op} comes with opset {first}; the model says {opset}"), Some("ON102"))
        }
        (Some(first), Some(_)) => {
            (format!("{op} is an operator of opset {first} and later"), Some("ON101"))
        }
        (Some(first), None) => (format!("{op} is an operator of opset {first} and later"), None),
        (None, _) => (format!("no known opset has an operator {op}"), Some("ON104")),
    };
    NarrowedBy { facts: vec![fact], only, ..NarrowedBy::default() }
}

fn torch_operator(operator: &str) -> NarrowedBy {
    let namespace = operator.split("::").next().unwrap_or_default();
    let only = if BUILT_IN.contains(&namespace) { "OP001" } else { "OP004" };
    let fact = match releases_with(Family::Torch, operator) {
        Some(words) => format!("{operator} is an operator of {words}"),
        None if only == "OP001" => format!("no known release of PyTorch has {operator}"),
        None => {
            format!("{operator} is an operator of the library `{namespace}`, not of PyTorch itself")
        }
    };
    NarrowedBy { facts: vec![fact], only: Some(only), ..NarrowedBy::default() }
}

/// An argument that is not taken: of a Keras file, or of a call in code.
fn keyword(text: &str) -> NarrowedBy {
    let is_of_keras = OF_KERAS.iter().any(|word| text.contains(word));
    NarrowedBy { only: (!is_of_keras).then_some("EN127"), ..NarrowedBy::default() }
}

/// A class of Keras is a matter of versions; any other is the user's own.
fn keras_class(class: &str) -> NarrowedBy {
    match releases_with(Family::Keras, class) {
        Some(words) => NarrowedBy {
            facts: vec![format!("{class} is a class of {words}")],
            only: Some("KR001"),
            ..NarrowedBy::default()
        },
        None => NarrowedBy {
            facts: vec![format!(
                "no known Keras has {class}: it is a class of your own code, or of another package"
            )],
            only: Some("KR004"),
            ..NarrowedBy::default()
        },
    }
}

/// A type of models of transformers.
fn model_type(name: &str) -> NarrowedBy {
    let said = match releases_with(Family::Transformers, name) {
        Some(words) => format!("{name} is a model type of {words}"),
        None => format!(
            "no known transformers has the model type {name}: its code lies in the folder, or in another package"
        ),
    };
    NarrowedBy { facts: vec![said], ..NarrowedBy::default() }
}

/// A class in `architectures`, which servers look up in a table of their own.
fn served_architecture(class: &str) -> NarrowedBy {
    let spans = [Family::Vllm, Family::Sglang].map(|family| releases_with(family, class));
    let known: Vec<String> = spans.into_iter().flatten().collect();
    let said = match known.is_empty() {
        true => format!("no known vllm or sglang has code for {class}"),
        false => format!("{} have code for {class}", known.join(", and ")),
    };
    NarrowedBy { facts: vec![said], ..NarrowedBy::default() }
}

/// A key that is missing in some dictionary: of model types only if it is one.
fn bare_key(key: &str) -> NarrowedBy {
    match releases_with(Family::Transformers, key) {
        Some(_) => model_type(key),
        None => NarrowedBy { only: Some(OF_NO_RULE), ..NarrowedBy::default() },
    }
}

/// The releases that have an operator, in words. All overloads of a name count.
fn releases_with(family: Family, name: &str) -> Option<String> {
    let defined = family.definitions(name);
    let runs = defined.iter().flat_map(|one| one.runs.iter());
    let runs: Vec<_> = runs.map(|run| (run.since, run.until)).collect();
    let since = runs.iter().map(|(since, _)| *since).min()?;
    let name = family.as_str();
    // One that goes on has no end.
    Some(
        match runs
            .iter()
            .map(|(_, until)| *until)
            .min_by_key(|until| (until.is_some(), std::cmp::Reverse(*until)))
            .flatten()
        {
            None => format!("{name} {since} and later"),
            Some(last) => format!("{name} {since} to {last}"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_releases() {
        let said = file_format("10", Some("6"));
        assert_eq!(said.facts[0], "file format 10 is read by torch 1.12.1 to 2.15.0");
        assert_eq!(said.runtime.as_deref(), Some("torch@1.10.2"));
        let said = ir("10", Some("9"));
        assert!(
            said.facts[0].starts_with("IR version 10 is read by onnxruntime 1."),
            "{:?}",
            said.facts
        );
        assert!(said.runtime.is_some_and(|release| release.starts_with("onnxruntime@1.")));
        let said = opsets("16", Some("ai.onnx"), Some("15"));
        assert_eq!(said.facts.len(), 2, "{:?}", said.facts);
        assert!(file_format("ten", Some("6")).facts.is_empty());
    }

    #[test]
    fn names_are_of_releases_or_of_nobody() {
        assert_eq!(tensorflow_op("AddV2").only, Some("TF101"));
        assert_eq!(tensorflow_op("att_sum_bahdanau").only, Some(OF_NOBODY));
        assert_eq!(onnx_op("Einsum", Some("11")).only, Some("ON102"));
        assert_eq!(onnx_op("Plugin", Some("11")).only, Some("ON104"));
        assert_eq!(torch_operator("aten::gelu").only, Some("OP001"));
        assert_eq!(torch_operator("torchvision::nms").only, Some("OP004"));
        assert_eq!(keras_class("LSTM").only, Some("KR001"));
        assert_eq!(keras_class("RNet").only, Some("KR004"));
    }
}
