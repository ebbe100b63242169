//! `cargo lab held-out-environments`: environments in which an import fails, in the shares in which people report causes, and
//! as many that work; what `unskew env` says of them, and what other tools say.
//!
//! A draw is a package, one that it uses, and two days: the first is installed as of one day, the second as of the other
//! without a resolver. What an import says decides which class a broken environment is of, and each class has its quota.

mod draw;
mod page;
mod peers;
mod quotas;
mod sample;
mod torch;

use std::time::{Duration, Instant};

use anyhow::ensure;
use unskew_lab_harness::{Page, WritePage};

use draw::Draw;
use quotas::Quotas;
use sample::Sample;

const PAGE: Page = Page("docs/reference/held-out-environments.md");

/// How many environments are made at once.
const WORKERS: u64 = 2;

/// Draws environments that break, with quotas by the shares of public reports, and others that work, judges both, and asks other tools.
#[derive(clap::Args)]
pub struct HeldOutEnvironments {
    /// What draws the packages and the days
    #[arg(long, default_value_t = 202)]
    seed: u64,
    /// The most draws
    #[arg(long, default_value_t = 400)]
    draws: u64,
    /// After how many minutes nothing more is drawn
    #[arg(long, default_value_t = 90)]
    minutes: u64,
    /// How many of each kind: broken and working
    #[arg(long, default_value_t = 40)]
    count: usize,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If uv, Python 3.11 or the PyTorch of the corpus is not here, or a page cannot be written.
pub fn run(arguments: &HeldOutEnvironments) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut samples: Vec<Sample> = Vec::new();
    let mut quotas = Quotas::new(arguments.count);
    let (mut drawn, mut refused) = (0, 0);
    let begun = Instant::now();
    let has_time = || begun.elapsed() < Duration::from_secs(60 * arguments.minutes);
    while drawn < arguments.draws && has_time() && !quotas.are_met() {
        let round: Vec<anyhow::Result<Option<Vec<Sample>>>> = std::thread::scope(|scope| {
            let quotas = &quotas;
            let start = |worker: u64| {
                let place = folder.path().join(format!("environment-{worker}"));
                let draw = Draw::nth(arguments.seed, drawn + worker, quotas);
                println!("{draw}");
                scope.spawn(move || sample::samples(&draw, quotas, &place))
            };
            let running: Vec<_> = (0..WORKERS).map(start).collect();
            let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended.map(|one| one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        drawn += WORKERS;
        for outcome in round {
            let made = outcome?;
            refused += usize::from(made.is_none());
            for sample in made.into_iter().flatten() {
                if quotas.take(&sample) {
                    println!("{}", page::row(&sample));
                    samples.push(sample);
                }
            }
        }
        eprintln!("{drawn} draws, {refused} refused; wanted: {}", quotas.left());
    }
    let text = page::page(arguments.seed, drawn, refused, &samples);
    let head = "<!-- made by `cargo lab held-out-environments --write` -->\n\n";
    PAGE.publish(head, &text, &arguments.write)?;
    let alarms = samples.iter().filter(|one| one.failed.is_empty() && !one.errors.is_empty());
    let alarms = alarms.count();
    ensure!(alarms <= 1, "{alarms} environments work that are said to fail");
    Ok(())
}
