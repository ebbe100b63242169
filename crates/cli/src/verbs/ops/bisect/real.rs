//! The model run for real by the Pythons that were named: the answers of their PyTorch, compared.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::args::OpsBisect;

/// Runs the model and prints the version of PyTorch in the first line, the answer in the others: types, shapes and
/// numbers.
const SCRIPT: &str = include_str!("answer.py");

/// What the PyTorch of one Python made of the model.
struct Answer {
    version: String,
    /// The answer, or the last line of the error.
    lines: Vec<String>,
}

/// The answers of all Pythons, and where they change.
pub(super) fn compared(args: &OpsBisect) -> anyhow::Result<String> {
    let mut answers: Vec<Answer> =
        args.python.iter().map(|python| asked(python, args)).collect::<anyhow::Result<_>>()?;
    answers.sort_by_key(|answer| numbers(&answer.version));
    let mut text = String::from("for real:\n");
    for pair in answers.windows(2) {
        let [old, new] = pair else { continue };
        let verdict = match first_difference(&old.lines, &new.lines) {
            None => "the same answer".to_owned(),
            Some((before, after)) => format!("another answer: {before}, then {after}"),
        };
        text.push_str(&format!("  {} and {}: {verdict}\n", old.version, new.version));
    }
    if let [one] = answers.as_slice() {
        text.push_str(&format!("  {}: {}\n", one.version, one.lines.join("; ")));
    }
    Ok(text)
}

/// The parts of a version, for the order.
fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split('+').next().unwrap_or(version);
    plain.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn first_difference<'a>(old: &'a [String], new: &'a [String]) -> Option<(&'a str, &'a str)> {
    let count = old.len().max(new.len());
    let line = |lines: &'a [String], at: usize| lines.get(at).map_or("nothing", String::as_str);
    (0..count).map(|at| (line(old, at), line(new, at))).find(|(a, b)| !near(a, b))
}

/// Whether two lines are equal but for what the order of a sum changes.
fn near(a: &str, b: &str) -> bool {
    let (mut x, mut y) = (a.split(' '), b.split(' '));
    loop {
        match (x.next(), y.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) if (a - b).abs() <= 1e-5 * a.abs().max(0.1) => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}

fn asked(python: &Path, args: &OpsBisect) -> anyhow::Result<Answer> {
    let mut command = Command::new(python);
    command
        .arg("-c")
        .arg(SCRIPT)
        .arg(&args.call.model)
        .arg(&args.call.method)
        .args(&args.call.input);
    let output = command.output().with_context(|| format!("cannot run {}", python.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(str::to_owned);
    let Some(version) = lines.next().filter(|_| output.status.success()) else {
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().last().unwrap_or("no output").to_owned();
        bail!("{} could not run the model: {last}", python.display());
    };
    Ok(Answer { version, lines: lines.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_other_answer() {
        assert!(near("float32 [2] 0.5 1.0000001", "float32 [2] 0.5 1.0"));
        assert!(!near("float32 [2] 0.5 1.1", "float32 [2] 0.5 1.0"));
        assert!(!near("int64 [1] 1", "float32 [1] 1"));
        assert!(!near("float32 [2] 0.5", "float32 [1] 0.5 1"));
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(numbers("1.10.2+cpu") > numbers("1.9.1"));
    }
}
