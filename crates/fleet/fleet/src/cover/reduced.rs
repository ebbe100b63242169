//! The same problem with less in it.

use std::collections::BTreeMap;

/// A problem without what makes no difference: elements of the same sets are one, with the sum of their weights;
/// elements without weight or without a set are gone; so are sets that lie in others. Weights are divided by what
/// divides them all.
#[derive(Debug)]
pub(super) struct Reduced {
    pub(super) weights: Vec<u64>,
    pub(super) sets: Vec<Vec<usize>>,
    /// What the weights were divided by.
    pub(super) unit: u64,
    originals: Vec<usize>,
}

impl Reduced {
    pub(super) fn new(weights: &[u64], sets: &[Vec<usize>]) -> Self {
        let kept = undominated(weights, sets);
        let mut merged: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        let mut of_element: Vec<Vec<usize>> = vec![Vec::new(); weights.len()];
        for (new, old) in kept.iter().enumerate() {
            for element in &sets[*old] {
                of_element[*element].push(new);
            }
        }
        for (element, of) in of_element.into_iter().enumerate() {
            if !of.is_empty() && weights[element] > 0 {
                *merged.entry(of).or_default() += weights[element];
            }
        }
        let unit = merged.values().fold(0, |a, b| gcd(a, *b)).max(1);
        let mut reduced: Vec<Vec<usize>> = vec![Vec::new(); kept.len()];
        let mut new_weights = Vec::with_capacity(merged.len());
        for (of, weight) in merged {
            of.iter().for_each(|set| reduced[*set].push(new_weights.len()));
            new_weights.push(weight / unit);
        }
        Self { weights: new_weights, sets: reduced, unit, originals: kept }
    }

    /// The set of the whole problem that this one was.
    pub(super) fn original(&self, set: usize) -> usize {
        self.originals.get(set).copied().unwrap_or_default()
    }
}

/// The sets that lie in no other; of equal ones the first.
fn undominated(weights: &[u64], sets: &[Vec<usize>]) -> Vec<usize> {
    let weighty = |set: &Vec<usize>| {
        let weighty = set.iter().copied().filter(|element| weights[*element] > 0);
        bits(weights.len(), weighty)
    };
    let rows: Vec<Vec<u64>> = sets.iter().map(weighty).collect();
    (0..sets.len()).filter(|at| adds(&rows, *at)).collect()
}

/// Whether a row has something, and lies in no other; of equal ones the first does.
pub(super) fn adds(rows: &[Vec<u64>], at: usize) -> bool {
    let within = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
    let own = &rows[at];
    let lies_in = |(other, row): (usize, &Vec<u64>)| {
        other != at && within(own, row) && (other < at || !within(row, own))
    };
    own.iter().any(|word| *word != 0) && !rows.iter().enumerate().any(lies_in)
}

/// Some of so many elements, a bit each.
pub(super) fn bits(elements: usize, set: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut row = vec![0; elements.div_ceil(64)];
    for element in set {
        row[element / 64] |= 1 << (element % 64);
    }
    row
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_difference_is_gone() {
        let sets = vec![vec![0, 1], vec![0], vec![2, 3], vec![0, 1], vec![3]];
        let reduced = Reduced::new(&[4, 4, 6, 0], &sets);
        assert_eq!((reduced.weights, reduced.unit), (vec![4, 3], 2));
        assert_eq!(reduced.originals, [0, 2]);
    }
}
