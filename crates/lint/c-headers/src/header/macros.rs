//! Macros and where they count: a definition reaches from its line to the `#undef`.

use std::sync::Arc;

use super::condition::arguments_of;
use super::expression;
use super::model::{HeaderPlace, Macro};
use super::token::{Token, TokenKind, lex};
use foldhash::HashMap;

/// How many bytes of tokens the values of a header's macros may be made of.
const VALUES: usize = 8 << 20;
/// How many macros stand for each other on the way to a value.
const NESTED: usize = 24;

/// The macros of a header, of those that it includes, and of whoever asks.
#[derive(Clone, Default)]
pub struct Macros {
    all: Vec<ReachingMacro>,
    /// Where each name is defined, in the order of the text.
    by_name: HashMap<String, Vec<usize>>,
}

/// A macro with the part of the text that it reaches.
#[derive(Clone)]
struct ReachingMacro {
    defined: Arc<Macro>,
    /// Where it begins to count: its line, or that of the `#include` that brings it.
    from: HeaderPlace,
    until: Option<HeaderPlace>,
    /// Whether the header itself defines it.
    own: bool,
}

impl Macros {
    /// Takes a definition that counts from `from` on.
    pub fn define(&mut self, defined: Arc<Macro>, from: HeaderPlace, own: bool) {
        if let Some(known) = self.by_name.get_mut(&defined.name) {
            known.push(self.all.len());
        } else {
            self.by_name.insert(defined.name.clone(), vec![self.all.len()]);
        }
        self.all.push(ReachingMacro { defined, from, until: None, own });
    }

    pub fn undefine(&mut self, name: &str, place: HeaderPlace) {
        // Those before the last one ended where the next begins.
        let last = self.by_name.get(name).and_then(|known| known.last().copied());
        if let Some(found) = last.and_then(|index| self.all.get_mut(index)) {
            found.until.get_or_insert(place);
        }
    }

    /// All that count now, as the macros of a header that is read next.
    pub fn carried_over(self) -> Self {
        let mut carried = Self::default();
        for (name, known) in self.by_name {
            let last = known.last().and_then(|index| self.all.get(*index));
            if let Some(found) = last.filter(|found| found.until.is_none()) {
                let (defined, from) = (Arc::clone(&found.defined), HeaderPlace::default());
                carried.by_name.insert(name, vec![carried.all.len()]);
                carried.all.push(ReachingMacro { defined, from, until: None, own: false });
            }
        }
        carried
    }

    /// Whether a name stands for something at any place.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// What a name stands for at a place.
    pub fn at(&self, name: &str, place: HeaderPlace) -> Option<&Macro> {
        let known = self.by_name.get(name)?;
        let from = |index: &usize| self.all.get(*index).map(|one| one.from);
        let behind = known.partition_point(|index| from(index) < Some(place));
        let found = self.all.get(*known.get(behind.checked_sub(1)?)?)?;
        found.until.is_none_or(|until| until > place).then_some(&*found.defined)
    }

    /// What a name stands for behind all that was read so far.
    pub fn now(&self, name: &str) -> Option<&Macro> {
        let found = self.all.get(*self.by_name.get(name)?.last()?)?;
        found.until.is_none().then_some(&*found.defined)
    }

    /// All of the header itself, in order, with the numbers that they stand for; `names` has those of enumerators.
    pub fn own(&self, names: &HashMap<String, i64>) -> Vec<Macro> {
        let own = self.all.iter().filter(|one| one.own);
        let mut budget = VALUES;
        own.map(|one| {
            let defined = &one.defined;
            let plain = defined.parameters.is_none();
            let value = plain.then(|| self.value(&defined.body, names, &mut budget)).flatten();
            Macro { until: one.until, value, ..(**defined).clone() }
        })
        .collect()
    }

    /// The number that a text stands for.
    fn value(&self, text: &str, names: &HashMap<String, i64>, budget: &mut usize) -> Option<i64> {
        let tokens = lex(text, &mut Vec::new()).tokens;
        let tokens = self.expanded(&tokens, budget, 0)?;
        expression::value(&tokens, names)
    }

    /// Tokens with the macros in their place that count at the end of the header.
    fn expanded<'a>(
        &'a self,
        tokens: &[Token<'a>],
        budget: &mut usize,
        depth: usize,
    ) -> Option<Vec<Token<'a>>> {
        let mut out = Vec::new();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            index += 1;
            let found = self.now(&token.text).filter(|_| token.kind == TokenKind::Word);
            let Some(found) = found.filter(|_| depth < NESTED) else {
                out.push(token.clone());
                continue;
            };
            let (arguments, length) = arguments_of(found, tokens.get(index..)?)?;
            index += length;
            let body = substituted(found, &arguments, budget)?;
            out.extend(self.expanded(&body, budget, depth + 1)?);
        }
        Some(out)
    }
}

/// What stands behind `#define`: name, parameters, text. None if there is no name.
pub fn definition(place: HeaderPlace, text: &str) -> Option<Macro> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let end = text.find(|c: char| !word(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    // Parameters begin right behind the name.
    let (parameters, body) = match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        Some((list, body)) => {
            let list = list.split(',').map(str::trim).filter(|p| !p.is_empty());
            (Some(list.map(str::to_owned).collect()), body)
        }
        None => (None, rest),
    };
    let (name, body) = (name.to_owned(), body.trim().to_owned());
    let conditions = Arc::default();
    Some(Macro { place, name, parameters, body, conditions, until: None, value: None })
}

/// What stands for the rest of the arguments in a macro that takes any number of them.
const REST: &str = "__VA_ARGS__";

/// A macro's text with its arguments in the place of its parameters, `##` carried out.
/// None if that would be more than the budget.
pub fn substituted<'a>(
    defined: &'a Macro,
    arguments: &[Vec<Token<'a>>],
    budget: &mut usize,
) -> Option<Vec<Token<'a>>> {
    *budget = budget.checked_sub(defined.body.len() + 16)?;
    let body = lex(&defined.body, &mut Vec::new()).tokens;
    let parameters = defined.parameters.as_deref().unwrap_or_default();
    let rest = rest_of(parameters, arguments, budget)?;
    let mut out: Vec<Token<'a>> = Vec::with_capacity(body.len());
    let mut paste = false;
    for token in body {
        if token.text == "##" {
            paste = true;
            continue;
        }
        let argument = parameters.iter().position(|p| **p == token.text);
        let own = std::slice::from_ref(&token);
        let replaced = match (&rest, argument) {
            (Some((name, rest)), _) if token.text == *name => rest.as_slice(),
            (_, Some(index)) => arguments.get(index).map(Vec::as_slice).unwrap_or_default(),
            (_, None) => own,
        };
        *budget = budget.checked_sub(replaced.iter().map(cost).sum())?;
        for (index, token) in replaced.iter().enumerate() {
            match out.last_mut() {
                // `, ## __VA_ARGS__` keeps its comma.
                Some(last) if paste && index == 0 && last.text != "," => {
                    last.text.to_mut().push_str(&token.text);
                }
                _ => out.push(token.clone()),
            }
        }
        if paste && replaced.is_empty() && rest.is_some() {
            out.pop_if(|last| last.text == ",");
        }
        paste = false;
    }
    Some(out)
}

/// The name by which a macro calls the rest of its arguments, and these with their commas, if it takes any number.
fn rest_of<'a>(
    parameters: &[String],
    arguments: &[Vec<Token<'a>>],
    budget: &mut usize,
) -> Option<Option<(String, Vec<Token<'a>>)>> {
    let Some(name) = parameters.last().and_then(|last| last.strip_suffix("...")) else {
        return Some(None);
    };
    let name = if name.trim().is_empty() { REST } else { name.trim() };
    let given = arguments.get(parameters.len() - 1..).unwrap_or_default();
    *budget = budget.checked_sub(given.iter().flatten().map(cost).sum())?;
    let mut rest: Vec<Token<'a>> = Vec::new();
    for (index, argument) in given.iter().enumerate() {
        if index > 0 {
            let like = argument.first().or(rest.last())?.clone();
            let (kind, text) = (TokenKind::Mark, ",".into());
            rest.push(Token { kind, text, named: false, ..like });
        }
        rest.extend(argument.iter().cloned());
    }
    Some(Some((name.to_owned(), rest)))
}

/// What a token takes, about.
pub fn cost(token: &Token<'_>) -> usize {
    token.text.len() + 16
}
