//! Directives: conditions, definitions, inclusions. Every branch is kept.

use std::ops::Range;
use std::sync::Arc;

use super::condition::{defined, holds};
use super::depth::DEPTH;
use super::macros::Macros;
use super::model::{Header, HeaderPlace, HeaderProblem, Macro};
use super::pack::PragmaPack;
use super::token::{Token, TokenKind};

/// How many bytes of conditions are kept, over all sets.
const BUDGET: usize = 16 << 20;

/// What the directives of a header say.
pub struct PreprocessedHeader<'i> {
    /// The sets of conditions that tokens refer to. The first one is empty.
    pub conditions: Vec<Conditions>,
    pub macros: Macros<'i>,
}

/// The conditions around something.
#[derive(Clone)]
pub struct Conditions {
    pub words: Arc<[String]>,
    /// Whether they hold where nothing but headers defines macros.
    pub hold: bool,
}

struct Open {
    condition: String,
    /// The set that its condition makes with those around it.
    set: usize,
    taken: bool,
}

struct PreprocessorState<'a, 'i> {
    header: &'a mut Header,
    macros: Macros<'i>,
    open: Vec<Open>,
    /// How many are open beyond the limit.
    too_deep: usize,
    sets: Vec<Conditions>,
    budget: usize,
    packing: PragmaPack,
    /// The name of an include guard that the next directive may define.
    guard: Option<String>,
}

/// Takes the directives out of the tokens and enters them in the header.
pub fn run<'i>(
    tokens: &mut Vec<Token<'_>>,
    header: &mut Header,
    included: &[&'i Header],
) -> PreprocessedHeader<'i> {
    let mut left_out = alternatives(tokens, header).into_iter().peekable();
    let mut state = PreprocessorState {
        header,
        macros: Macros::from_headers(included),
        open: Vec::new(),
        too_deep: 0,
        sets: vec![Conditions { words: Arc::default(), hold: true }],
        budget: BUDGET,
        packing: PragmaPack::default(),
        guard: None,
    };
    let last = tokens.last().map_or_else(HeaderPlace::default, |token| token.place);
    let mut index = 0;
    tokens.retain_mut(|token| {
        let at = index;
        index += 1;
        if token.kind == TokenKind::Directive {
            state.directive(token, at == 0);
            return false;
        }
        while left_out.next_if(|range| range.end <= at).is_some() {}
        if left_out.peek().is_some_and(|range| range.contains(&at)) {
            return false;
        }
        state.guard = None;
        token.conditions = state.current();
        token.pack = state.packing.now;
        true
    });
    if !state.open.is_empty() {
        state.problem(last, "#if without #endif");
    }
    PreprocessedHeader { conditions: state.sets, macros: state.macros }
}

impl PreprocessorState<'_, '_> {
    fn problem(&mut self, place: HeaderPlace, what: &str) {
        self.header.problems.push(HeaderProblem::at(place, what));
    }

    fn current(&self) -> usize {
        self.open.last().map_or(0, |open| open.set)
    }

    fn counts(&self) -> bool {
        self.sets.get(self.current()).is_none_or(|set| set.hold)
    }

    /// Opens a branch. `holds`: whether its own condition does; `taken`: whether a branch before it was taken.
    fn enter(&mut self, place: HeaderPlace, condition: String, holds: bool, taken: bool) {
        if self.open.len() >= DEPTH {
            self.too_deep += 1;
            return self.problem(place, "conditions are nested too deeply");
        }
        let around = self.sets.get(self.current()).cloned();
        let hold = around.as_ref().is_none_or(|around| around.hold) && holds && !taken;
        let mut conditions = around.map_or_else(Vec::new, |around| around.words.to_vec());
        conditions.push(condition.clone());
        let bytes: usize = conditions.iter().map(|c| c.len() + 32).sum();
        let set = match self.budget.checked_sub(bytes) {
            Some(left) => {
                self.budget = left;
                self.sets.push(Conditions { words: Arc::from(conditions), hold });
                self.sets.len() - 1
            }
            None => {
                self.problem(place, "too many conditions to keep them all");
                self.current()
            }
        };
        self.open.push(Open { condition, set, taken: taken || holds });
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
        match word {
            "if" => {
                let holds = self.holds(rest, place);
                self.enter(place, rest.to_owned(), holds, false);
            }
            "ifdef" => {
                let holds = defined(rest, place, &self.macros);
                self.enter(place, format!("defined({rest})"), holds, false);
            }
            "ifndef" => {
                self.guard = first.then(|| rest.to_owned());
                let holds = !defined(rest, place, &self.macros);
                self.enter(place, format!("!defined({rest})"), holds, false);
            }
            "elif" | "else" | "endif" if self.too_deep > 0 => {
                self.too_deep -= usize::from(word == "endif");
            }
            // A branch has its own words, and not those of the branches before it as well.
            "elif" => {
                let taken = self.leave(place, word).is_some_and(|before| before.taken);
                let holds = self.holds(rest, place);
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
                self.define(place, rest);
            }
            "include" => {
                let name = rest.trim_matches(|c| matches!(c, '"' | '<' | '>'));
                self.header.includes.push(name.to_owned());
            }
            "pragma" if rest.starts_with("pack") && self.counts() => {
                if !self.packing.take(rest.trim_start_matches("pack")) {
                    self.problem(place, "#pragma pack: layouts may differ from what C does");
                }
            }
            "undef" if self.counts() => self.macros.undefine(rest, place),
            "pragma" | "undef" | "error" | "warning" | "line" | "" => {}
            _ => self.problem(place, &format!("an unknown directive: #{word}")),
        }
    }

    fn define(&mut self, place: HeaderPlace, text: &str) {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return self.problem(place, "#define without a name");
        }
        // Parameters begin right behind the name.
        let (parameters, body) = match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            Some((list, body)) => {
                let list = list.split(',').map(str::trim).filter(|p| !p.is_empty());
                (Some(list.map(str::to_owned).collect()), body)
            }
            None => (None, rest),
        };
        let around = self.sets.get(self.current());
        let conditions = around.map_or_else(Arc::default, |around| Arc::clone(&around.words));
        let (name, body, active) = (name.to_owned(), body.trim().to_owned(), self.counts());
        let defined = Macro { place, name, parameters, body, conditions, active, until: None };
        self.macros.define(defined);
    }

    /// Whether the expression of a branch holds; what is not understood is taken to.
    fn holds(&self, text: &str, place: HeaderPlace) -> bool {
        holds(text, place, &self.macros).unwrap_or(true)
    }
}

/// The condition of an `#else`; a second one for the same `#if` does not grow it.
fn negated(condition: &str) -> String {
    match condition.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.to_owned(),
        None => format!("!({condition})"),
    }
}

/// A branch of an `#if`: where its tokens begin, and how many more braces it opens than it closes.
struct Branch {
    begin: usize,
    braces: isize,
}

/// The tokens of branches that are other beginnings of what the last branch begins too, in order.
fn alternatives(tokens: &[Token<'_>], header: &mut Header) -> Vec<Range<usize>> {
    let mut left_out: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<Vec<Branch>> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.kind == TokenKind::Directive {
            let begun = Branch { begin: index + 1, braces: 0 };
            let word = token.text.split(|c: char| !c.is_alphanumeric()).next();
            match word.unwrap_or_default() {
                "if" | "ifdef" | "ifndef" => open.push(vec![begun]),
                "else" | "elif" => {
                    if let Some(branches) = open.last_mut() {
                        branches.push(begun);
                    }
                }
                "endif" => {
                    let branches = open.pop().unwrap_or_default();
                    let Some((last, others)) = branches.split_last() else { continue };
                    let same = others.iter().all(|other| other.braces == last.braces);
                    if same && last.braces != 0 && !others.is_empty() {
                        header.alternatives.extend(
                            others.iter().filter_map(|other| {
                                tokens.get(other.begin).map(|token| token.place)
                            }),
                        );
                        let begin = others.first().map_or(last.begin, |first| first.begin);
                        // Those inside of it were found before it, and are part of it.
                        while left_out.pop_if(|range| range.start >= begin).is_some() {}
                        left_out.push(begin..last.begin);
                    }
                    // What the group opens stays open for the branch around it.
                    if let Some(outer) = open.last_mut().and_then(|outer| outer.last_mut()) {
                        outer.braces += last.braces;
                    }
                }
                _ => {}
            }
        } else if let Some(branch) = open.last_mut().and_then(|branches| branches.last_mut()) {
            branch.braces += match &*token.text {
                "{" => 1,
                "}" => -1,
                _ => 0,
            };
        }
    }
    left_out
}
