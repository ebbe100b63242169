//! Functions of one call each, run by the interpreter: what stops it, and what it gives that is not what the writer gave.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use unskew_core::Version;
use unskew_interpreter::{Dtype, Interpreter, ReleaseSemantics, RunnableProgram, ScriptValue};
use unskew_source::Source;

use crate::differential::CompiledModule;
use crate::recorded::{difference, is_rounding, value};

/// What rounding may change: a part of a number, or of the largest one of its tensor. What a release calculates with 32 bits in
/// many steps, such as factors of matrices, is off by some of their last digits.
fn tolerance(value: &ScriptValue) -> f64 {
    let wide = |dtype| !matches!(dtype, Dtype::F32 | Dtype::C64 | Dtype::F16 | Dtype::BF16);
    match value.tensors().iter().all(|tensor| wide(tensor.dtype())) {
        true => 1e-9,
        false => 1e-5,
    }
}

/// How a function came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionOutcome {
    /// The same types, shapes and numbers, up to rounding.
    Equal,
    /// It gives something else than its writer did.
    Differs(String),
    /// It does not run to its end.
    Stops(String),
}

/// Runs a function with the semantics of the release that wrote it.
///
/// # Errors
/// If what was recorded of it is no value.
pub fn interpreted(
    file: &Arc<dyn Source>,
    material: &CompiledModule,
    release: Version,
) -> anyhow::Result<FunctionOutcome> {
    let inputs = material.inputs.iter().map(value).collect::<anyhow::Result<Vec<_>>>()?;
    let wanted = value(&material.outputs)?;
    let program = match RunnableProgram::open(file) {
        Ok(Some(program)) => program,
        Ok(None) => return Ok(FunctionOutcome::Stops("no program".to_owned())),
        Err(error) => return Ok(FunctionOutcome::Stops(error.to_string())),
    };
    let interpreter = Interpreter::new(ReleaseSemantics::for_release(release));
    Ok(match interpreter.method(&program, "forward", inputs) {
        Err(error) => FunctionOutcome::Stops(error.problem.to_string()),
        Ok(found) => match difference(&wanted, &found, tolerance(&wanted)) {
            Some(what) if !is_rounding(&wanted, &found, tolerance(&wanted)) => {
                FunctionOutcome::Differs(what)
            }
            _ => FunctionOutcome::Equal,
        },
    })
}

/// What was not equal, a line each, and a line with the numbers.
pub fn interpreted_table(all: &[(&CompiledModule, FunctionOutcome)]) -> String {
    let mut text = String::from("| operator | outcome |\n| --- | --- |\n");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (material, ended) in all {
        let (word, what) = match ended {
            FunctionOutcome::Equal => ("equal", None),
            FunctionOutcome::Differs(what) => ("differ", Some(format!("differs: {what}"))),
            FunctionOutcome::Stops(what) => ("stop", Some(what.clone())),
        };
        *counts.entry(word).or_default() += 1;
        if let Some(what) = what {
            let what = what.replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(text, "| {} | {what} |", material.pieces.join(" "));
        }
    }
    let count = |word| counts.get(word).copied().unwrap_or(0);
    let _ = writeln!(
        text,
        "\n{} functions: {} equal, {} differ, {} stop",
        all.len(),
        count("equal"),
        count("differ"),
        count("stop")
    );
    text
}
