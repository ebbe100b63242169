//! Work in the background: jobs are claimed, done, and given back when the process ends.
//!
//! Every process that may compute looks for work now and then, and at once when it has put some there. What others
//! work on it watches by their beats (`unskew_fleet::store`): one that has had the same beat for the time of a
//! lease, by the monotonic clock of this process, is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use unskew_fleet::Fleet;
use unskew_fleet::store::{Job, JobState, RunningJob};

use crate::ask::JobRequest;
use crate::problem::{HttpProblem, ProblemKind};
use crate::service::Service;

/// How often others are looked at, at most.
const LOOK: Duration = Duration::from_millis(500);

/// How often a job is begun before it is taken for one that ends its process.
const ATTEMPTS: i64 = 5;

/// How long to wait after something was away.
const AWAY: Duration = Duration::from_secs(2);

/// Looks for work until the service stops.
pub(crate) async fn work(service: Arc<Service>) {
    let limits = service.settings().limits;
    let places = Arc::new(Semaphore::new(limits.jobs));
    let mut seen: HashMap<RunningJob, Instant> = HashMap::new();
    while !service.is_stopping() && limits.jobs > 0 {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let gone = match gone(&service, &mut seen).await {
            Ok((0, gone)) if gone.is_empty() => {
                drop(place);
                let _ = tokio::time::timeout(LOOK, service.new_job().notified()).await;
                continue;
            }
            Ok((_, gone)) => gone,
            Err(problem) => {
                tracing::warn!(problem = problem.logged(), "no look at the jobs");
                tokio::time::sleep(AWAY).await;
                continue;
            }
        };
        if service.is_stopping() {
            break;
        }
        let (owner, now) = (service.name().to_owned(), service.clock().now());
        let claimed = service
            .pool()
            .with(move |fleet| Ok(fleet.store().claim_job(&owner, &gone, &now)?))
            .await;
        match claimed {
            Ok(Some(job)) => {
                let service = Arc::clone(&service);
                tokio::spawn(async move {
                    carry_out(&service, job).await;
                    drop(place);
                });
            }
            Ok(None) => {
                drop(place);
                let _ = tokio::time::timeout(LOOK, service.new_job().notified()).await;
            }
            Err(problem) => {
                tracing::warn!(problem = problem.logged(), "no job could be claimed");
                drop(place);
                tokio::time::sleep(AWAY).await;
            }
        }
    }
}

/// Gives back what this process works on.
pub(crate) async fn give_back(service: &Arc<Service>) {
    let owner = service.name().to_owned();
    let given = service.pool().with(move |fleet| Ok(fleet.store().give_back_jobs(&owner)?)).await;
    match given {
        Ok(0) => {}
        Ok(jobs) => tracing::info!(jobs, "jobs given back"),
        Err(problem) => tracing::warn!(problem = problem.logged(), "jobs could not be given back"),
    }
}

/// How many jobs wait, and those whose owners have shown no sign of life for the time of a lease.
async fn gone(
    service: &Arc<Service>,
    seen: &mut HashMap<RunningJob, Instant>,
) -> Result<(u64, Vec<RunningJob>), HttpProblem> {
    let look =
        |fleet: &mut Fleet| Ok((fleet.store().job_counts()?.0, fleet.store().running_jobs()?));
    let (waiting, running) = service.pool().with(look).await?;
    let own = service.name();
    let lease = service.settings().limits.lease;
    seen.retain(|known, _| running.contains(known));
    let now = Instant::now();
    let mut gone = Vec::new();
    for one in running.into_iter().filter(|one| one.owner != own) {
        let since = *seen.entry(one.clone()).or_insert(now);
        if now.duration_since(since) >= lease {
            gone.push(one);
        }
    }
    Ok((waiting, gone))
}

/// Does one job, with a beat of its own meanwhile.
async fn carry_out(service: &Arc<Service>, job: Job) {
    let number = job.number;
    tracing::info!(job = number, attempt = job.attempts, "job begun");
    let lost = Arc::new(AtomicBool::new(false));
    let beating = tokio::spawn(beat(Arc::clone(service), number, Arc::clone(&lost)));
    let done = if job.attempts > ATTEMPTS {
        let detail = format!("it was begun {ATTEMPTS} times, and each time the process ended");
        Err(HttpProblem::new(ProblemKind::Fault, detail))
    } else {
        compute(service, &job, &lost).await
    };
    beating.abort();
    if service.is_stopping() && done.is_err() {
        // It is given back with all others.
        return;
    }
    let later = |problem: &HttpProblem| {
        matches!(problem.kind, ProblemKind::Unavailable | ProblemKind::NoRoom)
    };
    if done.as_ref().is_err_and(later) && !lost.load(Ordering::Relaxed) {
        tokio::time::sleep(AWAY).await;
        give_back_one(service, number).await;
        return;
    }
    let (state, problem) = match &done {
        Ok(()) => (JobState::Done, None),
        Err(problem) => (JobState::Failed, Some(problem.logged())),
    };
    let (owner, now) = (service.name().to_owned(), service.clock().now());
    let text = done.err().map(|problem| problem.to_string());
    let end = move |fleet: &mut Fleet| {
        Ok(fleet.store().end_job(number, &owner, state, text.as_deref(), &now)?)
    };
    match service.pool().with(end).await {
        Ok(true) => {
            service.metrics().ended(state.as_str());
            tracing::info!(job = number, state = state.as_str(), problem, "job ended");
        }
        Ok(false) => {
            tracing::info!(job = number, "job ended, but another process has taken it over")
        }
        Err(problem) => {
            tracing::warn!(job = number, problem = problem.logged(), "the end could not be noted")
        }
    }
}

/// Lets somebody begin a job again later.
async fn give_back_one(service: &Arc<Service>, number: i64) {
    let owner = service.name().to_owned();
    let given =
        service.pool().with(move |fleet| Ok(fleet.store().give_back_job(number, &owner)?)).await;
    tracing::warn!(job = number, given = ?given.is_ok(), "job put off, something was away");
}

async fn compute(
    service: &Arc<Service>,
    job: &Job,
    lost: &Arc<AtomicBool>,
) -> Result<(), HttpProblem> {
    let ask: JobRequest = serde_json::from_str(&job.ask)
        .map_err(|error| HttpProblem::new(ProblemKind::Fault, format!("what is asked: {error}")))?;
    let (number, lost) = (job.number, Arc::clone(lost));
    let stopping = Arc::clone(service);
    service
        .computing()
        .with(move |fleet| {
            let mut progress = |fleet: &mut Fleet, done: u64, total: u64| {
                let owner = stopping.name();
                let own = fleet.store().advance_job(number, owner, done, total)?;
                let ended = !own || lost.load(Ordering::Relaxed);
                Ok(!ended && !stopping.is_stopping())
            };
            ask.answer(fleet, &mut progress).map(|_| ())
        })
        .await
}

/// Says that this process lives, until it is told that the job is no longer its own.
async fn beat(service: Arc<Service>, number: i64, lost: Arc<AtomicBool>) {
    let pause = service.settings().limits.lease / 4;
    loop {
        tokio::time::sleep(pause).await;
        let owner = service.name().to_owned();
        let own =
            service.pool().with(move |fleet| Ok(fleet.store().beat_job(number, &owner)?)).await;
        if own == Ok(false) {
            lost.store(true, Ordering::Relaxed);
            return;
        }
    }
}
