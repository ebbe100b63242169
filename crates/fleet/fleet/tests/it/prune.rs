//! What a fleet remembers, and what it lets go: on SQLite and the disk, and on PostgreSQL and an object store.

use std::path::{Path, PathBuf};

use crate::databases::Place;
use unskew_core::Date;
use unskew_fleet::store::{Retire, StoreError};
use unskew_fleet::{
    BlobStore, DecisionKind, DeliveryMode, DeliveryPolicy, Digest, Fleet, FleetError, Prune,
    Pruned, RuntimeProfile,
};
use unskew_objects::{Objects, StoreSettings};
use unskew_test_servers::S3Server;

const DAY: &str = "2026-11-01";

fn today() -> Date {
    Date::constant(2026, 11, 21)
}

fn examples() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples")
}

fn profile(name: &str, release: &str, devices: u64) -> RuntimeProfile {
    let mut profile = RuntimeProfile::of_release(unskew_releases::find(release).unwrap());
    profile.name = name.to_owned();
    profile.devices = devices;
    profile
}

/// A place for a fleet, which is opened again and again.
struct Ground<'a> {
    database: Place,
    folder: tempfile::TempDir,
    objects: Option<(&'a S3Server, String)>,
}

impl Ground<'_> {
    fn fleet(&self) -> Fleet {
        let depot = match &self.objects {
            None => BlobStore::open(&self.folder.path().join("artifacts")).unwrap(),
            Some((server, bucket)) => {
                let settings: StoreSettings = server.settings().into_iter().collect();
                let place =
                    unskew_objects::ObjectPlace::parse(&format!("s3://{bucket}/fleet")).unwrap();
                BlobStore::over(Objects::at(&place, &settings).unwrap())
            }
        };
        Fleet::over(self.database.store(), depot)
    }
}

fn on_both(bucket: &str, test: impl Fn(&Ground<'_>)) {
    let folder = || tempfile::tempdir().unwrap();
    test(&Ground { database: Place::sqlite(), folder: folder(), objects: None });
    match (Place::postgresql(), S3Server::start()) {
        (Some(database), Ok(server)) => {
            server.make_bucket(bucket).unwrap();
            let objects = Some((&server, bucket.to_owned()));
            test(&Ground { database, folder: folder(), objects });
        }
        _ => println!("skipped on PostgreSQL and S3: not both are here"),
    }
}

#[test]
fn a_decision_of_a_day_uses_what_the_runtime_was_on_that_day() {
    on_both("history", |ground| {
        let mut fleet = ground.fleet();
        fleet.publish("model", &examples().join("gelu-2.15.0.pt"), DAY).unwrap();
        fleet.put_runtime(&profile("camera", "torch@1.10", 10), "2026-11-02").unwrap();
        let on = |day: Date| DeliveryPolicy::on(day);
        let before = fleet.decide("model", "camera", &on(Date::constant(2026, 11, 10))).unwrap();
        fleet.put_runtime(&profile("camera", "torch@2.15", 30), "2026-11-12").unwrap();
        fleet.put_runtime(&profile("camera", "torch@2.15", 40), "2026-11-15").unwrap();

        let told = |fleet: &mut Fleet, day: i8| {
            let day = Date::constant(2026, 11, day);
            let one = fleet.decide("model", "camera", &on(day)).unwrap();
            (one.decision, one.runtime.since.clone(), one.runtime.devices)
        };
        let (as_is, converted) = (DecisionKind::AsIs, DecisionKind::Converted);
        assert_eq!(told(&mut fleet, 10), (converted, "2026-11-02".to_owned(), 10));
        assert_eq!(told(&mut fleet, 12), (as_is, "2026-11-12".to_owned(), 30));
        assert_eq!(told(&mut fleet, 14), (as_is, "2026-11-12".to_owned(), 30));
        assert_eq!(told(&mut fleet, 20), (as_is, "2026-11-15".to_owned(), 40));
        // Before anything was said of it.
        assert_eq!(told(&mut fleet, 1), (converted, "2026-11-02".to_owned(), 10));

        fleet.remove_runtime("camera", "2026-11-18").unwrap();
        let gone = fleet.decide("model", "camera", &on(today()));
        assert!(matches!(gone, Err(FleetError::NoRuntime { .. })));
        assert_eq!(told(&mut fleet, 17), (as_is, "2026-11-15".to_owned(), 40));
        assert!(fleet.runtimes().unwrap().is_empty());
        assert_eq!(fleet.runtimes_on("2026-11-17").unwrap().len(), 1);
        assert!(fleet.runtimes_on("2026-11-18").unwrap().is_empty());
        assert_eq!(fleet.store().runtime_history("camera").unwrap().len(), 4);

        // The same decision, byte for byte, whatever happened since, and in another process.
        let again = ground.fleet().decide("model", "camera", &on(Date::constant(2026, 11, 10)));
        assert_eq!(again.unwrap().to_json(), before.to_json());
    });
}

/// Three versions, a phone that takes none as it is, and what it gets of the newest.
fn filled(fleet: &mut Fleet) -> (Vec<Digest>, Digest) {
    fleet.put_runtime(&profile("phone", "torch@1.10", 10), DAY).unwrap();
    fleet.put_runtime(&profile("server", "torch@2.15", 10), DAY).unwrap();
    let files =
        ["floor-divide-1.12.1.pt", "../crates/cli/tests/files/div-1.4.0.pt", "gelu-2.15.0.pt"];
    let days = ["2026-11-01", "2026-11-03", "2026-11-05"];
    let publish = |(file, day): (&str, &str)| {
        fleet.publish("model", &examples().join(file), day).unwrap().artifact
    };
    let versions = files.into_iter().zip(days).map(publish).collect();
    let decision = fleet.decide("model", "phone", &DeliveryPolicy::on(today())).unwrap();
    assert_eq!(decision.considered[0].fits, Some(DeliveryMode::Converted));
    (versions, decision.deliver.unwrap().artifact)
}

fn prune(fleet: &mut Fleet, keep: Option<usize>, grace: u32, dry_run: bool) -> Pruned {
    let retire = Retire { keep, before: None };
    fleet.prune(&Prune { retire, grace, dry_run }, today()).unwrap()
}

fn digests(pairs: &[(Digest, u64)]) -> Vec<Digest> {
    let mut all: Vec<Digest> = pairs.iter().map(|pair| pair.0).collect();
    all.sort();
    all
}

#[test]
fn what_nothing_refers_to_is_marked_then_removed_and_the_rest_stays() {
    on_both("pruned", |ground| {
        let mut fleet = ground.fleet();
        let (versions, converted) = filled(&mut fleet);
        let nothing = prune(&mut fleet, None, 0, false);
        assert_eq!(nothing, Pruned::default());

        let dry = prune(&mut fleet, Some(1), 0, true);
        let mut old = versions[..2].to_vec();
        old.sort();
        assert_eq!(dry.retired, [("model".to_owned(), 2), ("model".to_owned(), 1)]);
        assert_eq!((digests(&dry.marked), digests(&dry.removed)), (old.clone(), old.clone()));
        assert_eq!(fleet.versions("model", "9999-12-31").unwrap().len(), 3);

        let marked = prune(&mut fleet, Some(1), 3, false);
        assert_eq!((digests(&marked.marked), marked.waiting), (old.clone(), 2));
        assert!(marked.removed.is_empty() && old.iter().all(|one| fleet.depot().has(one).unwrap()));
        assert_eq!(fleet.versions("model", "2026-11-21").unwrap().len(), 1);
        // What was delivered on a day is still known.
        assert_eq!(fleet.versions("model", "2026-11-20").unwrap().len(), 3);

        let removed = prune(&mut fleet, Some(1), 0, false);
        assert_eq!((digests(&removed.removed), removed.waiting), (old.clone(), 0));
        assert!(old.iter().all(|one| !fleet.depot().has(one).unwrap()));
        for kept in [versions[2], converted] {
            fleet.depot().verify(&kept).unwrap();
        }
        assert_eq!(prune(&mut fleet, Some(1), 0, false), Pruned::default());
    });
}

#[test]
fn a_converted_artifact_goes_when_no_current_answer_names_it_and_is_made_again_when_one_does() {
    on_both("converted", |ground| {
        let mut fleet = ground.fleet();
        let (_, converted) = filled(&mut fleet);
        fleet.put_runtime(&profile("phone", "torch@2.15", 10), "2026-11-20").unwrap();
        assert_eq!(digests(&prune(&mut fleet, None, 0, false).removed), [converted]);
        assert!(!fleet.depot().has(&converted).unwrap());
        // Nothing that was kept names it, so it is made again where it is wanted.
        let mut fleet = ground.fleet();
        fleet.put_runtime(&profile("phone", "torch@1.10", 10), "2026-11-21").unwrap();
        let decision = fleet.decide("model", "phone", &DeliveryPolicy::on(today())).unwrap();
        assert_eq!(decision.deliver.unwrap().artifact, converted);
        fleet.depot().verify(&converted).unwrap();
        assert_eq!(prune(&mut fleet, None, 0, false), Pruned::default());
    });
}

#[test]
fn what_is_published_again_is_saved_and_what_is_gone_is_not_named() {
    on_both("saved", |ground| {
        let mut fleet = ground.fleet();
        let (versions, _) = filled(&mut fleet);
        let old = examples().join("floor-divide-1.12.1.pt");
        assert_eq!(prune(&mut fleet, Some(1), 3, false).waiting, 2);
        let again = fleet.publish("model", &old, "2026-11-21").unwrap();
        assert_eq!((again.version, again.artifact), (4, versions[0]));
        // The newest and the converted form of the one before stay; the other one goes.
        assert_eq!(digests(&prune(&mut fleet, None, 0, false).removed), [versions[1]]);
        fleet.depot().verify(&versions[0]).unwrap();

        // Taken away between its arrival and the moment in which the database would name it.
        let size = 7;
        let absent = Digest::sha256("never there");
        let named = fleet.store().publish("model", &absent, "x.pt", size, "2026-11-21");
        assert!(matches!(named, Err(StoreError::Absent(digest)) if digest == absent));
        assert_eq!(fleet.versions("model", "9999-12-31").unwrap().len(), 2);
    });
}

#[test]
fn what_an_interrupted_writer_left_in_the_depot_is_found() {
    on_both("strays", |ground| {
        let mut fleet = ground.fleet();
        filled(&mut fleet);
        let file = examples().join("add-cast.pb");
        let content = unskew_artifact::Content::at(&file).unwrap();
        let stray = fleet.depot().add(&content).unwrap().digest;
        assert_eq!(prune(&mut fleet, None, 1, false).marked, [(stray, 0)]);
        assert!(fleet.depot().has(&stray).unwrap());
        assert_eq!(digests(&prune(&mut fleet, None, 0, false).removed), [stray]);
        assert!(!fleet.depot().has(&stray).unwrap());
    });
}

#[test]
fn whoever_publishes_while_others_prune_is_never_left_without_its_artifact() {
    on_both("race", |ground| {
        drop(ground.fleet());
        let files = ["floor-divide-1.12.1.pt", "gelu-2.15.0.pt"].map(|file| examples().join(file));
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut fleet = ground.fleet();
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    prune(&mut fleet, Some(1), 0, false);
                    // Whoever else writes gets a turn.
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            });
            let mut fleet = ground.fleet();
            for round in 0..12 {
                let published = fleet.publish("model", &files[round % 2], DAY);
                if let Ok(one) = published {
                    // The newest version is never retired, so it is there whatever the other does.
                    fleet.depot().verify(&one.artifact).unwrap();
                } else {
                    println!("{}", published.unwrap_err());
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let mut fleet = ground.fleet();
        prune(&mut fleet, Some(1), 0, false);
        assert_eq!(fleet.versions("model", "9999-12-31").unwrap().len(), 1);
        let newest = fleet.versions("model", "9999-12-31").unwrap()[0].artifact;
        fleet.depot().verify(&newest).unwrap();
    });
}
