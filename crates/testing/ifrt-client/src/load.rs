//! Load: many clients at once, each of which puts, adds, fetches and forgets as fast as it is answered.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::JoinSet;

use crate::{Adder, ELEMENTS, IfrtClient};
use unskew_ifrt_proxy::messages::ProxyVersion;
use unskew_ifrt_proxy::status::{Status, StatusCode};

/// What a load test does, and for how long.
#[derive(Clone, Debug)]
pub struct LoadTest {
    /// Where the server is: `grpc://HOST:PORT`.
    pub address: String,
    /// How many clients, each with a connection of its own.
    pub clients: usize,
    /// For how long they go on.
    pub time: Duration,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct LoadTestOutcome {
    /// How long each step took, the fastest first: two arrays put, added, the sum fetched, checked, and all
    /// three forgotten.
    pub steps: Vec<Duration>,
    /// What went wrong, with the number of the client.
    pub errors: Vec<(usize, Status)>,
    /// How long it took in all.
    pub took: Duration,
}

impl LoadTestOutcome {
    /// The step that is slower than this part of all: 0.5 is the median.
    pub fn quantile(&self, part: f64) -> Duration {
        let last = self.steps.len().saturating_sub(1);
        let at = (last as f64 * part.clamp(0.0, 1.0)).round() as usize;
        self.steps.get(at).copied().unwrap_or_default()
    }

    /// Steps in a second, of all clients together.
    pub fn per_second(&self) -> f64 {
        self.steps.len() as f64 / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Loads a server. What goes wrong for a client ends that client, and is in the outcome.
pub async fn load(load: &LoadTest) -> LoadTestOutcome {
    let begun = Instant::now();
    let until = begun + load.time;
    let mut clients = JoinSet::new();
    for number in 0..load.clients {
        let address = load.address.clone();
        clients.spawn(async move {
            let mut steps = Vec::new();
            let done = client(&address, number, until, &mut steps).await;
            (number, steps, done)
        });
    }
    let mut outcome = LoadTestOutcome::default();
    while let Some(ended) = clients.join_next().await {
        match ended {
            Ok((number, steps, done)) => {
                outcome.steps.extend(steps);
                outcome.errors.extend(done.err().map(|status| (number, status)));
            }
            Err(error) => {
                let status = Status::new(StatusCode::Internal, error.to_string());
                outcome.errors.push((usize::MAX, status));
            }
        }
    }
    outcome.took = begun.elapsed();
    outcome.steps.sort_unstable();
    outcome
}

async fn client(
    address: &str,
    number: usize,
    until: Instant,
    steps: &mut Vec<Duration>,
) -> Result<(), Status> {
    // Each has a version and a number of its own, so that nobody has what is another's.
    let protocol = [14, 16, 22, 25][number % 4];
    let serdes = if protocol < 25 { 0 } else { 3 };
    let mut client = IfrtClient::connect(address, ProxyVersion { protocol, serdes }).await?;
    let init = client.init().await?;
    // A program that names no device runs on the first one.
    let device = init.addressable_device_ids.first().copied().unwrap_or_default();
    let adder = Adder::compile(&mut client, device).await?;
    let (a, b) = (number as f32, 1000.0);
    let row = |value: f32| Bytes::from(value.to_ne_bytes().repeat(ELEMENTS));
    let (first, second, wanted) = (row(a), row(b), row(a + b));
    while Instant::now() < until {
        let begun = Instant::now();
        adder.put(&mut client, 1, first.clone()).await?;
        adder.put(&mut client, 2, second.clone()).await?;
        adder.add(&mut client, [1, 2], 3).await?;
        if adder.fetch(&mut client, 3).await? != wanted {
            return Err(Status::new(
                StatusCode::DataLoss,
                "the sum is another than that of the arrays",
            ));
        }
        adder.forget(&mut client, &[1, 2, 3]).await?;
        steps.push(begun.elapsed());
    }
    Ok(())
}
