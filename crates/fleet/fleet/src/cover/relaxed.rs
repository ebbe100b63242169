//! The relaxation of a node: prices for what is not covered, and the bound that follows from them.

/// What is left of a problem at a node, without what is covered and the sets that are settled.
pub(super) struct Relaxed {
    /// The weights of the open elements.
    weights: Vec<f64>,
    /// The highest price of each: its weight, or any if every better choice covers it.
    limits: Vec<f64>,
    /// The open elements of each free set, one set after the other, and where each begins.
    members: Vec<u32>,
    starts: Vec<usize>,
    /// How many sets may be taken: fewer than there are.
    left: usize,
    /// The sums of prices over the free sets with their places; the largest `left` first, otherwise in no order.
    sums: Vec<(f64, usize)>,
    /// How many of the chosen sets cover an element, less one.
    slope: Vec<f64>,
}

impl Relaxed {
    /// Open elements with these weights, and free sets of their places. What weighs more than `spare` is covered by every
    /// choice that is looked for.
    pub(super) fn new(weights: Vec<f64>, left: usize, spare: f64) -> Self {
        let slope = vec![0.0; weights.len()];
        let limit = |weight: &f64| if *weight > spare { f64::INFINITY } else { *weight };
        let limits = weights.iter().map(limit).collect();
        Self {
            weights,
            limits,
            members: Vec::new(),
            starts: vec![0],
            left,
            sums: Vec::new(),
            slope,
        }
    }

    /// Adds a free set.
    pub(super) fn push(&mut self, members: impl Iterator<Item = u32>) {
        self.members.extend(members);
        self.starts.push(self.members.len());
        self.sums.push((0.0, self.sums.len()));
    }

    fn set(&self, at: usize) -> &[u32] {
        &self.members[self.starts[at]..self.starts[at + 1]]
    }

    /// The bound at some prices, without what is covered already; and the weight of what the chosen sets, those of the
    /// largest sums, cover together.
    pub(super) fn value(&mut self, prices: &[f64]) -> (f64, f64) {
        for place in 0..self.sums.len() {
            let at = self.sums[place].1;
            self.sums[place].0 = self.set(at).iter().map(|member| prices[*member as usize]).sum();
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if self.left < self.sums.len() {
            self.sums.select_nth_unstable_by(self.left, order);
        }
        self.slope.fill(-1.0);
        let mut bound: f64 =
            self.weights.iter().zip(prices).map(|(weight, price)| weight - price).sum();
        for place in 0..self.left.min(self.sums.len()) {
            let (sum, at) = self.sums[place];
            bound += sum;
            for member in self.starts[at]..self.starts[at + 1] {
                self.slope[self.members[member] as usize] += 1.0;
            }
        }
        let covered = self.weights.iter().zip(&self.slope).filter(|(_, slope)| **slope >= 0.0);
        (bound, covered.map(|(weight, _)| weight).sum())
    }

    /// The chosen sets of the last value.
    pub(super) fn chosen(&self) -> impl Iterator<Item = usize> {
        self.sums.iter().take(self.left).map(|(_, at)| *at)
    }

    /// The sums of the last value, largest first.
    pub(super) fn sorted(mut self) -> Vec<(f64, usize)> {
        self.sums.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.sums
    }

    /// Moves the prices against the slope of the last value: down where several chosen sets cover an element, up where none
    /// does. False if they cannot move.
    pub(super) fn step(&self, prices: &mut [f64], gap: f64) -> bool {
        let moves = |slope: f64, price: f64, limit: f64| {
            (slope < 0.0 && price < limit) || (slope > 0.0 && price > 0.0)
        };
        let all = || self.slope.iter().zip(&self.limits);
        let norm: f64 = all()
            .zip(&*prices)
            .filter(|((slope, limit), price)| moves(**slope, **price, **limit))
            .map(|((slope, _), _)| slope * slope)
            .sum();
        if norm == 0.0 {
            return false;
        }
        for ((slope, limit), price) in all().zip(prices) {
            if moves(*slope, *price, *limit) {
                *price = (*price - gap / norm * slope).clamp(0.0, *limit);
            }
        }
        true
    }
}
