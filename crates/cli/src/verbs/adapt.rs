//! `unskew adapt PLUGIN --for HOST | --present VERSION | --emulate VERSION -o DIR`: a plug-in that a
//! host of another age can use.

mod report;

use anyhow::bail;
use unskew_pjrt_adapter::{ExtensionPolicy, Unstamped};
use unskew_verbs::adapt::{AdaptTarget, Adaptation, beside};

use crate::args::{Adapt, Global, ShownExtensions, UnstampedChoice};
use crate::exit::CallStatus;
use crate::{print, sides};

pub fn run(args: &Adapt, global: &Global) -> anyhow::Result<CallStatus> {
    let wanted = match (&args.host, args.present, args.emulate) {
        (Some(host), _, _) => AdaptTarget::For(host.clone()),
        (_, Some(version), _) => AdaptTarget::Present(version),
        (_, _, Some(version)) => AdaptTarget::Emulate(version),
        _ => bail!("one of --for, --present and --emulate is needed"),
    };
    let command = std::env::current_exe().ok();
    let adaptation = Adaptation {
        plugin: &args.plugin,
        wanted,
        extensions: match args.extensions {
            ShownExtensions::Fitting => ExtensionPolicy::Fitting,
            ShownExtensions::None => ExtensionPolicy::None,
        },
        unstamped: match args.unstamped {
            UnstampedChoice::Refuse => Unstamped::Refuse,
            UnstampedChoice::Load => Unstamped::Load,
        },
        guard: args.guard,
        stablehlo: args.stablehlo,
        output: &args.output,
        name: args.name.as_deref(),
        adapter: &beside(command.as_deref(), args.adapter.as_deref())?,
    };
    let adapted = unskew_verbs::adapt(&adaptation, &sides::options(args.trusting))?;
    print::out(report::text(&args.plugin, &adapted, &global.context()))?;
    Ok(CallStatus::Clean)
}
