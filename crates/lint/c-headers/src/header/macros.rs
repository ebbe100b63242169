//! Macros and where they count: a definition reaches from its line to the `#undef`.

use super::model::{Header, HeaderPlace, Macro};
use super::token::{Token, lex};
use foldhash::{HashMap, HashMapExt as _};

/// The macros of a header and of those that it includes.
pub struct Macros<'a> {
    own: Vec<Macro>,
    /// Where each name is defined: where conditions do not hold, and where they do. Both are in the order of the text.
    by_name: HashMap<String, [Vec<usize>; 2]>,
    included: HashMap<&'a str, &'a Macro>,
}

impl<'a> Macros<'a> {
    /// Those of headers that are included.
    pub fn from_headers(included: &[&'a Header]) -> Self {
        let mut found = HashMap::new();
        for defined in included.iter().flat_map(|header| &header.macros) {
            if defined.active && defined.until.is_none() {
                found.insert(defined.name.as_str(), defined);
            }
        }
        Self { own: Vec::new(), by_name: HashMap::new(), included: found }
    }

    pub fn define(&mut self, defined: Macro) {
        let known = self.by_name.entry(defined.name.clone()).or_default();
        known[usize::from(defined.active)].push(self.own.len());
        self.own.push(defined);
    }

    pub fn undefine(&mut self, name: &str, place: HeaderPlace) {
        // Those before the last one ended where the next begins.
        let last = self.by_name.get(name).and_then(|[_, active]| active.last().copied());
        if let Some(defined) = last.and_then(|index| self.own.get_mut(index)) {
            defined.until.get_or_insert(place);
        }
    }

    /// Whether a name stands for something at any place.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.included.contains_key(name)
    }

    /// What a name stands for at a place.
    pub fn at(&self, name: &str, place: HeaderPlace) -> Option<&Macro> {
        let own = self.before(name, place, true);
        let open = own.filter(|defined| defined.until.is_none_or(|until| until > place));
        match own {
            Some(_) => open,
            None => self.included.get(name).copied(),
        }
    }

    /// The same inside of a branch that does not count: there the definitions of such branches do.
    pub fn at_inactive(&self, name: &str, place: HeaderPlace) -> Option<&Macro> {
        self.at(name, place).or_else(|| self.before(name, place, false))
    }

    fn before(&self, name: &str, place: HeaderPlace, active: bool) -> Option<&Macro> {
        let known = &self.by_name.get(name)?[usize::from(active)];
        let place_of = |index: usize| self.own.get(index).map(|defined| defined.place);
        let at = known.partition_point(|index| place_of(*index) < Some(place));
        at.checked_sub(1).and_then(|last| self.own.get(*known.get(last)?))
    }

    /// All of the header itself, in order.
    pub fn into_own(self) -> Vec<Macro> {
        self.own
    }
}

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
    let mut out: Vec<Token<'a>> = Vec::with_capacity(body.len());
    let mut paste = false;
    for token in body {
        if token.text == "##" {
            paste = true;
            continue;
        }
        let argument = parameters.iter().position(|p| **p == token.text);
        let own = std::slice::from_ref(&token);
        let replaced = match argument {
            Some(index) => arguments.get(index).map(Vec::as_slice).unwrap_or_default(),
            None => own,
        };
        *budget = budget.checked_sub(replaced.iter().map(cost).sum())?;
        for (index, token) in replaced.iter().enumerate() {
            match out.last_mut() {
                Some(last) if paste && index == 0 => last.text.to_mut().push_str(&token.text),
                _ => out.push(token.clone()),
            }
        }
        paste = false;
    }
    Some(out)
}

/// What a token takes, about.
pub fn cost(token: &Token<'_>) -> usize {
    token.text.len() + 16
}
