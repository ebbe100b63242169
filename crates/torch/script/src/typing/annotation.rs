//! Types as a program writes them: `Optional[List[int]]`, `__torch__.M`.

use unskew_torch_schemas::matching::ScriptType;

use crate::{Expression, LiteralConstant, Statement};

/// The type that a text names, as an annotation of TorchScript: `Optional[List[int]]`.
pub fn type_of_annotation(text: &str) -> Option<ScriptType> {
    let module = crate::parse(text).ok()?;
    match module.body.as_slice() {
        [Statement::Expression { value, .. }] => type_of(value),
        _ => None,
    }
}

/// The type that an annotation names, if it is one.
pub(super) fn type_of(annotation: &Expression) -> Option<ScriptType> {
    match annotation {
        Expression::Name(name) => named(&name.text),
        Expression::Attribute { .. } => {
            let path = annotation.path()?;
            if path.starts_with("__torch__.") {
                return Some(ScriptType::Class(path.into()));
            }
            named(path.strip_prefix("torch.").unwrap_or(&path))
        }
        Expression::Constant { value: LiteralConstant::None, .. } => Some(ScriptType::None),
        Expression::Subscript { of, index, .. } => {
            let items = match &**index {
                Expression::Tuple { items, .. } => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            applied(&of.path()?, items)
        }
        _ => None,
    }
}

fn named(name: &str) -> Option<ScriptType> {
    Some(match name {
        "Tensor" => ScriptType::Tensor,
        "int" | "SymInt" => ScriptType::Int,
        "float" => ScriptType::Float,
        "complex" => ScriptType::Complex,
        "bool" => ScriptType::Bool,
        "number" | "Scalar" => ScriptType::Number,
        "str" => ScriptType::Str,
        "Any" => ScriptType::Any,
        "None" | "NoneType" => ScriptType::None,
        // `torch.device` is written without its module too.
        "device" => ScriptType::Named("Device".into()),
        // Bare containers of what stands nowhere.
        "List" => ScriptType::list(ScriptType::Tensor),
        "Dict" => ScriptType::dict(ScriptType::Str, ScriptType::Tensor),
        _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => ScriptType::Named(name.into()),
        _ => return None,
    })
}

fn applied(name: &str, items: &[Expression]) -> Option<ScriptType> {
    let mut types = Vec::with_capacity(items.len());
    // `Tuple[()]` is the empty one.
    if let ("Tuple", [Expression::Tuple { items, .. }]) = (name, items)
        && items.is_empty()
    {
        return Some(ScriptType::tuple([]));
    }
    for item in items {
        types.push(type_of(item)?);
    }
    let one = |types: Vec<ScriptType>| <[ScriptType; 1]>::try_from(types).ok().map(|[one]| one);
    match name {
        "List" => one(types).map(ScriptType::list),
        "Optional" => one(types).map(ScriptType::optional),
        "Final" => one(types),
        "Tuple" => Some(ScriptType::tuple(types)),
        "Union" => Some(ScriptType::union(types)),
        "Dict" => {
            let [key, value] = <[ScriptType; 2]>::try_from(types).ok()?;
            Some(ScriptType::dict(key, value))
        }
        name => Some(ScriptType::applied(name, types)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_read_and_shown_again() {
        for text in [
            "Tensor",
            "Optional[List[int]]",
            "Dict[str, Tuple[int, Optional[Tensor]]]",
            "__torch__.a.B",
            "Future[Tensor]",
            "Union[int, str]",
            "Tuple[()]",
            "NoneType",
        ] {
            let module = crate::parse(&format!("x : {text}\n")).unwrap();
            let Statement::Annotated { annotation, .. } = &module.body[0] else { unreachable!() };
            assert_eq!(type_of(annotation).unwrap().to_string(), text);
        }
    }
}
