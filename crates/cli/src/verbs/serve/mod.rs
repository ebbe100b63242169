//! `unskew serve PLUGIN`: a plug-in for JAX clients since 0.4.31, over the network.
//!
//! The clients in jaxlib neither encrypt nor say who they are, outside of the networks of their makers. So
//! the server listens on the loopback. Elsewhere it is reached through a port with TLS and tokens, to which `unskew proxy`
//! leads, or by who says that he knows.
//!
//! The plug-in is foreign code: it runs in a child process, which does all the work. If it takes that
//! process down, this one is left to say so, and which requests were being done.

mod tunnel;
mod watch;

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::Context as _;
use unskew_connections::interrupted;
use unskew_ifrt_proxy::Server;
use unskew_pjrt::Plugin;

use crate::args::Serve;
use crate::exit::Status;
use crate::{log, print};

pub use tunnel::proxy;

pub fn run(args: &Serve) -> anyhow::Result<Status> {
    if let Some(client) = &args.client {
        anstream::print!("{}", unskew_ifrt_proxy::recipe(client, args.port)?);
        return Ok(Status::Clean);
    }
    let plugin = args.plugin.as_ref().context("no plug-in to serve")?;
    log::begin(args.log, args.log_format);
    match &args.watched {
        None => watch::watch(plugin, args),
        Some(trail) => serve(args, plugin, trail),
    }
}

/// All of it, in this process.
fn serve(args: &Serve, plugin: &Path, trail: &Path) -> anyhow::Result<Status> {
    let address = args.insecure_bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    // First the port: another server may have it, and the plug-in may take a while to load.
    let listener = TcpListener::bind(SocketAddr::new(address, args.port))
        .with_context(|| format!("cannot listen on {address} port {}", args.port))?;
    let gate = args.gate().map(|files| tunnel::Prepared::new(&files, args)).transpose()?;
    let loaded = Plugin::load(plugin)?;
    if let Some(library) = &args.libpython {
        let given = unskew_jax_handlers::give(library, plugin)?;
        let ((major, minor), count) = (given.ffi, given.names.len());
        tracing::info!(count, "handlers of jaxlib; the plug-in has FFI {major}.{minor}");
    }
    let client = loaded.create_client(&args.options())?;
    let server = Server::with_trail(client, args.limits(), trail)?;
    if !address.is_loopback() {
        print::note(&format!(
            "JAX clients neither encrypt nor say who they are; whoever reaches {address} can run programs here"
        ));
    }
    let devices = match server.platform().devices.len() {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let at = listener.local_addr()?;
    anstream::println!("status at http://{at}/\n{devices} at grpc://{at}");
    if let Some(gate) = gate {
        anstream::println!("TLS port for unskew proxy: {}", gate.address()?);
        gate.open(at)?;
    }
    std::io::stdout().flush()?;
    server.serve(listener, stopped())?;
    Ok(Status::Clean)
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
