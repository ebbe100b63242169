//! TensorFlow's data-version rule, the general case of producers and consumers.
//!
//! The rule is the one of the document *TensorFlow Data Versioning: GraphDefs and Checkpoints*: data
//! records the `producer` that made it, the `min_consumer` that it is compatible with and the
//! `bad_consumers` that must not read it; a consumer has a version and a `min_producer`.

use std::collections::BTreeSet;
use std::fmt;

/// What a piece of versioned data says about itself (a `VersionDef`).
///
/// ```
/// use unskew_core::{DataConsumer, DataRefusal, DataVersions};
/// let graph = DataVersions { producer: 1395, min_consumer: 12, ..Default::default() };
/// let tf_0_12 = DataConsumer { version: 17, min_producer: 0 };
/// assert_eq!(graph.accepted_by(tf_0_12), Ok(()));
/// let ancient = DataConsumer { version: 8, min_producer: 0 };
/// assert_eq!(
///     graph.accepted_by(ancient),
///     Err(DataRefusal::ConsumerTooOld { consumer: 8, min_consumer: 12 }),
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataVersions {
    /// The version of the binary that made the data.
    pub producer: i64,
    /// The oldest consumer that may read it.
    pub min_consumer: i64,
    /// Consumers that must not read it, because they are known to be broken.
    pub bad_consumers: BTreeSet<i64>,
}

/// What reads the data: a binary with one version for both roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataConsumer {
    /// The version that a consumer writes and reads up to.
    pub version: i64,
    /// The oldest producer whose data it reads.
    pub min_producer: i64,
}

/// Why a consumer does not accept a piece of data. The first reason wins, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataRefusal {
    /// The consumer's own numbers contradict each other: it would refuse what it writes itself.
    ConsumerBroken {
        /// The version of the runtime that refuses the data.
        consumer: i64,
        /// Its lowest readable producer, which is above it.
        min_producer: i64,
    },
    /// The data is older than the consumer reads.
    ProducerTooOld {
        /// The producer version that the data carries.
        producer: i64,
        /// The consumer's lowest readable producer.
        min_producer: i64,
    },
    /// The consumer is older than the data allows.
    ConsumerTooOld {
        /// The version of the runtime that refuses the data.
        consumer: i64,
        /// The data's lowest consumer.
        min_consumer: i64,
    },
    /// The data names the consumer as broken.
    BadConsumer {
        /// The version of the runtime that refuses the data.
        consumer: i64,
    },
}

impl fmt::Display for DataRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConsumerBroken { consumer, min_producer } => {
                write!(f, "consumer {consumer} is below its own min_producer {min_producer}")
            }
            Self::ProducerTooOld { producer, min_producer } => {
                write!(f, "producer {producer} is below min_producer {min_producer}")
            }
            Self::ConsumerTooOld { consumer, min_consumer } => {
                write!(f, "min_consumer {min_consumer} is above consumer {consumer}")
            }
            Self::BadConsumer { consumer } => write!(f, "consumer {consumer} is a bad consumer"),
        }
    }
}

impl DataVersions {
    /// Whether `consumer` may read this data.
    ///
    /// # Errors
    /// The first [`DataRefusal`], in the order in which TensorFlow's own check finds them.
    pub fn accepted_by(&self, consumer: DataConsumer) -> Result<(), DataRefusal> {
        let DataConsumer { version, min_producer } = consumer;
        if version < min_producer {
            Err(DataRefusal::ConsumerBroken { consumer: version, min_producer })
        } else if self.producer < min_producer {
            Err(DataRefusal::ProducerTooOld { producer: self.producer, min_producer })
        } else if self.min_consumer > version {
            Err(DataRefusal::ConsumerTooOld { consumer: version, min_consumer: self.min_consumer })
        } else if self.bad_consumers.contains(&version) {
            Err(DataRefusal::BadConsumer { consumer: version })
        } else {
            Ok(())
        }
    }

    /// What a non-empty graph says about itself after `imported` came into it: the lowest producer,
    /// the highest `min_consumer`, every bad consumer.
    #[must_use]
    pub fn merged_with(&self, imported: &Self) -> Self {
        Self {
            producer: self.producer.min(imported.producer),
            min_consumer: self.min_consumer.max(imported.min_consumer),
            bad_consumers: self.bad_consumers.union(&imported.bad_consumers).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_wins_in_tensorflows_order() {
        let data = DataVersions { producer: -5, min_consumer: 99, bad_consumers: [17].into() };
        let broken = DataConsumer { version: 17, min_producer: 18 };
        let strict = DataConsumer { version: 17, min_producer: 0 };
        assert!(matches!(data.accepted_by(broken), Err(DataRefusal::ConsumerBroken { .. })));
        assert!(matches!(data.accepted_by(strict), Err(DataRefusal::ProducerTooOld { .. })));
        let data = DataVersions { producer: 0, ..data };
        assert!(matches!(data.accepted_by(strict), Err(DataRefusal::ConsumerTooOld { .. })));
        let data = DataVersions { min_consumer: 0, ..data };
        assert!(matches!(data.accepted_by(strict), Err(DataRefusal::BadConsumer { .. })));
    }
}
