//! `unskew fleet model add` and `unskew fleet decide`, killed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use unskew_core::Date;
use unskew_fleet::{DecisionKind, DeliveryPolicy, RuntimeProfile};

use crate::ground::{DAY, Ground, Servers, kills, random};

fn policy() -> DeliveryPolicy {
    DeliveryPolicy::on(Date::constant(2026, 11, 21))
}

fn model() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples/gelu-2.15.0.pt")
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Publish,
    Convert,
}

impl Act {
    fn args(self) -> Vec<String> {
        let model = model().to_str().unwrap().to_owned();
        let words = match self {
            Self::Publish => vec!["model", "add", "gelu", &model],
            Self::Convert => vec!["decide", "gelu", "--runtime", "phones"],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    fn prepare(self, ground: &Ground) {
        if matches!(self, Self::Convert) {
            let mut fleet = ground.fleet();
            let mut profile =
                RuntimeProfile::of_release(unskew_releases::find("torch@1.10").unwrap());
            profile.name = "phones".to_owned();
            fleet.put_runtime(&profile, DAY).unwrap();
            fleet.publish("gelu", &model(), DAY).unwrap();
        }
    }
}

/// Everything that the fleet names is there and is what its digest says, and nothing else that can be seen is not.
fn whole(ground: &Ground, act: Act) {
    let mut fleet = ground.fleet();
    for digest in fleet.depot().digests().unwrap() {
        fleet.depot().verify(&digest).unwrap();
    }
    for (model, _) in fleet.models().unwrap() {
        for version in fleet.versions(&model, "9999-12-31").unwrap() {
            fleet.depot().verify(&version.artifact).unwrap();
        }
    }
    if matches!(act, Act::Convert) {
        let runtime = fleet.runtime("phones").unwrap();
        if let Some(known) = fleet.known_decision("gelu", &runtime, &policy()).unwrap() {
            assert_eq!(known.decision, DecisionKind::Converted);
            fleet.depot().verify(&known.deliver.unwrap().artifact).unwrap();
        }
    }
}

/// Kills a command after `delay` and says whether it was still running.
fn killed(mut command: Command, delay: Duration) -> bool {
    let mut child = command.spawn().unwrap();
    std::thread::sleep(delay);
    let running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    child.wait().unwrap();
    running
}

fn kill_at_random(ground: &dyn Fn() -> Ground) {
    let kills = kills(8);
    let mut running = 0;
    for act in [Act::Publish, Act::Convert] {
        let args = act.args();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let first = ground();
        act.prepare(&first);
        let begin = Instant::now();
        first.run(&args);
        let takes = begin.elapsed();
        for at in 0..kills.div_ceil(2) {
            let ground = ground();
            act.prepare(&ground);
            let delay = takes.mul_f64(random(at));
            let killed = killed(ground.command(&args), delay);
            running += u64::from(killed);
            println!("{act:?} killed after {delay:?} of {takes:?}, still running: {killed}");
            whole(&ground, act);
            ground.run(&args);
            whole(&ground, act);
            let mut fleet = ground.fleet();
            assert_eq!(fleet.versions("gelu", "9999-12-31").unwrap().len(), 1);
            if matches!(act, Act::Convert) {
                let decision = fleet.decide("gelu", "phones", &policy()).unwrap();
                assert_eq!(decision.decision, DecisionKind::Converted);
            }
        }
    }
    println!("{running} of {kills} were still running");
}

#[test]
fn a_kill_of_a_command_leaves_the_old_or_the_new_in_a_folder() {
    kill_at_random(&Ground::in_a_folder);
}

#[test]
fn a_kill_of_a_command_leaves_the_old_or_the_new_in_a_database_server_and_an_object_store() {
    let Some(servers) = Servers::start() else { return };
    kill_at_random(&|| servers.ground());
}
