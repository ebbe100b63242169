//! Operators that are others in a row, written in TorchScript.
//!
//! A file of `data/compositions` is TorchScript without types. The lines `# aten::...` above a function are the schemas that
//! it stands for; its parameters are their arguments, in their order. `# all` before a schema adds the forms `op_` and
//! `op.out`, `# out` only the second. A function without a schema is for the others.

use std::sync::LazyLock;

use super::declaration::{Body, Forms};
use crate::ProgramCode;

/// The texts, by the names that messages have for them.
const FILES: [(&str, &str); 6] = [
    ("shapes.py", include_str!("../../data/compositions/shapes.py")),
    ("pointwise.py", include_str!("../../data/compositions/pointwise.py")),
    ("reductions.py", include_str!("../../data/compositions/reductions.py")),
    ("matrices.py", include_str!("../../data/compositions/matrices.py")),
    ("losses.py", include_str!("../../data/compositions/losses.py")),
    ("fourier.py", include_str!("../../data/compositions/fourier.py")),
];

/// The functions by their names. A text that cannot be read is missing, which a test finds.
pub(crate) static CODE: LazyLock<ProgramCode> = LazyLock::new(|| {
    let mut code = ProgramCode::default();
    for (name, text) in FILES {
        drop(code.add(name, "__torch__", text));
    }
    code
});

/// The schema of an operator, which forms it has, and what calculates it.
pub(super) fn compositions() -> impl Iterator<Item = (&'static str, Forms, Body)> {
    FILES.iter().flat_map(|(_, text)| {
        let mut schemas: Vec<(&'static str, Forms)> = Vec::new();
        let mut all = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# ") {
                let (forms, schema) = match rest.split_once(' ') {
                    Some(("all", schema)) => (Forms::All, schema),
                    Some(("out", schema)) => (Forms::Out, schema),
                    _ => (Forms::Plain, rest),
                };
                if schema.starts_with("aten::") {
                    schemas.push((schema, forms));
                }
            } else if let Some((name, _)) =
                line.strip_prefix("def ").and_then(|rest| rest.split_once('('))
            {
                let own = schemas.drain(..);
                all.extend(own.map(|(schema, forms)| (schema, forms, Body::Composed(name))));
            }
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use unskew_torch_schemas::FunctionSchema;

    use super::*;

    #[test]
    fn every_text_is_read_and_every_function_takes_what_its_schemas_say() {
        for (name, text) in FILES {
            ProgramCode::default()
                .add(name, "", text)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for (schema, _, body) in compositions() {
            let parsed: FunctionSchema = schema.parse().unwrap();
            let Body::Composed(name) = body else { panic!("{schema}") };
            let takes = CODE.parameters(&format!("__torch__.{name}")).unwrap();
            assert_eq!(takes, parsed.arguments.len(), "{schema}");
        }
    }
}
