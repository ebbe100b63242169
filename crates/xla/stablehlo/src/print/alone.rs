//! One operation as a program that does nothing else.

use std::cell::Cell;
use std::io::{self, Write as _};

use super::operations::Printer;
use super::{FOR_ANY, PrintOptions, Words, types};
use crate::bytecode::operations::Value;
use crate::module::{Id, Module, Operation};

/// What stands where something has no words.
const NO_WORDS: &str = "/* an attribute";

/// A program whose `main` takes what the operation takes and gives what it gives, with these functions beside it. None if
/// something of it has no words, or too many.
pub(crate) fn alone(
    module: &Module,
    operation: &Operation,
    functions: &[&Operation],
) -> Option<String> {
    let words = Words { module, left: Cell::new(FOR_ANY) };
    let mut out = Vec::new();
    write(&words, operation, functions, &mut out).ok()?;
    let text = String::from_utf8(out).ok()?;
    (words.left.get() > 0 && !text.contains(NO_WORDS)).then_some(text)
}

/// A program whose `main` takes arrays of these types and does nothing.
pub(crate) fn taking(module: &Module, kinds: &[Id]) -> Option<String> {
    let words = Words { module, left: Cell::new(FOR_ANY) };
    let parameters = kinds.iter().enumerate();
    let parameters: Vec<String> =
        parameters.map(|(at, kind)| format!("%arg{at}: {}", types::text(&words, *kind))).collect();
    let text = format!(
        "module {{\n  func.func public @main({}) {{\n    \"func.return\"() : () -> ()\n  }}\n}}\n",
        parameters.join(", ")
    );
    (words.left.get() > 0).then_some(text)
}

pub(crate) fn kind(module: &Module, kind: Id) -> String {
    types::text(&Words { module, left: Cell::new(FOR_ANY) }, kind)
}

pub(crate) fn attribute(module: &Module, attribute: Id) -> String {
    super::attributes::text(&Words { module, left: Cell::new(FOR_ANY) }, attribute)
}

fn write(
    words: &Words<'_>,
    operation: &Operation,
    functions: &[&Operation],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    writeln!(out, "module {{")?;
    let mut printer = Printer::new(words, PrintOptions::default(), out);
    for function in functions {
        printer.operation(function, 1)?;
    }
    let mut taken: Vec<Value> = Vec::new();
    for value in &operation.operands {
        if !taken.contains(value) {
            taken.push(*value);
        }
    }
    let kinds: Vec<String> = operation.results.iter().map(|value| printer.kind(*value)).collect();
    let parameters = printer.arguments(&taken).join(", ");
    let gives =
        if kinds.is_empty() { String::new() } else { format!(" -> ({})", kinds.join(", ")) };
    writeln!(printer.out, "  func.func public @main({parameters}){gives} {{")?;
    printer.operation(operation, 2)?;
    let names: Vec<&str> = operation.results.iter().map(|value| printer.called(*value)).collect();
    let (names, kinds) = (names.join(", "), kinds.join(", "));
    writeln!(printer.out, "    \"func.return\"({names}) : ({kinds}) -> ()\n  }}\n}}")
}
