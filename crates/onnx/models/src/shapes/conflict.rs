//! Contradictions of dimensions, and dimensions that several values have together.

use crate::Dim;

/// When a contradiction ends a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConflictPhase {
    /// Shapes are inferred when a model is loaded, and the inference of this operator looks there.
    Load,
    /// Only the kernel finds it.
    Run,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeConflict {
    pub(crate) when: ConflictPhase,
    /// What contradicts what, in words.
    pub(crate) what: String,
}

impl ShapeConflict {
    pub(super) fn at_load(what: impl Into<String>) -> Self {
        Self { when: ConflictPhase::Load, what: what.into() }
    }

    pub(super) fn in_run(what: impl Into<String>) -> Self {
        Self { when: ConflictPhase::Run, what: what.into() }
    }
}

/// Dimensions in brackets, `?` for those that are not known.
pub(crate) fn shown(dims: &[Dim]) -> String {
    let one = |dim: &Dim| match dim {
        Dim::Size(size) => size.to_string(),
        Dim::Symbol(name) => name.to_string(),
        Dim::Unknown => "?".to_owned(),
    };
    format!("[{}]", dims.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Whether two dimensions cannot be the same.
pub(super) fn differ(one: &Dim, other: &Dim) -> bool {
    matches!((one, other), (Dim::Size(one), Dim::Size(other)) if one != other)
}

/// What is known of a dimension that two places say.
pub(super) fn both(one: &Dim, other: &Dim) -> Dim {
    match (one, other) {
        (Dim::Size(_), _) => one.clone(),
        (_, Dim::Size(_)) => other.clone(),
        (Dim::Symbol(_), _) => one.clone(),
        _ => other.clone(),
    }
}

/// The dimensions that values have together, each stretched to the others where it is 1.
pub(super) fn together(all: &[&[Dim]]) -> Result<Vec<Dim>, ShapeConflict> {
    let rank = all.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let mut out = Vec::with_capacity(rank);
    for place in 0..rank {
        let mut found = Dim::Size(1);
        for dims in all {
            let at = (place + dims.len()).checked_sub(rank);
            let Some(dim) = at.and_then(|at| dims.get(at)) else { continue };
            found = match (&found, dim) {
                (Dim::Size(1), _) => dim.clone(),
                (_, Dim::Size(1)) => found,
                (one, other) if differ(one, other) => {
                    let all: Vec<String> = all.iter().map(|dims| shown(dims)).collect();
                    let what = format!("{} cannot be stretched to each other", all.join(" and "));
                    return Err(ShapeConflict::at_load(what));
                }
                (Dim::Size(_), _) => found,
                (_, Dim::Size(_)) => dim.clone(),
                (one, other) if *one == *other => found,
                _ => Dim::Unknown,
            };
        }
        out.push(found);
    }
    Ok(out)
}

pub(super) fn count(dims: &[Dim]) -> Option<i64> {
    dims.iter().try_fold(1_i64, |all, dim| match dim {
        Dim::Size(size) => all.checked_mul(*size),
        _ => None,
    })
}

/// The size, if it is known.
pub(super) fn size(dim: &Dim) -> Option<i64> {
    match dim {
        Dim::Size(size) => Some(*size),
        _ => None,
    }
}
