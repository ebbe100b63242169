//! The command `unskew`: will these two pieces of ML software work together, and if not, why not?
//!
//! One file per verb in `verbs/`; what it answers is made by `unskew_verbs`, and printed by `unskew_report`. The
//! exit status of every verb is decided in [`exit`].

#![forbid(unsafe_code)]

mod args;
mod exit;
mod guard;
mod kinds;
mod locate;
#[cfg(any(feature = "fleet", feature = "serve"))]
mod log;
mod print;
mod progress;
mod sides;
mod verbs;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory as _, FromArgMatches as _};

fn main() -> ExitCode {
    let begun = Instant::now();
    let args = arguments();
    args.global.color.write_global();
    print::be_quiet(args.global.quiet);
    print::be_verbose(args.global.verbose);
    unskew_source::budget::set_scale(args.global.budget);
    if let Some(watch) = args.verb.watch() {
        guard::start(watch);
    }
    let status = verbs::run(&args).unwrap_or_else(|error| {
        print::error(&error);
        exit::CallStatus::Failed
    });
    print::what_was_read(begun.elapsed());
    status.into()
}

/// The arguments of the process; it ends here if they are wrong, or ask for help.
fn arguments() -> args::Args {
    let mut command = args::Args::command();
    parsed(&mut command).unwrap_or_else(|error| refused(error.format(&mut command)))
}

/// Says what is wrong with the arguments, which may be names of files, and ends the process.
fn refused(error: clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let mut text = error.render().ansi().to_string();
    // A line break in an argument begins no line.
    for argument in std::env::args_os() {
        let argument = argument.to_string_lossy();
        let value = argument.split_once('=').map_or(&*argument, |(_, value)| value);
        for said in [&*argument, value].into_iter().filter(|said| said.contains('\n')) {
            text = text.replace(said, &unskew_report::Plain(said).to_string());
        }
    }
    print::usage(&text);
    std::process::exit(error.exit_code())
}

fn parsed(command: &mut Command) -> Result<args::Args, clap::Error> {
    let given: Vec<OsString> = std::env::args_os().collect();
    let mut found = match command.try_get_matches_from_mut(&given) {
        Err(mut error) => match with_check(&error, &given) {
            Some(given) => args::Args::command().try_get_matches_from(given)?,
            None => {
                suggest(&mut error);
                return Err(error);
            }
        },
        Ok(found) => found,
    };
    args::Args::from_arg_matches_mut(&mut found)
}

/// What people write who know it from other commands, and how it is written here.
const HABITS: [(&str, &str); 4] = [
    ("--json", "'--format json' prints JSON"),
    ("--sarif", "'--format sarif' prints SARIF"),
    ("--target", "'--with RELEASE' names the other side"),
    ("version", "'unskew --version' prints the version"),
];

/// Puts what is meant in place of what the parser suggests.
fn suggest(error: &mut clap::Error) {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let given = kinds.into_iter().find_map(|kind| error.get(kind));
    let Some(ContextValue::String(given)) = given else { return };
    let habit = HABITS.iter().find(|(written, _)| written == given);
    if let Some((_, text)) = habit {
        let text = clap::builder::StyledStr::from(*text);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![text]));
    }
}

/// The arguments with `check` before a file that stands where a verb should: `unskew net.pt torch@2.1`.
fn with_check(error: &clap::Error, given: &[OsString]) -> Option<Vec<OsString>> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_file = Path::new(name).exists() || name.contains("://");
    let at = given.iter().position(|one| one.to_str() == Some(name)).filter(|_| is_file)?;
    let mut given = given.to_vec();
    given.insert(at, "check".into());
    Some(given)
}
