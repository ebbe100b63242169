//! Writer analysis: who wrote a file, told by what it calls.
//!
//! A release writes only calls that its own table takes. So a call that the tables take from 2.12 on
//! was not written before, and one that they take up to 1.5 was not written later; together with the
//! layout this often leaves a single release.

use unskew_core::Version;
use unskew_torch_schemas::{OperatorHistory, SchemaDefinition};

use crate::code::{self, Callable, TypedUse};
use crate::model::GivenArguments;
use crate::{OperatorUse, ProducerReleases, TorchModel};

/// A file, read with the operators of all releases at hand.
pub(crate) struct WriterAnalysis {
    pub producer: ProducerReleases,
    /// The calls of its code; none if a loader reads something else.
    pub calls: Vec<TypedUse>,
    /// The calls of the code beside bytecode, which no loader of bytecode reads.
    pub beside: Vec<TypedUse>,
}

impl WriterAnalysis {
    pub(crate) fn new(model: &TorchModel, history: &OperatorHistory) -> Self {
        let program = model.program.as_ref().filter(|_| !model.format.is_mobile());
        let calls = program.map(|program| code::typed(program, &Callable(history)));
        let calls = calls.unwrap_or_default();
        let program = model.program.as_ref().filter(|_| model.format.is_mobile());
        let beside = program.map(|program| code::typed(program, &Callable(history)));
        let beside = beside.unwrap_or_default();
        Self { producer: producer(model, &calls, history), calls, beside }
    }
}

impl TorchModel {
    /// The producer that the layout tells, narrowed by the operators that the file uses.
    ///
    /// A file that states its producer is believed, and a use that no table of `history` takes says
    /// nothing.
    pub fn producer_by(&self, history: &OperatorHistory) -> ProducerReleases {
        WriterAnalysis::new(self, history).producer
    }
}

fn producer(model: &TorchModel, calls: &[TypedUse], history: &OperatorHistory) -> ProducerReleases {
    let mut producer = model.producer.clone();
    if producer.exact.is_some() {
        return producer;
    }
    // What the oldest table has may be older than all tables.
    let oldest = history.releases().first().copied().map(minor);
    let mut narrow = |definitions: &[&SchemaDefinition], name: String| {
        let runs = || definitions.iter().flat_map(|definition| definition.runs.iter());
        let since = runs().map(|run| run.since).min().map(minor);
        let open = runs().any(|run| run.until.is_none());
        let until = runs().filter_map(|run| run.until).max().filter(|_| !open).map(minor);
        let since = since.filter(|since| Some(*since) != oldest);
        producer.narrow(since, until, &format!("calls {name}"));
    };
    let is_everywhere = |definition: &SchemaDefinition| {
        let mut runs = definition.runs.iter();
        runs.any(|run| Some(minor(run.since)) == oldest && run.until.is_none())
    };
    for call in calls {
        let definitions = history.named(&call.operator);
        // What all releases take says nothing, whatever else takes it.
        let mut everywhere = definitions.iter().filter(|one| is_everywhere(one));
        if everywhere.any(|one| one.fit(&call.given, false).is_some()) {
            continue;
        }
        let fits = |conversions| {
            let all = definitions.iter();
            let fits = all.filter(|one| one.fit(&call.given, conversions).is_some());
            fits.collect::<Vec<_>>()
        };
        let mut fitting = fits(false);
        if fitting.is_empty() {
            fitting = fits(true);
        }
        narrow(&fitting, call.full_name());
    }
    for one in model.uses.keys().filter(|_| calls.is_empty()) {
        let definitions = history.named(&one.name);
        let fitting: Vec<&SchemaDefinition> = definitions.iter().filter(|d| fits(one, d)).collect();
        narrow(&fitting, one.full_name());
    }
    producer
}

fn minor(version: Version) -> Version {
    Version::pair(version.major(), version.minor())
}

fn fits(one: &OperatorUse, definition: &SchemaDefinition) -> bool {
    let accepts = |shape| definition.schema().is_some_and(|schema| schema.accepts(shape).is_ok());
    match &one.given {
        GivenArguments::Shape(shape) => accepts(shape),
        GivenArguments::Overload(overload, _) => definition.overload() == overload,
        GivenArguments::Named(overload, shape) => {
            definition.overload() == overload && accepts(shape)
        }
    }
}
