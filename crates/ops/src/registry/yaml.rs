//! `operator_versions.yaml`, event by event: the RFC repeats keys in an entry, which a map would lose.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, Span};

use super::draft::Draft;
use super::{RegistryChange, RegistryError, Since, VERSIONS, fault};

/// An entry as it is written: keys with their values and lines. A list is its items, one a line.
type Pairs = Vec<(String, String, usize)>;

pub(super) fn read(text: &str) -> Result<BTreeMap<String, Vec<RegistryChange>>, RegistryError> {
    let mut operators = BTreeMap::new();
    for pairs in entries(text)? {
        for (operator, line, changes) in entry(&pairs)? {
            if operators.insert(operator.clone(), changes).is_some() {
                return Err(fault(VERSIONS, line, format!("a second entry for {operator}")));
            }
        }
    }
    Ok(operators)
}

/// The entries: a list of maps from texts to texts, and nothing else.
fn entries(text: &str) -> Result<Vec<Pairs>, RegistryError> {
    let (mut all, mut current, mut key) = (Vec::new(), None::<Pairs>, None::<String>);
    let (mut in_list, mut names) = (false, None::<Vec<String>>);
    for event in Parser::new_from_str(text) {
        let (event, span): (Event<'_>, Span) =
            event.map_err(|error| fault(VERSIONS, error.marker().line(), error.info()))?;
        let line = span.start.line();
        let shape = || {
            let what = "wanted a list of entries, each of keys with one value, or func with a list";
            fault(VERSIONS, line, what)
        };
        match event {
            Event::SequenceStart(..) if !in_list => in_list = true,
            Event::MappingStart(..) if in_list && current.is_none() => current = Some(Vec::new()),
            Event::SequenceStart(..) if key.as_deref() == Some("func") && names.is_none() => {
                names = Some(Vec::new());
            }
            Event::SequenceEnd if names.is_some() => {
                let pairs = current.as_mut().ok_or_else(shape)?;
                let list = names.take().unwrap_or_default().join("\n");
                pairs.push((key.take().unwrap_or_default(), list, line));
            }
            Event::MappingEnd => all.extend(current.take()),
            Event::Scalar(value, ..) if names.is_some() => {
                names.iter_mut().for_each(|n| n.push(value.to_string()))
            }
            Event::Scalar(value, ..) => {
                let pairs = current.as_mut().ok_or_else(shape)?;
                match key.take() {
                    None => key = Some(value.into_owned()),
                    Some(key) => pairs.push((key, value.into_owned(), line)),
                }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                return Err(shape());
            }
            _ => {}
        }
    }
    Ok(all)
}

/// The changes of each operator that an entry names.
fn entry(pairs: &Pairs) -> Result<Vec<(String, usize, Vec<RegistryChange>)>, RegistryError> {
    let Some(((key, names, line), pairs)) = pairs.split_first() else {
        return Err(fault(VERSIONS, 1, "an entry without keys"));
    };
    if key != "func" {
        return Err(fault(VERSIONS, *line, format!("an entry begins with func, not with {key}")));
    }
    let one =
        |operator: &str| Ok((operator.to_owned(), *line, of_operator(operator, *line, pairs)?));
    names.lines().map(one).collect()
}

fn of_operator(
    operator: &str,
    first: usize,
    pairs: &[(String, String, usize)],
) -> Result<Vec<RegistryChange>, RegistryError> {
    let mut drafts: Vec<Draft> = Vec::new();
    for (key, value, line) in pairs {
        if let Some(since) = since(key, value, *line)? {
            drafts.push(Draft::new(since, *line));
            continue;
        }
        let before = || {
            let what = format!("{key} stands before the version or release that it belongs to");
            fault(VERSIONS, *line, what)
        };
        let draft = drafts.last_mut().ok_or_else(before)?;
        draft.set(key, value).map_err(|what| fault(VERSIONS, *line, what))?;
    }
    let finish = |draft: Draft| {
        let line = draft.line();
        draft.finish(operator).map_err(|what| fault(VERSIONS, line, what))
    };
    let changes: Vec<RegistryChange> = drafts.into_iter().map(finish).collect::<Result<_, _>>()?;
    if changes.is_empty() {
        return Err(fault(VERSIONS, first, format!("{operator} has no version and no release")));
    }
    rising(&changes)?;
    Ok(changes)
}

/// What a key begins, if it begins a change.
fn since(key: &str, value: &str, line: usize) -> Result<Option<Since>, RegistryError> {
    let dated: fn(unskew_core::Version) -> Since = match key {
        "version" => {
            let number = value
                .parse()
                .map_err(|_| fault(VERSIONS, line, format!("not a version number: {value}")))?;
            return Ok(Some(Since::Version(number)));
        }
        "removed_in" => Since::Removed,
        "broken_in" => Since::Broken,
        "meaning_changed_in" => Since::Meaning,
        "added_in" => Since::Added,
        _ => return Ok(None),
    };
    let release = value.parse();
    let release = release.map_err(|_| fault(VERSIONS, line, format!("not a release: {value}")))?;
    Ok(Some(dated(release)))
}

/// Versions rise; releases do not fall, because several forms of an operator may go at once.
fn rising(changes: &[RegistryChange]) -> Result<(), RegistryError> {
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
