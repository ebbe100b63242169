//! What the tests of a scan share: the question, and the rows that came.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::{Array as _, Int64Array, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use unskew_core::Date;
use unskew_scan::{ArtifactJudge, Question, ScanSettings, Summary, VerdictTable, inventory, scan};

/// A row, as far as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub uri: String,
    pub runtime: Option<String>,
    pub verdict: String,
    pub collection: Option<String>,
    pub revision: Option<String>,
    pub sha256: Option<String>,
    pub error: Option<String>,
    pub bytes_read: i64,
}

pub fn question() -> Question {
    let with = ["torch@1.10", "torch@2.15", "tensorflow@2.15"];
    Question::new(&with, Date::constant(2026, 11, 1)).unwrap()
}

pub fn examples() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples").canonicalize().unwrap()
}

/// Scans a path into the table in a folder.
pub fn run(source: &Path, table: &Path, settings: &ScanSettings) -> Summary {
    let question = question();
    let judge = ArtifactJudge::new(&question).unwrap();
    let table = VerdictTable::open(table.to_str().unwrap(), &question).unwrap();
    let sources = [inventory(source.to_str().unwrap()).unwrap()];
    scan(&sources, &judge, &table, settings, &|_| {}).unwrap()
}

/// The rows of all parts in a folder.
pub fn lines(table: &Path) -> Vec<Line> {
    let mut files: Vec<PathBuf> = table.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "parquet"));
    files.sort();
    let mut lines: Vec<Line> =
        files.iter().flat_map(|file| of_part(std::fs::read(file).unwrap())).collect();
    lines.sort();
    lines
}

/// The rows of a part.
pub fn of_part(part: Vec<u8>) -> Vec<Line> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(part)).unwrap();
    let mut lines = Vec::new();
    for batch in builder.build().unwrap() {
        let batch = batch.unwrap();
        let text = |name: &str, at: usize| -> Option<String> {
            let column = batch.column_by_name(name).unwrap();
            let column = column.as_any().downcast_ref::<StringArray>().unwrap();
            column.is_valid(at).then(|| column.value(at).to_owned())
        };
        let read = batch.column_by_name("bytes_read").unwrap();
        let read = read.as_any().downcast_ref::<Int64Array>().unwrap();
        for at in 0..batch.num_rows() {
            lines.push(Line {
                uri: text("uri", at).unwrap(),
                runtime: text("runtime", at),
                verdict: text("verdict", at).unwrap(),
                collection: text("collection", at),
                revision: text("revision", at),
                sha256: text("sha256", at),
                error: text("error", at),
                bytes_read: read.value(at),
            });
        }
    }
    lines
}

/// What each artifact got, by the last part of its name: runtime and verdict.
pub fn verdicts(lines: &[Line]) -> BTreeMap<String, Vec<(String, String)>> {
    let mut all: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in lines {
        let name = line.uri.rsplit('/').next().unwrap_or_default().to_owned();
        let runtime = line.runtime.clone().unwrap_or_default();
        all.entry(name).or_default().push((runtime, line.verdict.clone()));
    }
    all
}
