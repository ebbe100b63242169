//! Signals at which a server is to stop.

/// Is over when somebody ends this process: from its terminal, or as systems do it (SIGTERM).
pub async fn interrupted() {
    // Where that cannot be seen, nothing ends the server but the system.
    let terminal = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let system = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signals) => _ = signals.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = terminal => {}
            () = system => {}
        }
    }
    #[cfg(not(unix))]
    terminal.await;
}
