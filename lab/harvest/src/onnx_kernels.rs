//! What `lab/harvest/probes/onnx_kernels.py` prints of the kernels of a release, as rows of a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

/// The forms whose functions depend on the node, as the newest onnx lists them.
const CONTEXT: &str = include_str!("onnx_context.txt");

/// What the probe of kernels prints for these schemas, asked with its name and an argument.
pub(crate) fn ask_kernels(
    schemas: &[String],
    ask: impl Fn(&str, &str) -> Result<String>,
) -> Result<String> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), schemas.join("\n"))?;
    let path = file.path().to_str().context("a temporary folder that is no text")?;
    ask("onnx_kernels.py", path)
}

/// The rows of what the probe printed. What a release lists is what it knows: a later form under the same opset would be
/// taken for the one before.
pub(crate) fn kernels(
    said: &str,
    schemas: &[String],
    listed: Option<&BTreeSet<String>>,
) -> Result<Vec<String>> {
    let variables: BTreeMap<&str, Vec<String>> =
        schemas.iter().map(|schema| (head(schema), variables(schema))).collect();
    let context: BTreeSet<&str> = CONTEXT.lines().filter(|line| !line.starts_with('#')).collect();
    let mut kernels = Vec::new();
    for line in said.lines().filter(|line| !line.starts_with('#')) {
        let (line, some) = match line.match_indices('\t').nth(1) {
            Some((at, _)) => (&line[..at], &line[at + 1..]),
            None => (line, ""),
        };
        let (key, types) = line.split_once('\t').with_context(|| line.to_owned())?;
        if listed.is_some_and(|listed| !listed.contains(key)) {
            continue;
        }
        let variables = variables.get(key).with_context(|| key.to_owned())?;
        kernels.extend(
            kernel(key, types, variables)
                .into_iter()
                .filter(|_| some.is_empty() || !types.is_empty()),
        );
        if !some.is_empty() {
            kernels
                .extend(kernel(key, some, variables).iter().map(|row| row.replacen('(', "(? ", 1)));
        }
        // A function that depends on the node may do what it does not do for a node of the probe.
        if context.contains(key) && !matches!(types, "?" | "!unknown") {
            kernels.push(format!("{key}(?)"));
        }
    }
    Ok(kernels)
}

/// `Clip.13` of `Clip.13(input: T) ...`.
pub(crate) fn head(schema: &str) -> &str {
    schema.split('(').next().unwrap_or(schema)
}

/// The variables of a schema in the order in which the probe names their types.
fn variables(schema: &str) -> Vec<String> {
    let Some(parsed) = unskew_onnx::OpSchema::parse(schema) else { return Vec::new() };
    if parsed.name.ends_with("If") || &*parsed.name == "Loop" || &*parsed.name == "Scan" {
        return vec!["V".to_owned()];
    }
    let mut found: Vec<usize> = Vec::new();
    for input in &parsed.inputs {
        if let unskew_onnx::ParameterKind::Variable(at) = input.kind
            && !found.contains(&at)
        {
            found.push(at);
        }
    }
    found.extend(parsed.typed_by().map(|(_, at)| at));
    let name = |at: usize| parsed.variables.get(at).map(|(name, _)| name.to_string());
    found.into_iter().filter_map(name).collect()
}

/// The rows of one form of an operator.
fn kernel(key: &str, types: &str, variables: &[String]) -> Vec<String> {
    match types {
        "!unknown" => Vec::new(),
        "" | "?" | "*" => vec![format!("{key}({types})")],
        _ => {
            let choices: Vec<Vec<BTreeSet<String>>> = types
                .split(';')
                .map(|choice| split(choice).into_iter().map(|one| BTreeSet::from([one])).collect())
                .collect();
            let row = |product: Vec<BTreeSet<String>>| {
                let cells = variables.iter().zip(product).map(|(name, types)| {
                    let types: Vec<String> = types.into_iter().collect();
                    format!("{name}: {}", types.join(" "))
                });
                format!("{key}({})", cells.collect::<Vec<_>>().join("; "))
            };
            products(choices).into_iter().map(row).collect()
        }
    }
}

/// Choices of types as products of sets, few of them: choices that differ in one variable only become one.
fn products(mut choices: Vec<Vec<BTreeSet<String>>>) -> Vec<Vec<BTreeSet<String>>> {
    let width = choices.first().map_or(0, Vec::len);
    for at in (0..width).rev() {
        let mut merged: BTreeMap<Vec<BTreeSet<String>>, BTreeSet<String>> = BTreeMap::new();
        for mut choice in choices {
            let one = choice.remove(at);
            merged.entry(choice).or_default().extend(one);
        }
        choices = merged
            .into_iter()
            .map(|(mut rest, set)| {
                rest.insert(at, set);
                rest
            })
            .collect();
    }
    choices
}

/// The types of a choice: commas inside of brackets belong to one type.
fn split(choice: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut depth = 0_usize;
    for letter in choice.chars() {
        match letter {
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(letter);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_become_products_of_sets() {
        let schema = "Like.6(x: T1, y: T2?) -> (z: T1) {T1: float double; T2: int32 int64}";
        let names = variables(schema);
        assert_eq!(names, ["T1", "T2"]);
        let types = "float,int32;float,int64;double,int32;double,int64";
        assert_eq!(kernel("Like.6", types, &names), ["Like.6(T1: double float; T2: int32 int64)"]);
        let two = kernel("Like.6", "float,int32;double,int64", &names);
        assert_eq!(two, ["Like.6(T1: float; T2: int32)", "Like.6(T1: double; T2: int64)"]);
        assert_eq!(kernel("Like.6", "", &names), ["Like.6()"]);
        assert_eq!(kernel("Like.6", "seq(map(int64,float)),int32", &names).len(), 1);
        assert!(kernel("Like.6", "!unknown", &names).is_empty());
    }
}
