//! Equivalence of two types to a machine.

use super::pair::ContractPair;
use super::rename;
use crate::contract::HeaderContract;
use crate::header::{CParameter, CType, RecordKind};

/// How deeply types are followed.
const DEPTH: usize = 64;

/// How alike two types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TypeEquivalence {
    /// Written with the same words.
    Same,
    /// Written differently, and the same to a machine.
    Alike,
    /// Different to a machine, in size, layout or meaning.
    Different,
}

impl TypeEquivalence {
    fn respelled(self) -> Self {
        self.max(Self::Alike)
    }
}

impl ContractPair<'_> {
    /// How alike a type of the old headers and one of the new ones are.
    pub fn likeness(&self, old: &CType, new: &CType) -> TypeEquivalence {
        self.alike(old, new, 0)
    }

    fn alike(&self, old: &CType, new: &CType, depth: usize) -> TypeEquivalence {
        if depth > DEPTH {
            return if old == new { TypeEquivalence::Same } else { TypeEquivalence::Different };
        }
        let deeper = |a: &CType, b: &CType| self.alike(a, b, depth + 1);
        match (old, new) {
            (CType::Named { name: a, constant: x }, CType::Named { name: b, constant: y }) => {
                let found = self.names(a, b, depth);
                if x == y { found } else { found.respelled() }
            }
            (CType::Pointer { to: a, .. }, CType::Pointer { to: b, .. }) => {
                if is_void(a) != is_void(b) || self.foreign(a, b) {
                    return TypeEquivalence::Alike;
                }
                deeper(a, b)
            }
            (
                CType::Array { of: a, count: x, length: v },
                CType::Array { of: b, count: y, length: w },
            ) if v.is_empty() && w.is_empty() => match x == y {
                true => deeper(a, b),
                false => TypeEquivalence::Different,
            },
            // Of a length that is not understood it is not claimed that it is another one.
            (CType::Array { of: a, length: v, .. }, CType::Array { of: b, length: w, .. }) => {
                let found = deeper(a, b);
                if v == w { found } else { found.respelled() }
            }
            (
                CType::Function { result: a, parameters: x, variadic: v },
                CType::Function { result: b, parameters: y, variadic: w },
            ) if v == w && x.len() == y.len() => {
                let pairs = x.iter().zip(y);
                // An array is passed as a pointer.
                let parameter = |x: &CType, y: &CType| match (x, y) {
                    (CType::Array { of: a, .. }, CType::Array { of: b, .. }) if x != y => {
                        deeper(a, b).respelled()
                    }
                    (CType::Array { of: a, .. }, CType::Pointer { to: b, .. })
                    | (CType::Pointer { to: a, .. }, CType::Array { of: b, .. }) => {
                        deeper(a, b).respelled()
                    }
                    _ => deeper(x, y),
                };
                let parameters = pairs.map(|(x, y)| parameter(&x.r#type, &y.r#type)).max();
                deeper(a, b).max(parameters.unwrap_or(TypeEquivalence::Same))
            }
            // A union may have more ways to read it; whether it grew is seen by its size.
            (CType::Record(a), CType::Record(b))
                if a.kind == b.kind
                    && (a.fields.len() == b.fields.len()
                        || (a.kind == RecordKind::Union && a.fields.len() < b.fields.len())) =>
            {
                let fields = a.fields.iter().zip(&b.fields).map(|(x, y)| {
                    let names = if x.name == y.name {
                        TypeEquivalence::Same
                    } else {
                        TypeEquivalence::Different
                    };
                    names.max(deeper(&x.r#type, &y.r#type))
                });
                let found = fields.max().unwrap_or(TypeEquivalence::Same);
                if a.fields.len() == b.fields.len() { found } else { found.respelled() }
            }
            (CType::Enum(a), CType::Enum(b)) => {
                let values = |e: &crate::header::EnumDeclaration| {
                    e.enumerators.iter().map(|v| (v.name.clone(), v.value)).collect::<Vec<_>>()
                };
                if values(a) == values(b) {
                    TypeEquivalence::Same
                } else {
                    TypeEquivalence::Different
                }
            }
            (CType::Named { name, .. }, other) => match resolve(self.old, name) {
                Some(resolved) => deeper(resolved, other).respelled(),
                None => TypeEquivalence::Different,
            },
            (other, CType::Named { name, .. }) => match resolve(self.new, name) {
                Some(resolved) => deeper(other, resolved).respelled(),
                None => TypeEquivalence::Different,
            },
            _ => TypeEquivalence::Different,
        }
    }

    /// Whether both are types that no header at hand declares, one with a form of the other's name: behind a
    /// pointer that is no reason to think that anything but the name changed.
    fn foreign(&self, old: &CType, new: &CType) -> bool {
        let (CType::Named { name: a, .. }, CType::Named { name: b, .. }) = (old, new) else {
            return false;
        };
        let known = plain(a).is_some() || plain(b).is_some();
        let declared = self.old.declares(a) || self.new.declares(b);
        a != b && !known && !declared && rename::similar(a, b)
    }

    fn names(&self, old: &str, new: &str, depth: usize) -> TypeEquivalence {
        if old == new {
            return TypeEquivalence::Same;
        }
        // A type of the language is never the new name of another.
        if let (Some(a), Some(b)) = (plain(old), plain(new)) {
            return if a == b { TypeEquivalence::Alike } else { TypeEquivalence::Different };
        }
        if self.new_name(old) == new {
            return TypeEquivalence::Alike;
        }
        // A name that became another name of the other one.
        if self.new.canonical(old) == self.new.canonical(new)
            || self.old.canonical(old) == self.old.canonical(new)
        {
            return TypeEquivalence::Alike;
        }
        let found = match (resolve(self.old, old), resolve(self.new, new)) {
            (None, None) => return TypeEquivalence::Different,
            (Some(a), Some(b)) => self.alike(a, b, depth + 1),
            (Some(a), None) => self.alike(a, &CType::named(new), depth + 1),
            (None, Some(b)) => self.alike(&CType::named(old), b, depth + 1),
        };
        found.respelled()
    }
}

/// What another name stands for.
fn resolve<'c>(contract: &'c HeaderContract, name: &str) -> Option<&'c CType> {
    let alias = contract.aliases.get(name).map(|alias| &alias.r#type);
    let found = alias.or_else(|| contract.callbacks.get(name).map(|function| &function.r#type));
    // A struct whose typedef has its name stands for itself.
    found.filter(|r#type| !matches!(r#type, CType::Named { name: of, .. } if of == name))
}

fn is_void(r#type: &CType) -> bool {
    matches!(r#type, CType::Named { name, .. } if name == "void")
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
pub fn parameters(r#type: &CType) -> Option<(&CType, &[CParameter])> {
    match r#type {
        CType::Function { result, parameters, .. } => Some((result, parameters)),
        CType::Pointer { to, .. } => match &**to {
            CType::Function { result, parameters, .. } => Some((result, parameters)),
            _ => None,
        },
        _ => None,
    }
}

/// In which way two types of functions differ.
pub fn difference(pair: &ContractPair<'_>, old: &CType, new: &CType) -> String {
    let (Some((a, x)), Some((b, y))) = (parameters(old), parameters(new)) else {
        return format!("it is `{new}`, and was `{old}`");
    };
    if x.len() != y.len() {
        return format!("it takes {} parameters, and took {}", y.len(), x.len());
    }
    let mut said = Vec::new();
    if pair.likeness(a, b) != TypeEquivalence::Same {
        said.push(format!("it returns `{b}`, and returned `{a}`"));
    }
    for (index, (x, y)) in x.iter().zip(y).enumerate() {
        if pair.likeness(&x.r#type, &y.r#type) != TypeEquivalence::Same {
            let number = index + 1;
            said.push(format!("parameter {number} is `{}`, and was `{}`", y.r#type, x.r#type));
        }
    }
    match said.is_empty() {
        true => "it takes a variable number of parameters in one of the two".to_owned(),
        false => said.join("; "),
    }
}
