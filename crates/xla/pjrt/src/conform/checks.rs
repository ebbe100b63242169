//! All checks that run in a child process, in their order.

use std::sync::LazyLock;

use super::bench::Bench;
use super::check_outcome::CheckOutcome;
use super::{
    array, device, errors, event, executable, execute, extensions, layouts, sizes, topology,
    transfer,
};
use crate::layout::{self, Function};

/// The group of the checks that announce wrong sizes.
pub(crate) const SIZES: &str = "sizes";

/// The check that tells whether buffers lie in the memory of the host.
pub(crate) const MEMORY: &str = "whose memory it is";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    Table,
    /// The plug-in, set up.
    Setup,
    Client,
    Program,
}

type Run = fn(&mut Bench) -> Result<CheckOutcome, CheckOutcome>;

#[derive(Clone, Copy)]
enum Body {
    Run(Run),
    Size(Function),
    RoundTrip { kind: i32, width: usize },
}

pub(crate) struct Check {
    pub(crate) group: &'static str,
    /// What must hold, or the function that is called.
    pub(crate) name: &'static str,
    pub(crate) needs: Needs,
    /// Whether checks that need as much as this one provides depend on it.
    pub(crate) provides: Option<Needs>,
    body: Body,
}

impl Check {
    pub(crate) fn run(&self, bench: &mut Bench) -> CheckOutcome {
        let done = match self.body {
            Body::Run(run) => run(bench),
            Body::Size(function) => Ok(sizes::ask(bench, function)),
            Body::RoundTrip { kind, width } => array::round_trip(bench, self.name, kind, width),
        };
        done.unwrap_or_else(|outcome| outcome)
    }

    /// Whether this one, which found `outcome`, should have provided what `other` needs. Whoever provides
    /// a thing needs less than that thing.
    pub(crate) fn fails_to_provide(&self, other: &Self, outcome: &CheckOutcome) -> bool {
        self.provides.is_some_and(|provided| provided <= other.needs)
            && !matches!(outcome, CheckOutcome::Pass(_))
    }

    const fn new(group: &'static str, name: &'static str, needs: Needs, run: Run) -> Self {
        Self { group, name, needs, provides: None, body: Body::Run(run) }
    }

    const fn providing(mut self, provided: Needs) -> Self {
        self.provides = Some(provided);
        self
    }
}

/// Every check, in the order in which they run.
pub(crate) fn checks() -> &'static [Check] {
    static CHECKS: LazyLock<Vec<Check>> = LazyLock::new(|| {
        let mut all = table();
        let functions = layout::slots().iter().map(|slot| slot.function);
        all.extend(functions.filter(|f| sizes::can_be_asked(*f)).map(|function| Check {
            group: SIZES,
            name: function.name(),
            needs: Needs::Table,
            provides: None,
            body: Body::Size(function),
        }));
        all.extend(client());
        all.extend(array::types().map(|(name, kind, width, _)| Check {
            group: "element types",
            name,
            needs: Needs::Client,
            provides: None,
            body: Body::RoundTrip { kind, width },
        }));
        all.extend(buffers());
        all.extend(programs());
        all
    });
    &CHECKS
}

/// Where the checks that leave wreckage end: those that announce wrong sizes. What comes after runs in
/// a fresh child.
pub(crate) fn fresh_from() -> usize {
    checks().iter().position(|check| check.group == "client").unwrap_or(0)
}

fn table() -> Vec<Check> {
    use Needs::Table;
    vec![
        Check::new("extensions", "every slot is filled", Table, extensions::slots),
        Check::new("errors", "an error has a code and a message", Table, errors::error),
        Check::new("errors", "an error is freed a thousand times over", Table, errors::many),
        Check::new("errors", "the payloads of an error", Table, errors::payloads),
        Check::new(SIZES, "larger arguments than its own", Table, sizes::larger),
    ]
}

fn client() -> Vec<Check> {
    use Needs::{Client, Setup, Table};
    let initialize = Function::PJRT_Plugin_Initialize.name();
    let create = Function::PJRT_Client_Create.name();
    let on = |name, run| Check::new("client", name, Client, run);
    let topology = |name, run| Check::new("topology", name, Client, run);
    vec![
        Check::new("client", initialize, Table, device::initialize).providing(Setup),
        Check::new("client", create, Setup, device::create).providing(Client),
        on("platform", device::platform),
        on("devices", device::devices),
        on("a device is found by its id", device::lookup),
        on("no device is found by a wrong id", device::lookup_of_nothing),
        on("memories", device::memories),
        topology("platform", topology::platform),
        topology("devices", topology::devices),
        topology("serialized and read again", topology::read_again),
        topology("nonsense is refused", topology::nonsense),
    ]
}

fn buffers() -> Vec<Check> {
    use Needs::Client;
    let on = |name, run| Check::new("buffers", name, Client, run);
    let event = |name, run| Check::new("events", name, Client, run);
    let transfer = |name, run| Check::new("transfers", name, Client, run);
    vec![
        on("strides", array::strides),
        on("no elements", array::empty),
        on("no dimensions", array::scalar),
        on("delete", array::delete),
        on("a deleted buffer is not read", array::read_after_delete),
        on("size on the device", array::device_size),
        on(MEMORY, array::memory),
        event("await", event::ready),
        event("OnReady calls once", event::on_ready),
        transfer("what the manager tells", transfer::describes),
        transfer("in pieces", transfer::in_pieces),
        transfer("as an array", transfer::as_array),
        transfer("an error in place of contents", transfer::error),
    ]
}

fn programs() -> Vec<Check> {
    use Needs::{Client, Program};
    let compile = |name, run| Check::new("compile", name, Client, run);
    let execute = |name, run| Check::new("execute", name, Program, run);
    let layouts = |name, needs, run| Check::new("layouts", name, needs, run);
    vec![
        compile("StableHLO text", execute::compile).providing(Program),
        compile("StableHLO portable artifact", execute::compile_artifact),
        compile("nonsense is refused", execute::nonsense),
        compile("an unknown format is refused", execute::unknown_format),
        compile("broken options are refused", execute::broken_options),
        execute("addition", execute::add),
        execute("too few arguments are refused", execute::too_few_arguments),
        execute("a wrong shape is refused", execute::wrong_shape),
        execute("donation", execute::donation),
        execute("several devices", execute::several_devices),
        layouts("of a client", Client, layouts::of_client),
        layouts("of a topology", Client, layouts::of_topology),
        layouts("of a buffer", Client, layouts::of_buffer),
        layouts("of results", Program, layouts::of_outputs),
        layouts("of parameters", Program, layouts::of_parameters),
        Check::new("serialization", "loaded again it runs", Program, executable::load_again),
        Check::new("serialization", "nonsense is refused", Client, executable::load_nonsense),
        Check::new("serialization", "fingerprint", Program, executable::fingerprint),
        Check::new("analysis", "memory", Program, executable::memory),
        Check::new("analysis", "cost", Program, executable::costs),
        Check::new("client", "PJRT_Client_Destroy", Client, device::destroy),
    ]
}
