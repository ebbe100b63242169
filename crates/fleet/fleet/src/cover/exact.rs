//! Branch and bound.
//!
//! At a node some sets are taken, some are out, and the others are free. With a price `p[e]` between 0 and the weight
//! for every element that is still open, no choice of `m` more sets covers more than
//!
//! ```text
//! what is covered + sum of (weight[e] - p[e]) + the m largest sums of prices over a free set
//! ```
//!
//! Prices that make this small are found by subgradient steps, which a node goes on with from where its parent
//! stopped. The same sums tell which free sets every better choice must take or cannot take. Whatever the
//! `m` largest sets cover together is a solution itself, and at the first nodes sets of it are exchanged for better ones.
//!
//! A choice that is better than the best known one leaves little uncovered. What weighs more than that is covered by it: the
//! price of such an element has no limit, and the only free set that has it is taken. A free set that adds nothing which
//! another does not add is left.

use super::exchange;
use super::reduced::{Reduced, adds, bits};
use super::relaxed::Relaxed;

/// Steps towards better prices at the first node, and at each other.
const STEPS: [usize; 2] = [400, 30];

/// At how many nodes sets of a choice are exchanged for others.
const TRIES: usize = 60;

/// After how many steps without progress the steps get smaller.
const PATIENCE: usize = 8;

/// What a search found.
pub(super) struct SearchResult {
    pub(super) better: Option<Vec<usize>>,
    /// What no choice exceeds.
    pub(super) at_most: u64,
    /// How many nodes were looked at.
    pub(super) nodes: usize,
}

/// Looks for at most `k` sets that cover more than `known`.
pub(super) fn search(problem: &Reduced, k: usize, known: u64, effort: usize) -> SearchResult {
    let elements = problem.weights.len();
    let all = problem.weights.iter().sum();
    let mut search = Search {
        problem,
        rows: problem.sets.iter().map(|set| bits(elements, set.iter().copied())).collect(),
        all,
        best: known / problem.unit,
        better: None,
        tries: TRIES,
        nodes: effort,
        open: 0,
    };
    let root = Node {
        taken: Vec::new(),
        free: (0..problem.sets.len()).collect(),
        open: vec![true; elements],
        covered: 0,
        prices: problem.weights.iter().map(|weight| *weight as f64 / 2.0).collect(),
        left: k,
    };
    search.node(root, all, STEPS[0]);
    let at_most = search.best.max(search.open).saturating_mul(problem.unit);
    let nodes = effort.saturating_sub(search.nodes);
    SearchResult { better: search.better, at_most: at_most.max(known), nodes }
}

struct Search<'a> {
    problem: &'a Reduced,
    /// The elements of each set, a bit each.
    rows: Vec<Vec<u64>>,
    /// The weight of all elements.
    all: u64,
    /// The most that is known to be covered.
    best: u64,
    better: Option<Vec<usize>>,
    /// At how many nodes sets may still be exchanged.
    tries: usize,
    /// How many nodes may still be looked at.
    nodes: usize,
    /// The largest bound of a node that was not looked at.
    open: u64,
}

#[derive(Clone)]
struct Node {
    taken: Vec<usize>,
    free: Vec<usize>,
    /// Whether an element is not covered yet.
    open: Vec<bool>,
    covered: u64,
    prices: Vec<f64>,
    /// How many sets may still be taken.
    left: usize,
}

/// What the prices of a node say.
struct Bound {
    value: f64,
    /// The sums of prices of the free sets, largest first, with their places in `free`.
    sums: Vec<(f64, usize)>,
    /// How often each free set was among the largest.
    often: Vec<u32>,
}

impl Search<'_> {
    fn node(&mut self, mut node: Node, above: u64, steps: usize) {
        if self.nodes == 0 {
            self.open = self.open.max(above);
            return;
        }
        self.nodes -= 1;
        if !self.settle(&mut node) {
            return;
        }
        if node.left == 0 || node.free.is_empty() {
            self.offer(node.covered, node.taken);
            return;
        }
        let bound = self.tighten(&mut node, steps);
        let limit = self.whole(bound.value).min(above);
        if limit <= self.best {
            return;
        }
        match self.fix(&mut node, &bound) {
            // Something is settled: the same node with less in it.
            true => {
                self.nodes += 1;
                self.node(node, limit, STEPS[1]);
            }
            false => self.branch(node, &bound, limit),
        }
    }

    /// What a better choice may leave uncovered at most.
    fn spare(&self) -> u64 {
        self.all.saturating_sub(self.best.saturating_add(1))
    }

    /// Drops free sets that add no more than others, and takes those without which something stays uncovered that no better
    /// choice leaves so. False if there is no better choice.
    fn settle(&self, node: &mut Node) -> bool {
        loop {
            self.drop_idle(node);
            let spare = self.spare();
            let mut of = vec![(0_usize, 0_usize); node.open.len()];
            for set in &node.free {
                for element in &self.problem.sets[*set] {
                    of[*element] = (of[*element].0 + 1, *set);
                }
            }
            let needed = |element: &usize| {
                node.open[*element] && self.problem.weights[*element] > spare && of[*element].0 < 2
            };
            match (0..node.open.len()).find(needed) {
                None => return true,
                Some(element) if of[element].0 == 0 || node.left == 0 => return false,
                Some(element) => {
                    let set = of[element].1;
                    node.free.retain(|free| *free != set);
                    self.take(node, set);
                }
            }
        }
    }

    /// Drops free sets that add nothing, or nothing that another does not add.
    fn drop_idle(&self, node: &mut Node) {
        let open = bits(node.open.len(), (0..node.open.len()).filter(|at| node.open[*at]));
        let rows: Vec<Vec<u64>> = node
            .free
            .iter()
            .map(|set| self.rows[*set].iter().zip(&open).map(|(a, b)| a & b).collect())
            .collect();
        let mut places = 0..;
        node.free.retain(|_| places.next().is_some_and(|at| adds(&rows, at)));
    }

    /// Better prices, and what they say.
    fn tighten(&mut self, node: &mut Node, steps: usize) -> Bound {
        let mut relaxed = self.relaxed(node);
        let open: Vec<usize> = (0..node.open.len()).filter(|element| node.open[*element]).collect();
        let mut prices: Vec<f64> = open.iter().map(|element| node.prices[*element]).collect();
        let mut best = (f64::INFINITY, prices.clone());
        let mut often = vec![0; node.free.len()];
        let (mut scale, mut stuck) = (1.0, 0);
        for _ in 0..steps {
            let (value, covered) = relaxed.value(&prices);
            let (value, covered) = (node.covered as f64 + value, node.covered + covered as u64);
            relaxed.chosen().for_each(|at| often[at] += 1);
            if covered > self.best {
                let chosen = relaxed.chosen().map(|at| node.free[at]);
                self.offer(covered, node.taken.iter().copied().chain(chosen).collect());
            }
            if value < best.0 - 1e-9 {
                best = (value, prices.clone());
                stuck = 0;
            } else {
                stuck += 1;
            }
            if stuck >= PATIENCE {
                (scale, stuck) = (scale / 2.0, 0);
            }
            if self.whole(best.0) <= self.best || scale < 1e-3 {
                break;
            }
            let gap = scale * (value - self.best as f64).max(0.5);
            if !relaxed.step(&mut prices, gap) {
                break;
            }
        }
        open.iter().zip(&best.1).for_each(|(element, price)| node.prices[*element] = *price);
        let value = node.covered as f64 + relaxed.value(&best.1).0;
        if self.tries > 0 {
            self.tries -= 1;
            let chosen = relaxed.chosen().map(|at| node.free[at]);
            let chosen = node.taken.iter().copied().chain(chosen).collect();
            let (covered, better) = exchange::improved(self.problem, chosen);
            self.offer(covered, better);
        }
        Bound { value, sums: relaxed.sorted(), often }
    }

    /// What is left of the problem at a node.
    fn relaxed(&self, node: &Node) -> Relaxed {
        let mut places = vec![u32::MAX; node.open.len()];
        let mut weights = Vec::new();
        for (element, place) in places.iter_mut().enumerate().filter(|(at, _)| node.open[*at]) {
            *place = weights.len() as u32;
            weights.push(self.problem.weights[element] as f64);
        }
        let mut relaxed = Relaxed::new(weights, node.left, self.spare() as f64);
        for set in &node.free {
            let members = self.problem.sets[*set].iter().filter(|element| node.open[**element]);
            relaxed.push(members.map(|element| places[*element]));
        }
        relaxed
    }

    fn offer(&mut self, covered: u64, sets: Vec<usize>) {
        if covered > self.best {
            self.best = covered;
            self.better = Some(sets);
        }
    }

    /// The largest whole number that a bound allows, with room for what sums of fractions lose.
    fn whole(&self, bound: f64) -> u64 {
        let slack = 1e-6_f64.max(bound.abs() * 1e-12);
        (bound + slack).max(0.0) as u64
    }

    /// Settles the free sets that every better choice takes or leaves. False if there are none.
    fn fix(&self, node: &mut Node, bound: &Bound) -> bool {
        let Bound { value, sums, .. } = bound;
        let Some(smallest) = sums.get(node.left.saturating_sub(1)).map(|last| last.0) else {
            // There are no more free sets than may be taken.
            let all = std::mem::take(&mut node.free);
            all.into_iter().for_each(|set| self.take(node, set));
            return true;
        };
        let next = sums.get(node.left).map_or(0.0, |next| next.0);
        let (mut take, mut out) = (Vec::new(), Vec::new());
        for (rank, (sum, at)) in sums.iter().enumerate() {
            let set = node.free[*at];
            if rank < node.left && self.whole(value - sum + next) <= self.best {
                take.push(set);
            } else if rank >= node.left && self.whole(value - smallest + sum) <= self.best {
                out.push(set);
            }
        }
        node.free.retain(|set| !take.contains(set) && !out.contains(set));
        let settled = !take.is_empty() || !out.is_empty();
        take.into_iter().for_each(|set| self.take(node, set));
        settled
    }

    fn take(&self, node: &mut Node, set: usize) {
        node.taken.push(set);
        node.left = node.left.saturating_sub(1);
        for element in &self.problem.sets[set] {
            if std::mem::take(&mut node.open[*element]) {
                node.covered += self.problem.weights[*element];
            }
        }
    }

    /// Takes a set, and leaves it. The one that the prices are least sure about, which is neither always nor never among
    /// the largest.
    fn branch(&mut self, node: Node, bound: &Bound, limit: u64) {
        let most = bound.often.iter().copied().max().unwrap_or(0);
        let unsure = |at: usize| {
            let often = bound.often.get(at).copied().unwrap_or(0);
            often.min(most - often.min(most))
        };
        let pick = bound.sums.iter().max_by(|a, b| {
            (unsure(a.1), a.0).partial_cmp(&(unsure(b.1), b.0)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let Some(set) = pick.map(|(_, at)| node.free[*at]) else { return };
        let mut with = node.clone();
        let mut without = node;
        for side in [&mut with, &mut without] {
            side.free.retain(|free| *free != set);
        }
        self.take(&mut with, set);
        self.node(with, limit, STEPS[1]);
        self.node(without, limit, STEPS[1]);
    }
}
