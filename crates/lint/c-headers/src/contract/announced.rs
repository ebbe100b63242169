//! The sizes that headers announce.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Spot;
use crate::header::{Header, HeaderItem};

/// How far an announced size reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the field of this name.
    Field(String),
    /// To the end of the padding behind the last field: `sizeof`.
    Whole,
}

/// The size of a struct as a header announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnouncedSize {
    /// The macro or call that announces it.
    pub spot: Spot,
    /// How much of the struct it covers.
    pub extent: Extent,
}

/// A name without the word that C wants in front of it.
fn without_struct(name: &str) -> &str {
    name.strip_prefix("struct ").unwrap_or(name).trim()
}

/// Adds the announced sizes of one header to others, by the names of the structs.
pub fn sizes(header: &Header, file: &Arc<str>, sizes: &mut BTreeMap<String, Vec<AnnouncedSize>>) {
    let spot = |place| Spot { file: Arc::clone(file), place };
    for one in header.announced() {
        let record = without_struct(one.record).to_owned();
        // `offsetof(T, last) + sizeof(...)` written out goes on behind the field.
        let last = one.last_field.trim();
        let end = last.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(last.len());
        let extent = Extent::Field(last.get(..end).unwrap_or_default().to_owned());
        sizes.entry(record).or_default().push(AnnouncedSize { spot: spot(one.place), extent });
    }
    let plain = header.macros.iter().filter(|defined| defined.parameters.is_none());
    let defined = plain.map(|defined| (defined.place, &defined.name, &defined.body));
    let listed = header.enums().flat_map(|(_, r#enum)| &r#enum.enumerators);
    let listed = listed.map(|value| (value.place, &value.name, &value.expression));
    let set = header.declarations.iter().filter_map(|declaration| match &declaration.item {
        HeaderItem::Variable { name, value, .. } => Some((declaration.place, name, value)),
        _ => None,
    });
    for (place, name, text) in defined.chain(listed).chain(set) {
        if !name.ends_with("STRUCT_SIZE") {
            continue;
        }
        let Some(inner) = text.trim().strip_prefix("sizeof") else { continue };
        let inner = inner.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let record = without_struct(inner).to_owned();
        let announced = AnnouncedSize { spot: spot(place), extent: Extent::Whole };
        sizes.entry(record).or_default().push(announced);
    }
}
