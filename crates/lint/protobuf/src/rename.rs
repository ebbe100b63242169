//! Messages that have another name on the new side.
//!
//! Who uses a message tells it best: where a field of a message that stayed refers to `A` before and to `B` now, and `A`
//! is gone and `B` is new, then `B` is `A`. A package that has another name takes its messages along, and a message that
//! does the messages inside of it. What is left is paired by equal fields.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::compatibility::{Sides, alike, leaf};
use crate::model::{ProtoField, ProtoType};
use crate::schema::Schema;

/// Of how many pairs of messages that are gone and that came it is looked whether they have equal fields.
const MOST_PAIRS: usize = 1 << 16;

/// The messages that are gone by their name, each with the new message that took its place.
pub(crate) fn messages<'s>(old: &'s Schema, new: &'s Schema) -> BTreeMap<&'s str, &'s str> {
    let gone = old.messages.keys().filter(|name| !new.messages.contains_key(*name));
    let came = new.messages.keys().filter(|name| !old.messages.contains_key(*name));
    let mut renames = Renames {
        old,
        new,
        gone: gone.map(String::as_str).collect(),
        came: came.map(String::as_str).collect(),
        found: BTreeMap::new(),
    };
    renames.by_use();
    renames.by_place();
    renames.by_fields();
    renames.found
}

struct Renames<'s> {
    old: &'s Schema,
    new: &'s Schema,
    /// What has no place yet.
    gone: BTreeSet<&'s str>,
    came: BTreeSet<&'s str>,
    found: BTreeMap<&'s str, &'s str>,
}

impl<'s> Renames<'s> {
    /// Pairs two messages if both are free; whether they were.
    fn pair(&mut self, was: &str, is: &str) -> bool {
        let (Some(was), Some(is)) = (self.gone.get(was).copied(), self.came.get(is).copied())
        else {
            return false;
        };
        self.gone.remove(was);
        self.came.remove(is);
        self.found.insert(was, is);
        true
    }

    /// Pairs what fields and methods refer to, from messages that are paired to those inside of them.
    fn by_use(&mut self) {
        let same = self.old.messages.keys().filter(|name| self.new.messages.contains_key(*name));
        let mut open: Vec<(&str, &str)> = same.map(|name| (name.as_str(), name.as_str())).collect();
        for (name, service) in &self.old.services {
            let Some(now) = self.new.services.get(name) else { continue };
            for method in &service.is.methods {
                let after = now.is.methods.iter().find(|after| after.name == method.name);
                let Some(after) = after else { continue };
                for (was, is) in [(&method.input, &after.input), (&method.output, &after.output)] {
                    if self.pair(was, is) {
                        open.push((was, is));
                    }
                }
            }
        }
        self.follow(open);
    }

    /// Pairs what the fields of paired messages refer to.
    fn follow(&mut self, mut open: Vec<(&'s str, &'s str)>) {
        while let Some((was, is)) = open.pop() {
            let (Some(was), Some(is)) = (self.old.messages.get(was), self.new.messages.get(is))
            else {
                continue;
            };
            let now: HashMap<i64, &ProtoField> =
                crate::index::first(&is.is.fields, |field| field.number);
            for field in &was.is.fields {
                let after = now.get(&field.number);
                if let Some((a, b)) = after.and_then(|after| referred(&field.ty, &after.ty))
                    && self.pair(a, b)
                {
                    open.push((a, b));
                }
            }
        }
    }

    /// Pairs messages of one name in another package, and inside of messages that are paired.
    fn by_place(&mut self) {
        let mut leaves: HashMap<&str, Vec<&'s str>> = HashMap::new();
        for name in self.came.iter().rev() {
            leaves.entry(leaf(name)).or_default().push(name);
        }
        // What is outside comes before what is inside of it.
        let mut gone: Vec<&'s str> = self.gone.iter().copied().collect();
        gone.sort_by_key(|name| name.matches('.').count());
        for was in gone {
            let candidates = leaves.get(leaf(was)).map(Vec::as_slice).unwrap_or_default();
            let fits = |is: &&&'s str| self.came.contains(**is) && self.same_place(was, is);
            let found = candidates.iter().rev().find(fits).copied();
            if let Some(is) = found
                && self.pair(was, is)
            {
                self.follow(vec![(was, is)]);
            }
        }
    }

    /// Whether what is around one message became what is around the other: a package, or a message that is paired.
    fn same_place(&self, was: &str, is: &str) -> bool {
        let outer = |name: &'_ str| name.rsplit_once('.').map_or("", |(outer, _)| outer).to_owned();
        let (was, is) = (outer(was), outer(is));
        let messages = (self.old.messages.contains_key(&was), self.new.messages.contains_key(&is));
        match messages {
            (false, false) => true,
            (true, true) => was == is || self.found.get(was.as_str()) == Some(&is.as_str()),
            _ => false,
        }
    }

    /// Pairs messages of equal fields. A message without fields is like every other one.
    fn by_fields(&mut self) {
        if self.gone.len().saturating_mul(self.came.len()) > MOST_PAIRS {
            return;
        }
        for was in self.gone.clone() {
            let fields = self.old.messages.get(was).map(|message| &message.is.fields);
            if fields.is_none_or(Vec::is_empty) {
                continue;
            }
            let sides = Sides { old: self.old, new: self.new, renamed: &self.found };
            let found = self.came.iter().copied().find(|is| {
                let names = |schema: &'s Schema, name: &str| -> Option<Vec<(i64, &'s str)>> {
                    let fields = &schema.messages.get(name)?.is.fields;
                    Some(fields.iter().map(|field| (field.number, &*field.name)).collect())
                };
                names(self.old, was) == names(self.new, is) && alike(was, is, sides)
            });
            if let Some(is) = found {
                self.pair(was, is);
            }
        }
    }
}

/// The messages that two types refer to.
fn referred<'t>(was: &'t ProtoType, is: &'t ProtoType) -> Option<(&'t str, &'t str)> {
    match (was, is) {
        (ProtoType::Message(a), ProtoType::Message(b))
        | (ProtoType::Group(a), ProtoType::Group(b)) => Some((a, b)),
        (ProtoType::Map(_, a), ProtoType::Map(_, b)) => referred(a, b),
        _ => None,
    }
}
