//! `unskew fleet` killed at any moment: what there is afterwards is what was before, or what should come.
//!
//! SIGKILL comes after a random part of the time that the command takes when nobody kills it; `UNSKEW_KILLS=50` has it
//! come so often on each kind of storage, in place of a few times.

#![allow(clippy::unwrap_used, reason = "a test may; clippy knows only functions marked as tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use unskew_core::Date;
use unskew_fleet::store::Store;
use unskew_fleet::{Choice, Depot, Fleet, Policy, Profile};
use unskew_objects::{Objects, Place, Settings};
use unskew_test_servers::{PostgreSql, S3};

/// How often unless somebody says otherwise, on each kind of storage.
const KILLS: u64 = 8;

const DAY: &str = "2026-11-21";

fn policy() -> Policy {
    Policy::on(Date::constant(2026, 11, 21))
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gelu-2.15.0.pt")
}

/// A database, a place of an object store, and what a client of that needs in its environment.
type Servers = (String, String, Vec<(&'static str, String)>);

/// Where a fleet is: in a folder, or in a database and an object store.
struct Ground {
    folder: tempfile::TempDir,
    servers: Option<Servers>,
}

impl Ground {
    fn fleet(&self) -> Fleet {
        let Some((database, artifacts, settings)) = &self.servers else {
            return Fleet::open(self.folder.path()).unwrap();
        };
        let settings =
            settings.iter().fold(Settings::none(), |all, (name, value)| all.with(name, value));
        let place = Place::parse(artifacts).unwrap();
        let depot = Depot::over(Objects::at(&place, &settings).unwrap());
        Fleet::over(Store::open(database).unwrap(), depot)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.env("UNSKEW_FLEET", self.folder.path()).arg("fleet").args(args);
        command.args(["--as-of", DAY]).stdout(Stdio::null()).stderr(Stdio::piped());
        if let Some((database, artifacts, settings)) = &self.servers {
            command.env("UNSKEW_FLEET_DATABASE", database).env("UNSKEW_FLEET_ARTIFACTS", artifacts);
            command.envs(settings.iter().map(|(name, value)| (*name, value)));
        }
        command
    }

    /// Runs a command to its end.
    fn run(&self, args: &[&str]) {
        let output = self.command(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
    }
}

/// What is killed.
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

    /// What stands before it.
    fn prepare(self, ground: &Ground) {
        if matches!(self, Self::Convert) {
            let mut fleet = ground.fleet();
            let mut profile = Profile::of_release(unskew_releases::find("torch@1.10").unwrap());
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
            assert_eq!(known.decision, Choice::Converted);
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
    let kills = std::env::var("UNSKEW_KILLS").ok().and_then(|text| text.parse().ok());
    let kills: u64 = kills.unwrap_or(KILLS);
    let random =
        |at: u64| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), at) % 1000;
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
            let share = random(at);
            let delay = takes.mul_f64(share as f64 / 1000.0);
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
                assert_eq!(decision.decision, Choice::Converted);
            }
        }
    }
    println!("{running} of {kills} were still running");
}

#[test]
fn a_kill_leaves_the_old_or_the_new_in_a_folder() {
    kill_at_random(&|| Ground { folder: tempfile::tempdir().unwrap(), servers: None });
}

#[test]
fn a_kill_leaves_the_old_or_the_new_in_a_database_server_and_an_object_store() {
    let Some(database) = PostgreSql::shared() else { return };
    let objects = match S3::start() {
        Ok(objects) => objects,
        Err(error) => return println!("skipped: {error}"),
    };
    objects.make_bucket("kills").unwrap();
    kill_at_random(&|| {
        let address = database.database();
        let prefix = address.rsplit('/').next().unwrap_or("x").to_owned();
        let settings = objects.settings().to_vec();
        let servers = Some((address, format!("s3://kills/{prefix}"), settings));
        Ground { folder: tempfile::tempdir().unwrap(), servers }
    });
}
