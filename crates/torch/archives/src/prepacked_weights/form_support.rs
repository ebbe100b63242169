//! Support for forms of quantized weights in real releases: `data/packed.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Version;
use unskew_tables::toml_table;

use super::PrepackedForm;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    measured: [String; 2],
    operators: Vec<String>,
    form: Vec<FormRow>,
    engine: Vec<EngineRow>,
    changed: Vec<ChangedRow>,
}

/// A form, and the releases that read it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormRow {
    name: String,
    /// What it is, in words.
    pub(crate) what: String,
    pub(crate) written: String,
    reads: Option<[String; 2]>,
    refuses: Option<[String; 2]>,
    pub(crate) symptom: Option<String>,
}

/// What an engine refuses that another one of the same release takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineRow {
    pub(crate) engine: String,
    form: Option<String>,
    /// The beginning of the names of operators.
    operators: Option<String>,
    refuses: [String; 2],
    pub(crate) what: String,
    pub(crate) symptom: String,
}

/// What an engine calculates otherwise since a release.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedRow {
    pub(crate) engine: String,
    operators: Vec<String>,
    pub(crate) since: String,
}

/// What a release does with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormSupport {
    Reads,
    Refuses,
    /// It was not run, and lies between two that differ, or beyond all.
    Open,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/packed.toml"));

impl FormRow {
    pub(crate) fn outcome(&self, minor: Version) -> FormSupport {
        match (&self.reads, &self.refuses) {
            (Some(run), _) if holds(run, minor) => FormSupport::Reads,
            (_, Some(run)) if holds(run, minor) => FormSupport::Refuses,
            _ => FormSupport::Open,
        }
    }
}

pub(crate) fn row(form: PrepackedForm) -> Option<&'static FormRow> {
    FILE.form.iter().find(|row| row.name == form.name())
}

/// The engines of a release that refuse something in a file of these forms and operators.
pub(crate) fn engines(
    minor: Version,
    has_form: impl Fn(&str) -> bool,
    has_operator: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'static EngineRow> {
    FILE.engine.iter().filter(move |row| {
        holds(&row.refuses, minor)
            && row.form.as_deref().is_none_or(&has_form)
            && row.operators.as_deref().is_none_or(&has_operator)
    })
}

/// What changed of an operator between some writer from `low` to `high` and a release.
pub(crate) fn changed(
    operator: &str,
    (low, high): (Version, Option<Version>),
    minor: Version,
) -> Option<&'static ChangedRow> {
    FILE.changed.iter().find(|row| {
        let since = row.since.parse::<Version>();
        let is_other = since.is_ok_and(|since| match minor < since {
            true => high.is_none_or(|high| since <= high),
            false => low < since,
        });
        is_other && row.operators.iter().any(|name| name == operator)
    })
}

/// Whether a release is not older than the first that was run, nor newer than the last.
pub(crate) fn is_within(minor: Version) -> bool {
    holds(&FILE.measured, minor)
}

/// Whether a model that was run has this operator.
pub(crate) fn ran(operator: &str) -> bool {
    FILE.operators.iter().any(|name| name == operator)
}

fn holds([first, last]: &[String; 2], minor: Version) -> bool {
    let bound = |text: &str| text.parse::<Version>().ok();
    bound(first).is_some_and(|first| first <= minor)
        && bound(last).is_some_and(|last| minor <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_a_row_and_no_release_both_reads_and_refuses() {
        let file = &*FILE;
        let all = [
            PrepackedForm::Lists,
            PrepackedForm::Channels,
            PrepackedForm::Constants,
            PrepackedForm::Convolution1,
            PrepackedForm::Convolution2,
            PrepackedForm::Convolution3,
            PrepackedForm::Linear,
            PrepackedForm::Cell,
            PrepackedForm::Embedding,
            PrepackedForm::FourBits,
            PrepackedForm::Halves,
            PrepackedForm::Unknown,
        ];
        assert_eq!(file.form.len(), all.len());
        for form in all {
            let row = row(form).unwrap();
            assert_eq!(row.refuses.is_some(), row.symptom.is_some(), "{}", row.name);
            if let (Some(reads), Some(refuses)) = (&row.reads, &row.refuses) {
                let both = |bound: &String| holds(reads, bound.parse().unwrap());
                assert!(!refuses.iter().any(both), "{}", row.name);
            }
        }
        let outcome = |form, major, minor| row(form).unwrap().outcome(Version::pair(major, minor));
        assert_eq!(outcome(PrepackedForm::Lists, 1, 4), FormSupport::Reads);
        assert_eq!(outcome(PrepackedForm::Lists, 2, 0), FormSupport::Refuses);
        assert_eq!(outcome(PrepackedForm::Convolution3, 2, 1), FormSupport::Open);
        assert_eq!(outcome(PrepackedForm::Linear, 2, 16), FormSupport::Open);
    }
}
