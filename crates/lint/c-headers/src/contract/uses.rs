//! Where structs are used: whoever knows the size of a struct breaks when that changes.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Function;
use super::structure::{Struct, Uses};
use crate::header::{Parameter, Type};

/// Finds the uses of all structs.
pub fn find(structs: &mut BTreeMap<String, Struct>, functions: &[(String, &Type)]) {
    let mut uses: BTreeMap<String, Uses> = BTreeMap::new();
    for record in structs.values() {
        let counts = Counts::of(record);
        for member in &record.members {
            let place = || format!("{}.{}", record.name, member.name);
            match &member.r#type {
                Type::Named { name, .. } => {
                    uses.entry(name.clone()).or_default().embedded_in.insert(place());
                }
                Type::Array { of, .. } => {
                    if let Type::Named { name, .. } = &**of {
                        uses.entry(name.clone()).or_default().element_of.insert(place());
                    }
                }
                Type::Pointer { to, .. } => {
                    if let Type::Named { name, .. } = &**to
                        && counts.count(&member.name)
                    {
                        uses.entry(name.clone()).or_default().element_of.insert(place());
                    }
                    signature(&place(), to, &mut uses);
                }
                Type::Function { .. } | Type::Record(_) | Type::Enum(_) => {}
            }
        }
    }
    for (name, r#type) in functions {
        signature(name, r#type, &mut uses);
    }
    for (name, uses) in uses {
        if let Some(record) = structs.get_mut(&name) {
            record.uses = uses;
        }
    }
}

fn signature(name: &str, r#type: &Type, uses: &mut BTreeMap<String, Uses>) {
    let Type::Function { result, parameters, .. } = r#type else { return };
    if let Type::Named { name: of, .. } = &**result {
        uses.entry(of.clone()).or_default().by_value.insert(name.to_owned());
    }
    for (index, parameter) in parameters.iter().enumerate() {
        match &parameter.r#type {
            Type::Named { name: of, .. } => {
                uses.entry(of.clone()).or_default().by_value.insert(name.to_owned());
            }
            Type::Pointer { to, .. } => {
                let Type::Named { name: of, .. } = &**to else { continue };
                let next = parameters.get(index + 1);
                if next.is_some_and(|next| counts(next, &parameter.name)) {
                    uses.entry(of.clone()).or_default().element_of.insert(name.to_owned());
                }
            }
            Type::Array { of, .. } => {
                if let Type::Named { name: of, .. } = &**of {
                    uses.entry(of.clone()).or_default().element_of.insert(name.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Whether the parameter behind a pointer says how many things it points to.
fn counts(next: &Parameter, pointer: &str) -> bool {
    is_integer(&next.r#type) && (is_count(&next.name) || is_count_of(&next.name, pointer))
}

/// Which pointers of a struct have a field beside them that says how many things they point to.
struct Counts<'s> {
    /// What integer fields count, by their names.
    things: BTreeSet<String>,
    /// Fields right in front of one that is a count of something.
    followed: BTreeSet<&'s str>,
}

impl<'s> Counts<'s> {
    fn of(record: &'s Struct) -> Self {
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

fn is_integer(r#type: &Type) -> bool {
    let Type::Named { name, .. } = r#type else { return false };
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
fn counted(name: &str) -> Option<String> {
    let stem = ["num_", "n_", "n"].iter().find_map(|p| name.strip_prefix(p));
    let stem = stem.or_else(|| {
        ["_count", "_size", "_len", "_length"].iter().find_map(|end| name.strip_suffix(end))
    });
    stem.map(|stem| bare(stem).to_owned())
}

/// A name without what makes it a plural.
fn bare(name: &str) -> &str {
    name.trim_end_matches('s')
}

/// What counts as a use of a function's type.
pub fn functions<'a>(
    functions: impl IntoIterator<Item = (&'a String, &'a Function)>,
) -> Vec<(String, &'a Type)> {
    functions.into_iter().map(|(name, function)| (name.clone(), &function.r#type)).collect()
}
