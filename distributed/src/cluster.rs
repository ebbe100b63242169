//! Ballista's processes, which know jobs.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;

use crate::codec::{Logical, Physical};

/// Runs a scheduler, which hands out tasks, until the process ends. Whoever reaches the address can have the executors
/// read and write what they may.
///
/// # Errors
/// If the address is taken.
pub async fn scheduler(listen: SocketAddr) -> anyhow::Result<()> {
    let config = SchedulerConfig {
        external_host: listen.ip().to_string(),
        bind_host: listen.ip().to_string(),
        bind_port: listen.port(),
        // Executors are missed after twenty seconds, and what they had is given to others.
        executor_timeout_seconds: 20,
        expire_dead_executor_interval_seconds: 5,
        override_logical_codec: Some(Arc::new(Logical::default())),
        override_physical_codec: Some(Arc::new(Physical::default())),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, listen, Arc::new(config)).await?;
    Ok(())
}

/// Where an executor is, and whose.
#[derive(Clone, Debug)]
pub struct Executor {
    /// The scheduler that it asks for tasks.
    pub scheduler: SocketAddr,
    /// Where it gives out what tasks gave; other executors and the client must reach it.
    pub listen: SocketAddr,
    /// Where it takes tasks: a port of the same address.
    pub tasks: u16,
    /// How many shards it scans at once.
    pub slots: usize,
    /// Where it keeps what tasks gave until that is fetched.
    pub folder: PathBuf,
}

/// Runs an executor, which does tasks, until it is told to stop.
///
/// # Errors
/// If the scheduler is not reached within a minute, or a port is taken.
pub async fn executor(executor: Executor) -> anyhow::Result<()> {
    let folder = executor.folder.to_str().context("the folder is no UTF-8")?;
    let config = ExecutorProcessConfig {
        bind_host: executor.listen.ip().to_string(),
        external_host: Some(executor.listen.ip().to_string()),
        port: executor.listen.port(),
        grpc_port: executor.tasks,
        scheduler_host: executor.scheduler.ip().to_string(),
        scheduler_port: executor.scheduler.port(),
        scheduler_connect_timeout_seconds: 60,
        vcores: executor.slots.max(1),
        work_dir: Some(folder.to_owned()),
        executor_heartbeat_interval_seconds: 5,
        override_logical_codec: Some(Arc::new(Logical::default())),
        override_physical_codec: Some(Arc::new(Physical::default())),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await?;
    Ok(())
}
