//! Names of types that a release does not read.
//!
//! `Union[number]`, which 1.10 writes for one member that is left, is that member; a union of something and nothing is
//! `Optional`; nothing itself is called `None`. Every other type that is too new has no form. Which release reads
//! which name is data: `data/history.toml`.

use std::collections::BTreeMap;

use unskew_core::{Conversion, Places};

use super::layout;
use crate::code::type_names;
use crate::convert::task::{ConversionTask, block, rewrite};
use crate::history;

const TYPES: &str = "older-type-name";

/// The name of nothing, and what older releases call it.
const NOTHING: (&str, &str) = ("NoneType", "None");

/// What modules declare since 1.8 and is nothing or not set, and a type that older releases take for it.
const HOOK: (&str, &str) =
    ("_is_full_backward_hook : NoneType", "_is_full_backward_hook : Optional[bool]");

const UNION: &str = "Union";

/// Fits the names of types in the code to the release.
pub(super) fn fit(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    texts: &mut BTreeMap<String, String>,
) {
    let minor = task.to.minor();
    let is_new = |name: &str| history::type_since(name).is_some_and(|since| minor < since);
    for (record, text) in texts.iter_mut() {
        if is_new(UNION) {
            let plain = without_unions(text);
            if plain != *text {
                let what = "unions of one type are that type, and of a type and nothing optional";
                rewrite(plan, TYPES, what.to_owned(), record);
                *text = plain;
            }
        }
        if is_new(NOTHING.0) {
            // An attribute that `__setstate__` does not set has to be optional: older releases fill in no other.
            let named = text.replace(HOOK.0, HOOK.1);
            // What is nothing is not without a value either.
            let named = named.replace("uninitialized(NoneType)", "None");
            let named = layout::renamed(&named, NOTHING.0, NOTHING.1);
            if named != *text {
                let what = "the type of nothing is called None".to_owned();
                rewrite(plan, TYPES, what, record);
                *text = named;
            }
        }
        for (name, at) in type_names::type_names_of(text).filter(|(name, _)| is_new(name)) {
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let what = format!("it does not know the type {name}");
            block(task, plan, &what, Places::from_iter([format!("{record}:{line}")]));
        }
    }
}

/// The text with the member in the place of a union of one, and an optional in that of a union with nothing.
fn without_unions(text: &str) -> String {
    let mut text = text.to_owned();
    // The last one first: those that stand in others come behind them, and nothing in front moves.
    let mut places: Vec<usize> = type_names::type_names_of(&text)
        .filter(|(name, _)| *name == UNION)
        .map(|(_, at)| at)
        .collect();
    while let Some(at) = places.pop() {
        let Some((members, end)) = text.get(at + UNION.len()..).and_then(members) else { continue };
        let is_nothing = |one: &&str| matches!(*one, "NoneType" | "None");
        let nothing = members.iter().filter(|one| is_nothing(one)).count();
        let rest: Vec<&str> = members.iter().filter(|one| !is_nothing(one)).copied().collect();
        let new = match (rest.as_slice(), nothing) {
            ([one], 0) => (*one).to_owned(),
            ([one], 1) => format!("Optional[{one}]"),
            _ => continue,
        };
        text.replace_range(at..at + UNION.len() + end, &new);
    }
    text
}

/// The members of `[A, B[C, D]]`, and where it ends.
fn members(text: &str) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut begin, mut all) = (0_usize, 1, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    all.push(text.get(begin..at)?.trim());
                    return Some((all, at + 1));
                }
            }
            b',' if depth == 1 => {
                all.push(text.get(begin..at)?.trim());
                begin = at + 1;
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without_unions;

    #[test]
    fn a_union_of_one_is_that_one_and_with_nothing_optional() {
        for (text, wanted) in [
            ("p1 = unchecked_cast(Union[number], p0)\n", "p1 = unchecked_cast(number, p0)\n"),
            ("a : Union[Tensor, NoneType]\n", "a : Optional[Tensor]\n"),
            ("a : Union[NoneType, List[int]]\n", "a : Optional[List[int]]\n"),
            ("a : Dict[str, Union[List[Union[int]]]]\n", "a : Dict[str, List[int]]\n"),
            ("a : Union[int, str]\n", "a : Union[int, str]\n"),
            ("a : Union[Union[int, NoneType], str]\n", "a : Union[Optional[int], str]\n"),
            ("a = \"Union[int]\"\n", "a = \"Union[int]\"\n"),
            ("a = Union\n", "a = Union\n"),
            ("a = Union[int\n", "a = Union[int\n"),
        ] {
            assert_eq!(without_unions(text), wanted);
        }
    }
}
