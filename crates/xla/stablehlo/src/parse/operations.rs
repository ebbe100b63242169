//! Operations in the generic form, and values by their names.

use std::collections::HashMap;
use std::sync::Arc;

use unskew_core::Version;
use unskew_source::{ReadError, Source};

use super::attributes::{self, Aliases, Attr, Named};
use super::lower::{self, Lowering, World, Written};
use super::scanner::Scanner;
use super::types::{self, Type};
use crate::bytecode::entries::builtin;
use crate::module::{Block, Module, Operation, Region, VHLO};
use crate::rewrite::forms;

/// The version of which the oldest form of an operation is.
const OLDEST: Version = Version::triple(0, 9, 0);

/// A value that has a name.
#[derive(Clone)]
struct Slot {
    value: usize,
    world: World,
    kind: Arc<Type>,
}

/// The values that can be named here.
struct Scope {
    names: HashMap<String, Vec<Slot>>,
    /// Whether those outside cannot.
    isolated: bool,
}

/// A value as an operand names it: `%0#1`.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) name: String,
    pub(super) index: usize,
    pub(super) at: usize,
}

#[derive(Default)]
pub(super) struct Parsed {
    pub(super) at: usize,
    /// Its name with its dialect: `stablehlo.add`.
    pub(super) name: String,
    pub(super) operands: Vec<Use>,
    pub(super) named: Named,
    /// The names of the attributes that belong to the operation in the generic form.
    pub(super) inherent: Vec<Vec<u8>>,
    pub(super) regions: Vec<Region>,
    pub(super) inputs: Vec<Arc<Type>>,
    pub(super) outputs: Vec<Arc<Type>>,
}

impl Parsed {
    pub(super) fn set(&mut self, name: &str, value: Attr) {
        self.named.push((name.as_bytes().to_vec(), value));
    }
}

/// Reads a text.
pub(super) struct TextReader<'s> {
    pub(super) scanner: Scanner<'s>,
    pub(super) aliases: Aliases,
    pub(super) made: Lowering,
    scopes: Vec<Scope>,
}

impl<'s> TextReader<'s> {
    pub(super) fn new(source: &'s dyn Source, text: &'s [u8]) -> Self {
        Self {
            scanner: Scanner::new(source, text),
            aliases: Aliases::default(),
            made: Lowering::new(Module::empty(source.name())),
            scopes: Vec::new(),
        }
    }

    /// The whole text: names for attributes and types, and a module.
    pub(super) fn all(mut self) -> Result<Module, ReadError> {
        let mut top = Vec::new();
        self.enter(true);
        while !self.scanner.ends() {
            if !self.alias()? {
                self.operation(&mut top)?;
            }
        }
        self.leave();
        let is_module = matches!(&top[..], [one] if one.is(builtin::NAME, "module"));
        if top.is_empty() {
            return Err(self.scanner.error("nothing stands there but comments"));
        }
        if !is_module {
            let mut module = Operation::new(builtin::NAME, "module", self.made.location);
            module.regions = vec![vec![Block::new(Vec::new(), self.made.location, top)]];
            module.isolated = true;
            top = vec![module];
        }
        self.made.module.top = Block::new(Vec::new(), self.made.location, top);
        Ok(self.made.module)
    }

    /// `#name = attribute`, `!name = type`.
    fn alias(&mut self) -> Result<bool, ReadError> {
        let sign = match self.scanner.rest().first() {
            Some(b'#') => "#",
            Some(b'!') => "!",
            Some(b'{') => {
                return Err(self.scanner.unknown("resources behind a program are not read"));
            }
            _ => return Ok(false),
        };
        let name = self.scanner.suffix(sign)?.to_owned();
        self.scanner.needs("=")?;
        match sign {
            _ if self.scanner.peek() == "loc" => self.scanner.location()?,
            "#" => {
                let aliases = &self.aliases;
                let value = self.scanner.aliased(|scanner| attributes::read(scanner, aliases))?;
                self.aliases.attributes.insert(name, value);
            }
            _ => {
                let aliases = &self.aliases;
                let value = self.scanner.aliased(|scanner| types::read(scanner, aliases))?;
                self.aliases.types.insert(name, value);
            }
        }
        Ok(true)
    }

    pub(super) fn enter(&mut self, isolated: bool) {
        self.scopes.push(Scope { names: HashMap::new(), isolated });
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Reads an operation, and puts it behind others.
    pub(super) fn operation(&mut self, out: &mut Vec<Operation>) -> Result<(), ReadError> {
        self.scanner.made(1)?;
        let mut names: Vec<(String, usize)> = Vec::new();
        let at = self.scanner.place();
        if self.scanner.starts("%") {
            loop {
                let name = self.scanner.suffix("%")?.to_owned();
                let mut count = 1;
                if self.scanner.takes(":") {
                    let number = self.scanner.integer()?;
                    // Each has a type of at least one byte.
                    let most = self.scanner.rest().len();
                    let number = usize::try_from(number).ok().filter(|number| *number <= most);
                    count = number.ok_or_else(|| self.scanner.error("so many results"))?;
                }
                names.push((name, count));
                if !self.scanner.takes(",") {
                    break;
                }
            }
            self.scanner.needs("=")?;
        }
        let start = self.scanner.place();
        if self.scanner.starts("\"") {
            let parsed = self.generic(start)?;
            return self.finish(parsed, names, at, out);
        }
        let name = self.scanner.word()?.to_owned();
        match &*name {
            "module" | "builtin.module" => return self.of_module(out),
            "func.func" => return self.function(start, out),
            _ => {}
        }
        let mut parsed = Parsed { at: start, ..Parsed::default() };
        parsed.name = match &*name {
            "return" | "call" => format!("func.{name}"),
            _ => name,
        };
        self.pretty(&mut parsed)?;
        self.finish(parsed, names, at, out)
    }

    /// `"stablehlo.add"(%a, %b) <{...}> ({...}) {...} : (...) -> ...`.
    fn generic(&mut self, at: usize) -> Result<Parsed, ReadError> {
        let name = self.scanner.text()?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let mut parsed = Parsed { at, name, ..Parsed::default() };
        parsed.operands = self.uses("(", ")")?;
        if self.scanner.starts("[") {
            return Err(self.scanner.unknown("control flow between blocks is not read"));
        }
        if self.scanner.takes("<") {
            parsed.named = attributes::dictionary(&mut self.scanner, &self.aliases)?;
            parsed.inherent = parsed.named.iter().map(|(name, _)| name.clone()).collect();
            self.scanner.needs(">")?;
        }
        if self.scanner.starts("(") {
            self.bracketed_regions(&mut parsed)?;
        }
        if self.scanner.starts("{") {
            parsed.named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
        }
        self.scanner.needs(":")?;
        let aliases = &self.aliases;
        parsed.inputs = self.scanner.list("(", ")", |scanner| types::read(scanner, aliases))?;
        self.scanner.needs("->")?;
        parsed.outputs = types::results(&mut self.scanner, aliases)?;
        self.scanner.location()?;
        Ok(parsed)
    }

    /// `({ ... }, { ... })`.
    pub(super) fn bracketed_regions(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        self.scanner.needs("(")?;
        let (world, isolated) = region_of(&parsed.name);
        loop {
            let region = self.region(world, isolated, &[])?;
            parsed.regions.push(region);
            if !self.scanner.takes(",") {
                return self.scanner.needs(")");
            }
        }
    }

    /// Values between `open` and `close`, with commas.
    pub(super) fn uses(&mut self, open: &str, close: &str) -> Result<Vec<Use>, ReadError> {
        self.scanner.list(open, close, one_use)
    }

    /// Values with commas between them, up to what is no value.
    pub(super) fn bare_uses(&mut self) -> Result<Vec<Use>, ReadError> {
        let mut all = Vec::new();
        while self.scanner.starts("%") {
            all.push(one_use(&mut self.scanner)?);
            let comma = self.scanner.place();
            if !self.scanner.takes(",") {
                break;
            }
            if !self.scanner.starts("%") {
                self.scanner.back(comma);
                break;
            }
        }
        Ok(all)
    }

    /// Gives a value a name.
    pub(super) fn define(
        &mut self,
        name: &str,
        at: usize,
        world: World,
        kinds: &[Arc<Type>],
    ) -> Result<Vec<usize>, ReadError> {
        let mut slots = Vec::new();
        for kind in kinds {
            let id =
                self.made.r#type(world, kind).map_err(|what| self.scanner.unknown_at(at, &what))?;
            let value = self.made.module.value(id);
            slots.push(Slot { value, world, kind: Arc::clone(kind) });
        }
        let values = slots.iter().map(|slot| slot.value).collect();
        let Some(scope) = self.scopes.last_mut() else { return Ok(values) };
        if !name.is_empty() && scope.names.insert(name.to_owned(), slots).is_some() {
            return Err(self.scanner.error_at(at, &format!("`%{name}` is defined twice")));
        }
        Ok(values)
    }

    /// The value that a use names, cast to the types of an operation if it has those of others.
    fn value(
        &mut self,
        one: &Use,
        world: World,
        kind: &Arc<Type>,
        out: &mut Vec<Operation>,
    ) -> Result<usize, ReadError> {
        let mut found = None;
        for scope in self.scopes.iter().rev() {
            found = scope.names.get(&one.name);
            if found.is_some() || scope.isolated {
                break;
            }
        }
        let slot = found.and_then(|slots| slots.get(one.index)).cloned().ok_or_else(|| {
            let index = if one.index > 0 { format!("#{}", one.index) } else { String::new() };
            self.scanner.error_at(one.at, &format!("`%{}{index}` is not defined before", one.name))
        })?;
        if slot.kind != *kind {
            let what = format!("`%{}` is of another type where it is defined", one.name);
            return Err(self.scanner.error_at(one.at, &what));
        }
        if slot.world == world {
            return Ok(slot.value);
        }
        let id =
            self.made.r#type(world, kind).map_err(|what| self.scanner.unknown_at(one.at, &what))?;
        let value = self.made.module.value(id);
        let mut cast =
            Operation::new(builtin::NAME, "unrealized_conversion_cast", self.made.location);
        cast.operands.push(slot.value);
        cast.results.push(value);
        out.push(cast);
        Ok(value)
    }

    /// Makes an operation of what was read.
    pub(super) fn finish(
        &mut self,
        parsed: Parsed,
        names: Vec<(String, usize)>,
        at: usize,
        out: &mut Vec<Operation>,
    ) -> Result<(), ReadError> {
        let Parsed { at: start, name, operands, named, inherent, regions, inputs, outputs } =
            parsed;
        if operands.len() != inputs.len() {
            let what = format!("{} operands and {} types of them", operands.len(), inputs.len());
            return Err(self.scanner.error_at(start, &what));
        }
        let count: usize = names.iter().map(|(_, count)| *count).sum();
        if count != outputs.len() && count > 0 {
            let what = format!("{count} results and {} types of them", outputs.len());
            return Err(self.scanner.error_at(start, &what));
        }
        let unknown = |what: &str| self.scanner.unknown_at(start, what);
        let (dialect, short) = name.split_once('.').unwrap_or(("", &name));
        let mut operation = match (dialect, short) {
            ("stablehlo" | "mhlo", _) | ("func", "return" | "call" | "func") => {
                let form = lower::form(short).filter(|_| dialect != "mhlo");
                let form =
                    form.ok_or_else(|| unknown(&format!("the operation `{name}` is not known")))?;
                Operation::new(VHLO, &form, self.made.location)
            }
            (builtin::NAME, "module") => {
                Operation::new(builtin::NAME, "module", self.made.location)
            }
            ("vhlo", _) => {
                return Err(unknown("operations of VHLO are not read as text; give the bytecode"));
            }
            _ if lower::is_known(dialect, short) => {
                Operation::new(dialect, short, self.made.location)
            }
            _ => return Err(unknown(&format!("the operation `{name}` is not read"))),
        };
        let (world, isolated) = region_of(&name);
        for (one, kind) in operands.iter().zip(&inputs) {
            let value = self.value(one, world, kind, out)?;
            operation.operands.push(value);
        }
        let lowered = match *operation.dialect == *VHLO {
            true => {
                let written = Written { name: short, named: &named, inputs: &inputs };
                self.made.own(&mut operation, &written)
            }
            false => self.made.foreign(&mut operation, &named, &inherent),
        };
        lowered.map_err(|what| self.scanner.unknown_at(start, &format!("`{name}`, {what}")))?;
        operation.regions = regions;
        operation.isolated = isolated;
        let names = if names.is_empty() { vec![(String::new(), outputs.len())] } else { names };
        let mut rest = &outputs[..];
        for (name, count) in names {
            let (own, more) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            operation.results.extend(self.define(&name, at, world, own)?);
            rest = more;
        }
        if *operation.dialect == *VHLO {
            // The last form that can say it is good enough.
            let _ = forms::bring(&mut self.made.module, &mut operation, OLDEST);
        }
        out.push(operation);
        Ok(())
    }
}

/// Whose types the blocks of an operation have, and whether they see nothing from outside.
fn region_of(name: &str) -> (World, bool) {
    let own = name.starts_with("stablehlo.") || name.starts_with("func.");
    let isolated = matches!(name, "func.func" | "builtin.module");
    (if own { World::Vhlo } else { World::Plain }, isolated)
}

fn one_use(scanner: &mut Scanner<'_>) -> Result<Use, ReadError> {
    let at = scanner.place();
    let name = scanner.suffix("%")?.to_owned();
    let mut index = 0;
    if scanner.takes("#") {
        let number = scanner.integer()?;
        index = usize::try_from(number).map_err(|_| scanner.error("no number of a result"))?;
    }
    Ok(Use { name, index, at })
}
