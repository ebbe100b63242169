//! Declarations of C headers: structs, unions, enums, types, functions, macros, with their places,
//! their comments and the conditions under which they are compiled.
//!
//! The reader sees what a C compiler on 64-bit Linux does: of every `#if` the branch that is taken, where a macro that
//! neither the headers nor whoever asks define is not defined. Each declaration has the conditions that stand around
//! it; what is under others is in [`Header::left_out`], by its words. Of headers that belong together ([`HeaderSet`]) an
//! `#include` brings the macros. The reader knows the C of headers and as much C++ as headers for both languages
//! have: `extern "C"`, attributes, `static_assert`, references, qualified names. What it cannot read
//! becomes a [`HeaderProblem`] with its place, and the rest is read all the same: nothing is left out in
//! silence.
//!
//! Macros are expanded inside of structs, and where they stand before a declaration, if the header, or
//! one that it includes, defines them. A macro with arguments that stands alone is kept as
//! it is, a [`HeaderItem::Invocation`]: it is how headers announce sizes.
//!
//! [`Layouts`] places fields by the rules of C on 64-bit machines.
//!
//! The work is linear in the text: expansions have a budget, nesting has a limit.

mod condition;
mod declaration;
mod declarator;
mod depth;
mod expression;
mod inclusion;
mod layout;
mod macros;
mod misspelt;
mod model;
mod pack;
mod preprocess;
mod record;
mod stream;
mod system_types;
mod token;

use std::borrow::Cow;
use std::collections::BTreeSet;

pub use inclusion::HeaderSet;
pub use layout::{LayoutError, Layouts, PlacedField, RecordLayout};
pub use model::changes_layout;
pub use model::{
    CParameter, CType, Declaration, EnumDeclaration, Enumerator, FieldDeclaration, Header,
    HeaderItem, HeaderPlace, HeaderProblem, LeftOutText, Macro, RecordDeclaration, RecordKind,
    SizedStruct,
};

impl Header {
    /// Reads a header. Never fails: see [`Header::problems`].
    pub fn read(text: &[u8]) -> Self {
        Self::read_in(text, &HeaderSet::default(), None)
    }

    /// Reads the header `own` of some that belong together.
    pub fn read_in(text: &[u8], together: &HeaderSet, own: Option<usize>) -> Self {
        let mut header = Self::default();
        let checked = std::str::from_utf8(text);
        let decoded = checked.map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        if let Err(error) = checked {
            let before = &text[..error.valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let place = HeaderPlace { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1 };
            header.problems.push(HeaderProblem::at(place, "not UTF-8"));
        }
        // What editors of some systems put before a text.
        let decoded = decoded.strip_prefix('\u{feff}').unwrap_or(&decoded);
        let mut lexed = token::lex(decoded, &mut header.problems);
        let prepared = preprocess::run(&mut lexed.tokens, &mut header, together, own);
        let mut stream = stream::Stream::new(lexed.tokens, &prepared);
        let mut parser = declaration::Parser::new(&mut stream, &lexed.comments, together);
        parser.items();
        header.macros = prepared.macros.own(&parser.values);
        let (declarations, problems, unread) = parser.finish();
        header.unread = words(decoded, &unread);
        let problems = with_texts(problems, decoded, &unread);
        if let Some(comment) = lexed.comments.last().filter(|comment| comment.open) {
            header.unread.extend(words(&comment.text(), &[(1, u32::MAX)]));
        }
        header.declarations = declarations;
        header.problems.extend(problems);
        header.problems.sort_by_key(|problem| problem.place);
        header
    }
}

/// Gives problems the text of the declaration that each is about: what stands on its lines, without comments.
fn with_texts(
    mut problems: Vec<HeaderProblem>,
    text: &str,
    unread: &[(u32, u32)],
) -> Vec<HeaderProblem> {
    if unread.is_empty() {
        return problems;
    }
    let lines: Vec<&str> = text.lines().collect();
    let index = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    // What is not read costs time by its length once, however many problems it has.
    let mut last = None;
    for (first, end) in unread {
        let Some(own) = lines.get(index(*first).saturating_sub(1)..index(*end).min(lines.len()))
        else {
            continue;
        };
        let about = problems.iter_mut().find(|problem| {
            problem.text.is_empty()
                && problem.what.starts_with("could not read")
                && (*first..=*end).contains(&problem.place.line)
        });
        let Some(problem) = about.filter(|_| last.replace(*end) != Some(*end)) else { continue };
        let own = own.join("\n");
        let tokens = token::lex(&own, &mut Vec::new()).tokens;
        let words: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        problem.text = words.join(" ");
    }
    problems
}

/// The words on some lines of a text: names that are declared there, among others.
fn words(text: &str, lines: &[(u32, u32)]) -> BTreeSet<String> {
    if lines.is_empty() {
        return BTreeSet::new();
    }
    let mut spans = lines.iter().copied().peekable();
    let mut found = BTreeSet::new();
    for (line, text) in (1..).zip(text.lines()) {
        while spans.next_if(|(_, last)| *last < line).is_some() {}
        if spans.peek().is_some_and(|(first, _)| *first <= line) {
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            found.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    found
}
