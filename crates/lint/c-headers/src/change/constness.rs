//! Where a `const` came or went in a way that code has to follow, although a machine does not see it.

use super::likeness::parameters;
use crate::header::Type;

/// What is constant behind the pointers of a type, outermost first. What is passed by value is copied.
fn levels(r#type: &Type) -> Vec<bool> {
    let mut found = Vec::new();
    let mut at = r#type;
    loop {
        at = match at {
            Type::Pointer { to, .. } | Type::Array { of: to, .. } => to,
            _ => return found,
        };
        match at {
            Type::Named { constant, .. } | Type::Pointer { constant, .. } => found.push(*constant),
            _ => return found,
        }
    }
}

/// Whether behind the pointers of `new` something is constant that is not behind those of `old`, or the reverse.
fn came(old: &Type, new: &Type) -> bool {
    let (old, new) = (levels(old), levels(new));
    old.len() == new.len() && old.iter().zip(&new).any(|(was, is)| *is && !was)
}

/// What callers have to follow: a parameter behind which the function may write now, a result that may not be
/// written to any more.
pub fn of_functions(old: &Type, new: &Type) -> Vec<String> {
    let (Some((a, x)), Some((b, y))) = (parameters(old), parameters(new)) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    if came(a, b) {
        said.push(format!("it returns `{b}`, and returned `{a}`"));
    }
    for (index, (x, y)) in x.iter().zip(y).enumerate() {
        if came(&y.r#type, &x.r#type) {
            let number = index + 1;
            said.push(format!("parameter {number} is `{}`, and was `{}`", y.r#type, x.r#type));
        }
    }
    said
}

/// Whether a field lost a `const`: what others put there may be written to now.
pub fn of_field(old: &Type, new: &Type) -> bool {
    came(new, old)
}
