//! The database of releases, and the rules, as JSON.

use pyo3::prelude::*;
use serde_json::{Value, json};
use unskew_core::Rule;
use unskew_releases::{NameError, Release};

use crate::errors::exception;

fn named(error: NameError) -> PyErr {
    exception(error.into())
}

fn value(release: &Release) -> Value {
    let axes = release.family().axes(release.row());
    let axes: serde_json::Map<String, Value> =
        axes.into_iter().map(|fact| (fact.label, json!(fact.value))).collect();
    json!({
        "name": release.to_string(),
        "family": release.family().to_string(),
        "version": release.version().to_string(),
        "released": release.released().map(|day| day.to_string()),
        "judged_as": release.stand_in(),
        "axes": axes,
    })
}

/// The releases of a family or a range, as a JSON list.
#[pyfunction]
pub fn releases(name: &str) -> PyResult<String> {
    let found = unskew_releases::select(name).map_err(named)?;
    Ok(Value::Array(found.iter().map(value).collect()).to_string())
}

/// One release, as a JSON object.
#[pyfunction]
pub fn release(name: &str) -> PyResult<String> {
    Ok(value(&unskew_releases::find(name).map_err(named)?).to_string())
}

/// The operators of a release whose names contain `pattern`: text, first and last release.
#[pyfunction]
pub fn operators(name: &str, pattern: &str) -> PyResult<Vec<(String, String, Option<String>)>> {
    let release = unskew_releases::find(name).map_err(named)?;
    let row = |one: unskew_releases::Operator| {
        (one.text, one.since.to_string(), one.until.map(|until| until.to_string()))
    };
    Ok(release.operators(pattern).into_iter().map(row).collect())
}

/// What an error message or a log means, as a JSON object and as text.
#[pyfunction]
pub fn explain_text(text: &str) -> (String, String) {
    let answer = unskew_verbs::explain_text(text.as_bytes());
    let text = anstream::adapter::strip_str(&answer.text()).to_string();
    (answer.json().to_string(), text)
}

fn rule_value(rule: &Rule) -> Value {
    json!({
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.as_str(),
        "phase": rule.phase.map(|phase| phase.as_str()),
        "summary": rule.summary,
        "what": rule.what.text(),
        "why": rule.why.text(),
        "error_texts": rule.error_texts.text().lines().collect::<Vec<_>>(),
        "fires": rule.fires.text(),
        "silent": rule.silent.text(),
        "fix": rule.fix,
        "reference": rule.reference.text(),
        "since": rule.since,
    })
}

/// Whether something that names no rule is the text of an error.
#[pyfunction]
pub fn is_error_text(what: &str) -> bool {
    unskew_verbs::is_error_text(what)
}

/// A rule by its code or its name, as a JSON object.
#[pyfunction]
pub fn rule(code_or_name: &str) -> PyResult<String> {
    unskew_verbs::rule(code_or_name).map(|rule| rule_value(rule).to_string()).map_err(exception)
}

/// Every rule, as a JSON list.
#[pyfunction]
pub fn rules() -> String {
    Value::Array(unskew_artifact::every_rule().map(rule_value).collect()).to_string()
}

/// The file name of the adapter library.
#[pyfunction]
pub fn adapter_name() -> String {
    unskew_pjrt_adapter_settings::library_name()
}
