//! One SavedModel, several ways to load it: what each does in real releases, against its verdict.

use std::path::{Path, PathBuf};
use std::time::Duration;

use unskew_core::{Context, Date, Phase, check};
use unskew_lab_tensorflow::{GraphLoader, LoadJob, LoadStage, TensorFlowHost};
use unskew_releases::find;
use unskew_tensorflow::{RuntimeUsage, SavedModelLoader as Way};

const LIMIT: Duration = Duration::from_secs(300);

const MODELS: [&str; 6] = [
    "written/dense",
    "written/lstm",
    "written/lookup",
    "written/attention",
    "guesslang-2.0.1",
    "guesslang-2.2.1",
];

/// What a check says of a model, as the probes say it.
fn said(model: &Path, release: &str, loader: Way) -> (LoadStage, String) {
    let artifact = unskew_artifact::open(model, &Default::default()).unwrap();
    let usage = RuntimeUsage { loader: Some(loader), ..RuntimeUsage::default() };
    let runtime = find(&format!("tensorflow@{release}")).unwrap().party_used(usage);
    let graph = artifact.pieces.iter().find(|piece| piece.party.kind.starts_with("SavedModel"));
    let today = Context::on(Date::constant(2026, 11, 21));
    let verdict = check(&graph.unwrap().party, &runtime, &today);
    let came = match verdict.first_failure() {
        None => LoadStage::Ok,
        Some(Phase::Load) => LoadStage::Import,
        Some(_) => LoadStage::Run,
    };
    let symptoms = verdict.findings.iter().filter_map(|finding| finding.symptom.as_deref());
    (came, symptoms.collect::<Vec<_>>().join("\n"))
}

#[test]
fn each_loader_does_what_its_verdict_says() {
    for release in ["2.15.1", "2.21.0", "2.4.4", "1.15.0"] {
        let optional = release.starts_with("2.4") || release.starts_with('1');
        let name = format!("tensorflow-{release}");
        let environment = unskew_peers::root().join("corpus/python").join(&name);
        if optional && !environment.is_dir() || !optional && !unskew_peers::there(&name) {
            continue;
        }
        if !unskew_peers::there("tensorflow-2.15.1") {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        TensorFlowHost::named("2.15.1").unwrap().write_models_for_loaders(folder.path()).unwrap();
        unskew_lab_harness::corpus::written_models().unwrap();
        let made = std::fs::read_dir(folder.path()).unwrap();
        let mut models: Vec<PathBuf> = made.map(|entry| entry.unwrap().path()).collect();
        models.extend(MODELS.map(|model| unskew_peers::root().join("corpus").join(model)));
        let host = TensorFlowHost::named(release).unwrap();
        let mut right = 0;
        let ways = [
            (Way::Objects, GraphLoader::Objects),
            (Way::Session, GraphLoader::Session),
            (Way::Cpp, GraphLoader::Session),
        ];
        for (way, loader) in ways {
            if way == Way::Objects && release.starts_with('1') {
                continue;
            }
            let job = |path: &PathBuf| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                LoadJob { name, path: path.clone(), loader, strict: false }
            };
            let jobs: Vec<LoadJob> = models.iter().map(job).collect();
            let found = match way {
                Way::Cpp => host.load_by_library(&jobs, LIMIT).unwrap(),
                _ => host.load(&jobs, LIMIT).unwrap(),
            };
            for LoadJob { name, path, .. } in &jobs {
                // Callers name the tags, so a verdict does not; and whether they let a session place softly.
                let tags = ["train", "serve_gpu"].contains(&&**name) && way != Way::Objects;
                if tags || name == "on_gpu" && way == Way::Session {
                    continue;
                }
                let loaded = &found[name];
                let (came, symptoms) = said(path, release, way);
                assert_eq!(
                    came, loaded.phase,
                    "{name} on {release}, {way:?}: {} | {symptoms}",
                    loaded.said
                );
                right += 1;
            }
        }
        println!("{release}: {right} verdicts as measured");
    }
}
