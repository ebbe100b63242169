//! The walk over a program.
//!
//! Every function is walked with the types that it declares. Methods may be called from outside, so
//! nothing is known of what they are given. A function that is no method can only be called by the
//! program; it is walked once for each set of literals that its calls give, and what holds in all of these
//! walks holds. Calls in branches that are not taken add no such set.

mod block;
mod call;
mod contexts;
mod fold;
mod language;
mod refine;
mod value;
mod walker;

use std::collections::BTreeSet;

use unskew_torch_schemas::matching::{GivenValue, Literal, OverloadSource, ScriptType};

use super::{AttributeUse, ScriptProgram, Typing};
use walker::Walker;

/// Finds the types of a program, and the overload of every operator call.
pub fn infer(program: &ScriptProgram, operators: &dyn OverloadSource) -> Typing {
    contexts::run(Walker::new(program, operators))
}

/// Where a program reads and sets attributes that classes declare.
pub fn attribute_uses(
    program: &ScriptProgram,
    operators: &dyn OverloadSource,
) -> BTreeSet<AttributeUse> {
    let mut walker = Walker::new(program, operators);
    walker.found.attributes = Some(BTreeSet::new());
    contexts::walk(&mut walker);
    walker.found.attributes.unwrap_or_default()
}

/// What an operator gives for values of which some are known, if that follows from them: `aten::eq` of two texts,
/// `aten::__contains__` of a list.
///
/// ```
/// use unskew_torch_schemas::matching::Literal;
/// use unskew_script::typing::fold;
/// let text = |text: &str| Some(Literal::Text(text.into()));
/// assert_eq!(fold("aten::eq", &[text("area"), text("bilinear")]), Some(Literal::Bool(false)));
/// assert_eq!(fold("aten::eq", &[text("area"), None]), None);
/// ```
pub fn fold(operator: &str, given: &[Option<Literal>]) -> Option<Literal> {
    let known = |literal: &Option<Literal>| GivenValue {
        literal: literal.clone(),
        ..GivenValue::from_type(ScriptType::Unknown)
    };
    let given = given.iter().map(known);
    fold::operator(operator, &given.collect::<Vec<_>>())
}
