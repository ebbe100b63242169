//! Functions and modules.

use std::sync::Arc;

use unskew_source::ReadError;

use super::attributes::{self, Attr, Named};
use super::lower::World;
use super::operations::{Parsed, TextReader};
use super::regions::Argument;
use super::types::{self, Type};
use crate::bytecode::entries::builtin;
use crate::module::{Block, Operation};

impl TextReader<'_> {
    /// `module @name attributes {...} { ... }`.
    pub(super) fn of_module(&mut self, out: &mut Vec<Operation>) -> Result<(), ReadError> {
        let at = self.scanner.place();
        let mut named = Named::new();
        if self.scanner.starts("@") {
            let mut path = attributes::symbol(&mut self.scanner)?;
            named.push((b"sym_name".to_vec(), Attr::Text(path.swap_remove(0))));
        }
        if self.scanner.takes_word("attributes") {
            named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
        }
        let mut region = self.region(World::Plain, true, &[])?;
        if region.is_empty() {
            region.push(Block::new(Vec::new(), self.made.location, Vec::new()));
        }
        self.scanner.location()?;
        let mut operation = Operation::new(builtin::NAME, "module", self.made.location);
        let lowered = self.made.foreign(&mut operation, &named, &[]);
        lowered.map_err(|what| self.scanner.unknown_at(at, &format!("`module`, {what}")))?;
        operation.regions.push(region);
        operation.isolated = true;
        out.push(operation);
        Ok(())
    }

    /// `func.func public @main(%a: tensor<f32> {...}) -> (tensor<f32> {...}) attributes {...} { ... }`.
    pub(super) fn function(
        &mut self,
        at: usize,
        out: &mut Vec<Operation>,
    ) -> Result<(), ReadError> {
        let mut parsed = Parsed { at, name: "func.func".to_owned(), ..Parsed::default() };
        if ["public", "private", "nested"].contains(&self.scanner.peek()) {
            let word = self.scanner.word()?.as_bytes().to_vec();
            parsed.set("sym_visibility", Attr::Text(word));
        }
        let mut path = attributes::symbol(&mut self.scanner)?;
        parsed.set("sym_name", Attr::Text(path.swap_remove(0)));
        let aliases = &self.aliases;
        let read = self.scanner.list("(", ")", |scanner| {
            let place = scanner.place();
            let mut name = String::new();
            if scanner.starts("%") {
                name = scanner.suffix("%")?.to_owned();
                scanner.needs(":")?;
            }
            let kind = types::read(scanner, aliases)?;
            let mut own = Named::new();
            if scanner.starts("{") {
                own = attributes::dictionary(scanner, aliases)?;
            }
            scanner.location()?;
            Ok(((name, place, kind), own))
        })?;
        let (arguments, own): (Vec<Argument>, Vec<Named>) = read.into_iter().unzip();
        lists(&mut parsed, "arg_attrs", own);
        let outputs =
            if self.scanner.takes("->") { self.outputs(&mut parsed)? } else { Vec::new() };
        let inputs = arguments.iter().map(|(_, _, kind)| Arc::clone(kind)).collect();
        parsed.set("function_type", Attr::Type(Arc::new(Type::Function(inputs, outputs))));
        if self.scanner.takes_word("attributes") {
            parsed.named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
        }
        let region = match self.scanner.starts("{") {
            true => self.region(World::Vhlo, true, &arguments)?,
            false => Vec::new(),
        };
        parsed.regions.push(region);
        self.scanner.location()?;
        self.finish(parsed, Vec::new(), at, out)
    }

    /// What a function gives, with the attributes of each.
    fn outputs(&mut self, parsed: &mut Parsed) -> Result<Vec<Arc<Type>>, ReadError> {
        let aliases = &self.aliases;
        if !self.scanner.starts("(") {
            return Ok(vec![types::read(&mut self.scanner, aliases)?]);
        }
        let read = self.scanner.list("(", ")", |scanner| {
            let kind = types::read(scanner, aliases)?;
            let mut own = Named::new();
            if scanner.starts("{") {
                own = attributes::dictionary(scanner, aliases)?;
            }
            Ok((kind, own))
        })?;
        let (kinds, own): (Vec<Arc<Type>>, Vec<Named>) = read.into_iter().unzip();
        lists(parsed, "res_attrs", own);
        Ok(kinds)
    }
}

/// The attributes of all arguments, if one has some.
fn lists(parsed: &mut Parsed, name: &str, own: Vec<Named>) {
    if own.iter().any(|one| !one.is_empty()) {
        let own = own.into_iter().map(Attr::Dictionary).collect();
        parsed.set(name, Attr::Array(own));
    }
}
