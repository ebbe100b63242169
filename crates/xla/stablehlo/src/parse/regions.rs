//! Regions: blocks in braces, and the operations that are written with theirs in an own way.

use std::sync::Arc;

use unskew_source::ReadError;

use super::attributes::{self, Attr};
use super::lower::World;
use super::operations::{Parsed, TextReader, Use};
use super::scanner::Scanner;
use super::types::{self, Type};
use crate::module::{Block, Region};

/// An argument of a block: its name, its place in the text, its type.
pub(super) type Argument = (String, usize, Arc<Type>);

impl TextReader<'_> {
    /// `{ operations }`, with the label of the block if it takes values that are not known already.
    pub(super) fn region(
        &mut self,
        world: World,
        isolated: bool,
        known: &[Argument],
    ) -> Result<Region, ReadError> {
        self.scanner.enter()?;
        self.enter(isolated);
        let region = self.blocks(world, known);
        self.leave();
        self.scanner.leave();
        region
    }

    fn blocks(&mut self, world: World, known: &[Argument]) -> Result<Region, ReadError> {
        self.scanner.needs("{")?;
        let mut arguments = known.to_vec();
        let labelled = self.scanner.starts("^");
        if labelled {
            self.scanner.suffix("^")?;
            if self.scanner.starts("(") {
                arguments = self.arguments()?;
            }
            self.scanner.needs(":")?;
        }
        let mut values = Vec::new();
        for (name, at, kind) in &arguments {
            values.extend(self.define(name, *at, world, std::slice::from_ref(kind))?);
        }
        let mut operations = Vec::new();
        while !self.scanner.takes("}") {
            if self.scanner.starts("^") {
                return Err(self.scanner.unknown("regions of several blocks are not read"));
            }
            self.operation(&mut operations)?;
        }
        if operations.is_empty() && values.is_empty() && !labelled {
            return Ok(Vec::new());
        }
        Ok(vec![Block::new(values, self.made.location, operations)])
    }

    /// `(%a: tensor<f32>, %b: tensor<f32>)`.
    pub(super) fn arguments(&mut self) -> Result<Vec<Argument>, ReadError> {
        let aliases = &self.aliases;
        self.scanner.list("(", ")", |scanner| {
            let at = scanner.place();
            let name = scanner.suffix("%")?.to_owned();
            scanner.needs(":")?;
            let kind = types::read(scanner, aliases)?;
            scanner.location()?;
            Ok((name, at, kind))
        })
    }

    /// `stablehlo.while(%a = %0, %b = %1) : types attributes {...} cond {...} do {...}`.
    pub(super) fn of_while(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let pairs: Vec<(String, usize, Use)> = self.scanner.list("(", ")", |scanner| {
            let at = scanner.place();
            let name = scanner.suffix("%")?.to_owned();
            scanner.needs("=")?;
            let place = scanner.place();
            let value = scanner.suffix("%")?.to_owned();
            let index = if scanner.takes("#") { scanner.integer()? } else { 0 };
            let index =
                usize::try_from(index).map_err(|_| scanner.error("no number of a result"))?;
            Ok((name, at, Use { name: value, index, at: place }))
        })?;
        if self.scanner.takes(":") {
            parsed.inputs = self.types()?;
        }
        if parsed.inputs.len() != pairs.len() {
            return Err(self.scanner.error("as many types as values"));
        }
        parsed.outputs.clone_from(&parsed.inputs);
        if self.scanner.takes_word("attributes") {
            parsed.named = attributes::dictionary(&mut self.scanner, &self.aliases)?;
        }
        let mut arguments = Vec::new();
        for ((name, at, value), kind) in pairs.into_iter().zip(&parsed.inputs) {
            arguments.push((name, at, Arc::clone(kind)));
            parsed.operands.push(value);
        }
        for word in ["cond", "do"] {
            self.scanner.needs_word(word)?;
            let region = self.region(World::Vhlo, false, &arguments)?;
            parsed.regions.push(region);
        }
        self.scanner.location()
    }

    /// `stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : type`, or with a body behind it.
    pub(super) fn of_reduce(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let mut first = Vec::new();
        loop {
            self.scanner.needs("(")?;
            first.extend(self.bare_uses()?);
            self.scanner.needs_word("init")?;
            self.scanner.needs(":")?;
            parsed.operands.extend(self.bare_uses()?);
            self.scanner.needs(")")?;
            if !self.scanner.takes(",") {
                break;
            }
        }
        first.append(&mut parsed.operands);
        parsed.operands = first;
        let mut applied = None;
        if self.scanner.takes_word("applies") {
            let at = self.scanner.place();
            let name = match self.scanner.starts("\"") {
                true => String::from_utf8_lossy(&self.scanner.text()?).into_owned(),
                false => self.scanner.word()?.to_owned(),
            };
            applied = Some((at, name));
        }
        self.scanner.needs_word("across")?;
        self.scanner.needs_word("dimensions")?;
        self.scanner.needs("=")?;
        let dims = self.scanner.list("[", "]", Scanner::integer)?;
        parsed.set("dimensions", Attr::Numbers(Type::scalar("i64"), dims));
        self.attributes_and_signature(parsed)?;
        let region = match applied {
            Some((at, name)) => self.applied(parsed, at, name)?,
            None => self.reducer(parsed)?,
        };
        parsed.regions.push(region);
        self.scanner.location()
    }

    /// The body of a reduction that is one operation of two values.
    fn applied(&mut self, parsed: &Parsed, at: usize, name: String) -> Result<Region, ReadError> {
        let half = parsed.inputs.len() / 2;
        let kind = parsed.inputs.get(half).and_then(|kind| kind.scalar_of()).map(Arc::new);
        let kind = kind.filter(|_| half == 1);
        let kind =
            kind.ok_or_else(|| self.scanner.error_at(at, "one operand, and where it starts"))?;
        self.enter(false);
        let arguments = self.define("a", at, World::Vhlo, std::slice::from_ref(&kind))?;
        let more = self.define("b", at, World::Vhlo, std::slice::from_ref(&kind))?;
        let one = |name: &str| Use { name: name.to_owned(), index: 0, at };
        let body = Parsed {
            at,
            name,
            operands: vec![one("a"), one("b")],
            inputs: vec![Arc::clone(&kind), Arc::clone(&kind)],
            outputs: vec![Arc::clone(&kind)],
            ..Parsed::default()
        };
        let end = Parsed {
            at,
            name: "stablehlo.return".to_owned(),
            operands: vec![one("c")],
            inputs: vec![kind],
            ..Parsed::default()
        };
        let mut operations = Vec::new();
        let done = self
            .finish(body, vec![("c".to_owned(), 1)], at, &mut operations)
            .and_then(|()| self.finish(end, Vec::new(), at, &mut operations));
        self.leave();
        done?;
        let arguments = [arguments, more].concat();
        Ok(vec![Block::new(arguments, self.made.location, operations)])
    }

    /// `reducer(%a: t, %b: t) (%c: u, %d: u) { ... }`: the first of all pairs come before the second.
    fn reducer(&mut self, parsed: &Parsed) -> Result<Region, ReadError> {
        self.scanner.needs_word("reducer")?;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        while self.scanner.starts("(") {
            let at = self.scanner.place();
            let mut pair = self.arguments()?.into_iter();
            let (Some(one), Some(two), None) = (pair.next(), pair.next(), pair.next()) else {
                return Err(self.scanner.error_at(at, "two values of each operand"));
            };
            first.push(one);
            second.push(two);
        }
        if first.len() * 2 != parsed.inputs.len() {
            return Err(self.scanner.error("a pair of values for each operand"));
        }
        first.append(&mut second);
        self.region(World::Vhlo, false, &first)
    }
}
