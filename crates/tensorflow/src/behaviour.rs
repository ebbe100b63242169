//! What TensorFlow checks of graphs although no definition of an op says so: `data/behaviour.toml`.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};
use unskew_core::Version;

use crate::{AttrValue, Node};

/// What an entry of `_class` begins with that names a node.
const LOCATION: &[u8] = b"loc:@";

/// One thing that some releases check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    /// Its name: that of the rule.
    pub(crate) name: String,
    /// The ops that it is about.
    ops: Vec<String>,
    /// Whether bodies of functions are not looked at.
    #[serde(default)]
    pub(crate) graph_only: bool,
    /// What must be there.
    sees: Sight,
    /// When it counts.
    era: Vec<Era>,
}

/// What is looked for on a node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sight {
    /// An input that is a constant of more dimensions than this.
    #[serde(rename_all = "kebab-case")]
    ConstantInput { input: usize, rank_above: usize },
    /// One of these outputs is noted to have another shape than this, a known one.
    #[serde(rename_all = "kebab-case")]
    NotedShapeOf { outputs: Vec<usize>, other_than: Vec<i64> },
    /// This attribute is a shape without dimensions.
    ScalarAttribute(String),
    /// This attribute is false.
    FalseAttribute(String),
    /// This attribute names a node that is not there.
    ColocatedWithNoNode(String),
}

/// Releases and producers for which something counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Era {
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    behaviour: Vec<Behaviour>,
}

/// Every behaviour, in the order of the file. Read once; a test reads the file, so it is there.
pub(crate) fn behaviours() -> &'static [Behaviour] {
    static ALL: LazyLock<Vec<Behaviour>> = LazyLock::new(|| read().unwrap_or_default());
    &ALL
}

fn read() -> Result<Vec<Behaviour>, toml::de::Error> {
    toml::from_str::<File>(include_str!("../data/behaviour.toml")).map(|file| file.behaviour)
}

/// The behaviour of gradients whose unused outputs have noted shapes.
pub(crate) const NOTED_SHAPES: &str = "noted-shapes";

/// The behaviour of this name.
pub(crate) fn named(name: &str) -> Option<(usize, &'static Behaviour)> {
    behaviours().iter().enumerate().find(|(_, behaviour)| behaviour.name == name)
}

/// The attribute in which the exporter noted the shapes of the outputs.
const OUTPUT_SHAPES: &str = "_output_shapes";

impl Behaviour {
    /// Whether it is about `node`, whose graph has the nodes that `get` finds by name.
    pub(crate) fn sees<'g>(&self, node: &'g Node, get: impl Fn(&str) -> Option<&'g Node>) -> bool {
        let about = |op: &String| match op.strip_suffix('*') {
            Some(prefix) => node.op.starts_with(prefix),
            None => **op == *node.op,
        };
        self.ops.iter().any(about) && self.sees.is_there(node, get)
    }

    /// The era that counts for this release and producer.
    pub(crate) fn era(&self, release: Version, producer: i64) -> Option<&Era> {
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
        let any = |era: &&Era| era.since.is_none_or(|since| since <= release);
        self.era
            .iter()
            .rfind(any)
            .and_then(|era| era.from_producer.or(era.up_to_producer.map(|to| to.saturating_add(1))))
    }
}

impl Sight {
    fn is_there<'g>(&self, node: &'g Node, get: impl Fn(&str) -> Option<&'g Node>) -> bool {
        match self {
            Self::ConstantInput { input, rank_above } => {
                let source = node.data_inputs().nth(*input).and_then(get);
                source.and_then(constant_rank).is_some_and(|rank| rank > *rank_above)
            }
            Self::NotedShapeOf { outputs, other_than } => {
                let Some(AttrValue::List(shapes)) = node.attr(OUTPUT_SHAPES) else { return false };
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
        }
    }
}

fn constant_rank(node: &Node) -> Option<usize> {
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
        assert!(read().unwrap().iter().all(|behaviour| !behaviour.era.is_empty()));
    }

    #[test]
    fn an_era_of_a_minor_release_holds_for_its_patches() {
        let deep = behaviours().iter().find(|b| b.name == "deep-reduction-indices").unwrap();
        let counts = |release: &str, producer| deep.era(release.parse().unwrap(), producer);
        assert!(counts("0.12.1", 0).is_some());
        assert!(counts("1.0.1", 20).is_none() && counts("1.0.1", 21).is_some());
        assert!(counts("2.21.0", 0).is_none());
    }
}
