//! What real TensorFlows do with graphs and SavedModels, and with those that were converted for older releases.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use unskew_artifact::ConvertOptions;
use unskew_tensorflow_matrix::{
    Came, Host, Job, Loaded, Loader, Value, battery_trials, models, root, trials, written_models,
};

const LIMIT: Duration = Duration::from_secs(300);

/// Whether the environments are here; a checkout without them cannot run this.
fn hosts() -> Option<(Host, Host)> {
    match (Host::named("2.15.1"), Host::named("2.21.0")) {
        (Ok(old), Ok(new)) => Some((old, new)),
        _ => {
            println!("skipped: run cargo xtask corpus");
            None
        }
    }
}

/// The models of TensorFlow 2.21.0, written once for all tests.
static WRITTEN: LazyLock<()> = LazyLock::new(|| drop(written_models().unwrap()));

#[test]
fn verdicts_are_what_two_real_releases_do_and_what_is_converted_computes_the_same() {
    let Some((old, new)) = hosts() else { return };
    LazyLock::force(&WRITTEN);
    assert_eq!(models().len(), unskew_tensorflow_matrix::MODELS.len());
    let folder = tempfile::tempdir().unwrap();
    let mut values: BTreeMap<String, Vec<Loaded>> = BTreeMap::new();
    for (host, release) in [(old, "2.15.1"), (new, "2.21.0")] {
        let place = folder.path().join(release);
        std::fs::create_dir(&place).unwrap();
        let mut all = trials(release, &place).unwrap();
        all.extend(battery_trials(release, &place).unwrap());
        let jobs: Vec<Job> = all.iter().map(|trial| trial.job.clone()).collect();
        let loaded = host.load(&jobs, LIMIT).unwrap();
        for trial in &all {
            let found = &loaded[&trial.job.name];
            assert_eq!(
                found.phase, trial.expected,
                "{} on {release}: {}",
                trial.job.name, found.said
            );
            let model = trial.converted.map_or(trial.job.name.clone(), str::to_owned);
            values.entry(model).or_default().push(found.clone());
        }
    }
    for name in
        ["written/dense", "written/conv", "written/lstm", "written/lookup", "written/attention"]
    {
        let [old, new] = values[name].as_slice() else { panic!("{name}") };
        assert!(old.computes_what(new, 1e-5), "{name}: {old:?} {new:?}");
    }
}

/// Ops that older releases have under another name: converted for TensorFlow 1.4, both releases compute the same
/// bits with the old ops as with the new ones.
#[test]
fn replaced_ops_compute_the_same_bits() {
    let Some((old, new)) = hosts() else { return };
    LazyLock::force(&WRITTEN);
    let folder = tempfile::tempdir().unwrap();
    let before = root().join("corpus/written/renamed-ops.pb");
    let after = folder.path().join("old-ops.pb");
    let plan = convert(&before, "tensorflow@1.4.1", &after);
    for op in ["AddV2", "BatchMatMulV3", "SelectV2", "GatherV2", "PadV2", "FusedBatchNormV3"] {
        let known = op == "GatherV2" || op == "PadV2";
        let replaced = plan.iter().any(|what| what.starts_with(&format!("op `{op}` replaced")));
        // TensorFlow 1.4 has these two.
        assert!(replaced != known, "{op}: {plan:?}");
    }
    // 1.2 does not; it has no other way to say what the rest of the graph says.
    let oldest = folder.path().join("oldest-ops.pb");
    let plan = convert(&before, "tensorflow@1.2.1", &oldest);
    assert!(
        plan.iter().any(|what| what.starts_with("op `GatherV2` replaced by `Gather`")),
        "{plan:?}"
    );
    assert!(plan.iter().any(|what| what.starts_with("op `PadV2` replaced by `Pad`")), "{plan:?}");
    assert!(plan.iter().any(|what| what.starts_with("op `FusedBatchNormV2` replaced")), "{plan:?}");
    let job = |name: &str, path: &Path| Job {
        name: name.to_owned(),
        path: path.to_owned(),
        loader: Loader::Graph,
        strict: true,
    };
    for host in [old, new] {
        let jobs = [job("before", &before), job("after", &after), job("oldest", &oldest)];
        let loaded = host.load(&jobs, LIMIT).unwrap();
        for name in ["before", "after", "oldest"] {
            let found = &loaded[name];
            assert_eq!(found.phase, Came::Ok, "{name}: {}", found.said);
            let before = &loaded["before"];
            assert!(
                found.computes_what(before, 0.0),
                "{name} on {}: {:?} {:?}",
                host.version,
                found.values,
                before.values
            );
            assert_eq!(found.values.len(), 10, "{name}");
        }
    }
}

/// The hashes in `fingerprint.pb` of a folder that was converted are those that TensorFlow computes of it.
#[test]
fn fingerprints_of_converted_folders_are_those_of_tensorflow() {
    let Some((_, new)) = hosts() else { return };
    LazyLock::force(&WRITTEN);
    let folder = tempfile::tempdir().unwrap();
    let job = |name: &str| {
        let path = folder.path().join(name);
        let plan = convert(&root().join("corpus/written").join(name), "tensorflow@1.15.0", &path);
        let updated = plan.iter().any(|what| what.starts_with("fingerprint.pb updated"));
        assert!(updated, "{name}: {plan:?}");
        Job { name: name.to_owned(), path, loader: Loader::Fingerprint, strict: true }
    };
    let jobs = ["dense", "conv", "lstm", "attention"].map(job);
    for (name, found) in new.load(&jobs, LIMIT).unwrap() {
        assert_eq!(found.phase, Came::Ok, "{name}: {}", found.said);
        assert_eq!(found.values.len(), 5, "{name}: {:?}", found.values);
        let same = |values: &Vec<Value>| *values == [Value::Text("True".to_owned())];
        assert!(found.values.values().all(same), "{name}: {:?}", found.values);
    }
}

/// Writes `from` for a release, and says what was done.
fn convert(from: &Path, release: &str, to: &Path) -> Vec<String> {
    let release = unskew_releases::find(release).unwrap();
    let converted = unskew_artifact::convert(from, release, &ConvertOptions::default()).unwrap();
    converted.output.write(to).unwrap();
    converted.plan.rewrites.into_iter().map(|rewrite| rewrite.what).collect()
}
