//! Problems that fall apart: sets of one part share no element with those of another.
//!
//! The parts are solved alone, for every number of sets, and then the numbers are divided among them. That is exact, and far
//! less than the search in the whole, which would try every way through one part again for each through another.

use super::{Best, Cover};

/// A part of a problem.
pub(super) struct Part {
    pub(super) cover: Cover,
    /// What its sets are in the whole.
    sets: Vec<usize>,
}

/// The parts; none if there is but one.
pub(super) fn parts(cover: &Cover) -> Vec<Part> {
    let mut root: Vec<usize> = (0..cover.weights.len()).collect();
    for set in &cover.sets {
        let mut members = set.iter().filter(|element| cover.weights[**element] > 0);
        if let Some(first) = members.next() {
            for other in members {
                let (a, b) = (find(&mut root, *first), find(&mut root, *other));
                root[a.max(b)] = a.min(b);
            }
        }
    }
    let mut of_root = std::collections::BTreeMap::<usize, Vec<usize>>::new();
    for (at, set) in cover.sets.iter().enumerate() {
        if let Some(element) = set.iter().find(|element| cover.weights[**element] > 0) {
            of_root.entry(find(&mut root, *element)).or_default().push(at);
        }
    }
    if of_root.len() < 2 {
        return Vec::new();
    }
    let part = |sets: Vec<usize>| {
        let own = sets.iter().map(|set| cover.sets[*set].clone()).collect();
        Part { cover: Cover { weights: cover.weights.clone(), sets: own }, sets }
    };
    of_root.into_values().map(part).collect()
}

/// The first of those that hang together with an element.
fn find(root: &mut [usize], mut element: usize) -> usize {
    while root[element] != element {
        root[element] = root[root[element]];
        element = root[element];
    }
    element
}

/// The best at most 0, 1, ... up to `most` sets of the whole, from those of its parts for 1, 2, ... sets, up to all that a
/// part can cover or `most`.
pub(super) fn join(parts: &[Part], curves: &[Vec<Best>], most: usize) -> Vec<Best> {
    let (mut weight, mut at_most) = (vec![0_u64; most + 1], vec![0_u64; most + 1]);
    // For each part and number of sets: how many of them the part gets.
    let mut shares: Vec<Vec<usize>> = Vec::new();
    for curve in curves {
        let mut share = vec![0; most + 1];
        let (before, limit) = (weight.clone(), at_most.clone());
        for k in 0..=most {
            for (own, best) in (1..=k).zip(curve) {
                let sum = before[k - own].saturating_add(best.weight);
                if sum > weight[k] {
                    (weight[k], share[k]) = (sum, own);
                }
                at_most[k] = at_most[k].max(limit[k - own].saturating_add(best.at_most));
            }
        }
        shares.push(share);
    }
    let joined = |k: usize| {
        let (mut left, mut sets) = (k, Vec::new());
        for ((part, curve), share) in parts.iter().zip(curves).zip(&shares).rev() {
            let own = share[left];
            if let Some(best) = own.checked_sub(1).and_then(|at| curve.get(at)) {
                sets.extend(best.sets.iter().map(|set| part.sets[*set]));
            }
            left -= own;
        }
        sets.sort_unstable();
        Best { sets, weight: weight[k], at_most: at_most[k].max(weight[k]) }
    };
    (0..=most).map(joined).collect()
}
