//! Uses of structs: whoever knows the size of a struct breaks when that changes.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;

use super::parts::HeaderFunction;
use super::structure::{HeaderStruct, Uses};
use crate::header::{CParameter, CType};

/// Finds the uses of all structs.
pub fn find(structs: &mut BTreeMap<String, HeaderStruct>, functions: &[(&str, &CType)]) {
    let mut uses = All::new(structs);
    for record in structs.values() {
        let counts = Counts::from_record(record);
        for member in &record.members {
            let place = || format!("{}.{}", record.name, member.name);
            match &member.r#type {
                CType::Named { name, .. } => {
                    if let Some(uses) = uses.of_struct(name) {
                        uses.embedded_in.insert(place());
                    }
                }
                CType::Array { of, .. } => {
                    if let Some(uses) = uses.of_type(of) {
                        uses.element_of.insert(place());
                    }
                }
                CType::Pointer { to, .. } => {
                    if let Some(uses) = uses.of_type(to)
                        && counts.count(&member.name)
                    {
                        uses.element_of.insert(place());
                    }
                    if let CType::Function { .. } = **to {
                        signature(&place(), to, &mut uses);
                    }
                }
                CType::Function { .. } | CType::Record(_) | CType::Enum(_) => {}
            }
        }
    }
    for (name, r#type) in functions {
        signature(name, r#type, &mut uses);
    }
    let found = uses.found;
    for (record, uses) in structs.values_mut().zip(found) {
        record.uses = uses;
    }
}

struct All<'s> {
    /// Which of `found` are those of a struct.
    index: HashMap<&'s str, usize>,
    /// In the order of the structs.
    found: Vec<Uses>,
}

impl<'s> All<'s> {
    fn new(structs: &'s BTreeMap<String, HeaderStruct>) -> Self {
        let index = structs.keys().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        Self { index, found: vec![Uses::default(); structs.len()] }
    }

    fn of_struct(&mut self, name: &str) -> Option<&mut Uses> {
        self.found.get_mut(*self.index.get(name)?)
    }

    /// Those of the struct that a type is.
    fn of_type(&mut self, r#type: &CType) -> Option<&mut Uses> {
        match r#type {
            CType::Named { name, .. } => self.of_struct(name),
            _ => None,
        }
    }
}

fn signature(name: &str, r#type: &CType, uses: &mut All<'_>) {
    let CType::Function { result, parameters, .. } = r#type else { return };
    if let Some(uses) = uses.of_type(result) {
        uses.by_value.insert(name.to_owned());
    }
    for (index, parameter) in parameters.iter().enumerate() {
        match &parameter.r#type {
            CType::Named { name: of, .. } => {
                if let Some(uses) = uses.of_struct(of) {
                    uses.by_value.insert(name.to_owned());
                }
            }
            CType::Pointer { to, .. } => {
                let next = parameters.get(index + 1);
                if let Some(uses) = uses.of_type(to)
                    && next.is_some_and(|next| counts(next, &parameter.name))
                {
                    uses.element_of.insert(name.to_owned());
                }
            }
            CType::Array { of, .. } => {
                if let Some(uses) = uses.of_type(of) {
                    uses.element_of.insert(name.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Whether the parameter behind a pointer says how many things it points to.
fn counts(next: &CParameter, pointer: &str) -> bool {
    is_integer(&next.r#type) && (is_count(&next.name) || is_count_of(&next.name, pointer))
}

/// Which pointers of a struct have a field beside them that says how many things they point to.
struct Counts<'s> {
    /// What integer fields count, by their names.
    things: BTreeSet<&'s str>,
    /// Fields right in front of one that is a count of something.
    followed: BTreeSet<&'s str>,
}

impl<'s> Counts<'s> {
    fn from_record(record: &'s HeaderStruct) -> Self {
        let (mut things, mut followed) = (BTreeSet::new(), BTreeSet::new());
        let mut previous = "";
        for member in &record.members {
            if is_integer(&member.r#type) {
                things.extend(counted(&member.name));
                if is_count(&member.name) {
                    followed.insert(previous);
                }
            }
            previous = &member.name;
        }
        Self { things, followed }
    }

    fn count(&self, pointer: &str) -> bool {
        self.followed.contains(pointer) || self.things.contains(bare(pointer))
    }
}

fn is_integer(r#type: &CType) -> bool {
    let CType::Named { name, .. } = r#type else { return false };
    matches!(
        name.as_str(),
        "size_t" | "int" | "unsigned" | "unsigned int" | "long" | "unsigned long"
    ) || name.ends_with("int32_t")
        || name.ends_with("int64_t")
}

fn is_count(name: &str) -> bool {
    matches!(name, "n" | "num" | "count") || name.starts_with("num_") || name.ends_with("_count")
}

/// Whether `name` is `num_things`, `things_count`, `things_size`, `n_things` for `things`.
fn is_count_of(name: &str, things: &str) -> bool {
    !things.is_empty() && counted(name).is_some_and(|of| of == bare(things))
}

/// What a count of this name counts: `thing` for `num_things`.
fn counted(name: &str) -> Option<&str> {
    let stem = ["num_", "n_", "n"].iter().find_map(|p| name.strip_prefix(p));
    let stem = stem.or_else(|| {
        ["_count", "_size", "_len", "_length"].iter().find_map(|end| name.strip_suffix(end))
    });
    stem.map(bare)
}

/// A name without what makes it a plural.
fn bare(name: &str) -> &str {
    name.trim_end_matches('s')
}

/// What counts as a use of a function's type.
pub fn functions<'a>(
    functions: impl IntoIterator<Item = (&'a String, &'a HeaderFunction)>,
) -> Vec<(&'a str, &'a CType)> {
    functions.into_iter().map(|(name, function)| (name.as_str(), &function.r#type)).collect()
}
