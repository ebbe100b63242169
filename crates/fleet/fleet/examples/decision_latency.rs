//! How long a decision takes where 10,000 models and 200 runtimes are known.
//!
//! ```text
//! cargo build --release -p unskew-fleet --example decision_latency
//! target/release/examples/decision_latency [MODELS [RUNTIMES [DECISIONS [FOLDER]]]]
//! ```
//!
//! With a FOLDER the fleet stays there, for a service (`service_load` of `unskew-fleet-service`).
//!
//! Real artifacts are asked on every runtime first. Their answers are then kept for models with digests of their
//! own, as if each had been asked: a SQLite database with an answer for every model and runtime. Then decisions about models
//! and runtimes drawn by dice are timed, from the names to the JSON; nothing is in the memory of this process but
//! what SQLite keeps there. The median and the 99th of 100 are held against the bar of 1 ms and 5 ms.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement may fail")]

use std::path::Path;
use std::time::{Duration, Instant};

use unskew_core::Date;
use unskew_fleet::store::Store;
use unskew_fleet::{DeliveryPolicy, Digest, Fleet, RuntimeProfile};

const MODELS: [&str; 6] = [
    "gelu-2.15.0.pt",
    "floor-divide-1.12.1.pt",
    "div-2.4.1.pt2",
    "linspace-1.10.2.ptl",
    "add-cast.pb",
    "add.stablehlo",
];
/// How many answers are written in one step.
const STEP: usize = 20_000;

fn main() {
    let mut numbers = std::env::args().skip(1).take(3).map(|text| text.parse::<usize>().unwrap());
    let models = numbers.next().unwrap_or(10_000);
    let runtimes = numbers.next().unwrap_or(200);
    let decisions = numbers.next().unwrap_or(20_000);
    let kept = std::env::args().nth(4).map(std::path::PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let folder = kept.as_deref().unwrap_or(folder.path());
    let policy = DeliveryPolicy::on(Date::constant(2026, 11, 21));
    let begin = Instant::now();
    {
        let mut fleet = Fleet::open(folder).unwrap();
        add_runtimes(&mut fleet, runtimes);
        // A store of its own does not ask whether artifacts are there, and these are not.
        let mut store = Store::sqlite(&folder.join("fleet.db")).unwrap();
        add_models(&mut fleet, &mut store, models, &policy);
    }
    let size = std::fs::metadata(folder.join("fleet.db")).unwrap().len();
    println!("{models} models x {runtimes} runtimes, {size} bytes, made in {:?}", begin.elapsed());

    let mut fleet = Fleet::open(folder).unwrap();
    let names: Vec<String> = fleet.runtimes().unwrap().into_iter().map(|one| one.name).collect();
    let mut dice: u64 = 7;
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % sides
    };
    let mut times: Vec<Duration> = Vec::with_capacity(decisions);
    let mut bytes = 0;
    for _ in 0..decisions {
        let (model, runtime) = (format!("model-{}", roll(models)), &names[roll(names.len())]);
        let begin = Instant::now();
        bytes += fleet.decide(&model, runtime, &policy).unwrap().to_json().len();
        times.push(begin.elapsed());
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{decisions} decisions, {} bytes each: median {:?}, 99 of 100 {:?}, slowest {:?}",
        bytes / decisions,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    let met = at(0.5) < Duration::from_millis(1) && at(0.99) < Duration::from_millis(5);
    println!("bar of 1 ms and 5 ms: {}", if met { "met" } else { "missed" });
}

/// All releases, and devices that were built from them.
fn add_runtimes(fleet: &mut Fleet, count: usize) {
    let releases: Vec<_> = unskew_releases::all().collect();
    for at in 0..count {
        let mut profile = RuntimeProfile::of_release(releases[at % releases.len()]);
        profile.name = format!("runtime-{at}");
        profile.devices = at as u64;
        fleet.put_runtime(&profile, "2026-11-01").unwrap();
    }
}

/// Real models that are really asked, and the same answers for models with other digests. Every third model has
/// two versions.
fn add_models(fleet: &mut Fleet, store: &mut Store, count: usize, policy: &DeliveryPolicy) {
    let examples = Path::new(env!("UNSKEW_ROOT")).join("examples");
    let runtimes = fleet.runtimes().unwrap();
    let mut real = Vec::new();
    for file in MODELS {
        let published = fleet.publish(file, &examples.join(file), "2026-11-01").unwrap();
        let version = fleet.versions(file, "2026-11-21").unwrap().remove(0);
        let mut answers = Vec::new();
        for runtime in &runtimes {
            fleet.answer(&version, runtime, policy).unwrap();
            let key = fleet.answer_key(&published.artifact, file, &runtime.digest, policy);
            answers.push(fleet.store().answer(&key).unwrap().unwrap());
        }
        real.push((file, answers));
    }
    let mut waiting = Vec::new();
    for at in 0..count {
        for version in 0..if at % 3 == 0 { 2 } else { 1 } {
            let (file, answers) = &real[(at + version) % real.len()];
            let artifact = Digest::sha256(format!("{at} {version}"));
            let name = format!("model-{at}");
            store.publish(&name, &artifact, file, 1 << 20, "2026-11-02").unwrap();
            for (runtime, answer) in runtimes.iter().zip(answers) {
                let key = fleet.answer_key(&artifact, file, &runtime.digest, policy);
                waiting.push((key, answer.clone()));
            }
            if waiting.len() >= STEP {
                store.put_answers(&std::mem::take(&mut waiting)).unwrap();
            }
        }
    }
    store.put_answers(&waiting).unwrap();
}
