//! What a seed draws.

use std::fmt;

use unskew_random::Random;

use super::quotas::Quotas;

/// A package and one that it uses, a line each.
const PAIRS: &str = include_str!("draws.txt");

/// A package with extensions for PyTorch, and what else its import needs, a line each.
const BESIDE_TORCH: &str = include_str!("beside_torch.txt");

/// The years and months of the day of the first package.
const FIRST: (usize, usize) = (2022, 10);
const MONTHS: usize = 36;

/// How many months after that the second package may be from.
const LATER_MONTHS: usize = 48;

/// The day of a package that was upgraded to the newest.
const NEWEST: &str = "2026-11-01";

/// An environment to make.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) package: &'static str,
    /// The package that is changed, or what else is installed beside PyTorch.
    pub(super) others: Vec<&'static str>,
    pub(super) is_beside_torch: bool,
    pub(super) day: String,
    pub(super) other_day: String,
}

impl Draw {
    /// The nth draw of a seed. One in six is beside PyTorch, until there are enough.
    pub(super) fn nth(seed: u64, nth: u64, quotas: &Quotas) -> Self {
        let mut random = Random::nth(seed, nth);
        let is_beside_torch = random.below(6) == 0 && quotas.want_torch();
        let lines: Vec<&str> = match is_beside_torch {
            true => BESIDE_TORCH.lines().collect(),
            false => PAIRS.lines().collect(),
        };
        let mut words = random.choose(&lines).split(' ');
        let package = words.next().unwrap_or_default();
        let day = day(&mut random, MONTHS);
        let other_day = match random.below(3) {
            0 => self::day(&mut random, LATER_MONTHS),
            _ => NEWEST.to_owned(),
        };
        Self { package, others: words.collect(), is_beside_torch, day, other_day }
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { package, others, day, other_day, .. } = self;
        write!(out, "{package} of {day} with {} of {other_day}", others.join(" "))
    }
}

fn day(random: &mut Random, months: usize) -> String {
    let month = FIRST.1 - 1 + random.below(months);
    format!("{}-{:02}-{:02}", FIRST.0 + month / 12, month % 12 + 1, 1 + random.below(28))
}
