//! `unskew fleet serve`, killed while it converts in the background.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unskew_core::Date;
use unskew_fleet::{DeliveryPolicy, Digest, RuntimeProfile};
use unskew_fleet_service::client::ServiceClient;

use crate::ground::{DAY, Ground, Servers, kills, random, until};
use crate::upload::{Publisher, artifact, comes_whole};

const RUNTIME: &str = "old";

/// The day of the question: whatever the day of the test is, everything was published by then.
const LATER: &str = "2999-01-01";

fn decision(model: &str) -> String {
    format!("/v1/models/{model}/decision?runtime={RUNTIME}&as_of={LATER}")
}

/// Asks for a decision that nobody waits for: the place of its job, or nothing if it is known.
fn ask(client: &mut ServiceClient, model: &str) -> std::io::Result<Option<String>> {
    let begun = client.send("GET", &decision(model), &[("prefer", "respond-async")], b"")?;
    assert!(matches!(begun.status, 200 | 202), "{}", begun.text());
    Ok(begun.header("location").map(str::to_owned))
}

/// Waits until a job is done.
fn done(client: &mut ServiceClient, job: &str) -> Value {
    until(job, || {
        let job = client.get(job).unwrap().json();
        assert!(matches!(job["state"].as_str(), Some("waiting" | "running" | "done")), "{job}");
        (job["state"] == "done").then_some(job)
    })
}

/// What is known of a decision is whole: what it delivers was converted, and is there.
fn whole(ground: &Ground, client: &mut ServiceClient, model: &str) -> bool {
    let mut fleet = ground.fleet();
    let runtime = fleet.runtime(RUNTIME).unwrap();
    let policy = DeliveryPolicy::on(Date::constant(2999, 1, 1));
    let known = fleet.known_decision(model, &runtime, &policy).unwrap();
    if let Some(known) = &known {
        let delivered = known.deliver.as_ref().unwrap();
        assert!(delivered.made_from.is_some());
        comes_whole(client, &delivered.artifact);
    }
    known.is_some()
}

fn kill_at_random(ground: &Ground) {
    let kills = kills(4);
    let mut profile = RuntimeProfile::of_release(unskew_releases::find("tensorflow@1.4").unwrap());
    profile.name = RUNTIME.to_owned();
    ground.fleet().put_runtime(&profile, DAY).unwrap();
    let lease = ["--lease", "1"];
    let mut server = ground.serve(&lease);
    let publish = |client: &mut ServiceClient, model: &str, at: u64| {
        let mut publisher = Publisher::new(model, artifact(at, 3), None);
        publisher.publish(client).unwrap();
    };
    let mut takes = Duration::ZERO;
    for at in 0..2 {
        let (mut client, model) = (server.client(), format!("measured-{at}"));
        publish(&mut client, &model, kills + at);
        let begin = Instant::now();
        let job = ask(&mut client, &model).unwrap().unwrap();
        done(&mut client, &job);
        takes = begin.elapsed();
    }
    let (mut known, mut again) = (0, 0);
    for at in 0..kills {
        let model = format!("model-{at}");
        let mut client = server.client();
        publish(&mut client, &model, at);
        let delay = takes.mul_f64(random(at));
        let told = std::thread::scope(|scope| {
            let asking = scope.spawn(|| ask(&mut client, &model));
            std::thread::sleep(delay);
            // By SIGKILL.
            drop(server);
            asking.join().unwrap()
        });
        server = ground.serve(&lease);
        let mut client = server.client();
        let found = whole(ground, &mut client, &model);
        known += usize::from(found);
        let jobs = client.get("/v1/jobs").unwrap().json();
        let own = |one: &&Value| one["ask"]["model"] == json!(model);
        let jobs: Vec<&Value> = jobs.as_array().unwrap().iter().filter(own).collect();
        assert!(jobs.len() <= 1, "one job for one question: {jobs:?}");
        if let Ok(Some(job)) = &told {
            // What was acknowledged is done, by whoever is there.
            let job = done(&mut client, job);
            again += usize::from(job["attempts"] == 2);
            assert!(job["attempts"].as_i64() <= Some(2), "{job}");
        }
        if let Some(job) = ask(&mut client, &model).unwrap() {
            done(&mut client, &job);
        }
        let told = client.get(&decision(&model)).unwrap();
        assert_eq!((told.status, told.json()["decision"].as_str()), (200, Some("converted")));
        assert!(whole(ground, &mut client, &model));
        println!("killed after {delay:?} of {takes:?}, the answer was known: {found}");
    }
    println!(
        "{kills} conversions: {known} were known before the server began again, {again} begun again"
    );
    let mut fleet = ground.fleet();
    let digests: Vec<Digest> = fleet.depot().digests().unwrap();
    digests.iter().for_each(|digest| fleet.depot().verify(digest).unwrap());
    assert!(fleet.store().running_jobs().unwrap().is_empty());
}

#[test]
fn a_kill_of_a_service_during_conversions_leaves_the_old_or_the_new_in_a_folder() {
    kill_at_random(&Ground::in_a_folder());
}

#[test]
fn a_kill_of_a_service_during_conversions_leaves_the_old_or_the_new_in_servers() {
    let Some(servers) = Servers::start() else { return };
    kill_at_random(&servers.ground());
}
