//! The kernels of the database against real releases: some of what `cargo lab tensorflow-differential --kernels` asks.

use std::time::Duration;

use unskew_core::{Context, Date, check};
use unskew_lab_tensorflow::kernels::{KernelQuery, graphs};
use unskew_lab_tensorflow::{GraphLoader, LoadJob, LoadStage, TensorFlowHost};
use unskew_random::Random;
use unskew_releases::find;

/// Of so many graphs one is asked.
const OF: usize = 80;

/// What TensorFlow prints where it has no kernel.
const WORDS: &str = "No OpKernel was registered";

#[test]
fn ops_have_the_kernels_that_the_database_says() {
    for release in ["2.15.1", "2.21.0"] {
        if !unskew_peers::there(&format!("tensorflow-{release}")) {
            continue;
        }
        let row = find(&format!("tensorflow@{release}")).unwrap();
        let runtime = unskew_releases::tensorflow::runtime_of(row).unwrap();
        let mut random = Random::new(11);
        let ops = runtime.ops.texts().filter(|text| !text.starts_with('_'));
        let asked: Vec<KernelQuery> = ops
            .flat_map(|text| graphs(&mut random, &text.parse().unwrap(), 1645))
            .enumerate()
            .filter_map(|(at, asked)| (at % OF == 0).then_some(asked))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let job = |(at, one): (usize, &KernelQuery)| {
            let path = folder.path().join(format!("{at}.pb"));
            std::fs::write(&path, &one.graph).unwrap();
            LoadJob { name: at.to_string(), path, loader: GraphLoader::Place, strict: true }
        };
        let jobs: Vec<LoadJob> = asked.iter().enumerate().map(job).collect();
        let host = TensorFlowHost::named(release).unwrap();
        let found = host.load_each(&jobs, Duration::from_secs(300)).unwrap();
        let (mut without, mut with) = (0, 0);
        for (job, one) in jobs.iter().zip(&asked) {
            let Some(loaded) = found.get(&job.name).filter(|it| it.phase != LoadStage::Import)
            else {
                continue;
            };
            let artifact = unskew_artifact::open(&job.path, &Default::default()).unwrap();
            let today = Context::on(Date::constant(2026, 11, 21));
            let verdict = check(&artifact.pieces[0].party, &row.party(), &today);
            let says = verdict.findings.iter().any(|finding| finding.rule.code == "TF313");
            let is = loaded.said.contains(WORDS);
            let counts = if is { &mut without } else { &mut with };
            *counts += 1;
            // Ops for TPUs are not judged, and those of TensorFlow's own tests come with its Python.
            let told = says || !verdict.unjudged.is_empty();
            assert!(!is || told, "{release}: {} has no kernel: {}", one.name, loaded.said);
            let tests = ["Sleep", "DtypeWithDefault", "Device", "Resource", "Kernel", "TestAttr"];
            let of_tests = tests.iter().any(|test| one.name.starts_with(test));
            assert!(is || !says || of_tests, "{release}: {} has a kernel", one.name);
        }
        println!("{release}: {with} with a kernel, {without} without");
        assert!(with > 100 && without > 50, "{with} {without}");
    }
}
