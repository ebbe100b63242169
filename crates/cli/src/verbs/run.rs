//! `unskew run PLUGIN PROGRAM`: compiles a StableHLO program on a plug-in of any age and runs it.
//!
//! The plug-in is foreign code: it runs in a child process of this command, which does all the work
//! and prints the results. If the plug-in takes its process down, that is an error message here.

mod device_assignment;
mod inputs;
mod outputs;
mod signature;
mod timings;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_core::{Severity, check};
use unskew_pjrt::{ExecuteOptions, HostArray, Outputs, PjrtProgram, Plugin};
use unskew_source::{BytesSource, Source, SourceExt as _, read_regular};

use crate::args::{Global, RunArgs};
use crate::exit::CallStatus;
use crate::{print, sides};

use timings::LapTimer;

/// What the plug-ins built from XLA log by: 0 is everything, 3 is nothing.
const LOG_LEVEL: &str = "TF_CPP_MIN_LOG_LEVEL";

/// How large a program may be, in bytes.
const LARGEST_PROGRAM: u64 = 2 << 30;

pub fn run(args: &RunArgs, global: &Global) -> anyhow::Result<CallStatus> {
    if args.in_this_process {
        return execute(args);
    }
    warn_of_versions(args, global);
    let command = std::env::current_exe().context("cannot find this command")?;
    let mut child = Command::new(command);
    child.args(marked(std::env::args_os().skip(1).collect())).stdin(Stdio::null());
    if std::env::var_os(LOG_LEVEL).is_none() {
        child.env(LOG_LEVEL, "2");
    }
    let status = child.status().context("cannot start a child process")?;
    match status.code() {
        Some(0) => Ok(CallStatus::Clean),
        Some(1) => Ok(CallStatus::Found),
        // The child has said why.
        Some(2) => Ok(CallStatus::Failed),
        _ => bail!("the plug-in {} ended its process: {status}", args.plugin.display()),
    }
}

/// The arguments of the child: those of this command, and that it is the child. What stands behind `--`
/// is no option.
fn marked(mut args: Vec<OsString>) -> Vec<OsString> {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args.insert(end, "--in-this-process".into());
    args
}

/// Says which versions of the program the plug-in does not read. It may run nevertheless: the plug-in
/// has the last word.
fn warn_of_versions(args: &RunArgs, global: &Global) {
    let options = sides::options(unskew_artifact::RunPolicy::Named);
    let side = |path: &std::path::Path| sides::side(path.as_os_str(), &options).ok();
    // What cannot be read here is said by whoever needs it.
    let (Some(program), Some(plugin)) = (side(&args.program), side(&args.plugin)) else { return };
    for program in &program.members {
        for plugin in &plugin.members {
            let verdict = check(&program.party, &plugin.party, &global.context());
            let grave = verdict.findings.iter().filter(|f| f.severity == Severity::Error);
            for finding in grave.filter(|finding| finding.rule.code.starts_with("SH")) {
                print::note(&format!("{}: {}", finding.rule.code, finding.message));
            }
        }
    }
}

/// The program in a file of `jax.export`; the file itself, if it is something else.
fn program(file: Vec<u8>, path: &Path) -> anyhow::Result<Vec<u8>> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(path.display().to_string(), file));
    let whole = |source: &dyn Source| source.bytes(0, source.size());
    Ok(match unskew_jax_export::Exported::read(&source)? {
        Some((_, program)) => whole(&program)?,
        None => whole(&*source)?,
    })
}

/// All of it, in this process.
fn execute(args: &RunArgs) -> anyhow::Result<CallStatus> {
    let mut clock = LapTimer::start();
    let code = program(read_regular(&args.program, LARGEST_PROGRAM)?, &args.program)?;
    let plugin = Plugin::load(&args.plugin)?;
    clock.lap("load");
    let client = plugin.create_client(&args.options())?;
    clock.lap("client");
    let options = device_assignment::compile_options(args, &client)?;
    let loaded = client
        .compile(PjrtProgram::mlir(&code), &options.write())
        .with_context(|| format!("the plug-in does not compile {}", args.program.display()))?;
    clock.lap("compile");
    let parameters = signature::parameters(&loaded, &code)?;
    let devices = loaded.devices();
    let arrays = inputs::gather(args, &parameters, devices.len())?;
    let mut buffers = Vec::new();
    for (device, arrays) in devices.iter().zip(&arrays) {
        let mut each = Vec::new();
        for array in arrays {
            let dims: Vec<i64> = array.dims().iter().map(|dim| *dim as i64).collect();
            let element_type = signature::host_type(array.element());
            let host = HostArray { data: array.bytes(), element_type, dims: &dims, strides: None };
            each.push(client.buffer(host, device)?);
        }
        buffers.push(each);
    }
    clock.lap("inputs");
    let arguments: Vec<Vec<_>> = buffers.iter().map(|each| each.iter().collect()).collect();
    let arguments: Vec<&[_]> = arguments.iter().map(Vec::as_slice).collect();
    // What runs again needs its arguments again, even if the program may reuse their memory.
    let kept: Vec<i64> = match args.repeat {
        0 => Vec::new(),
        _ => (0..parameters.len() as i64).collect(),
    };
    let options = ExecuteOptions { non_donatable: &kept, ..ExecuteOptions::default() };
    let mut results = Outputs::new();
    let mut once = || -> anyhow::Result<()> {
        loaded.execute_into(&arguments, &options, &mut results)?;
        for buffer in results.buffers() {
            buffer.ready()?.wait()?;
        }
        Ok(())
    };
    once()?;
    clock.lap("first execution");
    for _ in 0..args.repeat {
        clock.again(&mut once)?;
    }
    let taken = clock.stop();
    let results = outputs::fetch(&results, devices.len())?;
    outputs::save(args, &results)?;
    outputs::print(args, &results, &taken)?;
    Ok(CallStatus::Clean)
}
