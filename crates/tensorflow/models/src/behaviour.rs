//! Behaviours of TensorFlow that no definition of an op says: `data/behaviour.toml`.

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Deserializer};
use unskew_core::Version;
use unskew_tables::toml_table;

use crate::{AttrValue, DataType, NodeDef, channels, rank};

/// What an entry of `_class` begins with that names a node.
const LOCATION: &[u8] = b"loc:@";

/// One thing that some releases check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    /// Its name: that of the rule, if it has one of its own.
    pub(crate) name: String,
    ops: Vec<String>,
    /// The types that it is about; none says all.
    #[serde(default, deserialize_with = "types")]
    types: Vec<DataType>,
    /// Whether bodies of functions are not looked at.
    #[serde(default)]
    pub(crate) graph_only: bool,
    sees: NodePredicate,
    /// What becomes of it, where it has no rule of its own.
    pub(crate) does: Option<BehaviourEffect>,
    /// What a release does, or for which values it changed, in words.
    #[serde(default)]
    pub(crate) what: String,
    /// What helps, where it has no rule of its own.
    #[serde(default)]
    pub(crate) fix: String,
    #[serde(default)]
    era: Vec<BehaviourRange>,
    /// The releases with which the answers for such values changed.
    #[serde(default, deserialize_with = "releases")]
    pub(crate) changed: Vec<Version>,
}

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BehaviourEffect {
    /// The shape function refuses it at import.
    RefuseShapes,
    /// The kernel refuses it when it runs.
    Refuse,
    /// The kernel answers something else.
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    No,
    /// The graph does not tell.
    Maybe,
    Yes,
}

impl From<bool> for Presence {
    fn from(there: bool) -> Self {
        if there { Self::Yes } else { Self::No }
    }
}

/// What is looked for on a node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NodePredicate {
    /// An input that is a constant of more dimensions than this.
    #[serde(rename_all = "kebab-case")]
    ConstantInput {
        input: usize,
        rank_above: usize,
    },
    /// One of these outputs is noted to have another shape than this, a known one.
    #[serde(rename_all = "kebab-case")]
    NotedShapeOf {
        outputs: Vec<usize>,
        other_than: Vec<i64>,
    },
    /// This attribute is a shape without dimensions.
    ScalarAttribute(String),
    /// This attribute is false.
    FalseAttribute(String),
    /// This attribute names a node that is not there.
    ColocatedWithNoNode(String),
    /// An input has another number of dimensions than this.
    RankOtherThan {
        input: usize,
        rank: usize,
    },
    /// An attribute is at least this, and another one is true.
    NumberFrom {
        attr: String,
        least: i64,
        also: String,
    },
    /// This input, one number, is not zero.
    NotZero(usize),
    /// A spectrogram whose frames go on from one channel into the next.
    FramesGoOn,
    /// A convolution whose filter takes fewer channels than its input has.
    Grouped,
    Always,
}

/// Releases and producers for which something counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BehaviourRange {
    #[serde(default, deserialize_with = "release")]
    since: Option<Version>,
    #[serde(default, deserialize_with = "release")]
    until: Option<Version>,
    pub(crate) from_producer: Option<i64>,
    pub(crate) up_to_producer: Option<i64>,
    /// What TensorFlow prints, if anything.
    #[serde(default)]
    pub(crate) symptom: String,
}

fn release<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Version>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn types<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<DataType>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}

fn releases<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Version>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    behaviour: Vec<Behaviour>,
}

/// Every behaviour, in the order of the file.
pub(crate) fn behaviours() -> &'static [Behaviour] {
    static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/behaviour.toml"));
    &FILE.behaviour
}

/// The behaviours that are about an op, with their places in [`behaviours`]; of most ops there is none.
pub(crate) fn about(op: &str) -> impl Iterator<Item = (usize, &'static Behaviour)> {
    static BY_OP: LazyLock<BehavioursByOp> = LazyLock::new(BehavioursByOp::default);
    let exactly = BY_OP.exactly.get(op).into_iter().flatten();
    let begins = BY_OP.begins.iter().filter(|(prefix, _)| op.starts_with(prefix));
    let places = exactly.chain(begins.map(|(_, place)| place));
    places.filter_map(|place| Some((*place, behaviours().get(*place)?)))
}

/// The places of behaviours by the names of ops, and by how they begin.
struct BehavioursByOp {
    exactly: HashMap<&'static str, Vec<usize>>,
    begins: Vec<(&'static str, usize)>,
}

impl Default for BehavioursByOp {
    fn default() -> Self {
        let mut all = Self { exactly: HashMap::new(), begins: Vec::new() };
        for (place, behaviour) in behaviours().iter().enumerate() {
            for op in &behaviour.ops {
                match op.strip_suffix('*') {
                    Some(prefix) => all.begins.push((prefix, place)),
                    None => all.exactly.entry(op).or_default().push(place),
                }
            }
        }
        all
    }
}

/// The behaviour of gradients whose unused outputs have noted shapes.
pub(crate) const NOTED_SHAPES: &str = "noted-shapes";

pub(crate) fn named(name: &str) -> Option<(usize, &'static Behaviour)> {
    behaviours().iter().enumerate().find(|(_, behaviour)| behaviour.name == name)
}

impl Behaviour {
    /// Whether `node`, of an op that it is about, shows it; the graph has the nodes that `get` finds by name.
    pub(crate) fn sees<'g>(
        &self,
        node: &'g NodeDef,
        get: impl Fn(&str) -> Option<&'g NodeDef> + Copy,
    ) -> Presence {
        let of_type = match node.attr("T") {
            _ if self.types.is_empty() => Presence::Yes,
            Some(AttrValue::Type(dtype)) => self.types.contains(dtype).into(),
            _ => Presence::Maybe,
        };
        if of_type == Presence::No {
            return Presence::No;
        }
        match (self.sees.is_there(node, get), of_type) {
            (Presence::Yes, Presence::Maybe) => Presence::Maybe,
            (seen, _) => seen,
        }
    }

    pub(crate) fn ops_in_words(&self) -> String {
        match self.ops.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Whether a release answers otherwise than one of `writers`, or may: if nobody knows who wrote a graph.
    pub(crate) fn changed_between(&self, writers: &[Version], release: Version) -> bool {
        let age =
            |version: &Version| self.changed.iter().filter(|changed| **changed <= *version).count();
        !self.changed.is_empty()
            && (writers.is_empty() || writers.iter().any(|writer| age(writer) != age(&release)))
    }

    /// Whether one of `writers` answered so and this release does not, which is another answer too.
    pub(crate) fn gave_up(&self, writers: &[Version], producer: i64, release: Version) -> bool {
        let has = |release: Version| self.era(release, producer).is_some();
        self.does == Some(BehaviourEffect::Answer)
            && !has(release)
            && writers.iter().any(|writer| has(*writer))
    }

    /// Whether an op of this name is meant, and not all that begin so.
    pub(crate) fn is_of(&self, op: &str) -> bool {
        self.ops.iter().any(|known| known == op)
    }

    pub(crate) fn is_of_types(&self, names: &[&str]) -> bool {
        self.types.is_empty() || self.types.iter().any(|known| names.contains(&&*known.to_string()))
    }

    /// Whether it says that a release does otherwise than one of `writers`.
    pub(crate) fn tells_apart(&self, writers: &[Version], producer: i64, release: Version) -> bool {
        let has = |release: Version| self.era(release, producer).is_some();
        let by_era = match writers {
            [] => has(release),
            some => some.iter().any(|writer| has(*writer) != has(release)),
        };
        by_era || self.changed_between(writers, release)
    }

    /// The releases with which something changed.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Version> {
        let since = self.era.iter().filter_map(|era| era.since);
        // What holds until a release changed with the next one.
        let until = self.era.iter().filter_map(|era| {
            era.until.map(|until| Version::pair(until.major(), until.minor().saturating_add(1)))
        });
        since.chain(until).chain(self.changed.iter().copied())
    }

    /// The era that counts for this release and producer.
    pub(crate) fn era(&self, release: Version, producer: i64) -> Option<&BehaviourRange> {
        self.era.iter().find(|era| {
            // A bound of two numbers holds for all patch releases.
            let minor = Version::pair(release.major(), release.minor());
            era.since.is_none_or(|since| since <= release)
                && era.until.is_none_or(|until| minor <= until)
                && era.from_producer.is_none_or(|from| producer >= from)
                && era.up_to_producer.is_none_or(|to| producer <= to)
        })
    }

    /// The producers from which on, or up to which, a release has it.
    pub(crate) fn border(&self, release: Version) -> Option<i64> {
        let any = |era: &&BehaviourRange| era.since.is_none_or(|since| since <= release);
        self.era
            .iter()
            .rfind(any)
            .and_then(|era| era.from_producer.or(era.up_to_producer.map(|to| to.saturating_add(1))))
    }
}

impl NodePredicate {
    fn is_there<'g>(
        &self,
        node: &'g NodeDef,
        get: impl Fn(&str) -> Option<&'g NodeDef> + Copy,
    ) -> Presence {
        match self {
            Self::RankOtherThan { input, rank: wanted } => rank::of_input(node, *input, get)
                .map_or(Presence::Maybe, |rank| (rank != *wanted).into()),
            Self::NumberFrom { attr, least, also } => {
                let from = node.attr(attr).and_then(AttrValue::int).is_some_and(|n| n >= *least);
                // The default is true.
                (from && !matches!(node.attr(also), Some(AttrValue::Bool(false)))).into()
            }
            Self::NotZero(input) => {
                let source = node.data_inputs().nth(*input).and_then(get);
                match source.filter(|source| &*source.op == "Const").and_then(|it| it.attr("value"))
                {
                    Some(AttrValue::Tensor { zero, .. }) => (!zero).into(),
                    _ => Presence::Maybe,
                }
            }
            Self::FramesGoOn => {
                channels::do_frames_go_on(node, get).map_or(Presence::Maybe, Presence::from)
            }
            Self::Grouped => {
                channels::is_grouped(node, get).map_or(Presence::Maybe, Presence::from)
            }
            Self::Always => Presence::Yes,
            other => other.is_surely_there(node, get).into(),
        }
    }

    fn is_surely_there<'g>(
        &self,
        node: &'g NodeDef,
        get: impl Fn(&str) -> Option<&'g NodeDef> + Copy,
    ) -> bool {
        match self {
            Self::ConstantInput { input, rank_above } => {
                let source = node.data_inputs().nth(*input).and_then(get);
                source.and_then(constant_rank).is_some_and(|rank| rank > *rank_above)
            }
            Self::NotedShapeOf { outputs, other_than } => {
                let Some(AttrValue::List(shapes)) = node.attr(rank::OUTPUT_SHAPES) else {
                    return false;
                };
                outputs.iter().filter_map(|i| shapes.get(*i)).any(|shape| {
                    let AttrValue::Shape(shape) = shape else { return false };
                    let known = |dims: &&Vec<i64>| dims.iter().all(|dim| *dim >= 0);
                    shape.0.as_ref().filter(known).is_some_and(|dims| dims != other_than)
                })
            }
            Self::ScalarAttribute(name) => {
                matches!(node.attr(name), Some(AttrValue::Shape(shape)) if shape.rank() == Some(0))
            }
            Self::FalseAttribute(name) => {
                matches!(node.attr(name), Some(AttrValue::Bool(false)))
            }
            Self::ColocatedWithNoNode(name) => {
                let Some(AttrValue::List(classes)) = node.attr(name) else { return false };
                classes.iter().any(|class| {
                    let AttrValue::String(class) = class else { return false };
                    let node = class.strip_prefix(LOCATION);
                    node.and_then(|node| std::str::from_utf8(node).ok())
                        .is_some_and(|node| get(node).is_none())
                })
            }
            Self::RankOtherThan { .. }
            | Self::NumberFrom { .. }
            | Self::NotZero(_)
            | Self::FramesGoOn
            | Self::Grouped
            | Self::Always => false,
        }
    }
}

fn constant_rank(node: &NodeDef) -> Option<usize> {
    match node.attr("value")? {
        AttrValue::Tensor { shape, .. } if &*node.op == "Const" => shape.rank(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_behaviours_is_one() {
        let has_one = |behaviour: &Behaviour| {
            behaviour.era.is_empty() != behaviour.changed.is_empty()
                && (behaviour.does.is_none() && behaviour.changed.is_empty()
                    || !behaviour.what.is_empty())
        };
        for behaviour in behaviours() {
            assert!(has_one(behaviour), "{}", behaviour.name);
        }
    }

    #[test]
    fn an_era_of_a_minor_release_holds_for_its_patches() {
        let deep = behaviours().iter().find(|b| b.name == "deep-reduction-indices").unwrap();
        let counts = |release: &str, producer| deep.era(release.parse().unwrap(), producer);
        assert!(counts("0.12.1", 0).is_some());
        assert!(counts("1.0.1", 20).is_none() && counts("1.0.1", 21).is_some());
        assert!(counts("2.21.0", 0).is_none());
    }

    #[test]
    fn an_answer_that_only_the_writer_gives_is_another_one() {
        let round = behaviours().iter().find(|b| b.name == "rounded-integers").unwrap();
        let [old, new] = ["2.15.1", "2.21.0"].map(|release| release.parse::<Version>().unwrap());
        assert!(round.gave_up(&[new], 0, old) && round.gave_up(&[old, new], 0, old));
        assert!(!round.gave_up(&[new], 0, new) && !round.gave_up(&[old], 0, new));
        assert!(!round.gave_up(&[], 0, old));
    }
}
