//! `operator_versions.yaml`, event by event: the RFC repeats keys in an entry, which a map would lose.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, Span};

use super::{Historic, OperatorVersion, RegistryError, VERSIONS, fault};
use crate::Schema;

/// An entry as it is written: keys with their values and lines.
type Pairs = Vec<(String, String, usize)>;

pub(super) fn read(text: &str) -> Result<BTreeMap<String, Vec<OperatorVersion>>, RegistryError> {
    let mut operators = BTreeMap::new();
    for pairs in entries(text)? {
        let (operator, line, versions) = entry(pairs)?;
        if operators.insert(operator.clone(), versions).is_some() {
            return Err(fault(VERSIONS, line, format!("a second entry for {operator}")));
        }
    }
    Ok(operators)
}

/// The entries: a list of maps from texts to texts, and nothing else.
fn entries(text: &str) -> Result<Vec<Pairs>, RegistryError> {
    let (mut all, mut current, mut key) = (Vec::new(), None::<Pairs>, None::<String>);
    let mut in_list = false;
    for event in Parser::new_from_str(text) {
        let (event, span): (Event<'_>, Span) =
            event.map_err(|error| fault(VERSIONS, error.marker().line(), error.info()))?;
        let line = span.start.line();
        let shape =
            || fault(VERSIONS, line, "wanted a list of entries, each of keys with one value");
        match event {
            Event::SequenceStart(..) if !in_list => in_list = true,
            Event::MappingStart(..) if in_list && current.is_none() => current = Some(Vec::new()),
            Event::MappingEnd => all.extend(current.take()),
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

fn entry(pairs: Pairs) -> Result<(String, usize, Vec<OperatorVersion>), RegistryError> {
    let mut pairs = pairs.into_iter();
    let Some((key, operator, first)) = pairs.next() else {
        return Err(fault(VERSIONS, 1, "an entry without keys"));
    };
    if key != "func" {
        return Err(fault(VERSIONS, first, format!("an entry begins with func, not with {key}")));
    }
    let mut versions: Vec<Draft> = Vec::new();
    for (key, value, line) in pairs {
        if key == "version" {
            versions.push(Draft::new(&value, line)?);
            continue;
        }
        let Some(draft) = versions.last_mut() else {
            return Err(fault(
                VERSIONS,
                line,
                format!("{key} stands before the version it belongs to"),
            ));
        };
        draft.set(&key, value, line)?;
    }
    let versions: Vec<OperatorVersion> =
        versions.into_iter().map(|draft| draft.finish(&operator)).collect::<Result<_, _>>()?;
    if versions.is_empty() {
        return Err(fault(VERSIONS, first, format!("{operator} has no version")));
    }
    if let Some(pair) = versions.windows(2).find(|pair| pair[0].version >= pair[1].version) {
        let what = format!("versions rise: {} after {}", pair[1].version, pair[0].version);
        return Err(fault(VERSIONS, pair[1].line, what));
    }
    Ok((operator, first, versions))
}

/// A version whose keys are still being read.
struct Draft {
    version: OperatorVersion,
    upgrader: Option<String>,
    schema: Option<Schema>,
}

impl Draft {
    fn new(value: &str, line: usize) -> Result<Self, RegistryError> {
        let number = value.parse();
        let number =
            number.map_err(|_| fault(VERSIONS, line, format!("not a version number: {value}")))?;
        let version = OperatorVersion {
            version: number,
            historic: None,
            note: None,
            mobile: true,
            gone_in: None,
            line,
        };
        Ok(Self { version, upgrader: None, schema: None })
    }

    fn set(&mut self, key: &str, value: String, line: usize) -> Result<(), RegistryError> {
        let wrong = |what: String| fault(VERSIONS, line, what);
        let twice = match key {
            "upgrader" => self.upgrader.replace(value).is_some(),
            "note" => self.version.note.replace(value).is_some(),
            "schema" => {
                let schema = value.parse::<Schema>().map_err(|error| wrong(error.to_string()))?;
                self.schema.replace(schema).is_some()
            }
            "mobile" => {
                self.version.mobile =
                    value.parse().map_err(|_| wrong(format!("neither true nor false: {value}")))?;
                false
            }
            "gone_in" => {
                let release =
                    value.parse().map_err(|_| wrong(format!("not a release: {value}")))?;
                self.version.gone_in.replace(release).is_some()
            }
            other => {
                let known = "func, version, upgrader, schema, note, mobile and gone_in";
                return Err(wrong(format!("no such key: {other}; there are {known}")));
            }
        };
        if twice { Err(wrong(format!("{key} stands twice in one version"))) } else { Ok(()) }
    }

    fn finish(self, operator: &str) -> Result<OperatorVersion, RegistryError> {
        let Self { mut version, upgrader, schema } = self;
        let wrong = |what: String| Err(fault(VERSIONS, version.line, what));
        version.historic = match (upgrader, schema) {
            (Some(upgrader), Some(schema)) => {
                if schema.full_name() != operator {
                    return wrong(format!(
                        "the schema is of {}, not of {operator}",
                        schema.full_name()
                    ));
                }
                Some(Historic { schema, upgrader })
            }
            (None, None) if version.note.is_some() => None,
            (None, None) => {
                return wrong(format!(
                    "{operator}: version {} has no upgrader; write one, or a note that says why none is needed",
                    version.version
                ));
            }
            _ => {
                return wrong(format!(
                    "{operator}: an upgrader and the schema that it stands for belong together"
                ));
            }
        };
        Ok(version)
    }
}
