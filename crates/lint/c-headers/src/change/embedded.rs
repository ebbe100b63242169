//! Types that others hold by value: when their size changes, so do the places of what stands behind them.

use std::collections::BTreeMap;

use super::align::Alignment;
use super::found::{Changes, Subject};
use super::likeness::Likeness;
use super::pair::Pair;
use super::words::{count, list};
use crate::contract::{Spot, Struct};
use crate::header::Type;
use crate::rules;

/// The structs that hold a type whose size changed, by that type.
#[derive(Default)]
pub struct Embedded {
    holders: BTreeMap<String, Vec<Holder>>,
}

struct Holder {
    name: String,
    spot: Spot,
    file: String,
    moved: usize,
}

impl Embedded {
    /// Looks for fields of an unchanged type and another size. `alone` says that nothing else moved fields.
    pub fn look(
        &mut self,
        pair: &Pair<'_>,
        old: &Struct,
        new: &Struct,
        alignment: &Alignment,
        alone: bool,
    ) {
        let both =
            alignment.to_new.iter().enumerate().filter_map(|(index, at)| {
                Some((old.members.get(index)?, new.members.get((*at)?)?))
            });
        let both: Vec<_> = both.collect();
        let moved = both.iter().filter(|(a, b)| a.offset != b.offset).count();
        for (a, b) in both {
            let Some(inner) = held(&b.r#type) else { continue };
            let same = pair.likeness(&a.r#type, &b.r#type) != Likeness::Different;
            if same && a.size.is_some() && b.size.is_some() && a.size != b.size {
                self.holders.entry(inner.to_owned()).or_default().push(Holder {
                    name: new.name.clone(),
                    spot: new.spot.clone(),
                    file: new.spot.file.to_string(),
                    moved: if alone { moved } else { 0 },
                });
            }
        }
    }

    /// One finding for every type.
    pub fn report(&self, pair: &Pair<'_>, changes: &mut Changes) {
        for (inner, holders) in &self.holders {
            let moved: usize = holders.iter().map(|holder| holder.moved).sum();
            let moved = match moved {
                0 => String::new(),
                number => format!(": {} moved", count(number, "field")),
            };
            let records = list(holders.iter().map(|holder| &holder.name));
            let finding =
                rules::EmbeddedStructGrew { inner, records: &records, moved: &moved }.finding();
            // It counts where the type stands that grew.
            let file = match pair.new.structs.get(inner) {
                Some(record) => &*record.spot.file,
                None => holders.first().map_or("", |holder| &holder.file),
            };
            let subject = Subject { name: inner, file, extension: false };
            changes.add(&subject, finding, holders.iter().map(|holder| &holder.spot), []);
        }
    }
}

/// The name of the type that a field holds by value.
fn held(r#type: &Type) -> Option<&str> {
    match r#type {
        Type::Named { name, .. } => Some(name),
        Type::Array { of, .. } => held(of),
        _ => None,
    }
}
