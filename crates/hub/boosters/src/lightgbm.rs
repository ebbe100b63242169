//! Models of LightGBM: text, a line for each key. The trees, which make it long, are looked at by how their lines begin.

use std::io::{self, BufRead, BufReader};
use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt as _, SourceReader};

use crate::model::{BoosterLibrary, BoosterModel};

/// How a model begins: its kind, and the version of the format.
const START: &[u8] = b"tree\nversion=";

/// How much of a line is looked at.
const LINE: usize = 256;

/// Parts of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Trees,
    Parameters,
    End,
}

/// The model in `source`; none if it is not one of LightGBM.
pub(crate) fn read(source: &Arc<dyn Source>) -> Result<Option<BoosterModel>, ReadError> {
    if !source.head(START.len() as u64)?.starts_with(START) {
        return Ok(None);
    }
    let mut model = BoosterModel::new(BoosterLibrary::Lightgbm, "text");
    let mut part = Part::Head;
    let mut reader = BufReader::with_capacity(1 << 16, SourceReader::new(source.clone()));
    let broken = |error: io::Error| ReadError::malformed(source.name(), error.to_string());
    while part != Part::End
        && let Some(line) = start_of_line(&mut reader).map_err(broken)?
    {
        part = match &*line {
            "end of trees" => Part::End,
            _ if line.starts_with("Tree=") => Part::Trees,
            _ => part,
        };
        // Parameters follow behind the importance of features, if they were saved.
        if part == Part::End {
            break;
        }
        property(&mut model, part, &line);
    }
    while let Some(line) = start_of_line(&mut reader).map_err(broken)? {
        match &*line {
            "parameters:" => part = Part::Parameters,
            "end of parameters" => part = Part::End,
            _ => property(&mut model, part, &line),
        }
    }
    Ok(Some(model))
}

/// What a line says of a model.
fn property(model: &mut BoosterModel, part: Part, line: &str) {
    match part {
        Part::Head => {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            match key {
                "version" => model.add("version", value),
                // Its parameters follow: `binary sigmoid:1`.
                "objective" => model.add("objective", value.split(' ').next().unwrap_or(value)),
                "" => {}
                _ => model.add("key", key),
            }
        }
        Part::Trees => match line.split_once('=') {
            Some(("is_linear", "1")) => model.add("trees", "linear"),
            Some(("num_cat", count)) if count != "0" => model.add("features", "categorical"),
            _ => {}
        },
        Part::Parameters => {
            let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some((name, value)) = inner.and_then(|inner| inner.split_once(": ")) {
                model.add("parameter", name);
                if name == "boosting" {
                    model.add("booster", value);
                }
            }
        }
        Part::End => {}
    }
}

/// The start of the next line; the rest of it is passed over.
fn start_of_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut is_there = false;
    loop {
        let block = reader.fill_buf()?;
        if block.is_empty() {
            break;
        }
        is_there = true;
        let end = memchr::memchr(b'\n', block);
        let piece = block.get(..end.unwrap_or(block.len())).unwrap_or_default();
        let kept = piece.len().min(LINE - line.len());
        line.extend_from_slice(piece.get(..kept).unwrap_or_default());
        let used = piece.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(is_there.then(|| String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()))
}
