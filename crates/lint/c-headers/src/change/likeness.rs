//! How alike two types are to a machine.

use super::pair::Pair;
use super::rename;
use crate::contract::Contract;
use crate::header::{Parameter, RecordKind, Type};

/// How deeply types are followed.
const DEPTH: usize = 64;

/// How alike two types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Written with the same words.
    Same,
    /// Written differently, and the same to a machine.
    Alike,
    /// Different to a machine, in size, layout or meaning.
    Different,
}

impl Likeness {
    fn respelled(self) -> Self {
        self.max(Self::Alike)
    }
}

impl Pair<'_> {
    /// How alike a type of the old headers and one of the new ones are.
    pub fn likeness(&self, old: &Type, new: &Type) -> Likeness {
        self.alike(old, new, 0)
    }

    fn alike(&self, old: &Type, new: &Type, depth: usize) -> Likeness {
        if depth > DEPTH {
            return if old == new { Likeness::Same } else { Likeness::Different };
        }
        let deeper = |a: &Type, b: &Type| self.alike(a, b, depth + 1);
        match (old, new) {
            (Type::Named { name: a, constant: x }, Type::Named { name: b, constant: y }) => {
                let found = self.names(a, b, depth);
                if x == y { found } else { found.respelled() }
            }
            (Type::Pointer { to: a, .. }, Type::Pointer { to: b, .. }) => {
                if is_void(a) != is_void(b) || self.foreign(a, b) {
                    return Likeness::Alike;
                }
                deeper(a, b)
            }
            (Type::Array { of: a, count: x }, Type::Array { of: b, count: y }) if x == y => {
                deeper(a, b)
            }
            (
                Type::Function { result: a, parameters: x, variadic: v },
                Type::Function { result: b, parameters: y, variadic: w },
            ) if v == w && x.len() == y.len() => {
                let pairs = x.iter().zip(y);
                let parameters = pairs.map(|(x, y)| deeper(&x.r#type, &y.r#type)).max();
                deeper(a, b).max(parameters.unwrap_or(Likeness::Same))
            }
            // A union may have more ways to read it; whether it grew is seen by its size.
            (Type::Record(a), Type::Record(b))
                if a.kind == b.kind
                    && (a.fields.len() == b.fields.len()
                        || (a.kind == RecordKind::Union && a.fields.len() < b.fields.len())) =>
            {
                let fields = a.fields.iter().zip(&b.fields).map(|(x, y)| {
                    let names = if x.name == y.name { Likeness::Same } else { Likeness::Different };
                    names.max(deeper(&x.r#type, &y.r#type))
                });
                let found = fields.max().unwrap_or(Likeness::Same);
                if a.fields.len() == b.fields.len() { found } else { found.respelled() }
            }
            (Type::Enum(a), Type::Enum(b)) => {
                let values = |e: &crate::header::Enum| {
                    e.enumerators.iter().map(|v| (v.name.clone(), v.value)).collect::<Vec<_>>()
                };
                if values(a) == values(b) { Likeness::Same } else { Likeness::Different }
            }
            (Type::Named { name, .. }, other) => match resolve(self.old, name) {
                Some(resolved) => deeper(resolved, other).respelled(),
                None => Likeness::Different,
            },
            (other, Type::Named { name, .. }) => match resolve(self.new, name) {
                Some(resolved) => deeper(other, resolved).respelled(),
                None => Likeness::Different,
            },
            _ => Likeness::Different,
        }
    }

    /// Whether both are types that no header at hand declares, one with a form of the other's name: behind a
    /// pointer that is no reason to think that anything but the name changed.
    fn foreign(&self, old: &Type, new: &Type) -> bool {
        let (Type::Named { name: a, .. }, Type::Named { name: b, .. }) = (old, new) else {
            return false;
        };
        let known = plain(a).is_some() || plain(b).is_some();
        let declared = self.old.declares(a) || self.new.declares(b);
        a != b && !known && !declared && rename::similar(a, b)
    }

    fn names(&self, old: &str, new: &str, depth: usize) -> Likeness {
        if old == new {
            return Likeness::Same;
        }
        // A type of the language is never the new name of another.
        if let (Some(a), Some(b)) = (plain(old), plain(new)) {
            return if a == b { Likeness::Alike } else { Likeness::Different };
        }
        if self.new_name(old) == new {
            return Likeness::Alike;
        }
        // A name that became another name of the other one.
        if self.new.canonical(old) == self.new.canonical(new)
            || self.old.canonical(old) == self.old.canonical(new)
        {
            return Likeness::Alike;
        }
        let found = match (resolve(self.old, old), resolve(self.new, new)) {
            (None, None) => return Likeness::Different,
            (Some(a), Some(b)) => self.alike(a, b, depth + 1),
            (Some(a), None) => self.alike(a, &Type::named(new), depth + 1),
            (None, Some(b)) => self.alike(&Type::named(old), b, depth + 1),
        };
        found.respelled()
    }
}

/// What another name stands for.
fn resolve<'c>(contract: &'c Contract, name: &str) -> Option<&'c Type> {
    let alias = contract.aliases.get(name).map(|alias| &alias.r#type);
    let found = alias.or_else(|| contract.callbacks.get(name).map(|function| &function.r#type));
    // A struct whose typedef has its name stands for itself.
    found.filter(|r#type| !matches!(r#type, Type::Named { name: of, .. } if of == name))
}

fn is_void(r#type: &Type) -> bool {
    matches!(r#type, Type::Named { name, .. } if name == "void")
}

/// What a type of the language is to a machine that has 64 bits: kind and size in bytes.
fn plain(name: &str) -> Option<(char, u8)> {
    let name = name.strip_prefix("std::").unwrap_or(name);
    Some(match name {
        "void" => ('v', 0),
        "bool" | "_Bool" => ('b', 1),
        "float" => ('f', 4),
        "double" => ('f', 8),
        "char" => ('c', 1),
        "signed char" | "int8_t" => ('i', 1),
        "unsigned char" | "uint8_t" => ('u', 1),
        "size_t" | "uintptr_t" | "uint64_t" => ('u', 8),
        "ssize_t" | "ptrdiff_t" | "intptr_t" | "int64_t" => ('i', 8),
        "int16_t" => ('i', 2),
        "uint16_t" => ('u', 2),
        "int32_t" => ('i', 4),
        "uint32_t" => ('u', 4),
        _ => return words(name),
    })
}

/// A type of several words: `unsigned long int`.
fn words(name: &str) -> Option<(char, u8)> {
    let (mut kind, mut size) = ('i', None);
    for word in name.split(' ') {
        match word {
            "unsigned" => kind = 'u',
            "signed" | "int" => {}
            "short" => size = Some(2),
            "long" => size = Some(8),
            _ => return None,
        }
    }
    Some((kind, size.unwrap_or(4)))
}

/// The parameters of a function or of what points to one.
pub fn parameters(r#type: &Type) -> Option<(&Type, &[Parameter])> {
    match r#type {
        Type::Function { result, parameters, .. } => Some((result, parameters)),
        Type::Pointer { to, .. } => match &**to {
            Type::Function { result, parameters, .. } => Some((result, parameters)),
            _ => None,
        },
        _ => None,
    }
}

/// In which way two types of functions differ.
pub fn difference(pair: &Pair<'_>, old: &Type, new: &Type) -> String {
    let (Some((a, x)), Some((b, y))) = (parameters(old), parameters(new)) else {
        return format!("it is `{new}`, and was `{old}`");
    };
    if x.len() != y.len() {
        return format!("it takes {} parameters, and took {}", y.len(), x.len());
    }
    let mut said = Vec::new();
    if pair.likeness(a, b) != Likeness::Same {
        said.push(format!("it returns `{b}`, and returned `{a}`"));
    }
    for (index, (x, y)) in x.iter().zip(y).enumerate() {
        if pair.likeness(&x.r#type, &y.r#type) != Likeness::Same {
            let number = index + 1;
            said.push(format!("parameter {number} is `{}`, and was `{}`", y.r#type, x.r#type));
        }
    }
    match said.is_empty() {
        true => "it takes a variable number of parameters in one of the two".to_owned(),
        false => said.join("; "),
    }
}
