//! Results as Python gets them: their JSON, from which the dataclasses are made, and their texts.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unskew_report::{Medium, Plain, RenderFormat, error_lines, escaped};
use unskew_verbs::Grid;

/// A report: of a check, of an inspection, of a conversion.
#[pyclass(frozen, module = "unskew._native")]
pub struct Report(pub unskew_report::Report);

#[pymethods]
impl Report {
    /// The report, as the page `json.md` of the reference describes it.
    fn json(&self) -> String {
        self.0.render(RenderFormat::Json)
    }

    /// As the command prints it with `--format`, without colors.
    fn text(&self, format: &str) -> PyResult<String> {
        let format = match format {
            "full" => RenderFormat::Full,
            "concise" => RenderFormat::Concise,
            "json" => RenderFormat::Json,
            "sarif" => RenderFormat::Sarif,
            "github" => RenderFormat::Github,
            "junit" => RenderFormat::Junit,
            other => return Err(PyValueError::new_err(format!("no such format: {other}"))),
        };
        Ok(plain(&self.0.render(format)))
    }
}

/// Many sides against many others.
#[pyclass(frozen, module = "unskew._native")]
pub struct Matrix(pub Grid);

#[pymethods]
impl Matrix {
    /// The documented JSON: every pair.
    fn json(&self) -> String {
        self.0.report(true).render(RenderFormat::Json)
    }

    /// The labels of the rows, those that could not be read among them.
    fn rows(&self) -> Vec<String> {
        (0..self.0.rows.len()).map(|row| self.0.label(row).to_owned()).collect()
    }

    fn columns(&self) -> Vec<String> {
        self.0.columns.iter().map(|column| column.label.clone()).collect()
    }

    /// The outcome of each pair, row by row: a word of the JSON, or `unread`; and the word of the table.
    fn cells(&self) -> Vec<Vec<(&'static str, &'static str)>> {
        let cell = |cell: &unskew_verbs::Cell| (cell.outcome(), cell.mark.word());
        self.0.cells.iter().map(|cells| cells.iter().map(cell).collect()).collect()
    }

    /// As the command prints it for a terminal of this width, without colors.
    fn table(&self, width: usize) -> String {
        plain(&escaped(&self.0.table(width), Medium::Terminal))
    }

    /// For spreadsheets: one line a pair.
    fn csv(&self) -> String {
        escaped(&self.0.csv(), Medium::Document).into_owned()
    }

    /// One page that needs nothing else.
    fn html(&self) -> String {
        escaped(&self.0.html(), Medium::Document).into_owned()
    }
}

/// One line of a message, with everything hidden in it written out.
#[pyfunction]
pub fn shown(text: &str) -> String {
    escaped(&Plain(text).to_string(), Medium::Terminal).into_owned()
}

/// The lines of an error with its causes, each as [`shown`].
#[pyfunction]
pub fn shown_lines(message: &str) -> Vec<String> {
    error_lines(message).iter().map(|line| shown(line)).collect()
}

/// The text without the escape codes of a terminal.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
