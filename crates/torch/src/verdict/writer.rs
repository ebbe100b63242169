//! Who wrote a file, told by what it calls.
//!
//! A release writes only calls that its own table takes. So a call that the tables take from 2.12 on
//! was not written before, and one that they take up to 1.5 was not written later; together with the
//! layout this often leaves a single release.

use unskew_core::Version;
use unskew_ops::{Definition, OperatorHistory};

use crate::model::Given;
use crate::{Model, Producer, Use};

impl Model {
    /// The producer that the layout tells, narrowed by the operators that the file uses.
    ///
    /// A file that states its producer is believed, and a use that no table of `history` takes says
    /// nothing.
    pub fn producer_by(&self, history: &OperatorHistory) -> Producer {
        let mut producer = self.producer.clone();
        if producer.exact.is_some() {
            return producer;
        }
        for one in self.uses.keys() {
            let definitions = history.named(&one.name);
            let runs = || definitions.iter().filter(|d| fits(one, d)).flat_map(|d| d.runs.iter());
            let since = runs().map(|run| run.since).min().map(minor);
            let open = runs().any(|run| run.until.is_none());
            let until = runs().filter_map(|run| run.until).max().filter(|_| !open).map(minor);
            // What the oldest table has may be older than all tables.
            let oldest = history.releases().first().copied().map(minor);
            let since = since.filter(|since| Some(*since) != oldest);
            producer.narrow(since, until, &format!("calls {}", one.full_name()));
        }
        producer
    }
}

fn minor(version: Version) -> Version {
    Version::pair(version.major(), version.minor())
}

fn fits(one: &Use, definition: &Definition) -> bool {
    let schema = &definition.schema;
    match &one.given {
        Given::Shape(shape) => schema.accepts(shape).is_ok(),
        Given::Overload(overload, _) => schema.overload == *overload,
        Given::Named(overload, shape) => {
            schema.overload == *overload && schema.accepts(shape).is_ok()
        }
    }
}
