//! Types that others hold by value: when their size changes, so do the places of what stands behind them.

use std::collections::BTreeMap;

use super::align::Alignment;
use super::header_change::{Changes, Subject};
use super::pair::ContractPair;
use super::type_equivalence::TypeEquivalence;
use super::words::{count, list};
use crate::contract::{HeaderStruct, Spot};
use crate::header::CType;
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
        pair: &ContractPair<'_>,
        old: &HeaderStruct,
        new: &HeaderStruct,
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
            let same = pair.likeness(&a.r#type, &b.r#type) != TypeEquivalence::Different;
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
    pub fn report(&self, pair: &ContractPair<'_>, changes: &mut Changes) {
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
fn held(r#type: &CType) -> Option<&str> {
    match r#type {
        CType::Named { name, .. } => Some(name),
        CType::Array { of, .. } => held(of),
        _ => None,
    }
}
