//! Directives: conditions, definitions, inclusions. What stands in branches that are not taken is no part of the header.

use std::sync::Arc;

use super::condition::{defined, holds};
use super::depth::DEPTH;
use super::inclusion::{DirectiveWalk, HeaderSet, name_of};
use super::macros::{Macros, definition};
use super::model::{Header, HeaderPlace, HeaderProblem};
use super::pack::PragmaPack;
use super::token::{Token, TokenKind};

/// How many bytes of conditions are kept, over all sets.
const BUDGET: usize = 16 << 20;

/// What the directives of a header say.
pub struct PreprocessedHeader {
    /// The sets of conditions that tokens refer to, outermost first. The first one is empty.
    pub conditions: Vec<Arc<[String]>>,
    pub macros: Macros,
}

struct Open {
    condition: Arc<str>,
    /// The set that its condition makes with those around it.
    set: usize,
    taken: bool,
    /// Whether it counts: its own condition holds, and those around it do.
    counts: bool,
}

struct PreprocessorState<'a, 't> {
    header: &'a mut Header,
    walk: DirectiveWalk<'t>,
    together: &'t HeaderSet,
    own: Option<usize>,
    open: Vec<Open>,
    /// How many are open beyond the limit.
    too_deep: usize,
    sets: Vec<Arc<[String]>>,
    budget: usize,
    packing: PragmaPack,
    /// The name of an include guard that the next directive may define.
    guard: Option<String>,
}

/// Takes the directives out of the tokens and enters them in the header; takes out what is under conditions that do
/// not hold. `own`: which of the headers `together` it is.
pub fn run(
    tokens: &mut Vec<Token<'_>>,
    header: &mut Header,
    together: &HeaderSet,
    own: Option<usize>,
) -> PreprocessedHeader {
    let mut state = PreprocessorState {
        header,
        walk: DirectiveWalk::new(together, together.before(own), None),
        together,
        own,
        open: Vec::new(),
        too_deep: 0,
        sets: vec![Arc::default()],
        budget: BUDGET,
        packing: PragmaPack::default(),
        guard: None,
    };
    let last = tokens.last().map_or_else(HeaderPlace::default, |token| token.place);
    let mut first = true;
    tokens.retain_mut(|token| {
        let at_begin = std::mem::take(&mut first);
        if token.kind == TokenKind::Directive {
            state.directive(token, at_begin);
            return false;
        }
        state.guard = None;
        if !state.counts() {
            state.leave_out(token);
            return false;
        }
        token.conditions = state.open.last().map_or(0, |open| open.set);
        token.pack = state.packing.now;
        true
    });
    if !state.open.is_empty() {
        state.problem(last, "#if without #endif");
    }
    PreprocessedHeader { conditions: state.sets, macros: state.walk.macros }
}

impl PreprocessorState<'_, '_> {
    fn problem(&mut self, place: HeaderPlace, what: &str) {
        self.header.problems.push(HeaderProblem::at(place, what));
    }

    fn counts(&self) -> bool {
        self.open.last().is_none_or(|open| open.counts)
    }

    /// Remembers a word that no build sees by default, and under which condition it would.
    fn leave_out(&mut self, token: &Token<'_>) {
        let outer = self.open.iter().find(|open| !open.counts);
        let (Some(inner), Some(outer)) = (self.open.last(), outer) else { return };
        self.header.left_out.add(&outer.condition, &inner.condition, token);
    }

    /// Opens a branch. `holds`: whether its own condition does; `taken`: whether a branch before it was taken.
    fn enter(&mut self, place: HeaderPlace, condition: String, holds: bool, taken: bool) {
        if self.open.len() >= DEPTH {
            self.too_deep += 1;
            return self.problem(place, "conditions are nested too deeply");
        }
        let counts = self.counts() && holds && !taken;
        let around = self.open.last().map_or(0, |open| open.set);
        let mut set = around;
        // What does not count refers to no set.
        if counts {
            let mut conditions =
                self.sets.get(around).map_or_else(Vec::new, |around| around.to_vec());
            conditions.push(condition.clone());
            let bytes: usize = conditions.iter().map(|c| c.len() + 32).sum();
            match self.budget.checked_sub(bytes) {
                Some(left) => {
                    self.budget = left;
                    self.sets.push(Arc::from(conditions));
                    set = self.sets.len() - 1;
                }
                None => self.problem(place, "too many conditions to keep them all"),
            }
        }
        let condition = Arc::from(condition);
        self.open.push(Open { condition, set, taken: taken || holds, counts });
    }

    fn leave(&mut self, place: HeaderPlace, word: &str) -> Option<Open> {
        let left = self.open.pop();
        if left.is_none() {
            self.problem(place, &format!("#{word} without #if"));
        }
        left
    }

    fn directive(&mut self, token: &Token<'_>, first: bool) {
        let text = &*token.text;
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let (place, rest) = (token.place, rest.trim());
        let guard = self.guard.take();
        let counts = self.counts();
        match word {
            "if" => {
                let holds = counts && self.holds(rest);
                self.enter(place, rest.to_owned(), holds, false);
            }
            "ifdef" => {
                let holds = defined(rest, &self.walk.macros);
                self.enter(place, format!("defined({rest})"), holds, false);
            }
            "ifndef" => {
                self.guard = (first || self.open.is_empty()).then(|| rest.to_owned());
                let holds = !defined(rest, &self.walk.macros);
                self.enter(place, format!("!defined({rest})"), holds, false);
            }
            "elif" | "else" | "endif" if self.too_deep > 0 => {
                self.too_deep -= usize::from(word == "endif");
            }
            // A branch has its own words, and not those of the branches before it as well.
            "elif" => {
                let taken = self.leave(place, word).is_some_and(|before| before.taken);
                let holds = !taken && self.counts() && self.holds(rest);
                self.enter(place, rest.to_owned(), holds, taken);
            }
            "else" => {
                if let Some(before) = self.leave(place, word) {
                    self.enter(place, negated(&before.condition), true, before.taken);
                }
            }
            "endif" => {
                self.leave(place, word);
            }
            "define" => {
                if guard.is_some_and(|name| name == rest)
                    && let Some(top) = self.open.last_mut()
                {
                    top.set = 0;
                }
                match definition(place, rest) {
                    None => self.problem(place, "#define without a name"),
                    Some(mut found) if counts => {
                        let set = self.open.last().map_or(0, |open| open.set);
                        found.conditions = self.sets.get(set).cloned().unwrap_or_default();
                        self.walk.macros.define(Arc::new(found), place, true);
                    }
                    Some(found) => {
                        let (kind, text) = (TokenKind::Word, found.name.into());
                        self.leave_out(&Token { kind, text, ..token.clone() });
                    }
                }
            }
            "include" => self.include(place, rest, counts),
            "pragma" if rest.starts_with("pack") && counts => {
                if !self.packing.take(rest.trim_start_matches("pack")) {
                    self.problem(place, "#pragma pack: layouts may differ from what C does");
                }
            }
            "undef" if counts => self.walk.macros.undefine(rest, place),
            "pragma" | "undef" | "error" | "warning" | "line" | "" => {}
            _ if !counts => {}
            _ => self.problem(place, &format!("an unknown directive: #{word}")),
        }
    }

    /// Brings the macros of a header that is included.
    fn include(&mut self, place: HeaderPlace, rest: &str, counts: bool) {
        let name = name_of(rest);
        self.header.includes.push(name.to_owned());
        let own = self.own.and_then(|own| match rest.starts_with(['"', '<']) {
            true => self.together.find(own, name),
            false => self.walk.named_by_macro(own, rest),
        });
        if let Some(found) = own.filter(|_| counts) {
            self.walk.header(found, place, 0);
        }
    }

    /// Whether the expression of a branch holds; what is not understood is taken to.
    fn holds(&self, text: &str) -> bool {
        holds(text, &self.walk.macros).unwrap_or(true)
    }
}

/// The condition of an `#else`; a second one for the same `#if` does not grow it.
fn negated(condition: &str) -> String {
    match condition.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.to_owned(),
        None => format!("!({condition})"),
    }
}
