//! Trajectory of one run from release to release.

use std::fmt;

use unskew_core::Version;
use unskew_definitions::ChangeEffect;

use crate::{FormOutcome, RunOutcome};

/// All steps of a run, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trajectory {
    /// The minor releases in which something changed.
    pub steps: Vec<(Version, ChangeEffect)>,
}

impl fmt::Display for Trajectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (since, step)) in self.steps.iter().enumerate() {
            write!(f, "{}{since} {step}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// What is known of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLifetime {
    /// What changed, oldest release first.
    pub trajectory: Trajectory,
    /// Whether any release gave a result.
    pub worked: bool,
    /// The last error, and the types before and after it changed.
    pub remark: String,
}

/// The life of the run `at` by what releases told of its form; none if it is not steady or known of fewer than two.
pub fn life(told: &[(Version, &FormOutcome)], at: usize) -> Option<RunLifetime> {
    let (mut last, mut value): (Option<bool>, Option<&str>) = (None, None);
    let (mut steps, mut remark, mut known) = (Vec::new(), String::new(), 0);
    for (release, told) in told {
        let FormOutcome::Runs(runs) = told else { continue };
        let minor = Version::pair(release.major(), release.minor());
        match runs.get(at)? {
            // It works, and nothing that shows changed.
            RunOutcome::Unsteady => {
                return Some(RunLifetime {
                    trajectory: Trajectory::default(),
                    worked: true,
                    remark,
                });
            }
            RunOutcome::Crash | RunOutcome::Untold => continue,
            RunOutcome::Raises(words) => {
                // Whoever is out of memory or lacks a library says nothing of the operator.
                if words.contains("memory") || words.contains("LAPACK") || words.contains("MKL") {
                    return None;
                }
                if last == Some(true) {
                    steps.push((minor, ChangeEffect::Raises));
                    remark.clone_from(words);
                }
                last = Some(false);
            }
            RunOutcome::Value(text) => {
                let text = text.as_str();
                if last == Some(false) {
                    steps.push((minor, ChangeEffect::Works));
                }
                if let Some(before) = value
                    && let Some(step) = difference(before, text)
                {
                    steps.push((minor, step));
                    if step == ChangeEffect::Dtype {
                        remark = format!("{} {}", kinds(before), kinds(text));
                    }
                }
                (last, value) = (Some(true), Some(text));
            }
        }
        known += 1;
    }
    let trajectory = Trajectory { steps };
    (known > 1).then_some(RunLifetime { trajectory, worked: value.is_some(), remark })
}

/// The types of a result: `int64`, `float`.
fn kinds(text: &str) -> String {
    let end = text.find(['[', ' ']).unwrap_or(text.len());
    text[..end].trim_start_matches('(').to_owned()
}

/// How far floats of one meaning lie apart between kernels.
const TOLERANCE: f64 = 1e-3;

/// How far numbers lie apart of a type that has fewer bits.
fn tolerance_of(head: &str) -> f64 {
    match head.split('[').next() {
        Some("bfloat16") => 4e-2,
        Some("half" | "float16") => 5e-3,
        _ => TOLERANCE,
    }
}

/// How two results differ, but for what rounding may do.
pub fn difference(one: &str, other: &str) -> Option<ChangeEffect> {
    if one == other {
        return None;
    }
    // What code makes of a number is a number of the type that it names.
    if truth(one).is_some() && truth(one) == truth(other) {
        return None;
    }
    let (one_parts, other_parts) = (split(one), split(other));
    if one_parts.len() != other_parts.len() {
        return Some(match kinds(one) == kinds(other) {
            true => ChangeEffect::Shape,
            false => ChangeEffect::Dtype,
        });
    }
    let (mut found, mut tolerance): (Option<ChangeEffect>, f64) = (None, TOLERANCE);
    for (one, other) in one_parts.iter().zip(&other_parts) {
        if let Part::Word(head) = one {
            tolerance = tolerance_of(head);
        }
        let step = match (one, other) {
            _ if one == other => continue,
            (Part::Word(one), Part::Word(_)) if one.starts_with('\'') => ChangeEffect::Values,
            (Part::Word(one), Part::Word(other)) => {
                match one.contains('[') || other.contains(']') {
                    true if kinds(one) == kinds(other) => ChangeEffect::Shape,
                    _ => ChangeEffect::Dtype,
                }
            }
            (Part::Number(one), Part::Number(other)) => {
                let near = one == other
                    || (one.is_nan() && other.is_nan())
                    || (one - other).abs() <= tolerance * one.abs().max(0.01);
                if near {
                    continue;
                }
                ChangeEffect::Values
            }
            _ => ChangeEffect::Values,
        };
        found = Some(found.map_or(step, |before| before.min(step)));
    }
    found
}

/// A number that is a boolean or may be one.
fn truth(text: &str) -> Option<bool> {
    match text {
        "bool True" | "int 1" => Some(true),
        "bool False" | "int 0" => Some(false),
        _ => None,
    }
}

#[derive(Debug, PartialEq)]
enum Part<'t> {
    Word(&'t str),
    Number(f64),
}

/// A result in words (`float32[2,3]`) and numbers.
fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for one in text.split_inclusive([']', ' ', ';', ')', '(']) {
        let bare = one.trim_end_matches([' ', ';', ')', '(']);
        let numbers = match number(bare) {
            Some(number) => Some(vec![number]),
            // The two parts of a complex number.
            None => bare.split('i').map(number).collect::<Option<Vec<f64>>>(),
        };
        match numbers {
            Some(numbers) if !bare.is_empty() && !bare.ends_with(']') => {
                parts.extend(numbers.into_iter().map(Part::Number));
            }
            _ if bare.is_empty() => {}
            _ => parts.push(Part::Word(bare)),
        }
    }
    parts
}

fn number(text: &str) -> Option<f64> {
    match text {
        "nan" | "-nan" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "" => None,
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_difference_and_types_come_before_values() {
        assert_eq!(difference("float32[2]1 2.00001", "float32[2]1 2"), None);
        assert_eq!(difference("float32[2]1 2.1", "float32[2]1 2"), Some(ChangeEffect::Values));
        assert_eq!(difference("float32[2]1 2", "int64[2]1 3"), Some(ChangeEffect::Dtype));
        assert_eq!(difference("float32[2]1 2", "float32[1,2]1 2"), Some(ChangeEffect::Shape));
        assert_eq!(
            difference("(float32[1]1;int64[1]4)", "(float32[1]1;int64[1]5)"),
            Some(ChangeEffect::Values)
        );
        assert_eq!(difference("float32[1]nan", "float32[1]nan"), None);
        assert_eq!(difference("float32[1]nan", "float32[1]0"), Some(ChangeEffect::Values));
        assert_eq!(difference("int 3", "float 3"), Some(ChangeEffect::Dtype));
        assert_eq!(difference("bfloat16[1]1.01", "bfloat16[1]1"), None);
        assert_eq!(difference("string[1]'a'", "string[1]'b'"), Some(ChangeEffect::Values));
        assert_eq!(difference("int 1", "bool True"), None);
        assert_eq!(difference("complex64[1]1i2", "complex64[1]1i2.0001"), None);
    }

    #[test]
    fn a_life_has_a_step_for_each_release_that_does_something_else() {
        let runs = |text: &str| FormOutcome::read(text);
        let told = [runs("int64[1]3"), runs("!no"), FormOutcome::Unknown, runs("float32[1]3.5")];
        let releases = [
            Version::triple(1, 5, 1),
            Version::triple(1, 6, 0),
            Version::triple(1, 7, 1),
            Version::triple(1, 8, 1),
        ];
        let all: Vec<(Version, &FormOutcome)> = releases.into_iter().zip(&told).collect();
        let life = life(&all, 0).unwrap();
        assert_eq!(life.trajectory.to_string(), "1.6 raises, 1.8 works, 1.8 dtype");
        assert_eq!(life.remark, "int64 float32");
    }
}
