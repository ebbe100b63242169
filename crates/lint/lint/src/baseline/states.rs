//! States of a file in every commit that changed it.

use std::ops::ControlFlow;

use super::git::Objects;
use super::{Address, BaselineError, Commit, Repository, Store};
use unskew_history::{FileHistory, FileRevision, HistoryDepth};
use unskew_source::NotRead;

/// How many states are read at once.
const AT_ONCE: usize = 16;

/// The states of files in a repository, from one commit back along the branch that it is on: a change landed
/// when it was merged, not when it was written.
#[derive(Clone, Debug)]
pub struct States {
    repository: Repository,
    from: Commit,
    cut: bool,
}

impl States {
    /// The states up to `from`.
    ///
    /// # Errors
    /// If the repository cannot be asked.
    pub fn until(repository: &Repository, from: Commit) -> Result<Self, BaselineError> {
        let cut = repository.is_shallow()?;
        Ok(Self { repository: repository.clone(), from, cut })
    }

    /// The commits with the file as each left it, newest first, over renamings, back to the last deletion.
    fn commits_of(&self, file: &str) -> Result<Vec<(Commit, Address)>, BaselineError> {
        let asked = ["log", "--first-parent", "-m", "--follow", "--raw", "--no-abbrev"];
        let printed = self.repository.ask(
            &[&asked[..], &["--format=commit %H %cs", &self.from.hash, "--", file]].concat(),
        )?;
        let (mut found, mut commit) = (Vec::new(), None);
        for line in String::from_utf8_lossy(&printed).lines() {
            if let Some(rest) = line.strip_prefix("commit ") {
                commit = super::git::commit(rest);
            } else if let Some(changed) = line.strip_prefix(':')
                && let Some(commit) = commit.take()
            {
                // OLD-MODE NEW-MODE OLD-HASH NEW-HASH STATUS<tab>PATH
                let hash = changed.split(' ').nth(3).unwrap_or_default();
                if hash.bytes().all(|byte| byte == b'0') {
                    break;
                }
                found.push((commit, Address { key: hash.to_owned(), size: None }));
            }
        }
        Ok(found)
    }
}

impl FileHistory for States {
    fn walk(
        &self,
        file: &str,
        visit: &mut dyn FnMut(FileRevision) -> ControlFlow<()>,
    ) -> Result<HistoryDepth, NotRead> {
        let failed = |error: BaselineError| NotRead::new(file, error.to_string());
        let states = self.commits_of(file).map_err(failed)?;
        let objects = Objects(self.repository.clone());
        for some in states.chunks(AT_ONCE) {
            let addresses: Vec<&Address> = some.iter().map(|(_, address)| address).collect();
            let read = objects.read(&addresses).map_err(failed)?;
            for ((commit, _), bytes) in some.iter().zip(read) {
                let label = format!("commit {}", commit.hash.get(..12).unwrap_or(&commit.hash));
                if visit(FileRevision { day: commit.day, label, bytes }).is_break() {
                    return Ok(HistoryDepth::Whole);
                }
            }
        }
        Ok(if self.cut { HistoryDepth::Cut } else { HistoryDepth::Whole })
    }
}
