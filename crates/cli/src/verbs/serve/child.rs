//! This command again, as a child process.

use std::ffi::OsString;
use std::process::Command;

use unskew_jax_handlers::PythonInterpreter;

/// What the plug-ins built from XLA log by: 0 is everything, 3 is nothing.
const LOG_LEVEL: &str = "TF_CPP_MIN_LOG_LEVEL";

/// This command with its arguments, and some more. Its process gets no keys of the terminal (Ctrl-C): they are for this
/// one, which passes them on.
///
/// # Errors
/// If the system does not say which program this is.
pub fn again(
    mut own: Vec<OsString>,
    handlers: Option<&PythonInterpreter>,
) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(interpreter) = handlers {
        own.extend(["--libpython".into(), interpreter.library().into()]);
        command.envs(interpreter.surroundings());
    }
    // What stands behind `--` is no option.
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args.splice(end..end, own);
    command.args(args);
    if std::env::var_os(LOG_LEVEL).is_none() {
        command.env(LOG_LEVEL, "2");
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}
