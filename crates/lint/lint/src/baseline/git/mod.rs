//! Revisions of a repository, read by the command `git`: it knows every format of objects and references, and it is there
//! wherever a repository is. It sees nothing of the repository's configuration ([`isolated`]).

mod isolated;
mod location;
mod objects;
mod patience;
mod program;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use unskew_core::Date;

use super::{Address, BaselineError, FILES, Snapshot, is_below, too_large};
use isolated::IsolatedGit;
use location::Location;
pub(super) use objects::Objects;

/// The repository that a folder belongs to. Reading it runs no program but `git`, and nothing that its configuration or its
/// attributes name; objects that a partial clone lacks are not fetched.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    git: Arc<IsolatedGit>,
}

/// A commit of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its hash, not shortened.
    pub hash: String,
    /// The day on which it was committed, where its committer was.
    pub day: Date,
}

impl Repository {
    /// The repository of `folder`.
    ///
    /// # Errors
    /// If the folder is in no repository, `git` is not there, or the repository is of a form that is not read.
    pub fn open(folder: &Path) -> Result<Self, BaselineError> {
        let none = || BaselineError::NoRepository(folder.display().to_string());
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // git takes no paths in the form that Windows makes canonical.
        let whole = if cfg!(windows) { std::path::absolute(folder) } else { folder.canonicalize() };
        let whole = whole.map_err(|cause| BaselineError::Io { path: folder.to_owned(), cause })?;
        let location = Location::find(&whole)?.ok_or_else(none)?;
        Ok(Self { folder: whole, git: Arc::new(IsolatedGit::new(location)?) })
    }

    /// Whether it has no work tree here.
    pub(crate) fn is_bare(&self) -> bool {
        self.git.is_bare()
    }

    /// What `git` prints on its standard output when it is asked so.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, BaselineError> {
        let ran = patience::output(&mut self.command(arguments), self.git.work_tree())?;
        if ran.status.success() {
            return Ok(ran.stdout);
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let line = said.lines().next().unwrap_or("no answer").trim_start_matches("fatal: ");
        Err(self.failed(line))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.git.command(&self.folder);
        command.args(arguments);
        command
    }

    fn failed(&self, why: &str) -> BaselineError {
        let partial = match self.git.partial {
            true => "; this clone is partial, and what it lacks is not fetched",
            false => "",
        };
        BaselineError::Git(format!(
            "{} (in {}){partial}",
            self.git.shown(why),
            self.folder.display()
        ))
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// If the revision is not in it.
    pub fn commit(&self, revision: &str) -> Result<Commit, BaselineError> {
        if revision.contains("@{") {
            self.git.take_logs()?;
        }
        // A name that begins with a hyphen would be an option.
        let revision = format!("{revision}^{{commit}}");
        let hash = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &revision]);
        let hash = hash.map_err(|error| match error {
            BaselineError::Git(why) if why.starts_with("no answer") => BaselineError::Git(format!(
                "no such revision in {}: {}; fetch it first (actions/checkout: fetch-depth: 0)",
                self.folder.display(),
                revision.trim_end_matches("^{commit}")
            )),
            other => other,
        })?;
        self.dated(&text(hash))
    }

    fn dated(&self, hash: &str) -> Result<Commit, BaselineError> {
        let line = text(self.ask(&["log", "-1", "--format=%H %cs", hash])?);
        commit(&line).ok_or_else(|| BaselineError::Git(format!("no commit: {line}")))
    }

    /// Where the branch that is checked out left `revision`.
    ///
    /// # Errors
    /// As [`Repository::commit`]; and if the two have nothing in common.
    pub fn fork(&self, revision: &str) -> Result<Commit, BaselineError> {
        let base = self.commit(revision)?;
        let hash = self.ask(&["merge-base", &base.hash, "HEAD"]).map_err(|error| match error {
            BaselineError::Git(why) if why.starts_with("no answer") => BaselineError::Git(format!(
                "HEAD and {revision} have no commit in common; fetch more of their history \
                 (actions/checkout: fetch-depth: 0)"
            )),
            other => other,
        })?;
        self.dated(&text(hash))
    }

    /// The main branch: the one that the remote calls so, or else the first of the usual names that is there. What the
    /// remote has comes first, because a commit on the local one is not yet what others build on.
    ///
    /// # Errors
    /// If none of these branches is in it.
    pub fn main_branch(&self) -> Result<String, BaselineError> {
        const NAMES: [&str; 5] = [
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
            "refs/remotes/origin/master",
            "refs/heads/main",
            "refs/heads/master",
        ];
        let found = NAMES.iter().find(|name| self.commit(name).is_ok());
        found.map(|name| (*name).to_owned()).ok_or_else(|| {
            BaselineError::Git(format!(
                "no main branch in {}: neither origin/HEAD nor main or master is there; \
                 name the branch: --baseline git:BRANCH...",
                self.folder.display()
            ))
        })
    }

    /// The commits that changed files at `paths` (pathspecs), newest first, beginning with `from`: all since
    /// `since`, and the one before, which was in force on that day.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn history(
        &self,
        from: &str,
        paths: &[String],
        since: Option<Date>,
    ) -> Result<Vec<Commit>, BaselineError> {
        let mut arguments = vec!["log", "--first-parent", "--format=%H %cs", from, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        let lines = text(self.ask(&arguments)?);
        let mut commits = Vec::new();
        for found in lines.lines().filter_map(commit) {
            let before = since.is_some_and(|since| found.day < since);
            commits.push(found);
            if before {
                break;
            }
        }
        Ok(commits)
    }

    /// Whether the clone was cut off, so that it does not have all commits.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn is_shallow(&self) -> Result<bool, BaselineError> {
        Ok(text(self.ask(&["rev-parse", "--is-shallow-repository"])?) == "true")
    }

    /// The days of the tags whose names match `pattern`, with the names, oldest first.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn tags(&self, pattern: &str) -> Result<Vec<(String, Date)>, BaselineError> {
        let pattern = format!("refs/tags/{pattern}");
        let format = "--format=%(creatordate:short) %(refname:short)";
        let lines = text(self.ask(&["for-each-ref", "--sort=creatordate", format, &pattern])?);
        let tag = |line: &str| {
            let (day, name) = line.split_once(' ')?;
            Some((name.to_owned(), day.parse().ok()?))
        };
        Ok(lines.lines().filter_map(tag).collect())
    }

    /// The files that are not ignored: what is tracked, and what is new.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn working_tree(&self) -> Result<Vec<String>, BaselineError> {
        self.git.take_index()?;
        let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let names = self.ask(&listed)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut names: Vec<String> =
            names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.retain(|name| {
            let kind = std::fs::symlink_metadata(self.folder.join(name));
            is_below(name) && kind.is_ok_and(|kind| kind.is_file())
        });
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The files of a commit below the folder of this repository.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn snapshot(&self, commit: &Commit, label: &str) -> Result<Snapshot, BaselineError> {
        let listed = self.ask(&["ls-tree", "-r", "-z", "--long", &commit.hash])?;
        let mut names = BTreeMap::new();
        for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            if let Some((name, address)) = blob(&String::from_utf8_lossy(line)) {
                names.insert(name, address);
            }
        }
        too_large(label, names.len() as u64, FILES as u64)?;
        let short: String = commit.hash.chars().take(12).collect();
        Ok(Snapshot {
            label: label.to_owned(),
            origin: format!("commit {short}, {}", commit.day),
            day: Some(commit.day),
            single: false,
            names,
            store: Box::new(Objects(self.clone())),
        })
    }
}

/// A file of `git ls-tree --long`: `100644 blob HASH   SIZE<tab>PATH`. Links and modules are no files.
fn blob(line: &str) -> Option<(String, Address)> {
    let (head, name) = line.split_once('\t')?;
    let mut parts = head.split_ascii_whitespace();
    let (mode, kind, hash, size) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let file = kind == "blob" && mode != "120000" && is_below(name);
    let address = Address { key: hash.to_owned(), size: size.parse().ok() };
    file.then(|| (name.to_owned(), address))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

pub(super) fn commit(line: &str) -> Option<Commit> {
    let (hash, day) = line.trim().split_once(' ')?;
    Some(Commit { hash: hash.to_owned(), day: day.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_modules_of_a_tree_are_no_files() {
        let name = |line: &str| blob(line).map(|(name, _)| name);
        assert_eq!(name("100644 blob 00ff   12\ta b.h"), Some("a b.h".to_owned()));
        assert_eq!(name("120000 blob 00ff    3\tlink.h"), None);
        assert_eq!(name("160000 commit 00ff    -\tmodule"), None);
        assert_eq!(name("100644 blob 00ff   12\t../a.h"), None);
    }
}
