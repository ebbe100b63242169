//! Configurations of reduced builds of ONNX Runtime: `required_operators.config`, a line for each domain and opset.
//!
//! The format: <https://onnxruntime.ai/docs/reference/operators/reduced-operator-config-file.html>.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt as _};

use super::{DocumentedOperator, DocumentedSupport, OperatorFallback};
use crate::{OpSchemas, full_name};

/// The most bytes of a configuration.
const LARGEST: u64 = 16 << 20;

/// What begins a line that says something of the whole build.
const WHOLE: char = '!';

/// The build that a configuration asks for; none if it is no configuration.
///
/// # Errors
/// If it is one and a line is broken; with the line.
pub fn reduced_build(
    source: &dyn Source,
    schemas: &Arc<OpSchemas>,
) -> Result<Option<DocumentedSupport>, ReadError> {
    if !source.name().ends_with(".config") || !begins(&source.head(4096)?) {
        return Ok(None);
    }
    let wrong = |what: String| ReadError::malformed(source.name(), what);
    if source.size() > LARGEST {
        return Err(wrong(format!("a configuration of more than {LARGEST} bytes")));
    }
    let text = String::from_utf8(source.all()?).map_err(|error| wrong(error.to_string()))?;
    let mut operators: BTreeMap<String, DocumentedOperator> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', WHOLE]) {
            continue;
        }
        let broken = |what: &str| wrong(format!("line {}: {what}", at + 1));
        let (domain, opsets, names) =
            segments(line).ok_or_else(|| broken("expected `domain;opset;operators`"))?;
        let opsets: Option<Vec<i64>> =
            opsets.split(',').map(|one| one.trim().parse().ok().filter(|one| *one > 0)).collect();
        let opsets = opsets.ok_or_else(|| broken("an opset that is no number"))?;
        let names = split(names).ok_or_else(|| broken("types that do not end"))?;
        for (name, typed) in names {
            let support = operators.entry(full_name(domain, name)).or_default();
            support.restricted |= typed;
            let known = support.opsets.get_or_insert_default();
            known.extend(opsets.iter().map(|opset| (*opset, *opset)));
        }
    }
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Ok(Some(DocumentedSupport {
        name,
        source: "written for a build with --include_ops_by_config".to_owned(),
        operators,
        opsets: None,
        otherwise: OperatorFallback::NotBuilt,
        schemas: schemas.clone(),
    }))
}

/// Whether the first line that says something is one of a configuration.
fn begins(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let global = ["!globally_allowed_types", "!no_ops_specified"];
        let opsets = segments(line).map(|(_, opsets, _)| opsets);
        global.iter().any(|word| line.starts_with(word))
            || opsets.is_some_and(|opsets| opsets.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Domain, opsets and operators of a line. The domain `ai.onnx` is that of ONNX.
fn segments(line: &str) -> Option<(&str, &str, &str)> {
    let (domain, rest) = line.split_once(';')?;
    let (opsets, names) = rest.split_once(';')?;
    let domain = domain.trim();
    let domain = if domain == "ai.onnx" { "" } else { domain };
    Some((domain, opsets.trim(), names.trim()))
}

/// The names in a list, with whether only some types of them are built: these stand behind a name in braces. None if
/// braces do not end.
fn split(names: &str) -> Option<Vec<(&str, bool)>> {
    let mut all = Vec::new();
    let mut rest = names;
    while !rest.is_empty() {
        let end = rest.find([',', '{']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let typed = behind.starts_with('{');
        let behind = if typed { behind.get(braces(behind)?..)? } else { behind };
        if !name.trim().is_empty() {
            all.push((name.trim(), typed));
        }
        rest = behind.trim_start().strip_prefix(',').unwrap_or_default();
    }
    Some(all)
}

/// Where the braces end that a text begins with.
fn braces(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    fn parse(text: &str) -> Result<Option<DocumentedSupport>, String> {
        let schemas = Arc::new(OpSchemas::from_text("#releases\t1.20.0\n").unwrap());
        let source = BytesSource::new("ops.config", text.as_bytes().to_vec());
        reduced_build(&source, &schemas).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_names_the_operators_of_an_opset() {
        let text = "# remark\n!globally_allowed_types;float\nai.onnx;12,13;Add,Cast{\"inputs\": {\"0\": [\"float\", \"int32_t\"]}}, Relu\n\
            com.microsoft;1;FusedConv\n";
        let build = parse(text).unwrap().unwrap();
        let names: Vec<&str> = build.operators.keys().map(String::as_str).collect();
        assert_eq!(names, ["Add", "Cast", "Relu", "com.microsoft:FusedConv"]);
        assert_eq!(build.operators["Add"].opsets, Some(vec![(12, 12), (13, 13)]));
        assert!(build.operators["Cast"].restricted && !build.operators["Relu"].restricted);
    }

    #[test]
    fn what_is_no_configuration_is_left_alone_and_a_broken_one_is_an_error() {
        assert!(parse("[core]\nname = 1;2\n").unwrap().is_none());
        assert!(parse("").unwrap().is_none());
        assert!(parse("ai.onnx;12;Add\nRelu\n").unwrap_err().contains("line 2"));
        assert!(parse("ai.onnx;12;Add\nai.onnx;x;Add\n").unwrap_err().contains("no number"));
        assert!(parse("ai.onnx;12;Add{\"inputs\": {").unwrap_err().contains("do not end"));
    }
}
