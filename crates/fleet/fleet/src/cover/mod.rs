//! Weighted maximum coverage: which `k` sets cover the most.
//!
//! A planner's question without the names: elements have weights (devices), sets cover some of them (an artifact
//! serves some runtimes), and the best `k` sets are wanted for every `k`. Covering everything with as few sets as
//! possible is the end of that curve.
//!
//! The problem is NP-hard, so there are two answers. [`Cover::greedy`] takes the set that adds the most, again and
//! again; what it covers is at least `1 - (1 - 1/k)^k` of the optimum, which is never below 63.2 % (Nemhauser, Wolsey and
//! Fisher, 1978). [`Cover::best`] branches and bounds, and says how much no `k` sets can exceed: where that is what it
//! covers, it is the optimum. Its bound is the Lagrangian relaxation of "an element counts only if one of its sets is
//! taken", at least as strong as that of the linear program. What falls apart is solved part by part. Its work is limited by
//! a number of steps and not by a clock, so the same question has the same answer on every machine.
//!
//! ```
//! use unskew_fleet::{Cover, EFFORT};
//!
//! // Greedy takes the large set first and then needs two more.
//! let cover = Cover::new(vec![1; 6], vec![vec![0, 1, 3, 4], vec![0, 1, 2], vec![3, 4, 5]]);
//! assert_eq!(cover.greedy(2).weight, 5);
//! let best = cover.best(2, EFFORT);
//! assert_eq!((best.sets, best.weight, best.at_most), (vec![1, 2], 6, 6));
//! ```

mod exact;
mod exchange;
mod parts;
mod reduced;
mod relaxed;

use reduced::Reduced;

/// How many nodes of the search are looked at, unless somebody says otherwise.
pub const EFFORT: usize = 20_000;

/// Elements with weights, and sets of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    weights: Vec<u64>,
    sets: Vec<Vec<usize>>,
}

/// Some sets and what they cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best {
    /// The numbers of the chosen sets, ascending.
    pub sets: Vec<usize>,
    /// The weight of all that they cover.
    pub weight: u64,
    /// What no as many sets exceed.
    pub at_most: u64,
}

impl Best {
    /// Whether nothing is better.
    pub fn is_optimal(&self) -> bool {
        self.weight == self.at_most
    }
}

impl Cover {
    /// A problem. Members that are no elements are left out, and so are repeated ones.
    pub fn new(weights: Vec<u64>, mut sets: Vec<Vec<usize>>) -> Self {
        for set in &mut sets {
            set.retain(|element| *element < weights.len());
            set.sort_unstable();
            set.dedup();
        }
        Self { weights, sets }
    }

    /// The weight of what some sets cover.
    pub fn weight(&self, sets: &[usize]) -> u64 {
        let mut covered = vec![false; self.weights.len()];
        let members = sets.iter().filter_map(|set| self.sets.get(*set)).flatten();
        members.for_each(|element| covered[*element] = true);
        let weights = self.weights.iter().zip(covered);
        weights.filter(|(_, covered)| *covered).map(|(weight, _)| *weight).sum()
    }

    /// The weight of all that can be covered.
    pub fn coverable(&self) -> u64 {
        self.weight(&(0..self.sets.len()).collect::<Vec<_>>())
    }

    /// At most `k` sets, each of which adds the most to those before it; of equal ones the first.
    pub fn greedy(&self, k: usize) -> Best {
        let mut covered = vec![false; self.weights.len()];
        let (mut sets, mut weight) = (Vec::new(), 0);
        while sets.len() < k {
            let gain = |set: &Vec<usize>| -> u64 {
                let open = set.iter().filter(|element| !covered[**element]);
                open.map(|element| self.weights[*element]).sum()
            };
            let gains = self.sets.iter().map(gain).enumerate();
            let best = gains.max_by_key(|(at, gain)| (*gain, std::cmp::Reverse(*at)));
            let Some((at, gain)) = best.filter(|(_, gain)| *gain > 0) else { break };
            self.sets[at].iter().for_each(|element| covered[*element] = true);
            weight += gain;
            sets.push(at);
        }
        sets.sort_unstable();
        let at_most = if sets.len() < k { weight } else { self.greedy_bound(weight, k) };
        Best { sets, weight, at_most }
    }

    /// What `k` sets can cover at most if greedy ones cover `weight`.
    fn greedy_bound(&self, weight: u64, k: usize) -> u64 {
        let all = self.coverable();
        if k == 1 || weight == all {
            return weight;
        }
        let share = 1.0 - (1.0 - 1.0 / k as f64).powi(i32::try_from(k).unwrap_or(i32::MAX));
        // One more, because the division is not exact.
        ((weight as f64 / share) as u64).saturating_add(1).min(all)
    }

    /// The best at most `k` sets, with `effort` nodes of search at most.
    pub fn best(&self, k: usize, effort: usize) -> Best {
        let k = k.min(self.sets.len());
        match self.joined(k, effort).pop() {
            Some(best) => best,
            None => self.best_from(k, effort, None).0,
        }
    }

    /// The best at most 0, 1, ... up to `most` sets, if the problem falls apart; else nothing.
    fn joined(&self, most: usize, effort: usize) -> Vec<Best> {
        let parts = parts::parts(self);
        if parts.is_empty() {
            return Vec::new();
        }
        let effort = effort / parts.len();
        let curves: Vec<_> = parts.iter().map(|part| part.cover.curve(most, effort)).collect();
        parts::join(&parts, &curves, most)
    }

    /// The same, where some good sets may be known; with the number of nodes that it took.
    fn best_from(&self, k: usize, effort: usize, known: Option<&[usize]>) -> (Best, usize) {
        let mut start = self.greedy(k);
        if let Some(known) = known.filter(|known| known.len() <= k) {
            let weight = self.weight(known);
            if weight > start.weight {
                start = Best { sets: known.to_vec(), weight, ..start };
            }
        }
        if start.is_optimal() {
            return (start, 0);
        }
        let reduced = Reduced::new(&self.weights, &self.sets);
        let found = exact::search(&reduced, k, start.weight, effort);
        let mut best = start;
        best.at_most = found.at_most.min(best.at_most).max(best.weight);
        if let Some(sets) = found.better {
            best.sets = sets.into_iter().map(|set| reduced.original(set)).collect();
            best.sets.sort_unstable();
            best.weight = self.weight(&best.sets);
            best.at_most = best.at_most.max(best.weight);
        }
        (best, found.nodes)
    }

    /// The best sets of every number from 1 on, up to the first that covers all that can be covered, or `max`.
    /// The effort is for all of them together.
    pub fn curve(&self, max: usize, effort: usize) -> Vec<Best> {
        let (all, max) = (self.coverable(), max.min(self.sets.len()));
        let joined = self.joined(max, effort);
        if !joined.is_empty() {
            let end = joined.iter().position(|best| best.weight == all).unwrap_or(max);
            return joined.into_iter().take(end + 1).skip(1).collect();
        }
        let mut curve: Vec<Best> = Vec::new();
        let mut left = effort;
        while curve.len() < max && curve.last().is_none_or(|b| b.weight < all) {
            let k = curve.len() + 1;
            let known = curve.last().map(|last| self.extended(&last.sets));
            // The points in the middle are the hard ones; none of them may use up what the others need.
            let (mut best, nodes) = self.best_from(k, left / 4, known.as_deref());
            left = left.saturating_sub(nodes);
            // One set more adds no more than the largest set.
            if let Some(last) = curve.last() {
                let largest = (0..self.sets.len()).map(|set| self.weight(&[set])).max();
                let limit = last.at_most.saturating_add(largest.unwrap_or(0));
                best.at_most = best.at_most.min(limit).max(best.weight);
            }
            curve.push(best);
        }
        curve
    }

    /// Some sets and the one that adds the most to them.
    fn extended(&self, sets: &[usize]) -> Vec<usize> {
        let with = |set: usize| {
            let mut more = sets.to_vec();
            more.push(set);
            more
        };
        let all = (0..self.sets.len()).map(with);
        let mut best = all.max_by_key(|sets| self.weight(sets)).unwrap_or_default();
        best.sort_unstable();
        best.dedup();
        best
    }
}
