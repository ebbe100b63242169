//! Products of matrices.

use super::conflict::{ShapeConflict, both, differ, shown, size, together};
use super::node_inputs::NodeInputs;
use crate::Dim;

/// Where the two factors of a product stand among the inputs.
pub(super) fn factors(op: &str) -> (usize, usize) {
    if op == "QLinearMatMul" { (0, 3) } else { (0, 1) }
}

/// `MatMul` and its like: the last two dimensions are matrices, those before are stretched.
pub(super) fn product(a: &[Dim], b: &[Dim]) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let (Some(inner), Some(outer)) =
        (a.last(), if b.len() == 1 { b.first() } else { b.iter().nth_back(1) })
    else {
        return Err(ShapeConflict::at_load(format!(
            "{} and {}: a number alone is no matrix",
            shown(a),
            shown(b)
        )));
    };
    if differ(inner, outer) {
        let what = format!("{} times {}: the inner sizes differ", shown(a), shown(b));
        return Err(ShapeConflict::at_load(what));
    }
    let batch =
        |dims: &[Dim]| dims.get(..dims.len().saturating_sub(2)).unwrap_or_default().to_vec();
    let mut out = together(&[&batch(a), &batch(b)])?;
    if a.len() > 1 {
        out.extend(a.iter().nth_back(1).cloned());
    }
    if b.len() > 1 {
        out.extend(b.last().cloned());
    }
    Ok(Some(out))
}

/// `Gemm`: two matrices, each of which may be turned, and what is added.
pub(super) fn gemm(seen: &NodeInputs<'_>) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let (Some(a), Some(b)) = (seen.dims(0), seen.dims(1)) else { return Ok(None) };
    let turned = |name: &str, dims: &[Dim]| -> Option<[Dim; 2]> {
        let [one, two] = dims else { return None };
        let turn = seen.int(name).unwrap_or(0) != 0;
        Some(if turn { [two.clone(), one.clone()] } else { [one.clone(), two.clone()] })
    };
    let (Some([rows, inner]), Some([outer, columns])) = (turned("transA", a), turned("transB", b))
    else {
        return Err(ShapeConflict::at_load(format!(
            "{} and {} are not both matrices",
            shown(a),
            shown(b)
        )));
    };
    if differ(&inner, &outer) {
        let what = format!("{} times {}: the inner sizes differ", shown(a), shown(b));
        return Err(ShapeConflict::in_run(what));
    }
    let out = vec![rows, columns];
    if let Some(c) = seen.dims(2).filter(|_| seen.opset >= 7) {
        let fits = c.len() <= 2
            && together(&[&out, c])
                .is_ok_and(|all| all.iter().zip(&out).all(|(all, one)| !differ(all, one)));
        if !fits {
            let what = format!("{} is added to {}", shown(c), shown(&out));
            return Err(ShapeConflict::in_run(what));
        }
    }
    Ok(Some(out))
}

/// `Einsum`: one letter for each dimension. What has dots is not looked at.
pub(super) fn einsum(seen: &NodeInputs<'_>) -> Result<Option<Vec<Dim>>, ShapeConflict> {
    let Some(equation) = seen.text("equation") else { return Ok(None) };
    let equation: String = equation.split_whitespace().collect();
    let Some((left, right)) = equation.split_once("->").filter(|_| !equation.contains('.')) else {
        return Ok(None);
    };
    let mut sizes: Vec<(char, Dim)> = Vec::new();
    for (at, letters) in left.split(',').enumerate() {
        let Some(dims) = seen.dims(at) else { continue };
        if letters.chars().count() != dims.len() {
            return Err(ShapeConflict::at_load(format!("`{letters}` for {}", shown(dims))));
        }
        for (letter, dim) in letters.chars().zip(dims) {
            match sizes.iter_mut().find(|(one, _)| *one == letter) {
                None => sizes.push((letter, dim.clone())),
                Some((_, known)) if size(known) == Some(1) => *known = dim.clone(),
                Some((_, known)) if differ(known, dim) && size(dim) != Some(1) => {
                    let what = format!("`{letter}` of `{equation}` has several sizes");
                    return Err(ShapeConflict::in_run(what));
                }
                Some((_, known)) => *known = both(known, dim),
            }
        }
    }
    let of = |letter: char| {
        sizes.iter().find(|(one, _)| *one == letter).map_or(Dim::Unknown, |(_, dim)| dim.clone())
    };
    Ok(Some(right.chars().map(of).collect()))
}
