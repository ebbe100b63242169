//! A server whose plug-in runs in a process for each client.

use std::os::fd::{AsFd as _, IntoRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Context as _, bail};
use unskew_connections::interrupted;
use unskew_ifrt_proxy::{Front, FrontError, Server, WorkerFailure};
use unskew_jax_handlers::PythonInterpreter;

use super::child::again;
use super::{announce, heap, listen, tunnel};
use crate::args::Serve;
use crate::exit::CallStatus;

/// The process that clients connect to.
pub fn front(args: &Serve, plugin: &Path) -> anyhow::Result<CallStatus> {
    let listener = listen(args)?;
    let gate = args.gate().map(|files| tunnel::PreparedGate::new(&files, args)).transpose()?;
    let handlers = args.handlers.as_deref().map(PythonInterpreter::ask).transpose()?;
    let (memory, sessions) = (args.memory, args.sessions);
    let start = move |folder: &Path, slot: u64| {
        let own = vec!["--worker".into(), folder.into(), "--slot".into(), slot.to_string().into()];
        let mut command = again(own, handlers.as_ref())?;
        heap::keep(&mut command, memory, sessions);
        Ok(command)
    };
    let front = match Front::new(Box::new(start), args.limits(), args.handlers.is_some()) {
        Ok(front) => front,
        Err(FrontError::Worker(WorkerFailure::Said)) => return Ok(CallStatus::Failed),
        Err(FrontError::Worker(WorkerFailure::Ended(status))) => {
            let plugin = plugin.display();
            bail!("the plug-in {plugin} ended its process while it was loaded: {status}")
        }
        Err(error) => return Err(error.into()),
    };
    announce(&listener, front.devices(), gate)?;
    // The first time it is asked to stop, the second time it is stopped.
    front.serve(listener, interrupted(), interrupted())?;
    Ok(CallStatus::Clean)
}

/// A worker process.
pub fn work(args: &Serve, plugin: &Path, folder: &Path, slot: u64) -> anyhow::Result<CallStatus> {
    let channel = std::io::stdin().as_fd().try_clone_to_owned();
    let channel = UnixStream::from(channel.context("no channel to the server")?);
    let (python, other) = match &args.libpython {
        None => (None, None),
        Some(_) => UnixStream::pair().map(|(one, other)| (Some(one), Some(other)))?,
    };
    let client = super::client(args, plugin, other.map(IntoRawFd::into_raw_fd))?;
    let server = Server::worker(client, args.limits(), folder, slot)?;
    let remote = args.insecure_bind.is_some_and(|address| !address.is_loopback());
    server.work(channel, python, remote)?;
    Ok(CallStatus::Clean)
}
