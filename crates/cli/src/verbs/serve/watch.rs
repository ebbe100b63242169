//! The process that watches the one that serves all clients.
//!
//! It holds the other end of the server's standard input: when that closes the server stops by itself, with
//! the time of grace for what is being done. So it does not matter how this process ends.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use anyhow::{Context as _, bail};
use unskew_connections::interrupted;
use unskew_ifrt_proxy::SessionJournal;
use unskew_jax_handlers::PythonInterpreter;

use super::child::again;
use crate::args::{LogFormat, Serve};
use crate::exit::CallStatus;

/// Starts this command again as the server, and waits for its end.
pub fn watch(plugin: &Path, asked: &Serve) -> anyhow::Result<CallStatus> {
    let trail = tempfile::NamedTempFile::new().context("no file for what the server is doing")?;
    let handlers = asked.handlers.as_deref().map(PythonInterpreter::ask).transpose()?;
    let status = serve_in_child(trail.path(), handlers.as_ref())?;
    match status.code() {
        Some(0) => Ok(CallStatus::Clean),
        // The child has said why.
        Some(2) => Ok(CallStatus::Failed),
        _ => {
            let doing = SessionJournal::read(trail.path()).unwrap_or_default();
            let doing = match doing.as_slice() {
                [] => "no session was there".to_owned(),
                lines => lines.join("; "),
            };
            let plugin = plugin.display();
            // For people the error of the command says the same.
            if matches!(asked.log_format, LogFormat::Json) {
                tracing::error!(%plugin, %status, doing, "the plug-in ended the server");
            }
            bail!("the plug-in {plugin} ended the server's process: {status}; {doing}");
        }
    }
}

fn serve_in_child(
    trail: &Path,
    handlers: Option<&PythonInterpreter>,
) -> anyhow::Result<ExitStatus> {
    let own = vec!["--watched".into(), trail.into()];
    let mut command = again(own, handlers).context("cannot start this command again")?;
    command.stdin(Stdio::piped());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .context("cannot start a child process")?;
        let mut input = child.stdin.take();
        loop {
            tokio::select! {
                status = child.wait() => break status.context("cannot wait for the server"),
                () = interrupted() => {
                    // The first time it is asked to stop, the second time it is stopped.
                    if input.take().is_none() {
                        child.start_kill().context("cannot end the server")?;
                    }
                }
            }
        }
    })
}
