//! The two ends of a tunnel: the TLS port of `serve`, and `unskew proxy`.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::Context as _;
use unskew_connections::interrupted;
use unskew_ifrt_tunnel::{Gate, GateFiles, TunnelClient};

use crate::args::{LogFormat, LogLevel, Proxy, Serve};
use crate::exit::CallStatus;
use crate::{log, print};

/// How many threads encrypt.
const THREADS: usize = 2;

/// A gate that has its port and its files, and lets nobody in yet.
pub struct PreparedGate {
    gate: Arc<Gate>,
    listener: TcpListener,
}

impl PreparedGate {
    pub fn new(files: &GateFiles, args: &Serve) -> anyhow::Result<Self> {
        let gate = Gate::new(files, args.connections as usize)?;
        let listener = TcpListener::bind(args.tls_bind)
            .with_context(|| format!("cannot listen on {}", args.tls_bind))?;
        Ok(Self { gate, listener })
    }

    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Lets clients in to the server at `inside`, on threads of its own, until the process ends.
    pub fn open(self, inside: SocketAddr) -> anyhow::Result<()> {
        let runtime = runtime()?;
        std::thread::Builder::new().name("gate".to_owned()).spawn(move || {
            if let Err(error) = runtime.block_on(self.gate.serve(self.listener, inside)) {
                tracing::error!(%error, "the TLS port is closed");
            }
        })?;
        Ok(())
    }
}

/// `unskew proxy`: until it is told to stop.
pub fn proxy(args: &Proxy) -> anyhow::Result<CallStatus> {
    log::begin(LogLevel::Info, LogFormat::Text);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("cannot listen on 127.0.0.1 port {}", args.port))?;
    let at = listener.local_addr()?;
    let client = TunnelClient::new(args.server.clone(), &args.token_file, args.ca.as_deref())?;
    runtime()?.block_on(async {
        // What is wrong is said here, and not to JAX, which would only see that the connection ends.
        client.check().await?;
        print::out(format!("grpc://{at} leads to {}\n", args.server))?;
        tokio::select! {
            ended = client.serve(listener) => ended?,
            () = interrupted() => {}
        }
        Ok(CallStatus::Clean)
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    Ok(runtime.worker_threads(THREADS).thread_name("tunnel").enable_all().build()?)
}
