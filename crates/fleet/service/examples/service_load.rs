//! How many decisions a second a service answers over HTTP.
//!
//! ```text
//! cargo build --release -p unskew-fleet --example decision_latency
//! cargo build --release -p unskew-cli -p unskew-fleet-service --example service_load --bin unskew
//! target/release/examples/decision_latency 10000 200 20000 FOLDER
//! taskset -c 0 target/release/unskew fleet serve --store FOLDER --rate 1000000 --log off
//! taskset -c 1 target/release/examples/service_load 127.0.0.1:8471 [CONNECTIONS [SECONDS]]
//! ```
//!
//! The first leaves a database with an answer for every model and runtime in FOLDER. Each connection asks for decisions about
//! models and runtimes drawn by dice, one after the other, and stays open.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement may fail")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use unskew_fleet_service::client::ServiceClient;

fn main() {
    let mut args = std::env::args().skip(1);
    let address: SocketAddr = args.next().unwrap().parse().unwrap();
    let connections: usize = args.next().map_or(4, |text| text.parse().unwrap());
    let seconds: u64 = args.next().map_or(10, |text| text.parse().unwrap());
    let names = |path: &str| -> Vec<String> {
        let rows = ServiceClient::new(address).get(path).unwrap().json();
        let names = rows.as_array().unwrap().iter();
        names.map(|row| row["name"].as_str().unwrap().replace('/', "%2F")).collect()
    };
    let models: Vec<String> =
        names("/v1/models").into_iter().filter(|name| name.starts_with("model-")).collect();
    let runtimes = names("/v1/runtimes");
    println!("{} models, {} runtimes, {connections} connections", models.len(), runtimes.len());
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let ask = |seed: usize| {
            let (models, runtimes) = (&models, &runtimes);
            move || asked(address, models, runtimes, seed, end)
        };
        let threads: Vec<_> = (0..connections).map(|seed| scope.spawn(ask(seed))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{} decisions in {seconds} s: {} a second; median {:?}, 99 of 100 {:?}, slowest {:?}",
        times.len(),
        times.len() as u64 / seconds,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// How long each decision took that one connection asked for.
fn asked(
    address: SocketAddr,
    models: &[String],
    runtimes: &[String],
    seed: usize,
    end: Instant,
) -> Vec<Duration> {
    let mut dice = seed as u64 * 977 + 7;
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % sides
    };
    let (mut client, mut times) = (ServiceClient::new(address), Vec::new());
    while Instant::now() < end {
        let (model, runtime) = (&models[roll(models.len())], &runtimes[roll(runtimes.len())]);
        let path = format!("/v1/models/{model}/decision?runtime={runtime}&as_of=2026-11-21");
        let begin = Instant::now();
        let answer = client.get(&path).unwrap();
        times.push(begin.elapsed());
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    times
}
