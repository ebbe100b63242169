//! All checks that run in a child process, in their order.

use std::sync::LazyLock;

use super::bench::Bench;
use super::outcome::Outcome;
use super::{device, execute, sizes};
use crate::layout::{self, Function};

/// What a check needs before it can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    /// The table.
    Table,
    /// A client.
    Client,
    /// A compiled program.
    Program,
}

type Run = fn(&mut Bench) -> Result<Outcome, Outcome>;

#[derive(Clone, Copy)]
enum Body {
    Run(Run),
    Size(Function),
    RoundTrip { kind: i32, width: usize },
}

/// One check.
pub(crate) struct Check {
    /// What it is about.
    pub(crate) group: &'static str,
    /// What must hold.
    pub(crate) name: &'static str,
    /// What it needs.
    pub(crate) needs: Needs,
    /// Whether checks that need as much as this one provides depend on it.
    pub(crate) provides: Option<Needs>,
    body: Body,
}

impl Check {
    /// Makes it.
    pub(crate) fn run(&self, bench: &mut Bench) -> Outcome {
        let done = match self.body {
            Body::Run(run) => run(bench),
            Body::Size(function) => Ok(sizes::ask(bench, function)),
            Body::RoundTrip { kind, width } => device::round_trip(bench, self.name, kind, width),
        };
        done.unwrap_or_else(|outcome| outcome)
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
        let mut all = errors();
        let functions = layout::slots().iter().map(|slot| slot.function);
        all.extend(functions.filter(|f| sizes::can_be_asked(*f)).map(|function| Check {
            group: "sizes",
            name: function.name(),
            needs: Needs::Table,
            provides: None,
            body: Body::Size(function),
        }));
        all.extend(client());
        all.extend(device::types().map(|(name, kind, width, _)| Check {
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

fn errors() -> Vec<Check> {
    use Needs::Table;
    vec![
        Check::new("errors", "an error has a code and a message", Table, sizes::error),
        Check::new("errors", "an error is freed a thousand times over", Table, sizes::many_errors),
        Check::new("sizes", "larger arguments than its own", Table, sizes::larger),
    ]
}

fn client() -> Vec<Check> {
    use Needs::{Client, Table};
    vec![
        Check::new("client", "PJRT_Plugin_Initialize", Table, device::initialize),
        Check::new("client", "PJRT_Client_Create", Table, device::create).providing(Client),
        Check::new("client", "platform", Client, device::platform),
        Check::new("client", "devices", Client, device::devices),
        Check::new("client", "a device is found by its id", Client, device::lookup),
        Check::new("client", "no device is found by a wrong id", Client, device::lookup_of_nothing),
        Check::new("client", "memories", Client, device::memories),
        Check::new("client", "topology", Client, device::topology),
    ]
}

fn buffers() -> Vec<Check> {
    use Needs::Client;
    let on = |name, run| Check::new("buffers", name, Client, run);
    vec![
        on("strides", device::strides),
        on("no elements", device::empty),
        on("no dimensions", device::scalar),
        on("delete", device::delete),
        on("a deleted buffer is not read", device::read_after_delete),
        on("size on the device", device::device_size),
        Check::new("events", "await", Client, device::ready),
        Check::new("events", "OnReady calls once", Client, device::on_ready),
        Check::new("layouts", "default layout", Client, device::default_layout),
        Check::new("layouts", "layout of a buffer", Client, device::buffer_layout),
    ]
}

fn programs() -> Vec<Check> {
    use Needs::{Client, Program};
    let compile = |name, run| Check::new("compile", name, Client, run);
    let execute = |name, run| Check::new("execute", name, Program, run);
    vec![
        compile("StableHLO text", execute::compile).providing(Program),
        compile("nonsense is refused", execute::nonsense),
        compile("an unknown format is refused", execute::unknown_format),
        compile("broken options are refused", execute::broken_options),
        execute("addition", execute::add),
        execute("too few arguments are refused", execute::too_few_arguments),
        execute("a wrong shape is refused", execute::wrong_shape),
        execute("donation", execute::donation),
        execute("several devices", execute::several_devices),
        Check::new("serialization", "loaded again it runs", Program, execute::load_again),
        Check::new("serialization", "nonsense is refused", Client, execute::load_nonsense),
        Check::new("serialization", "fingerprint", Program, execute::fingerprint),
        Check::new("analysis", "memory", Program, execute::memory),
        Check::new("analysis", "cost", Program, execute::costs),
        Check::new("client", "PJRT_Client_Destroy", Client, device::destroy),
    ]
}
