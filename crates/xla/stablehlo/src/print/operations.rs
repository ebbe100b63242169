//! Operations as text.

use std::io::{self, Write};

use super::{PrintOptions, Words, attributes, types};
use crate::bytecode::entries::builtin;
use crate::bytecode::operations::Value;
use crate::module::{Block, Id, Operation, VHLO};
use crate::rewrite::values;

pub(super) struct Printer<'p> {
    pub(super) module: &'p Words<'p>,
    options: PrintOptions,
    pub(super) out: &'p mut dyn Write,
    /// How each value is called.
    names: Vec<String>,
    /// How many results and arguments have names.
    results: usize,
    arguments: usize,
    /// In how many regions of operations of a function it is.
    regions: usize,
}

impl<'p> Printer<'p> {
    pub(super) fn new(
        module: &'p Words<'p>,
        options: PrintOptions,
        out: &'p mut dyn Write,
    ) -> Self {
        let names = vec![String::new(); module.values.len()];
        Self { module, options, out, names, results: 0, arguments: 0, regions: 0 }
    }

    pub(super) fn operation(&mut self, operation: &Operation, depth: usize) -> io::Result<()> {
        if operation.is(builtin::NAME, "unrealized_conversion_cast") {
            // Between the types of VHLO and those that they stand for.
            for (result, operand) in operation.results.iter().zip(&operation.operands) {
                if let Some(name) = self.names.get(*operand).cloned() {
                    self.name(*result, name);
                }
            }
            return Ok(());
        }
        let indent = "  ".repeat(depth);
        write!(self.out, "{indent}")?;
        if operation.is(builtin::NAME, "module") {
            return self.of_module(operation, depth);
        }
        let (name, version) = operation.name.rsplit_once("_v").unwrap_or((&operation.name, ""));
        let is_own = *operation.dialect == *VHLO && !version.is_empty();
        if is_own && name == "func" {
            return self.function(operation, depth);
        }
        let full = match name {
            "return" if is_own && self.regions == 0 => "func.return".to_owned(),
            "call" if is_own => "func.call".to_owned(),
            _ if is_own => format!("stablehlo.{name}"),
            _ => format!("{}.{}", operation.dialect, operation.name),
        };
        match operation.results.len() {
            0 => {}
            1 => {
                write!(self.out, "%{} = ", self.results)?;
                self.name(operation.results[0], format!("%{}", self.results));
                self.results += 1;
            }
            count => {
                write!(self.out, "%{}:{count} = ", self.results)?;
                for (at, result) in operation.results.iter().enumerate() {
                    self.name(*result, format!("%{}#{at}", self.results));
                }
                self.results += 1;
            }
        }
        let operands: Vec<&str> =
            operation.operands.iter().map(|value| self.called(*value)).collect();
        write!(self.out, "\"{full}\"({})", operands.join(", "))?;
        let (inherent, others) = self.split(operation, name, is_own);
        if !inherent.is_empty() {
            write!(self.out, " <{{{}}}>", inherent.join(", "))?;
        }
        if !operation.regions.is_empty() {
            write!(self.out, " (")?;
            for (at, region) in operation.regions.iter().enumerate() {
                write!(self.out, "{}{{", if at > 0 { ", " } else { "" })?;
                for block in region {
                    writeln!(self.out)?;
                    self.block(block, depth)?;
                    write!(self.out, "{indent}")?;
                }
                write!(self.out, "}}")?;
            }
            write!(self.out, ")")?;
        }
        if !others.is_empty() {
            write!(self.out, " {{{}}}", others.join(", "))?;
        }
        let kinds =
            |values: &[Value]| values.iter().map(|value| self.kind(*value)).collect::<Vec<_>>();
        let (from, to) = (kinds(&operation.operands).join(", "), kinds(&operation.results));
        match &to[..] {
            [one] if !one.contains("->") => writeln!(self.out, " : ({from}) -> {one}"),
            _ => writeln!(self.out, " : ({from}) -> ({})", to.join(", ")),
        }
    }

    fn name(&mut self, value: Value, name: String) {
        if let Some(own) = self.names.get_mut(value) {
            *own = name;
        }
    }

    pub(super) fn called(&self, value: Value) -> &str {
        self.names.get(value).map_or("%?", |name| name)
    }

    pub(super) fn kind(&self, value: Value) -> String {
        let kind = self.module.values.get(value);
        kind.map_or_else(String::new, |kind| types::text(self.module, *kind))
    }

    /// A block of a region, with a label if it takes values.
    fn block(&mut self, block: &Block, depth: usize) -> io::Result<()> {
        if !block.arguments.is_empty() {
            let arguments = self.arguments(&block.arguments);
            writeln!(self.out, "{}^bb0({}):", "  ".repeat(depth), arguments.join(", "))?;
        }
        self.regions += 1;
        for operation in &block.operations {
            self.operation(operation, depth + 1)?;
        }
        self.regions -= 1;
        Ok(())
    }

    pub(super) fn arguments(&mut self, values: &[Value]) -> Vec<String> {
        let mut all = Vec::new();
        for value in values {
            let name = format!("%arg{}", self.arguments);
            self.arguments += 1;
            all.push(format!("{name}: {}", self.kind(*value)));
            self.name(*value, name);
        }
        all
    }

    fn of_module(&mut self, operation: &Operation, depth: usize) -> io::Result<()> {
        write!(self.out, "module")?;
        let mut rest = Vec::new();
        for (name, value) in &operation.attributes {
            match self.module.bytes(*name) {
                b"sym_name" => {
                    let own = self.module.text_of(*value).unwrap_or_default();
                    write!(self.out, " {}", attributes::reference(own))?;
                }
                name => rest.push(format!("{} = {}", attributes::bare(name), self.value(*value))),
            }
        }
        if !rest.is_empty() {
            write!(self.out, " attributes {{{}}}", rest.join(", "))?;
        }
        writeln!(self.out, " {{")?;
        for block in operation.regions.iter().flatten() {
            for operation in &block.operations {
                self.operation(operation, depth + 1)?;
            }
        }
        writeln!(self.out, "{}}}", "  ".repeat(depth))
    }

    fn function(&mut self, operation: &Operation, depth: usize) -> io::Result<()> {
        let module = self.module;
        let own = |name| module.attribute(operation, name);
        let text = |name| own(name).and_then(|id| module.text_of(id)).unwrap_or_default();
        let visibility = String::from_utf8_lossy(text("sym_visibility")).into_owned();
        let space = if visibility.is_empty() { "" } else { " " };
        let name = attributes::reference(text("sym_name"));
        write!(self.out, "func.func{space}{visibility} {name}(")?;
        let kind = own("function_type").and_then(|id| module.attributes.get(id));
        let kind = kind.and_then(|item| match item.fields.get(1) {
            Some(crate::module::Field::Type(kind)) => types::function(module, *kind),
            _ => None,
        });
        let (inputs, outputs) = kind.unwrap_or_default();
        let body = operation.regions.first().and_then(|region| region.first());
        let mut arguments = match body {
            Some(body) => self.arguments(&body.arguments),
            None => inputs.iter().map(|kind| types::text(module, *kind)).collect(),
        };
        let mut results: Vec<String> =
            outputs.iter().map(|kind| types::text(module, *kind)).collect();
        for (list, texts) in [("arg_attrs", &mut arguments), ("res_attrs", &mut results)] {
            let Some(all) = own(list).and_then(|id| values::list(module, id)) else { continue };
            for (text, id) in texts.iter_mut().zip(all) {
                let said = attributes::text(module, id);
                if said != "{}" {
                    *text = format!("{text} {said}");
                }
            }
        }
        write!(self.out, "{})", arguments.join(", "))?;
        if !results.is_empty() {
            write!(self.out, " -> ({})", results.join(", "))?;
        }
        let known = ["arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility"];
        let mut rest = Vec::new();
        for (name, value) in &operation.attributes {
            let name = module.bytes(*name);
            if !known.iter().any(|one| one.as_bytes() == name) {
                rest.push(format!("{} = {}", attributes::bare(name), self.value(*value)));
            }
        }
        if !rest.is_empty() {
            write!(self.out, " attributes {{{}}}", rest.join(", "))?;
        }
        if let Some(body) = body {
            writeln!(self.out, " {{")?;
            for operation in &body.operations {
                self.operation(operation, depth + 1)?;
            }
            write!(self.out, "{}}}", "  ".repeat(depth))?;
        }
        writeln!(self.out)
    }

    pub(super) fn value(&self, id: Id) -> String {
        attributes::elided(self.module, id, self.options.elide)
    }
}
