//! `unskew conform PLUGIN`: every check of a plug-in, each in a child process, and which releases can use
//! it: of JAX for a PJRT plug-in, of TensorFlow for a pluggable device.

mod device;
mod text;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use unskew_abi::sandbox::TimeLimits;
use unskew_core::Party;
use unskew_pjrt::conform::{Conformance, conform, spans};
use unskew_pjrt::verdict::PluginFacts;
use unskew_releases::jax;
use unskew_report::{Look, Report};
use unskew_stream_executor::preflight::Preflight;

use crate::args::{Conform, Global, ReportFormat, Trusting};
use crate::exit::{CallStatus, Ending};
use crate::{print, sides};

struct Checked {
    label: String,
    party: Arc<Party>,
    found: Option<Conformance>,
}

pub fn run(args: &Conform, global: &Global) -> anyhow::Result<CallStatus> {
    let limit = Duration::from_secs(args.limit.max(1));
    if let Some(pair) = &args.diff {
        let [old, new] = &**pair else { bail!("--diff takes two plug-ins") };
        let (old, new) = (check(old, limit, args.trusting)?, check(new, limit, args.trusting)?);
        if [&old, &new].iter().any(|checked| checked.party.capability::<Preflight>().is_some()) {
            bail!("--diff takes PJRT plug-ins");
        }
        let (text, lost) = text::difference((&old.label, &old.found), (&new.label, &new.found));
        print::found(&text)?;
        return Ok(if lost { CallStatus::Found } else { CallStatus::Clean });
    }
    let Some(path) = &args.plugin else { bail!("no plug-in to check") };
    let checked = check(path, limit, args.trusting)?;
    let mut report = Report::new(global.context());
    report.looks.push(Look { path: checked.label.clone(), party: Arc::clone(&checked.party) });
    match args.format {
        ReportFormat::Full => {
            let probe = checked.party.capability::<PluginFacts>().and_then(|p| p.probe.as_ref());
            let mut out = String::new();
            if let Some(preflight) = checked.party.capability::<Preflight>() {
                out = device::text(&checked.label, preflight, global.verbose);
            }
            if let (Some(found), Some(probe)) = (&checked.found, probe) {
                out = text::rows(&checked.label, probe, found, global.verbose);
                out.push_str(&text::hosts(&spans(jax::hosts(), probe, found)));
            }
            out.push_str(
                print::rendered(&mut report, unskew_report::RenderFormat::Concise).as_str(),
            );
            print::found(&out)?;
        }
        format => print::report(&mut report, format.into())?,
    }
    let ending =
        Ending { done: 1, failed: 0, worst: report.severity(), deny: global.deny(), unjudged: 0 };
    Ok(ending.into())
}

/// Makes the checks of the plug-in at `path`; none if it could not even be looked at, which its party
/// then says.
fn check(path: &Path, limit: Duration, trusting: Trusting) -> anyhow::Result<Checked> {
    // Some plug-ins unpack hundreds of megabytes when they are loaded.
    let mut options = sides::options(trusting);
    options.limit = options.limit.max(limit);
    options.trial = limit;
    let clock = TimeLimits::start(limit);
    let side = sides::side(path.as_os_str(), &options)?;
    let label = path.display().to_string();
    let pjrt = |member: &&sides::ResolvedParty| member.party.capability::<PluginFacts>().is_some();
    let Some(member) = side.members.iter().find(pjrt).cloned() else {
        if let Some(party) = side.members.iter().find_map(|member| device::judged(&member.party)) {
            return Ok(Checked { label, party, found: None });
        }
        bail!("not a PJRT plug-in, nor a pluggable device: {label}")
    };
    let mut party = Arc::unwrap_or_clone(member.party);
    let probe = party.capability::<PluginFacts>().and_then(|plugin| plugin.probe.clone());
    let program = std::env::current_exe().context("cannot find this program")?;
    let found = probe.map(|probe| {
        let command = |from: usize, to: usize| {
            let mut child = Command::new(&program);
            child.arg("__conform").arg(path).arg(from.to_string()).arg(to.to_string());
            child
        };
        conform(&probe, &command, clock, trusting.confinement())
    });
    let probe = party.capability::<PluginFacts>().and_then(|plugin| plugin.probe.clone());
    if let (Some(found), Some(probe)) = (&found, &probe) {
        party = found.attach(party);
        for span in spans(jax::hosts(), probe, found) {
            party = party.fact(format!("host: {}", span.range()), &span.usage);
        }
    }
    Ok(Checked { label, party: Arc::new(party), found })
}

/// Ends the process, with the plug-in in whatever state it is.
pub fn child(path: &Path, from: usize, to: usize) -> ! {
    std::process::exit(unskew_artifact::conform_main(path, from, to))
}
