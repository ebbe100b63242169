//! The types of an operation behind its colon.

use std::sync::Arc;

use unskew_source::ReadError;

use super::attributes;
use super::operations::{Parsed, TextReader};
use super::types::{self, Type};

/// The types of an operation as they are written.
enum Signature {
    /// What it takes and what it gives.
    Whole(Vec<Arc<Type>>, Vec<Arc<Type>>),
    /// Types from which those of operands and results follow.
    Short(Vec<Arc<Type>>),
}

impl TextReader<'_> {
    /// Types with commas between them.
    pub(super) fn types(&mut self) -> Result<Vec<Arc<Type>>, ReadError> {
        let mut all = Vec::new();
        loop {
            all.push(types::read(&mut self.scanner, &self.aliases)?);
            if !self.scanner.takes(",") {
                return Ok(all);
            }
        }
    }

    /// `{attributes} : types loc(...)`.
    pub(super) fn attributes_and_signature(
        &mut self,
        parsed: &mut Parsed,
    ) -> Result<(), ReadError> {
        if self.scanner.starts("{") {
            parsed.named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
        }
        let at = self.scanner.place();
        if !self.scanner.takes(":") {
            let nothing = parsed.operands.is_empty()
                && matches!(
                    &*parsed.name,
                    "func.return"
                        | "stablehlo.return"
                        | "sdy.return"
                        | "stablehlo.optimization_barrier"
                );
            if nothing {
                return self.scanner.location();
            }
            return self.scanner.needs(":");
        }
        let signature = self.signature()?;
        let (inputs, outputs) = match signature {
            Signature::Whole(inputs, outputs) => (inputs, outputs),
            Signature::Short(kinds) => {
                let found = inferred(&parsed.name, parsed.operands.len(), &kinds);
                found.ok_or_else(|| {
                    let what = format!("these types do not say those of `{}`", parsed.name);
                    self.scanner.error_at(at, &what)
                })?
            }
        };
        (parsed.inputs, parsed.outputs) = (inputs, outputs);
        self.scanner.location()
    }

    fn signature(&mut self) -> Result<Signature, ReadError> {
        if self.scanner.starts("(") {
            let aliases = &self.aliases;
            let inputs = self.scanner.list("(", ")", |scanner| types::read(scanner, aliases))?;
            self.scanner.needs("->")?;
            return Ok(Signature::Whole(inputs, types::results(&mut self.scanner, aliases)?));
        }
        let kinds = self.types()?;
        if self.scanner.takes("->") {
            return Ok(Signature::Whole(kinds, types::results(&mut self.scanner, &self.aliases)?));
        }
        if self.scanner.takes_word("to") {
            let kind = types::read(&mut self.scanner, &self.aliases)?;
            return Ok(Signature::Whole(kinds, vec![kind]));
        }
        Ok(Signature::Short(kinds))
    }
}

type Kinds = Vec<Arc<Type>>;

/// The types of operands and results that follow from few.
fn inferred(name: &str, operands: usize, kinds: &[Arc<Type>]) -> Option<(Kinds, Kinds)> {
    let all = || kinds.to_vec();
    match name {
        "func.return" | "stablehlo.return" | "sdy.return" => return Some((all(), Vec::new())),
        "sdy.sharding_group" => return Some((all(), Vec::new())),
        "stablehlo.optimization_barrier" => return Some((all(), all())),
        _ => {}
    }
    if let ("stablehlo.select", [predicate, kind]) = (name, kinds) {
        let inputs = vec![Arc::clone(predicate), Arc::clone(kind), Arc::clone(kind)];
        return Some((inputs, vec![Arc::clone(kind)]));
    }
    let [kind] = kinds else { return None };
    let inputs = match (name, &**kind) {
        ("stablehlo.tuple", Type::Tuple(parts)) => parts.clone(),
        ("stablehlo.complex", Type::Tensor { dims, element, encoding }) => {
            let Type::Complex(part) = &**element else { return None };
            let (dims, element, encoding) = (dims.clone(), Arc::clone(part), encoding.clone());
            let kind = Arc::new(Type::Tensor { dims, element, encoding });
            vec![Arc::clone(&kind), kind]
        }
        ("tensor.from_elements", Type::Tensor { element, .. }) => {
            vec![Arc::clone(element); operands]
        }
        ("stablehlo.select", _) => return None,
        _ => vec![Arc::clone(kind); operands],
    };
    Some((inputs, all()))
}
