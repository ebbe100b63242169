//! Branches that are never taken, and the text without them.

use super::{KnownBranch, ScriptProgram, Typing};
use crate::{Edits, Expression, FunctionDefinition, Statement, TextSpan};

/// A piece of a record and what stands in its place when the branches in it that are never taken are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// The number of the record.
    pub record: usize,
    /// What is replaced: an `if` with all that is in it.
    pub span: TextSpan,
    /// The statements that are left.
    pub text: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The condition, as it is written.
    pub condition: String,
    /// Whether it always holds.
    pub taken: bool,
}

impl Typing {
    /// The edits that remove every branch that is never taken; no two of them overlap.
    ///
    /// What is left computes the same: a condition is known only if each of the program's own calls of the
    /// function around it makes it so, and nobody else can call that function.
    pub fn prunings(&self, program: &ScriptProgram) -> Vec<Pruning> {
        self.outermost(program, &self.branches)
    }

    fn outermost(&self, program: &ScriptProgram, branches: &[KnownBranch]) -> Vec<Pruning> {
        let mut prunings = Vec::new();
        let mut end = (usize::MAX, 0);
        for branch in branches {
            // Branches are in the order of the text, and the outer one stands first.
            if end.0 == branch.record && branch.span.start < end.1 {
                continue;
            }
            let Some(pruning) = self.pruning(program, branch) else { continue };
            end = (branch.record, branch.span.end);
            prunings.push(pruning);
        }
        prunings
    }

    /// A piece of a text without the branches in it that are never taken.
    fn without_dead(
        &self,
        program: &ScriptProgram,
        record: usize,
        text: &str,
        span: TextSpan,
    ) -> Option<String> {
        let inside = |branch: &&KnownBranch| {
            branch.record == record
                && span.start <= branch.span.start
                && branch.span.end <= span.end
        };
        let branches: Vec<KnownBranch> = self.branches.iter().filter(inside).cloned().collect();
        let mut edits = Edits::new(text.get(..span.end)?);
        edits.replace(TextSpan { start: 0, end: span.start }, "").ok()?;
        for Pruning { span, text, .. } in self.outermost(program, &branches) {
            edits.replace(span, text).ok()?;
        }
        Some(edits.finish())
    }

    fn pruning(&self, program: &ScriptProgram, branch: &KnownBranch) -> Option<Pruning> {
        let record = program.records().get(branch.record)?;
        let (test, text) = match find(program.body(branch.function)?, branch.span)? {
            Conditional::Statement(test, then, otherwise) => {
                let kept = if branch.taken { then } else { otherwise };
                let gone = if branch.taken { otherwise } else { then };
                // An `if` without `else` that is always taken needs no edit to load elsewhere.
                if gone.is_empty() {
                    return None;
                }
                (test, self.statements(program, &record.text, branch, kept)?)
            }
            Conditional::Expression(test, then, otherwise) => {
                let kept = if branch.taken { then } else { otherwise };
                let text = self.without_dead(program, branch.record, &record.text, kept.span())?;
                (test, format!("({text})"))
            }
        };
        let condition = record.text.get(test.span().start..test.span().end)?.to_owned();
        Some(Pruning {
            record: branch.record,
            span: branch.span,
            text,
            line: record.line(branch.span.start),
            condition,
            taken: branch.taken,
        })
    }

    /// The statements of a block, moved to where the `if` begins, each `if` in them pruned too.
    fn statements(
        &self,
        program: &ScriptProgram,
        text: &str,
        branch: &KnownBranch,
        kept: &[Statement],
    ) -> Option<String> {
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else {
            return Some("pass".to_owned());
        };
        let outer = column(text, branch.span.start);
        let inner = column(text, first.span().start);
        let span = TextSpan { start: first.span().start, end: last.span().end };
        let block = self.without_dead(program, branch.record, text, span)?;
        let strip = inner.saturating_sub(outer);
        let mut out = String::new();
        for (at, line) in block.split_inclusive('\n').enumerate() {
            let cut = if at == 0 { 0 } else { blanks(line).min(strip) };
            out.push_str(line.get(cut..)?);
        }
        Some(out)
    }
}

/// How far a byte stands from the beginning of its line.
fn column(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    before.len() - before.rfind('\n').map_or(0, |newline| newline + 1)
}

fn blanks(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

pub(super) fn gone(program: &ScriptProgram, branch: &KnownBranch) -> Vec<TextSpan> {
    let Some(function) = program.body(branch.function) else { return Vec::new() };
    match find(function, branch.span) {
        Some(Conditional::Statement(_, then, otherwise)) => {
            let gone = if branch.taken { otherwise } else { then };
            gone.iter().map(Statement::span).collect()
        }
        Some(Conditional::Expression(_, then, otherwise)) => {
            vec![if branch.taken { otherwise.span() } else { then.span() }]
        }
        None => Vec::new(),
    }
}

enum Conditional<'p> {
    Statement(&'p Expression, &'p [Statement], &'p [Statement]),
    Expression(&'p Expression, &'p Expression, &'p Expression),
}

/// The `if` that stands at exactly this place.
fn find(function: &FunctionDefinition, span: TextSpan) -> Option<Conditional<'_>> {
    let mut body = function.body.as_slice();
    loop {
        let holds = |s: &&Statement| s.span().start <= span.start && span.end <= s.span().end;
        let statement = body.iter().find(holds)?;
        match statement {
            Statement::If { test, then, otherwise, span: own } => {
                if *own == span {
                    return Some(Conditional::Statement(test, then, otherwise));
                }
                let inside = |all: &[Statement]| all.iter().any(|s| holds(&s));
                if inside(then) {
                    body = then;
                } else if inside(otherwise) {
                    body = otherwise;
                } else {
                    return choice(test, span);
                }
            }
            Statement::While { body: inner, test, .. }
            | Statement::For { body: inner, items: test, .. } => {
                if test.span().start <= span.start && span.end <= test.span().end {
                    return choice(test, span);
                }
                body = inner;
            }
            Statement::With { body: inner, .. } => body = inner,
            Statement::Assign { value, .. } | Statement::Expression { value, .. } => {
                return choice(value, span);
            }
            Statement::Annotated { value, .. } | Statement::Return { value, .. } => {
                return choice(value.as_ref()?, span);
            }
            Statement::Class(_) | Statement::Function(_) | Statement::Pass { .. } => return None,
        }
    }
}

fn choice(within: &Expression, span: TextSpan) -> Option<Conditional<'_>> {
    let mut open = vec![within];
    while let Some(expression) = open.pop() {
        if span.start < expression.span().start || expression.span().end < span.end {
            continue;
        }
        match expression {
            Expression::Choice { test, then, otherwise, span: own } if *own == span => {
                return Some(Conditional::Expression(test, then, otherwise));
            }
            other => open.extend(other.parts()),
        }
    }
    None
}
