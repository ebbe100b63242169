//! Operators of ONNX domains as a kind of files: a schema on each line, as `unskew releases onnx@1.23 --op NAME` prints
//! them. The ending of such a file is `.onnxops`.

use std::collections::BTreeMap;

use unskew_core::Severity;
use unskew_kinds::{CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level};
use unskew_onnx::{OperatorForms, forms};
use unskew_source::{Files, NotRead};

/// Lists of operators of ONNX, as files of kind `onnx-ops`.
pub struct OnnxOps;

impl InterfaceKind for OnnxOps {
    fn name(&self) -> &'static str {
        "onnx-ops"
    }

    fn title(&self) -> &'static str {
        "operators of ONNX"
    }

    fn recognizes(&self, name: &str, _head: &[u8]) -> bool {
        name.to_ascii_lowercase().ends_with(".onnxops")
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        let (mut was, is) = (read(old)?, read(new)?);
        // A file by itself is compared whatever it is called now.
        if let ([(name, _)], 1) = (is.iter().collect::<Vec<_>>().as_slice(), was.len())
            && let Some((_, only)) = was.pop_first()
        {
            was.insert((*name).clone(), only);
        }
        let mut found = FileComparison::default();
        let none = OperatorForms::default();
        for (name, now) in &is {
            let before = was.get(name).unwrap_or(&none);
            for change in forms::lists(before, now, [&format!("{name} before"), name]) {
                let (level, way) = match change.finding.severity {
                    Severity::Error => (Level::Wire, Direction::Backward),
                    _ => (Level::Promise, Direction::Forward),
                };
                let finding = change.finding.at([name.as_str()].into_iter().collect());
                found
                    .changes
                    .push(FileChange::new(finding, &**name, &*change.op).on(level).breaking(way));
            }
        }
        match was.keys().find(|name| !is.contains_key(*name)) {
            Some(name) => Err(NotRead::new(name.clone(), "the list of operators is gone")),
            None => Ok(found),
        }
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let all = read(files)?;
        let items =
            all.iter().flat_map(|(file, forms)| forms.names().map(|one| (one, file.clone())));
        Ok(Some(items.collect()))
    }
}

fn read(files: &Files) -> Result<BTreeMap<String, OperatorForms>, NotRead> {
    let mut all = BTreeMap::new();
    for (name, bytes) in files.iter() {
        let text = String::from_utf8_lossy(bytes);
        let forms = OperatorForms::read(&text)
            .map_err(|(line, why)| NotRead::new(name, format!("line {line}: {why}")))?;
        all.insert(name.to_owned(), forms);
    }
    Ok(all)
}
