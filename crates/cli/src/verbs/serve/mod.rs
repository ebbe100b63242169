//! `unskew serve PLUGIN`: a plug-in for JAX clients since 0.4.31, over the network.
//!
//! The clients in jaxlib neither encrypt nor say who they are, outside of the networks of their makers. So
//! the server listens on the loopback. Elsewhere it is reached through a port with TLS and tokens, to which `unskew proxy`
//! leads, or by who says that he knows.
//!
//! The plug-in is foreign code: it runs in child processes, one for each client, or one for all. If it takes its
//! process down, this one is left to say so, and which requests were being done.

mod child;
#[cfg(target_os = "linux")]
mod heap;
#[cfg(target_os = "linux")]
mod isolated;
mod tunnel;
mod watch;

use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::Context as _;
use unskew_connections::interrupted;
use unskew_ifrt_proxy::Server;
use unskew_pjrt::{Client, Plugin};

use crate::args::{Isolation, Serve};
use crate::exit::CallStatus;
use crate::{log, print};

pub use tunnel::proxy;

pub fn run(args: &Serve) -> anyhow::Result<CallStatus> {
    if let Some(client) = &args.client {
        print::out(unskew_ifrt_proxy::recipe(client, args.port)?)?;
        return Ok(CallStatus::Clean);
    }
    let plugin = args.plugin.as_ref().context("no plug-in to serve")?;
    if args.memory.is_some() && !cfg!(target_os = "linux") {
        anyhow::bail!("--memory needs Linux, which says how much memory a process has");
    }
    log::begin(args.log, args.log_format);
    #[cfg(target_os = "linux")]
    if let (Some(folder), Some(slot)) = (&args.worker, args.slot) {
        return isolated::work(args, plugin, folder, slot);
    }
    match (&args.watched, args.isolation) {
        (Some(trail), _) => serve(args, plugin, trail),
        #[cfg(target_os = "linux")]
        (None, Isolation::Process) => isolated::front(args, plugin),
        #[cfg(not(target_os = "linux"))]
        (None, Isolation::Process) => {
            anyhow::bail!("worker processes need Linux: --isolation none")
        }
        (None, Isolation::None) => watch::watch(plugin, args),
    }
}

/// All of it, in this process.
fn serve(args: &Serve, plugin: &Path, trail: &Path) -> anyhow::Result<CallStatus> {
    let listener = listen(args)?;
    let gate = args.gate().map(|files| tunnel::PreparedGate::new(&files, args)).transpose()?;
    let server = Server::with_trail(client(args, plugin, None)?, args.limits(), trail)?;
    announce(&listener, server.platform().devices.len(), gate)?;
    server.serve(listener, stopped())?;
    Ok(CallStatus::Clean)
}

/// The port, before the plug-in, which may take a while to load: another server may have it.
fn listen(args: &Serve) -> anyhow::Result<TcpListener> {
    let address = args.insecure_bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    TcpListener::bind(SocketAddr::new(address, args.port))
        .with_context(|| format!("cannot listen on {address} port {}", args.port))
}

/// The plug-in, with the handlers that it is to have, and its client. `callbacks` leads Python to who runs functions.
fn client(args: &Serve, plugin: &Path, callbacks: Option<i32>) -> anyhow::Result<Client> {
    let loaded = Plugin::load(plugin)?;
    if let Some(library) = &args.libpython {
        let given = unskew_jax_handlers::give(library, plugin, callbacks)?;
        let ((major, minor), count) = (given.ffi, given.names.len());
        tracing::info!(count, "handlers of jaxlib; the plug-in has FFI {major}.{minor}");
    }
    Ok(loaded.create_client(&args.options())?)
}

/// Says where the server is, and lets clients of `unskew proxy` in.
fn announce(
    listener: &TcpListener,
    devices: usize,
    gate: Option<tunnel::PreparedGate>,
) -> anyhow::Result<()> {
    let at = listener.local_addr()?;
    if !at.ip().is_loopback() {
        let address = at.ip();
        print::note(&format!(
            "JAX clients neither encrypt nor say who they are; whoever reaches {address} can run programs here"
        ));
    }
    let devices = match devices {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    print::out(format!("status at http://{at}/\n{devices} at grpc://{at}\n"))?;
    if let Some(gate) = gate {
        print::out(format!("TLS port for unskew proxy: {}\n", gate.address()?))?;
        gate.open(at)?;
    }
    Ok(())
}

/// Is over when this process is told to stop, or the one that watches it is gone.
async fn stopped() {
    let (ended, watcher) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // Nobody writes there: what ends the wait is the end of the watching process.
        let mut nothing = [0];
        while matches!(std::io::stdin().read(&mut nothing), Ok(1..)) {}
        drop(ended);
    });
    tokio::select! {
        () = interrupted() => {}
        _ = watcher => {}
    }
}
