//! The verbs.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unskew_artifact::ConvertOptions;
use unskew_core::{Context, Date};
use unskew_pjrt_adapter_settings::{ExtensionPolicy, Unstamped};
use unskew_report::{Look, ReadFailure};
use unskew_verbs::adapt::{AdaptTarget, Adaptation, Age};
use unskew_verbs::{ConvertRequest, OpenOptions, RunPolicy};

use crate::input::{Input, name};
use crate::report::{Matrix, Report};
use crate::work::{Steps, away};

/// How files are opened: which plug-ins are run, by which command, and whether checksums are verified.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ReadOptions {
    /// `never`, `named` or `all`.
    run: String,
    /// The path of the command that children run; none if it was not found.
    command: Option<PathBuf>,
    verify: bool,
}

impl ReadOptions {
    fn options(self) -> PyResult<OpenOptions> {
        let running = match self.run.as_str() {
            "never" => RunPolicy::Never,
            "named" => RunPolicy::Named,
            "all" => RunPolicy::All,
            other => {
                let text = format!("run is 'never', 'named' or 'all', not {other:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        Ok(unskew_verbs::options(running, self.command).verifying(self.verify))
    }
}

/// The day on which promises are judged.
fn context(as_of: &str) -> PyResult<Context> {
    let day: Date = as_of
        .parse()
        .map_err(|_| PyValueError::new_err(format!("a day is written YYYY-MM-DD, not: {as_of}")))?;
    Ok(Context::on(day))
}

/// Judges one side with others.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    with: Vec<OsString>,
    as_of: &str,
    reading: ReadOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let (input, context, options) = (Input::from_python(a)?, context(as_of)?, reading.options()?);
    let work =
        move |_: &Steps| unskew_verbs::check_sides(input.side(&options)?, &with, &options, context);
    away(py, progress, work).map(Report)
}

/// Says what each of them is. What cannot be read stands in the failures of the report.
#[pyfunction]
pub fn inspect(
    py: Python<'_>,
    what: Vec<Bound<'_, PyAny>>,
    as_of: &str,
    reading: ReadOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let inputs = what.iter().map(Input::from_python).collect::<PyResult<Vec<_>>>()?;
    let (context, options) = (context(as_of)?, reading.options()?.inferring());
    let work = move |steps: &Steps| {
        steps.expect(inputs.len());
        let mut report = unskew_report::Report::new(context);
        for input in &inputs {
            match input {
                Input::Name(name) => {
                    let one = unskew_verbs::inspect(std::slice::from_ref(name), &options, context);
                    report.looks.extend(one.looks);
                    report.failures.extend(one.failures);
                }
                Input::Content(content) => match input.side(&options) {
                    Ok(side) => {
                        let look =
                            |m: unskew_verbs::ResolvedParty| Look { path: m.label, party: m.party };
                        report.looks.extend(side.members.into_iter().map(look));
                        report.failures.extend(side.failures);
                    }
                    Err(error) => report.failures.push(ReadFailure {
                        path: content.name().to_owned(),
                        message: unskew_verbs::chain(&error),
                    }),
                },
            }
            steps.step()?;
        }
        Ok(report)
    };
    away(py, progress, work).map(Report)
}

/// Judges every file with every release, as `unskew matrix` does.
#[pyfunction]
pub fn matrix(
    py: Python<'_>,
    rows: Vec<Bound<'_, PyAny>>,
    with: Vec<OsString>,
    as_of: &str,
    reading: ReadOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Matrix> {
    let rows = rows.iter().map(name).collect::<PyResult<Vec<_>>>()?;
    let (context, options) = (context(as_of)?, reading.options()?);
    let work = move |steps: &Steps| {
        steps.expect(rows.len());
        let columns = unskew_verbs::columns(&with, &options)?;
        let rows = unskew_verbs::rows(&rows, &options, &|| steps.step())?;
        steps.expect(rows.len() * columns.len());
        unskew_verbs::judge(rows, columns, context, &|| steps.step())
    };
    away(py, progress, work).map(Matrix)
}

/// Converts a file or a SavedModel for a release.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn convert(
    py: Python<'_>,
    artifact: PathBuf,
    to: &str,
    output: Option<PathBuf>,
    as_of: &str,
    allow: Vec<String>,
    written_by: Option<&str>,
    verify: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Report> {
    let release = |name: &str| {
        unskew_releases::find(name).map_err(|error| crate::errors::exception(error.into()))
    };
    let to = unskew_verbs::conversion_target(to).map_err(crate::errors::exception)?;
    let context = context(as_of)?;
    let written_by = written_by.map(release).transpose()?;
    let work = move |_: &Steps| {
        let options =
            ConvertOptions { allowed: allow, written_by, verify, ..ConvertOptions::default() };
        let request = ConvertRequest {
            artifact: &artifact,
            to,
            output: output.as_deref(),
            dry_run: false,
            options,
        };
        unskew_verbs::convert(&request, context)
    };
    away(py, progress, work).map(Report)
}

/// Adapts a PJRT plug-in for a host: the shared object, the version that it presents, and what the host says to the
/// plug-in as it is.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn adapt(
    py: Python<'_>,
    plugin: PathBuf,
    host: String,
    output: PathBuf,
    name: Option<String>,
    adapter: PathBuf,
    as_of: &str,
    reading: ReadOptions,
) -> PyResult<(PathBuf, String, Report)> {
    let (context, options) = (context(as_of)?, reading.options()?);
    let work = move |_: &Steps| {
        let adaptation = Adaptation {
            plugin: &plugin,
            wanted: AdaptTarget::For(host),
            extensions: ExtensionPolicy::Fitting,
            unstamped: Unstamped::Refuse,
            guard: false,
            stablehlo: None,
            output: &output,
            name: name.as_deref(),
            adapter: &adapter,
        };
        let adapted = unskew_verbs::adapt(&adaptation, &options)?;
        let (Age::For { present, .. } | Age::Presented(present) | Age::Emulated(present)) =
            adapted.age;
        let mut report = unskew_report::Report::new(context);
        report.pairs = adapted.pairs(&context);
        Ok((adapted.place, format!("0.{present}"), report))
    };
    let (place, version, report) = away(py, None, work)?;
    Ok((place, version, Report(report)))
}
