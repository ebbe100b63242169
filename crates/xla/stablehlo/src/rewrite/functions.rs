//! Mathematical functions of CHLO as the operations of StableHLO that they are made of: `data/chlo.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use unskew_tables::packed_text;

use super::values::{self, code};
use crate::bytecode::operations::Value;
use crate::convert::numbers::varint;
use crate::module::{Field, Id, Module, Operation, Raw, Sort, VHLO};
use crate::program;

/// What a function is for some types.
#[derive(Clone, Copy)]
struct Function {
    /// The place of the type among those that the body is for.
    at: usize,
    /// Whether it is what it is for `f32`, between conversions.
    via: bool,
    body: &'static str,
}

type Functions = HashMap<(&'static str, &'static str), Function>;

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    let mut functions = Functions::new();
    for block in packed_text!("data/chlo.txt").text().split("\n\n").skip(1) {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        let (head, via) = match head.strip_suffix(" via f32") {
            Some(head) => (head, true),
            None => (head, false),
        };
        let mut words = head.split(' ');
        let name = words.next().unwrap_or_default();
        for (at, kind) in words.enumerate() {
            functions.insert((name, kind), Function { at, via, body });
        }
    }
    functions
});

/// Whether there is such a function.
pub(super) fn is_known(name: &str) -> bool {
    FUNCTIONS.keys().any(|(own, _)| *own == name)
}

/// The values of a function as far as they are made.
struct Body<'m> {
    module: &'m mut Module,
    like: &'m Operation,
    dims: &'m [i64],
    /// The values, each with what its elements are.
    values: Vec<(Value, Id)>,
    out: &'m mut Vec<Operation>,
}

/// Puts the operations of a function behind others, for operands of these dimensions. What it gives; none if the
/// function is not known for these elements.
pub(super) fn emit(
    module: &mut Module,
    like: &Operation,
    operands: &[Value],
    (dims, element): (&[i64], Id),
    out: &mut Vec<Operation>,
) -> Option<Value> {
    let own = name_of(module, element)?;
    let function = *FUNCTIONS.get(&(&*like.name, &*own))?;
    let values = operands.iter().map(|value| (*value, element)).collect();
    let mut body = Body { module, like, dims, values, out };
    if !function.via {
        return body.all(function, element);
    }
    let wide = body.element("f32", element)?;
    let wider = *FUNCTIONS.get(&(&*like.name, "f32"))?;
    for at in 0..body.values.len() {
        let (value, _) = *body.values.get(at)?;
        body.push("convert", vec![value], wide);
    }
    body.values.drain(..operands.len());
    let made = body.all(wider, wide)?;
    body.push("convert", vec![made], element);
    body.values.last().map(|(value, _)| *value)
}

impl Body<'_> {
    fn all(&mut self, function: Function, own: Id) -> Option<Value> {
        for line in function.body.lines() {
            let mut words = line.split(' ');
            match words.next()? {
                "k" => {
                    let element = self.element(words.next()?, own)?;
                    let bytes: Vec<&str> = words.collect();
                    let bytes = bytes.get(function.at).or(bytes.first())?;
                    self.constant(bytes, element)?;
                }
                word => self.operation(word, words, own)?,
            }
        }
        self.values.last().map(|(value, _)| *value)
    }

    fn operation(&mut self, word: &str, words: std::str::Split<'_, char>, own: Id) -> Option<()> {
        let (name, compared) = word.split_once('=').unwrap_or((word, ""));
        let (mut operands, mut element) = (Vec::new(), None);
        for word in words {
            match word.strip_prefix(':') {
                Some(kind) => element = Some(self.element(kind, own)?),
                None => {
                    let (value, kind) = *self.values.get(word.parse::<usize>().ok()?)?;
                    operands.push((value, kind));
                }
            }
        }
        let element = element.or_else(|| operands.first().map(|(_, kind)| *kind))?;
        self.push(name, operands.into_iter().map(|(value, _)| value).collect(), element);
        if let Some((direction, kind)) = compared.split_once(',') {
            let place = |names: &[&str], name| names.iter().position(|one| *one == name);
            let directions = ["EQ", "NE", "GE", "GT", "LE", "LT"];
            let kinds = ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];
            for (name, code, number) in [
                ("compare_type", code::COMPARED, place(&kinds, kind)?),
                ("comparison_direction", code::DIRECTION, place(&directions, direction)?),
            ] {
                let fields = vec![Field::Number(code), values::number(number as u64)];
                let value = self.module.vhlo(Sort::Attribute, fields);
                let name = self.module.text(name.as_bytes());
                self.out.last_mut()?.attributes.push((name, value));
            }
        }
        Some(())
    }

    fn push(&mut self, name: &str, operands: Vec<Value>, element: Id) {
        let kind = values::tensor_type(self.module, self.dims, element);
        let value = self.module.value(kind);
        let name = format!("{name}_v1");
        self.out.push(Operation::vhlo(&name, self.like, operands, vec![value]));
        self.values.push((value, element));
    }

    fn constant(&mut self, bytes: &str, element: Id) -> Option<()> {
        let byte = |at| u8::from_str_radix(bytes.get(at..at + 2)?, 16).ok();
        let bytes = (0..bytes.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
        let kind = values::tensor_type(self.module, self.dims, element);
        let mut raw = Vec::new();
        varint(&mut raw, bytes.len() as u64);
        raw.extend(bytes);
        let fields =
            vec![Field::Number(code::TENSOR), Field::Type(kind), Field::Raw(Raw::Bytes(raw))];
        let value = self.module.vhlo(Sort::Attribute, fields);
        self.push("constant", Vec::new(), element);
        let name = self.module.text(b"value");
        self.out.last_mut()?.attributes.push((name, value));
        Some(())
    }

    /// The type behind a name of the table.
    fn element(&mut self, name: &str, own: Id) -> Option<Id> {
        let name = match name {
            "T" => return Some(own),
            "R" => {
                let item = self.module.types.get(own)?;
                return Some(match item.fields[..] {
                    [Field::Number(code::COMPLEX), Field::Type(part)] => part,
                    _ => own,
                });
            }
            "I" => match &*name_of(self.module, own)? {
                "f16" | "bf16" => "i16",
                "f32" => "i32",
                "f64" => "i64",
                _ => return None,
            },
            name => name,
        };
        let code = program::code_of(name)?;
        Some(self.module.vhlo(Sort::Type, vec![Field::Number(code)]))
    }
}

fn name_of(module: &Module, id: Id) -> Option<String> {
    let item = module.types.get(id)?;
    match (item.code(VHLO)?, &item.fields[..]) {
        (code::COMPLEX, [_, Field::Type(part)]) => {
            let part = module.types.get(*part)?.code(VHLO)?;
            Some(format!("complex<{}>", program::name_of(part)?))
        }
        (code, [_]) => program::name_of(code).map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features;

    #[test]
    fn every_line_of_the_table_is_an_operation_of_values_before_it() {
        assert!(FUNCTIONS.len() > 90, "{}", FUNCTIONS.len());
        for ((name, kind), function) in FUNCTIONS.iter() {
            assert!(!function.via || FUNCTIONS.contains_key(&(*name, "f32")), "{name} {kind}");
            let two = ["mulhi", "next_after", "polygamma", "zeta"].contains(name);
            let first = if two { 2 } else { 1 };
            for (at, line) in function.body.lines().enumerate() {
                let mut words = line.split(' ');
                let word = words.next().unwrap_or_default();
                if word == "k" {
                    assert!(words.nth(1).is_some_and(|bytes| bytes.len() % 2 == 0), "{line}");
                    continue;
                }
                let operation = format!("{}_v1", word.split('=').next().unwrap_or_default());
                assert!(features::since(&operation).is_some(), "{operation}");
                for operand in words.filter(|word| !word.starts_with(':')) {
                    let operand: usize = operand.parse().unwrap_or(usize::MAX);
                    assert!(operand < at + first, "{name} {kind}: {line}");
                }
            }
        }
    }
}
