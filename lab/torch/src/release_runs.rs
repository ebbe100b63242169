//! Releases that write files and read those of all others, each in an environment of its own, with their answers kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::{Answers, WritePage};
use unskew_torch_matrix::TorchHost;

use crate::models::with;

/// How releases are run.
#[derive(Args)]
pub struct ReleaseRunArgs {
    /// A folder that keeps files and answers, and whose answers are not asked for again.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) measured: Option<PathBuf>,
    /// How many seconds a release may take for one of its tasks.
    #[arg(long, default_value_t = 3600)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    pub(crate) write: WritePage,
}

/// The runs of an experiment. An environment that is not there yet is made for a run, and removed after it.
pub(crate) struct ReleaseRuns<'a> {
    pub(crate) releases: &'a [String],
    arguments: &'a ReleaseRunArgs,
    answers: Answers,
}

impl<'a> ReleaseRuns<'a> {
    /// The runs of these releases, whose answers lie in `folder`.
    pub(crate) fn new(
        releases: &'a [String],
        arguments: &'a ReleaseRunArgs,
        folder: &Path,
    ) -> Self {
        Self { releases, arguments, answers: Answers::new(Some(folder)) }
    }

    /// What a release says to a task, which is asked once.
    ///
    /// # Errors
    /// If its environment cannot be made, or it cannot be run.
    pub(crate) fn answer(
        &self,
        task: &str,
        release: &str,
        ask: impl FnOnce(&TorchHost, Duration) -> anyhow::Result<String>,
    ) -> anyhow::Result<String> {
        let limit = Duration::from_secs(self.arguments.limit);
        self.answers.get(&format!("{task}-{release}.json"), || {
            with(release, self.arguments.keep, |host| ask(host, limit))
        })
    }

    /// What each release says to writing into a folder of its own, with that folder.
    ///
    /// # Errors
    /// As [`ReleaseRuns::answer`].
    pub(crate) fn written(
        &self,
        folder: &Path,
        write: impl Fn(&TorchHost, &Path, Duration) -> anyhow::Result<String>,
    ) -> anyhow::Result<Vec<(Version, PathBuf, String)>> {
        let one = |release: &String| {
            let place = folder.join(release);
            let said = self.answer("write", release, |host, limit| {
                fs::create_dir_all(&place)?;
                write(host, &place, limit)
            })?;
            Ok((release.parse()?, place, said))
        };
        self.releases.iter().map(one).collect()
    }
}
