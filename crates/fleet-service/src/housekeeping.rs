//! What is swept away: uploads that nobody goes on with, and what is long over.

use std::sync::Arc;
use std::time::Duration;

use unskew_fleet::store::Signature;

use crate::moment;
use crate::problem::Problem;
use crate::service::Service;

/// For how many seconds jobs and uploads are remembered that are over.
const REMEMBERED: i64 = 7 * 24 * 3600;

/// Sweeps now and then until the process ends.
pub(crate) async fn sweep(service: Arc<Service>) {
    let age = service.settings().limits.upload_age;
    let pause = (age / 4).clamp(Duration::from_millis(250), Duration::from_secs(300));
    while !service.is_stopping() {
        if let Err(problem) = once(&service).await {
            tracing::warn!(%problem, "nothing was swept away");
        }
        tokio::time::sleep(pause).await;
    }
}

async fn once(service: &Arc<Service>) -> Result<(), Problem> {
    let age = service.settings().limits.upload_age;
    let staging = service.staging().clone();
    let seconds = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
    let dropped = service.pool().with(move |fleet| {
        let second = moment::second();
        // By a clock that went back, nothing is old.
        let too_old = |touched: i64| second.saturating_sub(touched) >= seconds.max(1);
        let (mut open, mut dropped) = (Vec::new(), 0);
        for upload in fleet.store().open_uploads()? {
            if !too_old(upload.touched) {
                open.push(upload.id);
                continue;
            }
            fleet.store().sign(Some(Signature {
                who: "the service".to_owned(),
                request: "-".to_owned(),
                moment: moment::now(),
            }));
            let gone = fleet.store().drop_upload(&upload.id, "nobody went on with it");
            fleet.store().sign(None);
            if gone? {
                staging.forget(&upload.id);
                dropped += 1;
            }
        }
        let open: Vec<&str> = open.iter().map(String::as_str).collect();
        staging.sweep(&open, age)?;
        fleet.store().forget_uploads(second.saturating_sub(REMEMBERED))?;
        fleet.store().forget_jobs(&moment::after(-REMEMBERED))?;
        Ok(dropped)
    });
    match dropped.await? {
        0 => {}
        uploads => tracing::info!(uploads, "uploads dropped that nobody went on with"),
    }
    Ok(())
}
