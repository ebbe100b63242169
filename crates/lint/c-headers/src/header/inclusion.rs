//! What a header sees of others: the macros of those that it includes, and of those that include it.
//!
//! Each header is read by itself, in the state in which a compiler reaches it. An `#include` of a header at hand is
//! followed for its directives; one that is not at hand brings nothing, so that its macros are not defined. A header
//! that others include is read as the first of them reaches it, with the macros that stand before.
//!
//! Every directive that is followed costs from one budget, so that many headers that include each other cost no more
//! than a few large ones. What is behind the end of the budget is read with the macros that were found until then.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::condition::{defined, holds};
use super::declaration::is_type;
use super::depth::DEPTH;
use super::macros::{Macros, definition};
use super::model::{Header, HeaderPlace, Macro};
use super::token::{TokenKind, lex};
use foldhash::{HashMap, HashSet};

/// How many directives of other headers are followed, for all headers together.
const BUDGET: usize = 1 << 20;
/// How many headers are looked at to find those that include one.
const STEPS: usize = 1 << 10;
/// How many headers that include one are tried.
const TRIED: usize = 4;

/// A line for the preprocessor, as far as it matters to who includes the header.
enum Directive {
    If(Box<str>),
    Defined(Box<str>, bool),
    Elif(Box<str>),
    Else,
    Endif,
    Define(Arc<Macro>),
    Undef(Box<str>),
    Include(usize),
    /// The name of a macro that stands for the name of the header.
    IncludeMacro(Box<str>),
    Once,
}

/// Headers that belong together, and what whoever asks defines.
#[derive(Default)]
pub struct HeaderSet {
    /// The directives of each, and of which others it includes which.
    headers: Vec<Vec<Directive>>,
    names: Vec<String>,
    /// Which headers include each.
    included_by: Vec<BTreeSet<usize>>,
    /// Which headers have a file name.
    by_base: HashMap<String, Vec<usize>>,
    /// Macros that are given: `-D NAME=VALUE`.
    given: Macros,
    budget: Cell<usize>,
    /// Names of types that any of them declares.
    pub types: HashSet<String>,
    /// The values of the enumerators that any of them declares.
    pub values: HashMap<String, i64>,
}

impl HeaderSet {
    /// Takes the directives of headers by their names, and definitions in the form `NAME` or `NAME=VALUE`.
    pub fn new<'t>(
        texts: impl IntoIterator<Item = (&'t str, &'t str)>,
        definitions: &[String],
    ) -> Self {
        let mut given = Macros::default();
        for text in definitions {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            let place = HeaderPlace::default();
            if let Some(found) = definition(place, &format!("{} {value}", name.trim())) {
                given.define(Arc::new(found), place, false);
            }
        }
        let mut together = Self { given, budget: Cell::new(BUDGET), ..Self::default() };
        let texts: Vec<(&str, &str)> = texts.into_iter().collect();
        for (index, (name, _)) in texts.iter().enumerate() {
            together.names.push((*name).to_owned());
            together.by_base.entry(base(name).to_owned()).or_default().push(index);
        }
        for (index, (_, text)) in texts.iter().enumerate() {
            let tokens = lex(text, &mut Vec::new()).tokens.into_iter();
            let lines = tokens.filter(|token| token.kind == TokenKind::Directive);
            let find = |name: &str| together.find(index, name);
            let found = lines.filter_map(|line| directive(&line.text, find)).collect();
            together.headers.push(found);
        }
        together.included_by = vec![BTreeSet::new(); together.headers.len()];
        for (from, lines) in together.headers.iter().enumerate() {
            for line in lines {
                if let Directive::Include(to) = line
                    && let Some(by) = together.included_by.get_mut(*to)
                {
                    by.insert(from);
                }
            }
        }
        together
    }

    /// The header that an `#include` of this name means: the one that shares the most of its path, a near one first.
    pub fn find(&self, from: usize, wanted: &str) -> Option<usize> {
        let candidates = self.by_base.get(base(wanted))?.iter().filter(|at| **at != from);
        let here = folder(self.names.get(from)?);
        let fits = candidates.filter_map(|at| {
            let name = self.names.get(*at)?;
            let (same, near) = (shared(name, wanted), folder(name) == here);
            let whole = same == parts(wanted) || same == parts(name);
            whole.then_some((same, near, std::cmp::Reverse(*at)))
        });
        fits.max().map(|(_, _, std::cmp::Reverse(at))| at)
    }

    /// Takes the names of types and the values that the headers declare.
    pub fn learn(&mut self, headers: &[Header]) {
        for declaration in headers.iter().flat_map(|header| &header.declarations) {
            if is_type(&declaration.item) {
                self.types.insert(declaration.item.name().to_owned());
            }
        }
        let values = headers.iter().flat_map(Header::enums).flat_map(|(_, one)| &one.enumerators);
        self.values.extend(values.filter_map(|one| Some((one.name.clone(), one.value?))));
    }

    /// Which of the headers are included only under conditions that do not hold: those of other systems.
    pub fn unreached(&self) -> BTreeSet<usize> {
        let all = 0..self.headers.len();
        let mut reached = BTreeSet::new();
        let is_root = |index: &usize| self.included_by.get(*index).is_some_and(BTreeSet::is_empty);
        for root in all.clone().filter(is_root) {
            let mut walk = DirectiveWalk::new(self, self.given.clone(), None);
            walk.header(root, HeaderPlace::default(), 0);
            reached.append(&mut walk.visited);
        }
        // Headers that include each other have no first one.
        match reached.is_empty() {
            true => BTreeSet::new(),
            false => all.filter(|index| !reached.contains(index)).collect(),
        }
    }

    /// The macros with which a header is read: those that are given, and those that whoever includes it first has.
    pub fn before(&self, index: Option<usize>) -> Macros {
        let Some(index) = index else { return self.given.clone() };
        // Those that nobody includes, over any number of steps.
        let (mut open, mut seen, mut roots) = (vec![index], BTreeSet::from([index]), Vec::new());
        while let Some(at) = open.pop().filter(|_| seen.len() < STEPS) {
            let Some(by) = self.included_by.get(at) else { continue };
            if by.is_empty() && at != index {
                roots.push(at);
            }
            open.extend(by.iter().filter(|from| seen.insert(**from)));
        }
        roots.sort_unstable();
        for root in roots.into_iter().take(TRIED) {
            let mut walk = DirectiveWalk::new(self, self.given.clone(), Some(index));
            walk.header(root, HeaderPlace::default(), 0);
            if walk.reached {
                return walk.macros.carried_over();
            }
        }
        self.given.clone()
    }
}

/// The walk over the directives of headers that are included.
pub struct DirectiveWalk<'t> {
    together: &'t HeaderSet,
    pub macros: Macros,
    /// Headers that are read once only.
    once: BTreeSet<usize>,
    visited: BTreeSet<usize>,
    /// The header at whose `#include` the walk ends, and whether it was reached.
    wanted: Option<usize>,
    reached: bool,
}

impl<'t> DirectiveWalk<'t> {
    pub fn new(together: &'t HeaderSet, macros: Macros, wanted: Option<usize>) -> Self {
        Self {
            together,
            macros,
            once: BTreeSet::new(),
            visited: BTreeSet::new(),
            wanted,
            reached: false,
        }
    }

    /// Follows a header that is included at `place`.
    pub fn header(&mut self, index: usize, place: HeaderPlace, depth: usize) {
        if depth > DEPTH || self.once.contains(&index) {
            return;
        }
        self.visited.insert(index);
        let together = self.together;
        let lines = together.headers.get(index).map(Vec::as_slice).unwrap_or_default();
        if guard(lines).is_some_and(|name| self.macros.now(name).is_some()) {
            return;
        }
        // Whether each open branch counts, and whether it or one before it was taken.
        let mut open: Vec<(bool, bool)> = Vec::new();
        for line in lines {
            let Some(left) = together.budget.get().checked_sub(1) else { return };
            together.budget.set(left);
            let counts = open.last().is_none_or(|(counts, _)| *counts);
            match line {
                Directive::If(text) => {
                    let holds = counts && holds(text, &self.macros).unwrap_or(true);
                    open.push((holds, holds || !counts));
                }
                Directive::Defined(name, wanted) => {
                    let holds = counts && defined(name, &self.macros) == *wanted;
                    open.push((holds, holds || !counts));
                }
                Directive::Elif(text) => {
                    if let Some((counts, taken)) = open.last_mut() {
                        *counts = !*taken && holds(text, &self.macros).unwrap_or(true);
                        *taken |= *counts;
                    }
                }
                Directive::Else => {
                    if let Some((counts, taken)) = open.last_mut() {
                        *counts = !std::mem::replace(taken, true);
                    }
                }
                Directive::Endif => {
                    open.pop();
                }
                _ if !counts => {}
                Directive::Define(found) => self.macros.define(Arc::clone(found), place, false),
                Directive::Undef(name) => self.macros.undefine(name, place),
                Directive::Once => {
                    self.once.insert(index);
                }
                Directive::IncludeMacro(name) => {
                    let found = self.named_by_macro(index, name);
                    self.reached |= found.is_some() && found == self.wanted;
                    if let Some(at) = found.filter(|_| !self.reached) {
                        self.header(at, place, depth + 1);
                    }
                }
                Directive::Include(at) if self.wanted == Some(*at) => self.reached = true,
                Directive::Include(at) => self.header(*at, place, depth + 1),
            }
            if self.reached {
                return;
            }
        }
    }
}

impl DirectiveWalk<'_> {
    /// The header that an `#include` of a macro means.
    pub fn named_by_macro(&self, from: usize, name: &str) -> Option<usize> {
        let mut text = name.to_owned();
        for _ in 0..8 {
            match self.macros.now(&text) {
                Some(found) => text.clone_from(&found.body),
                None => break,
            }
        }
        self.together.find(from, name_of(&text))
    }
}

/// The macro that keeps a header from being read twice, if it stands around all of it.
fn guard(lines: &[Directive]) -> Option<&str> {
    let [Directive::Defined(name, false), Directive::Define(defined), .., Directive::Endif] = lines
    else {
        return None;
    };
    (**name == *defined.name).then_some(name)
}

fn directive(text: &str, find: impl Fn(&str) -> Option<usize>) -> Option<Directive> {
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let rest = rest.trim();
    Some(match word {
        "if" => Directive::If(rest.into()),
        "ifdef" => Directive::Defined(rest.into(), true),
        "ifndef" => Directive::Defined(rest.into(), false),
        "elif" => Directive::Elif(rest.into()),
        "else" => Directive::Else,
        "endif" => Directive::Endif,
        "define" => Directive::Define(Arc::new(definition(HeaderPlace::default(), rest)?)),
        "undef" => Directive::Undef(rest.into()),
        "include" if rest.starts_with(['"', '<']) => Directive::Include(find(name_of(rest))?),
        "include" => Directive::IncludeMacro(rest.into()),
        "pragma" if rest == "once" => Directive::Once,
        _ => return None,
    })
}

/// The name in an `#include`, without its quotes or angles.
pub fn name_of(rest: &str) -> &str {
    rest.trim_matches(|c| matches!(c, '"' | '<' | '>'))
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How many parts a path has, without steps to other folders.
fn parts(path: &str) -> usize {
    path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).count()
}

/// How many of the last parts two paths share.
fn shared(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(x, y)| x == y && *x != "..").count()
}
