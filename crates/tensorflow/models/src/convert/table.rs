//! The data of the adaptations: ops that mean the same, and attributes that mean nothing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use foldhash::HashMap;
use serde::Deserialize;
use unskew_tables::toml_table;

/// An op that means the same as another, under conditions.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Replacement {
    /// The op that a release lacks.
    pub from: String,
    /// The op that means the same.
    pub to: String,
    /// Both inputs are the same but for their last two dimensions.
    #[serde(default)]
    pub(super) same_batch: bool,
    /// The first input has one element, or all shapes are the same.
    #[serde(default)]
    pub(super) scalar_or_same: bool,
    /// The inputs of these numbers are constants of one number, 0 or -1.
    #[serde(default)]
    pub(super) constants: BTreeMap<usize, i64>,
    /// The input of this number is a constant of one element: it names one diagonal.
    pub(super) one_diagonal: Option<usize>,
    /// The input of this number is known to have one dimension.
    pub(super) rank_one: Option<usize>,
    /// The inputs of a generator of random numbers come from this seed.
    pub(super) seed: Option<Seed>,
    /// Nothing uses these outputs.
    #[serde(default)]
    pub(super) free: Vec<FreeOutput>,
    #[serde(default)]
    pub(super) types: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) same_types: Vec<String>,
    /// Attributes that get another name.
    #[serde(default)]
    pub(super) rename: BTreeMap<String, String>,
    /// Attributes that the other op needs not, whatever their value.
    #[serde(default)]
    pub(super) drop: Vec<String>,
    /// Inputs that the other op does not have.
    #[serde(default)]
    pub(super) drop_inputs: Vec<usize>,
    /// All inputs are waited for only.
    #[serde(default)]
    pub(super) to_control: bool,
    /// Where the equality comes from.
    pub proof: Proof,
    /// Why both mean the same.
    pub why: String,
}

/// Where it comes from that two ops mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// TensorFlow registers one kernel under both names.
    Registry,
    /// Real releases computed the same bits with both; a test repeats it.
    Measured,
    /// The deprecation of the one names the other.
    Deprecation,
}

/// An output that nothing may use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FreeOutput {
    pub(super) output: usize,
    /// Its name, which references in functions use.
    pub(super) name: String,
    /// The ops whose nodes may use it all the same: they lose that input where a release lacks them.
    pub(super) but: Vec<String>,
}

/// Inputs of a generator that others make of a seed, which is what it gets instead.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seed {
    /// The input that the key is read from; the counter and the algorithm are the two behind it.
    pub(super) key: usize,
    /// The attribute of the new op that has the type of the seed, and of the op that makes the key.
    pub(super) attr: String,
}

impl Replacement {
    /// Whether its conditions are about more than the node itself.
    pub(super) fn asks_the_wiring(&self) -> bool {
        self.same_batch
            || self.scalar_or_same
            || !self.constants.is_empty()
            || self.one_diagonal.is_some()
            || self.rank_one.is_some()
            || self.seed.is_some()
            || !self.free.is_empty()
    }

    /// The number that an input of `from` has on `to`; none if that has it not.
    pub(crate) fn input_after(&self, number: u64) -> Option<u64> {
        let gone = |at: &&usize| (**at as u64) < number;
        let seeded = self.seed.as_ref().is_some_and(|seed| seed.key as u64 == number);
        let dropped = self.drop_inputs.iter().any(|at| *at as u64 == number);
        let stays = !self.to_control && !dropped && !seeded;
        stays.then(|| number.saturating_sub(self.drop_inputs.iter().filter(gone).count() as u64))
    }

    /// What must be known of the graph, in words.
    pub(crate) fn condition(&self) -> Option<String> {
        let from = &self.from;
        if self.same_batch {
            return Some(format!(
                "`{}` does not broadcast, so the dimensions of both inputs of `{from}`, the last two \
                 apart, must be known to be the same",
                self.to
            ));
        }
        if self.scalar_or_same {
            return Some(format!(
                "`{}` does not broadcast, so the inputs of `{from}` must be known to have one shape",
                self.to
            ));
        }
        if !self.constants.is_empty() {
            let one = |(input, value): (&usize, &i64)| match value {
                0 => format!("input {input} of `{from}` must be a constant zero"),
                value => format!("input {input} of `{from}` must be a constant {value}"),
            };
            return Some(self.constants.iter().map(one).collect::<Vec<_>>().join(", "));
        }
        if let Some(input) = self.one_diagonal {
            return Some(format!(
                "input {input} of `{from}` must be a constant that names one diagonal"
            ));
        }
        if let Some(input) = self.rank_one {
            return Some(format!("input {input} of `{from}` must be known to have one dimension"));
        }
        if let Some(seed) = &self.seed {
            return Some(format!(
                "inputs {} to {} of `{from}` must come from a seed by the algorithm of a CPU",
                seed.key,
                seed.key + 2
            ));
        }
        let outputs: Vec<String> = self.free.iter().map(|free| free.output.to_string()).collect();
        (!outputs.is_empty())
            .then(|| format!("nothing may use output {} of `{from}`", outputs.join(" or ")))
    }
}

/// An attribute that changes nothing that a graph computes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IdleAttribute {
    op: String,
    attr: String,
    #[expect(dead_code, reason = "the reason is for whoever reads the table")]
    why: String,
}

#[derive(Deserialize)]
struct Replacements {
    replacement: Vec<Replacement>,
}

#[derive(Deserialize)]
struct IdleAttributes {
    idle: Vec<IdleAttribute>,
}

/// Every pair of ops that mean the same, in the order of the file.
pub fn replacements() -> &'static [Replacement] {
    static FILE: LazyLock<Replacements> = LazyLock::new(|| toml_table!("data/replacements.toml"));
    &FILE.replacement
}

/// The pairs that begin with this op.
pub(super) fn from(op: &str) -> impl Iterator<Item = &'static Replacement> {
    static BY_OP: LazyLock<HashMap<&'static str, Vec<&'static Replacement>>> =
        LazyLock::new(|| {
            let mut by_op: HashMap<&str, Vec<_>> = HashMap::default();
            for row in replacements() {
                by_op.entry(&row.from).or_default().push(row);
            }
            by_op
        });
    BY_OP.get(op).into_iter().flatten().copied()
}

/// The pairs to which an op leads, those that follow one another included, that ask the wiring of a graph, with their
/// places among all.
pub(super) fn asking(op: &str) -> &'static [(usize, &'static Replacement)] {
    static BY_OP: LazyLock<HashMap<&'static str, Vec<(usize, &'static Replacement)>>> =
        LazyLock::new(|| {
            replacements().iter().map(|row| (&*row.from, reached(&row.from))).collect()
        });
    BY_OP.get(op).map_or(&[], Vec::as_slice)
}

fn reached(op: &'static str) -> Vec<(usize, &'static Replacement)> {
    let (mut ops, mut seen, mut rows) = (vec![op], 0, Vec::new());
    while let Some(op) = ops.get(seen).copied() {
        seen += 1;
        for (at, row) in replacements().iter().enumerate().filter(|(_, row)| row.from == op) {
            if !ops.contains(&&*row.to) {
                ops.push(&row.to);
            }
            if row.asks_the_wiring() {
                rows.push((at, row));
            }
        }
    }
    rows
}

/// Whether an attribute changes nothing that a graph computes.
pub(crate) fn is_idle(op: &str, attr: &str) -> bool {
    static FILE: LazyLock<IdleAttributes> =
        LazyLock::new(|| toml_table!("data/idle-attributes.toml"));
    FILE.idle.iter().any(|idle| {
        idle.attr == attr
            && match idle.op.strip_prefix('*').and_then(|rest| rest.strip_suffix('*')) {
                Some(part) => op.contains(part),
                None => idle.op == op,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_idle_by_name_and_by_op() {
        assert!(is_idle("VarHandleOp", "debug_name"));
        assert!(is_idle("TFRecordDataset", "metadata"));
        assert!(!is_idle("VarHandleOp", "shape"));
    }
}
