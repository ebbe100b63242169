//! A program whose texts were edited, read again.

use std::collections::BTreeMap;

use unskew_script::typing::ScriptProgram;
use unskew_source::ReadError;

use crate::code;
use crate::convert::task::ConversionTask;

/// The program with other texts for some of its records.
pub(super) fn with_texts(
    task: &ConversionTask<'_>,
    program: &ScriptProgram,
    texts: &BTreeMap<String, String>,
) -> Result<ScriptProgram, ReadError> {
    let mut new = ScriptProgram::new();
    for record in program.records() {
        let text = texts.get(&*record.name).map_or(&*record.text, String::as_str);
        let path = record.name.trim_start_matches(".data/ts_code/").trim_start_matches("code/");
        let qualifier = path.trim_end_matches(".py").replace('/', ".");
        new.add(&record.name, &qualifier, text).map_err(|fault| {
            let what = format!("a text without its dead branches cannot be read: {fault}");
            ReadError::malformed(task.records.file(), what).in_record(&*record.name)
        })?;
    }
    if let Some(bytes) = task.records.get("constants.pkl")? {
        let pickle = task.records.pickle("constants.pkl", &bytes)?;
        new.set_constants(code::constant_types(&pickle));
    }
    Ok(new)
}
