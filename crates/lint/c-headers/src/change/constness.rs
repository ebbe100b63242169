//! Constness: a `const` that came or went in a way that code has to follow, although a machine does not see it.

use super::type_equivalence::parameters;
use crate::header::CType;

/// What is constant behind the pointers of a type, outermost first. What is passed by value is copied.
fn levels(r#type: &CType) -> impl Iterator<Item = bool> {
    let mut outer = r#type;
    std::iter::from_fn(move || {
        outer = match outer {
            CType::Pointer { to: inner, .. } | CType::Array { of: inner, .. } => inner,
            _ => return None,
        };
        match outer {
            CType::Named { constant, .. } | CType::Pointer { constant, .. } => Some(*constant),
            _ => None,
        }
    })
}

/// Whether behind the pointers of `new` something is constant that is not behind those of `old`, or the reverse.
fn came(old: &CType, new: &CType) -> bool {
    levels(old).zip(levels(new)).any(|(was, is)| is && !was)
        && levels(old).count() == levels(new).count()
}

/// What callers have to follow: a parameter behind which the function may write now, a result that may not be
/// written to any more.
pub fn of_functions(old: &CType, new: &CType) -> Vec<String> {
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
pub fn of_field(old: &CType, new: &CType) -> bool {
    came(new, old)
}
