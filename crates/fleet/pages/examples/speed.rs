//! How long pages take for a fleet of 10,000 models and 200 runtimes, of which those shown were asked:
//! `cargo run --release -p unskew-fleet-pages --example speed`.
#![allow(clippy::unwrap_used, reason = "an example may")]

use std::path::Path;
use std::time::{Duration, Instant};

use unskew_core::Date;
use unskew_fleet::store::{KeptAnswer, Store};
use unskew_fleet::{AnswerIndex, Digest, Fleet, JudgeIdentity, RuntimeProfile};
use unskew_fleet_pages::{
    AxisPage, FamilyPage, Frame, Gather, ListRequest, OperatorPage, PageView, ReleasePage, Viewer,
    axes,
};
use unskew_releases::Family;

const MODELS: usize = 10_000;
const RUNTIMES: usize = 200;
const DAY: &str = "2026-11-01";

/// A fleet in which the runtimes were asked about the first models; what they say is what one of them says.
fn filled(folder: &Path) -> Fleet {
    let mut fleet = Fleet::open(folder).unwrap();
    let releases: Vec<_> = unskew_releases::select("torch").unwrap();
    for at in 0..RUNTIMES {
        let mut profile = RuntimeProfile::of_release(releases[at % releases.len()]);
        profile.name = format!("runtime-{at:03}");
        profile.devices = 1 + at as u64 * 7;
        if at.is_multiple_of(2) {
            profile.without = vec!["aten::add".to_owned()];
        }
        fleet.put_runtime(&profile, DAY).unwrap();
    }
    let root = Path::new(env!("UNSKEW_ROOT"));
    let policy = unskew_fleet::DeliveryPolicy::on(Date::constant(2026, 11, 21));
    fleet.publish("known", &root.join("examples/gelu-2.15.0.pt"), DAY).unwrap();
    let known = fleet.versions("known", DAY).unwrap().remove(0);
    let runtimes = fleet.runtimes().unwrap();
    let mut bodies = Vec::new();
    for runtime in &runtimes {
        fleet.answer(&known, runtime, &policy).unwrap();
        let key = fleet.answer_key(&known.artifact, &known.file, &runtime.digest, &policy);
        bodies.push(fleet.store().answer(&key).unwrap().unwrap());
    }
    // A store of its own does not ask whether artifacts are there, and these are not.
    let mut store = Store::sqlite(&folder.join("fleet.db")).unwrap();
    for model in 0..MODELS {
        let name = format!("model-{model:05}");
        for version in 0..3 {
            let artifact = Digest::sha256(format!("{model} {version}"));
            store.publish(&name, &artifact, "net.pt", 1 << 20, DAY).unwrap();
        }
        if model < 100 {
            for version in fleet.versions(&name, DAY).unwrap() {
                let answers: Vec<(Vec<u8>, KeptAnswer)> = runtimes
                    .iter()
                    .zip(&bodies)
                    .map(|(runtime, body)| {
                        let key = fleet.answer_key(
                            &version.artifact,
                            &version.file,
                            &runtime.digest,
                            &policy,
                        );
                        (key, body.clone())
                    })
                    .collect();
                fleet.store().put_answers(&answers).unwrap();
            }
        }
    }
    fleet
}

fn measure(name: &str, mut page: impl FnMut() -> String) {
    let mut times: Vec<Duration> = Vec::new();
    let mut size = 0;
    for _ in 0..21 {
        let begin = Instant::now();
        size = page().len();
        times.push(begin.elapsed());
    }
    let first = times[0];
    times.sort();
    println!("{name:30} first {first:10.2?}  median {:10.2?}  {} KiB", times[10], size / 1024);
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let mut fleet = filled(folder.path());
    let mut survey = AnswerIndex::default();
    let view = PageView::on(Date::constant(2026, 11, 21));
    let reader = Viewer { name: None, jobs: true, audit: true };
    let judge = JudgeIdentity::of_this_program();
    let frame = &Frame { reader: &reader, judge: &judge, as_of: view.policy.as_of };
    let part = ListRequest::default();
    let later = ListRequest { contains: "model-0".to_owned(), page: 2 };
    let mut gather = Gather::new(&mut fleet, &mut survey, view);
    measure("the fleet", || gather.overview(&part).unwrap().page(frame));
    measure("the fleet, searched, page 2", || gather.overview(&later).unwrap().page(frame));
    measure("not served", || gather.unserved(&part).unwrap().page(frame));
    measure("a model", || gather.model("model-00003", &part, None).unwrap().page(frame));
    measure("the runtimes", || gather.runtimes(&part).unwrap().page(frame));
    measure("a runtime", || gather.runtime("runtime-004", &part).unwrap().page(frame));
    measure("a decision", || {
        gather.decision("model-00003", "runtime-001", None).unwrap().page(frame)
    });
    measure("operators of PyTorch", || FamilyPage::new(Family::Torch, "add", "", 1).page(frame));
    measure("an operator", || OperatorPage::find(Family::Torch, "aten::gelu").unwrap().page(frame));
    measure("a release", || ReleasePage::find(Family::Torch, "2.1").unwrap().page(frame));
    measure("the axes", || axes(frame, &view));
    measure("an axis", || AxisPage::find("pjrt.api", &view, true).unwrap().page(frame));
}
