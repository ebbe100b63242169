//! Housekeeping: uploads that nobody goes on with, and what is long over, are removed.

use std::sync::Arc;
use std::time::Duration;

use unskew_fleet::store::Signature;

use crate::problem::HttpProblem;
use crate::service::Service;

/// For how many seconds jobs and uploads are remembered that are over.
const REMEMBERED: i64 = 7 * 24 * 3600;

/// Sweeps now and then until the process ends.
pub(crate) async fn sweep(service: Arc<Service>) {
    let age = service.settings().limits.upload_age;
    let pause = (age / 4).clamp(Duration::from_millis(250), Duration::from_secs(300));
    while !service.is_stopping() {
        if let Some(inspectors) = service.settings().inspectors.clone() {
            // Waits until the processes are gone.
            let _ = tokio::task::spawn_blocking(move || inspectors.rest()).await;
        }
        if let Err(problem) = once(&service).await {
            tracing::warn!(problem = problem.logged(), "nothing was swept away");
        }
        tokio::time::sleep(pause).await;
    }
}

/// Takes days and moments from the database.
///
/// # Errors
/// If it does not answer.
pub(crate) async fn go_by_the_database(service: &Arc<Service>) -> Result<(), HttpProblem> {
    let second = service.pool().with(|fleet| Ok(fleet.store().unix_seconds()?)).await?;
    if let Some(seconds) = service.clock().set(second) {
        tracing::warn!(
            seconds,
            "the clock of the database is so far ahead of this machine's, or behind it if less than 0; moments go by it"
        );
    }
    Ok(())
}

async fn once(service: &Arc<Service>) -> Result<(), HttpProblem> {
    let age = service.settings().limits.upload_age;
    let (staging, clock) = (service.staging().clone(), service.clock().clone());
    let seconds = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
    go_by_the_database(service).await?;
    let dropped = service.pool().with(move |fleet| {
        let second = clock.unix_seconds();
        // By a clock that went back, nothing is old.
        let too_old = |touched: i64| second.saturating_sub(touched) >= seconds.max(1);
        let mut dropped = 0;
        for upload in fleet.store().open_uploads()? {
            if !too_old(upload.touched) {
                continue;
            }
            fleet.store().sign(Some(Signature {
                who: "the service".to_owned(),
                request: "-".to_owned(),
                moment: clock.now(),
            }));
            let gone = fleet.store().drop_upload(&upload.id, "no chunk arrived in time");
            fleet.store().sign(None);
            if gone? {
                staging.forget(&upload.id);
                dropped += 1;
            }
        }
        staging.sweep(age, &mut || {
            let open = fleet.store().open_uploads()?;
            Ok(open.into_iter().map(|upload| upload.id).collect())
        })?;
        fleet.depot().sweep()?;
        fleet.store().forget_uploads(second.saturating_sub(REMEMBERED))?;
        fleet.store().forget_jobs(&clock.after(-REMEMBERED))?;
        Ok(dropped)
    });
    match dropped.await? {
        0 => {}
        uploads => tracing::info!(uploads, "dropped uploads without a new chunk"),
    }
    Ok(())
}
