//! `unskew-distributed scheduler | executor | scan`: a cluster of Ballista that scans.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use unskew_distributed::{Done, Executor, Job, executor, judge_in_processes_of, scheduler, submit};
use unskew_scan::{Allowance, judge_process_main};

/// A scan on several machines: a scheduler, executors, and the command that has them scan.
///
/// Whoever reaches the ports of a scheduler or an executor can have files read and written there: keep them in a network
/// of your own.
#[derive(Debug, Parser)]
#[command(name = "unskew-distributed", max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Hand out the tasks of jobs to executors
    Scheduler {
        /// The address on which executors and clients connect
        #[arg(long, default_value_t = HERE)]
        listen: SocketAddr,
    },
    /// Do the tasks that a scheduler hands out
    Executor {
        /// The address of the scheduler
        #[arg(long, default_value_t = HERE)]
        scheduler: SocketAddr,
        /// Where others fetch what tasks gave
        #[arg(long, default_value = "127.0.0.1:50051")]
        listen: SocketAddr,
        /// The port for tasks, at the same address
        #[arg(long, default_value_t = 50052)]
        tasks: u16,
        /// How many shards to scan at once
        #[arg(long, default_value_t = 1)]
        slots: usize,
        /// An empty folder for what tasks gave
        #[arg(long)]
        folder: PathBuf,
    },
    /// Judge artifacts within resource limits: a child process of an executor
    #[command(name = "__judge", hide = true)]
    Judge { memory: u64, seconds: u64 },
    /// Scan in shards: the arguments are those of `unskew scan`
    Scan {
        #[arg(required = true, value_name = "URI")]
        uris: Vec<String>,
        /// The runtimes with which every artifact is judged
        #[arg(long, required = true, num_args = 1.., value_name = "B")]
        with: Vec<String>,
        /// The folder or prefix that rows go to; all executors must reach it
        #[arg(long, short, value_name = "TABLE")]
        output: String,
        /// The day on which promises are judged
        #[arg(long, value_name = "YYYY-MM-DD")]
        as_of: String,
        /// In how many shards; a few for each slot, so that no executor waits long for the last one
        #[arg(long, value_name = "N")]
        shards: u32,
        /// How many artifacts of a shard are judged at once [default: one a processor]
        #[arg(long, value_name = "N")]
        jobs: Option<usize>,
        /// The address of the scheduler
        #[arg(long, default_value_t = HERE)]
        scheduler: SocketAddr,
    },
}

const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 50050);

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse().verb).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn run(verb: Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Scheduler { listen } => scheduler(listen).await?,
        Verb::Judge { memory, seconds } => judge_process_main(Allowance { memory, seconds }),
        Verb::Executor { scheduler, listen, tasks, slots, folder } => {
            judge_in_processes_of(match cfg!(target_os = "linux") {
                // This very program, also when another was put in its place since it began.
                true => PathBuf::from("/proc/self/exe"),
                false => std::env::current_exe()?,
            });
            executor(Executor { scheduler, listen, tasks, slots, folder }).await?;
        }
        Verb::Scan { uris, with, output, as_of, shards, jobs, scheduler } => {
            let job = Job { uris, with, as_of, table: output, shards, jobs };
            let done = submit(scheduler, job).await?;
            print!("{}", text(&done));
            let found = done.iter().any(|one| one.errors > 0 || one.unread > 0);
            return Ok(ExitCode::from(u8::from(found)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A line a shard, and one for all.
fn text(done: &[Done]) -> String {
    let line = |name: &str, artifacts: i64, before: i64, unread: i64, parts: i64| {
        format!(
            "{name}: {artifacts} artifacts judged, {before} were in the table, {unread} could not be read; \
             {parts} new parts\n"
        )
    };
    let shard = |one: &Done| {
        let name = format!("shard {}", one.shard);
        line(&name, one.artifacts, one.done_before, one.unread, one.parts)
    };
    let sum = |of: fn(&Done) -> i64| done.iter().map(of).sum::<i64>();
    let all = line(
        "all",
        sum(|one| one.artifacts),
        sum(|one| one.done_before),
        sum(|one| one.unread),
        sum(|one| one.parts),
    );
    done.iter().map(shard).chain([all]).collect()
}
