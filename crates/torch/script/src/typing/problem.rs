//! Problems of a program, in words and with their location.

use std::sync::Arc;

use unskew_torch_schemas::matching::{OverloadChoice, OverloadSource};

use super::{ResolvedCall, ScriptProgram, Typing, infer};

/// The most overloads of which a message says why they do not fit.
const REASONS: usize = 3;

/// Something that the loader would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}, line {line}: {what}")]
pub struct LoaderProblem {
    /// The record of the archive, such as `code/__torch__.py`.
    pub record: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What does not fit, in words.
    pub what: String,
}

/// Reads a text that stands alone, such as a file of upgraders, and finds its types.
///
/// # Errors
/// Everything that is wrong: a text that is no TorchScript, names that stand for nothing, calls that no
/// overload takes, values that are not of the type that is wanted.
pub fn check(
    name: &str,
    text: &str,
    operators: &dyn OverloadSource,
) -> Result<(ScriptProgram, Typing), Vec<LoaderProblem>> {
    let program = ScriptProgram::of_text(name, text).map_err(|fault| {
        let (record, error) = (fault.record, fault.error);
        vec![LoaderProblem { record, line: error.line, column: error.column, what: error.what }]
    })?;
    let typing = infer(&program, operators);
    let problems = typing.problems(&program);
    if problems.is_empty() { Ok((program, typing)) } else { Err(problems) }
}

impl ResolvedCall {
    /// Why it is not resolved; nothing if it is.
    pub fn problem(&self) -> Option<String> {
        match &self.choice {
            OverloadChoice::One(..) => None,
            OverloadChoice::Missing => Some(format!("no operator {}", self.operator)),
            OverloadChoice::Several(all) => {
                let names: Vec<String> = all.iter().map(|(s, _)| s.schema.full_name()).collect();
                Some(format!("a type cannot be told, so it may be any of {}", names.join(", ")))
            }
            OverloadChoice::Misfit(reasons) => {
                let reason = |(signature, mismatch): &(
                    Arc<unskew_torch_schemas::matching::TypedSchema>,
                    unskew_torch_schemas::matching::Mismatch,
                )| {
                    format!("{} does not take it: {mismatch}", signature.schema.full_name())
                };
                let mut shown: Vec<String> = reasons.iter().take(REASONS).map(reason).collect();
                if reasons.len() > REASONS {
                    shown.push(format!("and {} more", reasons.len() - REASONS));
                }
                Some(shown.join("; "))
            }
        }
    }
}

impl Typing {
    /// Everything that the loader would refuse, in the order of the text.
    pub fn problems(&self, program: &ScriptProgram) -> Vec<LoaderProblem> {
        let calls = self.calls.iter().filter(|call| call.loaded);
        let calls = calls.filter_map(|call| Some((call.record, call.span, call.problem()?)));
        let faults = self.faults.iter().map(|fault| (fault.record, fault.span, fault.what.clone()));
        let mut all: Vec<_> = calls.chain(faults).collect();
        all.sort_unstable();
        let problem = |(record, span, what): (usize, crate::TextSpan, String)| {
            let record = program.records().get(record)?;
            let (line, column) = (record.line(span.start), record.column(span.start));
            Some(LoaderProblem { record: record.name.clone(), line, column, what })
        };
        all.into_iter().filter_map(problem).collect()
    }
}
