//! Changes of each operator, from the entries of `operator_versions.yaml`.

use std::collections::BTreeMap;

use crate::change_draft::{ChangeDraft, SignatureLookup};
use crate::error::{OperatorRegistryError, UPGRADERS, VERSIONS, fault};
use crate::files::flat::FlatLine;
use crate::files::registry_entry::EntryField;
use crate::files::yaml::read as entries;
use crate::functions::FunctionTexts;
use crate::registry_change::{ChangeStart, RegistryChange};
use crate::signature;

/// Reads the entries. The signatures of `upgraders` are the schemas of those that state none.
pub(crate) fn read(
    versions: &str,
    upgraders: &FunctionTexts,
) -> Result<BTreeMap<String, Vec<RegistryChange>>, OperatorRegistryError> {
    let signature_of = |function: &str, operator: &str| match upgraders.get(function) {
        Some(function) => signature::schema(function, operator),
        None => Err(format!(
            "{operator}: {UPGRADERS} has no function {function}, and no schema says what it stands for"
        )),
    };
    let mut operators = BTreeMap::new();
    for entry in entries(versions).map_err(|error| fault(VERSIONS, error.line, error.what))? {
        for operator in &entry.operators {
            // The RFC names operators of PyTorch itself without their namespace, and gives no schema, which would have it.
            let is_as_printed = entry.pairs().all(|field| field.key != "schema");
            let operator = &match is_as_printed && !operator.contains("::") {
                true => format!("aten::{operator}"),
                false => operator.clone(),
            };
            let changes = of_operator(operator, entry.line, entry.pairs(), &signature_of)?;
            if operators.insert(operator.clone(), changes).is_some() {
                return Err(fault(VERSIONS, entry.line, format!("a second entry for {operator}")));
            }
        }
    }
    Ok(operators)
}

pub(crate) fn of_row(row: FlatLine<'_>) -> Result<Vec<RegistryChange>, OperatorRegistryError> {
    let no_function = |function: &str, _: &str| Err(format!("{function} has no schema"));
    of_operator(row.operator, row.line(), row.pairs(), &no_function)
}

fn of_operator<'p>(
    operator: &str,
    first: usize,
    pairs: impl Iterator<Item = EntryField<'p>>,
    signature_of: SignatureLookup<'_>,
) -> Result<Vec<RegistryChange>, OperatorRegistryError> {
    let mut drafts: Vec<ChangeDraft> = Vec::new();
    for EntryField { key, value, line } in pairs {
        if let Some(since) = since(key, value, line)? {
            drafts.push(ChangeDraft::new(since, line));
            continue;
        }
        let before = || {
            let what = format!("{key} stands before the version or release that it belongs to");
            fault(VERSIONS, line, what)
        };
        let draft = drafts.last_mut().ok_or_else(before)?;
        draft.set(key, value).map_err(|what| fault(VERSIONS, line, what))?;
    }
    let finish = |draft: ChangeDraft| {
        let line = draft.line();
        draft.finish(operator, signature_of).map_err(|what| fault(VERSIONS, line, what))
    };
    let changes: Vec<RegistryChange> = drafts.into_iter().map(finish).collect::<Result<_, _>>()?;
    if changes.is_empty() {
        return Err(fault(VERSIONS, first, format!("{operator} has no version and no release")));
    }
    rising(&changes)?;
    Ok(changes)
}

/// What a key begins, if it begins a change.
fn since(
    key: &str,
    value: &str,
    line: usize,
) -> Result<Option<ChangeStart>, OperatorRegistryError> {
    let dated: fn(unskew_core::Version) -> ChangeStart = match key {
        "version" => {
            let number = value
                .parse()
                .map_err(|_| fault(VERSIONS, line, format!("not a version number: {value}")))?;
            return Ok(Some(ChangeStart::Version(number)));
        }
        "removed_in" => ChangeStart::Removed,
        "broken_in" => ChangeStart::Broken,
        "meaning_changed_in" => ChangeStart::Meaning,
        "added_in" => ChangeStart::Added,
        _ => return Ok(None),
    };
    let release = value.parse();
    let release = release.map_err(|_| fault(VERSIONS, line, format!("not a release: {value}")))?;
    Ok(Some(dated(release)))
}

/// Versions rise; releases do not fall, because several forms of an operator may go at once.
fn rising(changes: &[RegistryChange]) -> Result<(), OperatorRegistryError> {
    let (mut version, mut release) = (None, None);
    for change in changes {
        let (since, line) = (change.since, change.line);
        let number = since.version();
        let fell = version.zip(number).filter(|(before, now)| before >= now);
        if let Some((before, now)) = fell {
            return Err(fault(VERSIONS, line, format!("versions rise: {now} after {before}")));
        }
        let dated = since.release();
        let fell = release.zip(dated).filter(|(before, now)| before > now);
        if let Some((before, now)) = fell {
            return Err(fault(VERSIONS, line, format!("releases rise: {now} after {before}")));
        }
        (version, release) = (number.or(version), dated.or(release));
    }
    Ok(())
}
