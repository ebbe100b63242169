//! `cargo lab torch-pickles`: what every release saves with `torch.save`, loaded and called by every other one.
//!
//! What a release is known to have for pickles stands in `crates/torch/archives/data/pickled.tsv`, which is harvested and not
//! written here.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Context, Date, Phase, Severity, check};
use unskew_lab_harness::{Comparison, Oracle, Page, compare};
use unskew_releases::find;
use unskew_source::{FileSource, Source};
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::pickles::{PickledAnswer, PickledFile, PickledPhase, read, written};

use crate::release_runs::{ReleaseRunArgs, ReleaseRuns};

/// Releases far apart, and neighbours: names and attributes came and went between most of them.
const RELEASES: [&str; 9] =
    ["1.4.0", "1.7.1", "1.10.2", "1.13.1", "2.1.2", "2.4.1", "2.6.0", "2.8.0", "2.15.0"];

const PAGE: Page = Page("docs/reference/torch-pickles.md");

const HEAD: &str = "<!-- made by `cargo lab torch-pickles --write` -->\n\n# Pickles between PyTorch releases\n\n\
    Each release saves tensors of all kinds, states, and modules of `torch.nn` whole (`lab/torch/probes/torch_pickles.py`), and \
    each loads those of all others with `weights_only=False`, and calls what is a module. A verdict is right if it names an error \
    of the phase in which the release fails, or none where it does not fail. That `torch.load` refuses by default what a file \
    imports (PT501) is not asked here.\n\n";

/// The rule about the loader that the releases are told not to use.
const STRICT_LOADER: &str = "PT501";

/// Has PyTorch releases save objects, and load and call those of all others.
#[derive(Args)]
pub struct TorchPickles {
    /// A release; some that are far apart and some neighbours if none is named.
    #[arg(long = "release", default_values = RELEASES)]
    releases: Vec<String>,
    #[command(flatten)]
    runs: ReleaseRunArgs,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, a release not be run, or a verdict is wrong.
pub fn run(arguments: &TorchPickles) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = arguments.runs.measured.clone().unwrap_or_else(|| scratch.path().to_owned());
    let runs = ReleaseRuns::new(&arguments.releases, &arguments.runs, &folder);
    let agreement = compare(&Pickles(runs), &folder)?;
    let mut page = format!("{}\n\n{}", agreement.tally.agreement(), agreement.table);
    for (release, line) in &agreement.wrong {
        page.push_str(&format!("\n* {release}: {line}"));
    }
    PAGE.publish(HEAD, &page, &arguments.runs.write)?;
    let wrong = agreement.tally.wrong();
    ensure!(wrong == 0, "{wrong} of {} verdicts are wrong", agreement.tally.judged());
    Ok(())
}

struct Pickles<'a>(ReleaseRuns<'a>);

impl Oracle for Pickles<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = String;
    type Case = PickledFile;
    type Answer = PickledAnswer;

    fn peers(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.0.releases.to_vec())
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PickledFile>> {
        let said = self.0.written(folder, TorchHost::write_pickles)?;
        let mut all = Vec::new();
        for (release, place, text) in said {
            all.extend(written(release, &place, &text)?);
        }
        Ok(all)
    }

    fn ask(
        &self,
        release: &String,
        files: &[PickledFile],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<PickledAnswer>>> {
        let text = self.0.answer("read", release, |host, limit| host.read_pickles(files, limit))?;
        read(files, &text)
    }

    fn compare(
        &self,
        release: &String,
        file: &PickledFile,
        answer: &PickledAnswer,
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&file.path)?);
        let party = unskew_torch::party(&source)?.with_context(|| file.name.clone())?;
        let runtime = unskew_releases::torch::runtime(find(&format!("torch@{release}"))?.row());
        let runtime = runtime.with_context(|| release.clone())?;
        let context = Context::on(Date::constant(2026, 11, 1));
        let verdict = check(&party, &runtime.party(), &context);
        let errors = verdict
            .findings
            .iter()
            .filter(|one| one.rule.severity == Severity::Error && one.rule.code != STRICT_LOADER);
        let phases: Vec<Phase> = errors.filter_map(|one| one.rule.phase).collect();
        let said = match phases.as_slice() {
            [] => PickledPhase::Ok,
            all if all.contains(&Phase::Load) => PickledPhase::Load,
            _ => PickledPhase::Call,
        };
        let line = || {
            let PickledFile { writer, name, .. } = file;
            let PickledAnswer { phase, said: words } = answer;
            format!("{name} of {writer}: said {said:?}, really {phase:?} {words}")
        };
        // What a file means is never judged: only that it names an error, or none, can be right.
        Ok(match (said, answer.phase) {
            (said, really) if said == really => Comparison::Right,
            (PickledPhase::Load | PickledPhase::Call, PickledPhase::Crash) => Comparison::Right,
            (PickledPhase::Ok, _) => Comparison::FalseCompatible(line()),
            (_, PickledPhase::Ok) => Comparison::FalseRefused(line()),
            _ => Comparison::WrongPhase(line()),
        })
    }

    fn name(&self, release: &String) -> String {
        release.clone()
    }
}
