//! The file, event by event: the RFC repeats keys in an entry, which a map would lose.

use saphyr_parser::{Event, Parser, Span};

use super::registry_entry::{EntryFault, RegistryEntry};

/// The entries of a file, in their order.
///
/// # Errors
/// The first [`EntryFault`]: what is no YAML, or no list of maps from keys to texts of which the first is `func`.
pub fn read(text: &str) -> Result<Vec<RegistryEntry>, EntryFault> {
    let (mut all, mut open) = (Vec::new(), OpenEntry::default());
    let mut in_list = false;
    for event in Parser::new_from_str(text) {
        let (event, span): (Event<'_>, Span) =
            event.map_err(|error| fault(error.marker().line(), error.info()))?;
        match event {
            Event::SequenceStart(..) if !in_list => in_list = true,
            Event::MappingStart(..) if in_list && open.pairs.is_none() => {
                open.pairs = Some(Vec::new());
            }
            Event::MappingEnd => {
                let pairs = open.pairs.take().map(entry).transpose()?;
                all.extend(pairs);
            }
            event => open.take(event, span.start.line())?,
        }
    }
    Ok(all)
}

/// A key with its value, or the items of its list, and its line.
type KeyValue = (String, Vec<String>, usize);

#[derive(Default)]
struct OpenEntry {
    pairs: Option<Vec<KeyValue>>,
    key: Option<String>,
    names: Option<Vec<String>>,
}

impl OpenEntry {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), EntryFault> {
        let shape = || {
            let what = "wanted a list of entries, each of keys with one value, or func with a list";
            fault(line, what)
        };
        match event {
            Event::SequenceStart(..)
                if self.key.as_deref() == Some("func") && self.names.is_none() =>
            {
                self.names = Some(Vec::new());
            }
            Event::SequenceEnd if self.names.is_some() => {
                let names = self.names.take().unwrap_or_default();
                let pairs = self.pairs.as_mut().ok_or_else(shape)?;
                pairs.push((self.key.take().unwrap_or_default(), names, line));
            }
            Event::Scalar(value, ..) => match (&mut self.names, self.key.take()) {
                (Some(names), key) => {
                    names.push(value.into_owned());
                    self.key = key;
                }
                (None, None) if self.pairs.is_some() => self.key = Some(value.into_owned()),
                (None, Some(key)) => {
                    let pairs = self.pairs.as_mut().ok_or_else(shape)?;
                    pairs.push((key, vec![value.into_owned()], line));
                }
                (None, None) => return Err(shape()),
            },
            Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                return Err(shape());
            }
            _ => {}
        }
        Ok(())
    }
}

fn entry(pairs: Vec<KeyValue>) -> Result<RegistryEntry, EntryFault> {
    let mut pairs = pairs.into_iter();
    let Some((key, operators, line)) = pairs.next() else {
        return Err(fault(1, "an entry without keys"));
    };
    if key != "func" {
        return Err(fault(line, format!("an entry begins with func, not with {key}")));
    }
    let one = |(key, value, line): KeyValue| (key, value.join("\n"), line);
    Ok(RegistryEntry { operators, line, pairs: pairs.map(one).collect() })
}

fn fault(line: usize, what: impl Into<String>) -> EntryFault {
    EntryFault { line, what: what.into() }
}
