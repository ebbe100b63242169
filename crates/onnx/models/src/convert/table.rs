//! `data/adapters.txt`: what differs between two forms of an operator that follow one another.

use std::sync::LazyLock;

/// Two forms of some operators, and what a node goes through from one to the other.
#[derive(Debug)]
pub(super) struct FormPair {
    pub(super) ops: Vec<&'static str>,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) steps: Vec<FormDifference>,
}

/// One difference, read in both directions.
#[derive(Clone, Debug)]
pub(super) enum FormDifference {
    New(&'static str, &'static str),
    Gone(&'static str, &'static str),
    Default(&'static str, &'static str, &'static str),
    Move(&'static str, usize, &'static str),
    Only(&'static str, Vec<&'static str>),
    Upward(&'static str, &'static str),
    Inputs(usize),
    Outputs(usize),
    Unread(usize),
    Axes,
    Rename(&'static str, &'static str),
    Function(&'static str),
    Refuse(&'static str),
}

pub(super) fn pairs() -> &'static [FormPair] {
    static PAIRS: LazyLock<Vec<FormPair>> = LazyLock::new(|| {
        let text = include_str!("../../data/adapters.txt");
        text.lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .filter_map(pair)
            .collect()
    });
    &PAIRS
}

/// What a node goes through between two forms of its operator; nothing where only types differ.
pub(super) fn steps(op: &str, low: i64, high: i64) -> &'static [FormDifference] {
    pairs()
        .iter()
        .find(|pair| pair.low == low && pair.high == high && pair.ops.contains(&op))
        .map_or(&[], |pair| &pair.steps)
}

/// Whether a node of the form of `low` means the same under that of `high`, as far as the table tells: between them only
/// attributes with a value that means the old, wider ranges, and more inputs and outputs were added.
pub(crate) fn is_extension(op: &str, low: i64, high: i64) -> bool {
    let between = |pair: &&FormPair| low <= pair.low && pair.high <= high && pair.ops.contains(&op);
    let adds = |step: &FormDifference| {
        matches!(
            step,
            FormDifference::New(..)
                | FormDifference::Only(..)
                | FormDifference::Inputs(_)
                | FormDifference::Outputs(_)
                | FormDifference::Unread(_)
                | FormDifference::Axes
        )
    };
    pairs().iter().filter(between).flat_map(|pair| &pair.steps).all(adds)
}

/// The operator from which this one took over, with the pair that says so.
pub(super) fn before(op: &str, first: i64) -> Option<(&'static str, &'static FormPair)> {
    pairs().iter().filter(|pair| pair.high >= first).find_map(|pair| {
        pair.steps.iter().find_map(|step| match step {
            FormDifference::Rename(old, new) if *new == op => Some((*old, pair)),
            _ => None,
        })
    })
}

fn pair(line: &'static str) -> Option<FormPair> {
    let (head, rest) = line.split_once(':')?;
    let mut words: Vec<&str> = head.split(' ').collect();
    let high = words.pop()?.parse().ok()?;
    let low = words.pop()?.parse().ok()?;
    let steps = rest.split(';').map(|text| step(text.trim())).collect::<Option<_>>()?;
    Some(FormPair { ops: words, low, high, steps })
}

fn step(text: &'static str) -> Option<FormDifference> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut words = rest.split(' ');
    Some(match verb {
        "new" => rest.split_once('=').map(|(name, value)| FormDifference::New(name, value))?,
        "gone" => rest.split_once('=').map(|(name, value)| FormDifference::Gone(name, value))?,
        "default" => FormDifference::Default(words.next()?, words.next()?, words.next()?),
        "move" => FormDifference::Move(words.next()?, words.next()?.parse().ok()?, words.next()?),
        "only" => rest
            .split_once("!=")
            .map(|(name, all)| FormDifference::Only(name, all.split(',').collect()))?,
        "upward" => {
            rest.split_once("!=").map(|(name, value)| FormDifference::Upward(name, value))?
        }
        "inputs" => FormDifference::Inputs(rest.parse().ok()?),
        "unread" => FormDifference::Unread(rest.parse().ok()?),
        "outputs" => FormDifference::Outputs(rest.parse().ok()?),
        "axes" => FormDifference::Axes,
        "rename" => FormDifference::Rename(words.next()?, words.next()?),
        "fn" => FormDifference::Function(rest),
        "refuse" => FormDifference::Refuse(rest),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let text = include_str!("../../data/adapters.txt");
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            assert!(pair(line).is_some(), "{line}");
        }
    }
}
