//! A job, run on a cluster.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::ensure;
use ballista::prelude::{SessionConfigExt as _, SessionContextExt as _};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::codec::{Logical, Physical};
use crate::{Done, Job, Shards};

/// Runs a job on the executors of a scheduler, and says what was done of each shard, in the order of the shards.
///
/// # Errors
/// If the table cannot be begun, the scheduler is not reached, or a shard could not be scanned.
pub async fn submit(scheduler: SocketAddr, job: Job) -> anyhow::Result<Vec<Done>> {
    // A wrong question is told here, and not by each executor.
    let begun = job.clone();
    tokio::task::spawn_blocking(move || begun.begin().map(drop)).await??;
    let config = SessionConfig::new_with_ballista()
        .with_ballista_job_name("unskew scan")
        .with_ballista_logical_extension_codec(Arc::new(Logical::default()))
        .with_ballista_physical_extension_codec(Arc::new(Physical::default()));
    let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
    let context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    let shards = job.shards;
    let frame = context.read_table(Arc::new(Shards::new(job)))?;
    let mut done = Vec::new();
    for batch in frame.collect().await? {
        done.extend(Done::rows(&batch)?);
    }
    done.sort_by_key(|one| one.shard);
    let each = done.iter().map(|one| one.shard).eq(1..=i64::from(shards));
    ensure!(each, "not each of the {shards} shards answered once: {done:?}");
    Ok(done)
}
