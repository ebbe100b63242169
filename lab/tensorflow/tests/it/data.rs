//! What real TensorFlows do with graphs and SavedModels, and with those that were converted for older releases.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use unskew_artifact::ConvertOptions;
use unskew_lab_harness::corpus::written_models;
use unskew_lab_tensorflow::battery::proto::{
    GraphBuilder, MessageBuilder, dtype, node, shape, tensor,
};
use unskew_lab_tensorflow::{
    ComputedValue, GraphLoader, LoadJob, LoadOutcome, LoadStage, TensorFlowHost, battery_trials,
    models, trials,
};

const LIMIT: Duration = Duration::from_secs(300);

/// The releases, if real ones are run.
fn hosts() -> Option<(TensorFlowHost, TensorFlowHost)> {
    let there = ["tensorflow-2.15.1", "tensorflow-2.21.0"].into_iter().all(unskew_peers::there);
    there.then(|| {
        (TensorFlowHost::named("2.15.1").unwrap(), TensorFlowHost::named("2.21.0").unwrap())
    })
}

/// The models of TensorFlow 2.21.0, written once for all tests.
static WRITTEN: LazyLock<()> = LazyLock::new(|| drop(written_models().unwrap()));

#[test]
fn verdicts_are_what_two_real_releases_do_and_what_is_converted_computes_the_same() {
    let Some((old, new)) = hosts() else { return };
    LazyLock::force(&WRITTEN);
    assert_eq!(models().len(), unskew_lab_tensorflow::MODELS.len());
    let folder = tempfile::tempdir().unwrap();
    let mut values: BTreeMap<String, Vec<LoadOutcome>> = BTreeMap::new();
    for (host, release) in [(old, "2.15.1"), (new, "2.21.0")] {
        let place = folder.path().join(release);
        std::fs::create_dir(&place).unwrap();
        let mut all = trials(release, &place).unwrap();
        all.extend(battery_trials(release, &place).unwrap());
        let jobs: Vec<LoadJob> = all.iter().map(|trial| trial.job.clone()).collect();
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
    let before = unskew_peers::root().join("corpus/written/renamed-ops.pb");
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
    let job = |name: &str, path: &Path| LoadJob {
        name: name.to_owned(),
        path: path.to_owned(),
        loader: GraphLoader::Graph,
        strict: true,
    };
    for host in [old, new] {
        let jobs = [job("before", &before), job("after", &after), job("oldest", &oldest)];
        let loaded = host.load(&jobs, LIMIT).unwrap();
        for name in ["before", "after", "oldest"] {
            let found = &loaded[name];
            assert_eq!(found.phase, LoadStage::Ok, "{name}: {}", found.said);
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
        let plan = convert(
            &unskew_peers::root().join("corpus/written").join(name),
            "tensorflow@1.15.0",
            &path,
        );
        let updated = plan.iter().any(|what| what.starts_with("fingerprint.pb updated"));
        assert!(updated, "{name}: {plan:?}");
        LoadJob { name: name.to_owned(), path, loader: GraphLoader::Fingerprint, strict: true }
    };
    let jobs = ["dense", "conv", "lstm", "attention"].map(job);
    for (name, found) in new.load(&jobs, LIMIT).unwrap() {
        assert_eq!(found.phase, LoadStage::Ok, "{name}: {}", found.said);
        assert_eq!(found.values.len(), 5, "{name}: {:?}", found.values);
        let same =
            |values: &Vec<ComputedValue>| *values == [ComputedValue::Text("True".to_owned())];
        assert!(found.values.values().all(same), "{name}: {:?}", found.values);
    }
}

/// Rows of the table that need functions or constants, on a graph of them: both releases compute the same bits with
/// the replaced ops as with those before.
#[test]
fn replaced_diagonals_and_control_flow_compute_the_same_bits() {
    let Some((old, new)) = hosts() else { return };
    let folder = tempfile::tempdir().unwrap();
    let before = folder.path().join("before.pb");
    std::fs::write(&before, diagonals_and_control_flow().bytes()).unwrap();
    let mut jobs = vec![graph_job("before", &before)];
    for (release, ops) in [
        ("1.15.0", &["MatrixSetDiagV3", "MatrixDiagPartV3", "StatelessCase"][..]),
        ("1.10.1", &["MatrixSetDiagV3", "MatrixDiagPartV3", "StatelessIf", "StatelessWhile"]),
    ] {
        let after = folder.path().join(release);
        let plan = convert(&before, &format!("tensorflow@{release}"), &after);
        for op in ops {
            let replaced = plan.iter().any(|what| what.starts_with(&format!("op `{op}` replaced")));
            assert!(replaced, "{op} for {release}: {plan:?}");
        }
        jobs.push(graph_job(release, &after));
    }
    for host in [old, new] {
        let loaded = host.load(&jobs, LIMIT).unwrap();
        let before = &loaded["before"];
        assert_eq!(before.phase, LoadStage::Ok, "{}", before.said);
        assert_eq!(before.values.len(), 5);
        for job in &jobs {
            let found = &loaded[&job.name];
            assert_eq!(found.phase, LoadStage::Ok, "{}: {}", job.name, found.said);
            assert!(found.computes_what(before, 0.0), "{}: {:?}", job.name, found.values);
        }
    }
}

fn graph_job(name: &str, path: &Path) -> LoadJob {
    LoadJob {
        name: name.to_owned(),
        path: path.to_owned(),
        loader: GraphLoader::Graph,
        strict: true,
    }
}

/// Constants are one half, and zero if they are whole numbers.
fn diagonals_and_control_flow() -> GraphBuilder {
    const FLOAT: i64 = 1;
    const INT32: i64 = 3;
    const BOOL: i64 = 10;
    let constant = |name: &str, of: i64, dims: &[i64]| {
        node(name, "Const", &[], &[("dtype", dtype(of)), ("value", tensor(of, dims))])
    };
    let t = || ("T", dtype(FLOAT));
    let align = || ("align", MessageBuilder::default().text(2, "LEFT_RIGHT"));
    let types = || MessageBuilder::default().message(1, MessageBuilder::default().int(6, FLOAT));
    let func = |name: &str| MessageBuilder::default().text(1, name);
    let calls = |name: &str| MessageBuilder::default().message(10, func(name));
    let argument = |name: &str, of: i64| MessageBuilder::default().text(1, name).int(3, of);
    let function = |name: &str, op: &str, result: i64| {
        let signature = MessageBuilder::default()
            .text(1, name)
            .message(2, argument("x", FLOAT))
            .message(3, argument("y", result));
        let half = constant("half", FLOAT, &[]);
        let made = node("made", op, &["x", "half:output:0"], &[t()]);
        let result = MessageBuilder::default().text(1, "y").text(2, "made:z:0");
        let body = MessageBuilder::default().message(1, signature).message(3, half);
        body.message(3, made).message(4, result)
    };
    let branches = MessageBuilder::default().message(9, func("Plus")).message(9, func("Times"));
    let branches = MessageBuilder::default().message(1, branches);
    let mut graph = GraphBuilder::new(1000);
    graph.functions = vec![
        function("Plus", "Add", FLOAT),
        function("Times", "Mul", FLOAT),
        function("AtMost", "LessEqual", BOOL),
    ];
    let tin = [("Tin", types()), ("Tout", types())];
    let case = [&tin[..], &[("branches", branches)]].concat();
    let choice = [("Tcond", dtype(FLOAT)), ("then_branch", calls("Times"))];
    let choice = [&tin[..], &choice, &[("else_branch", calls("Plus"))]].concat();
    let turns = [("T", types()), ("cond", calls("AtMost")), ("body", calls("Plus"))];
    graph
        .with(constant("c", FLOAT, &[]))
        .with(constant("zero", INT32, &[]))
        .with(node(
            "x",
            "Placeholder",
            &[],
            &[("dtype", dtype(FLOAT)), ("shape", of_shape(&[3, 4]))],
        ))
        .with(constant("diagonal", FLOAT, &[3]))
        .with(node("set", "MatrixSetDiagV3", &["x", "diagonal", "zero"], &[t(), align()]))
        .with(node("part", "MatrixDiagPartV3", &["x", "zero", "c"], &[t(), align()]))
        .with(node("case", "StatelessCase", &["zero", "c"], &case))
        .with(node("if", "StatelessIf", &["c", "c"], &choice))
        .with(node("while", "StatelessWhile", &["c"], &turns))
        .with(node("out_set", "Identity", &["set"], &[t()]))
        .with(node("out_part", "Identity", &["part"], &[t()]))
        .with(node("out_case", "Identity", &["case"], &[t()]))
        .with(node("out_if", "Identity", &["if"], &[t()]))
        .with(node("out_while", "Identity", &["while"], &[t()]))
}

fn of_shape(dims: &[i64]) -> MessageBuilder {
    MessageBuilder::default().message(7, shape(dims))
}

/// Every row of the table helps some release: it lacks the op, or refuses it for its age, and has the other.
#[test]
fn every_replacement_helps_a_release() {
    for row in unskew_tensorflow::convert::replacements() {
        let helps = unskew_releases::all().any(|release| {
            let Some(runtime) = unskew_releases::tensorflow::runtime_of(release) else {
                return false;
            };
            let (from, to) = (runtime.ops.look_up(&row.from), runtime.ops.look_up(&row.to));
            let wanted = from.op().is_none_or(|op| op.deprecation.is_some());
            // Another row may lead on.
            let chain = unskew_tensorflow::convert::replacements().iter();
            let leads = chain.clone().any(|next| next.from == row.to);
            wanted && (to.op().is_some() || leads)
        });
        assert!(helps, "{} to {}", row.from, row.to);
    }
}

/// Writes `from` for a release, and says what was done.
fn convert(from: &Path, release: &str, to: &Path) -> Vec<String> {
    let release = unskew_releases::find(release).unwrap();
    let converted = unskew_artifact::convert(from, release, &ConvertOptions::default()).unwrap();
    converted.output.write(to).unwrap();
    converted.plan.rewrites.into_iter().map(|rewrite| rewrite.what).collect()
}
