//! git with a folder of our own in the place of the repository's.
//!
//! A repository's configuration, its hooks and the attributes of its files name programs that git runs: monitors of the file
//! system, checkers of signatures, converters, helpers that fetch what a partial clone lacks. No list of options switches
//! all of them off, and each release of git has new ones. So git never sees that folder: it gets one of our own, with
//! copies of the references and the index, without hooks, with a configuration that we wrote, and reads the objects
//! where they lie. Neither the settings of the user nor those of the system are read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unskew_source::open_regular;
use unskew_source::unfinished::{self, UnfinishedFolder};

use super::super::{BaselineError, FILES, too_large};
use super::location::Location;
use super::objects;
use super::program::Program;
use super::settings::Settings;

/// The most bytes of a configuration, of a reference, of a list of them, and of an index.
const CONFIGURATION: u64 = 1 << 20;
const REFERENCE: u64 = 1 << 20;
const REFERENCES: u64 = 512 << 20;
const INDEX: u64 = 2 << 30;

/// How deeply references lie.
const DEPTH: usize = 32;

/// A repository, and git that does not read its configuration.
#[derive(Debug)]
pub(super) struct IsolatedGit {
    location: Location,
    program: Program,
    own: PathBuf,
    /// Whether objects may lie on another machine only.
    pub partial: bool,
    /// Goes with this value; one that was killed is swept by the next.
    _folder: UnfinishedFolder,
}

impl IsolatedGit {
    pub fn new(location: Location) -> Result<Self, BaselineError> {
        let program = Program::find(location.work_tree.as_deref())?;
        objects::check(&location.common.join("objects"))?;
        let parent = std::env::temp_dir();
        let failed = |cause| BaselineError::Io { path: parent.clone(), cause };
        let parent = std::path::absolute(&parent).map_err(failed)?;
        let _ = unfinished::sweep(&parent);
        let folder = UnfinishedFolder::begin(&parent, 0o700).map_err(failed)?;
        let own = folder.path().to_owned();
        let mut git = Self { location, program, own, partial: false, _folder: folder };
        git.fill()?;
        Ok(git)
    }

    fn fill(&mut self) -> Result<(), BaselineError> {
        let bare = self.location.work_tree.is_none();
        self.write("config", Settings::default().text(bare).as_bytes())?;
        self.copy_if_there(&self.location.common, "config", "theirs", CONFIGURATION)?;
        let settings = match self.own.join("theirs").exists() {
            true => Settings::parse(&self.listed()?)?,
            false => Settings::default(),
        };
        self.write("config", settings.text(bare).as_bytes())?;
        self.partial = settings.partial;
        let Location { git, common, .. } = &self.location;
        for (name, limit) in [("packed-refs", REFERENCES), ("shallow", REFERENCES)] {
            self.copy_if_there(common, name, name, limit)?;
        }
        self.copy_if_there(common, "info/exclude", "info/exclude", CONFIGURATION)?;
        let mut left = FILES;
        self.copy_folder(common, "refs", &mut left, DEPTH)?;
        if settings.reftable {
            if git != common {
                let why = "references of a linked work tree that lie in reftables are not read";
                return Err(BaselineError::Git(why.to_owned()));
            }
            self.copy_folder(common, "reftable", &mut left, DEPTH)?;
        }
        // HEAD, FETCH_HEAD, ORIG_HEAD; and what a linked work tree has of its own.
        for name in names(git)?.into_iter().filter(|name| name.ends_with("HEAD")) {
            self.copy_if_there(git, &name, &name, REFERENCES)?;
        }
        if git != common && git.join("refs").is_dir() {
            self.copy_folder(git, "refs", &mut left, DEPTH)?;
        }
        Ok(())
    }

    /// The keys of the repository's configuration, as git reads them, without what it includes.
    fn listed(&self) -> Result<Vec<u8>, BaselineError> {
        let file = self.own.join("theirs");
        let mut command = self.command(&self.own);
        command.args(["config", "--no-includes", "--null", "--list", "--file"]).arg(&file);
        let ran = command.stdin(Stdio::null()).output();
        let ran = ran.map_err(|error| BaselineError::Git(error.to_string()))?;
        match ran.status.success() {
            true => Ok(ran.stdout),
            false => {
                let config = self.location.common.join("config");
                let why = format!("its configuration cannot be read: {}", config.display());
                Err(BaselineError::Git(why))
            }
        }
    }

    /// git in a folder of the work tree.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program.file);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().to_ascii_uppercase().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        let none = self.own.join("none");
        command.current_dir(folder).env("PATH", &self.program.path).env("LC_ALL", "C");
        command.env("HOME", &self.own).env("XDG_CONFIG_HOME", &self.own);
        command.env("GIT_DIR", &self.own);
        command.env("GIT_OBJECT_DIRECTORY", self.location.common.join("objects"));
        if let Some(root) = &self.location.work_tree {
            command.env("GIT_WORK_TREE", root);
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ATTR_NOSYSTEM", "1");
        command.env("GIT_CONFIG_SYSTEM", &none).env("GIT_CONFIG_GLOBAL", &none);
        // What is asked here changes nothing, asks nobody, and is what the hashes say.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        command
    }

    /// The root of the work tree; none in a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.location.work_tree.as_deref()
    }

    pub fn is_bare(&self) -> bool {
        self.location.work_tree.is_none()
    }

    /// What git says, with the folder of the repository in the place of our own.
    pub fn shown(&self, said: &str) -> String {
        said.replace(&*self.own.to_string_lossy(), &self.location.git.to_string_lossy())
    }

    /// Copies what is asked for only by questions about the files that are not ignored.
    pub fn take_index(&self) -> Result<(), BaselineError> {
        let git = &self.location.git;
        let is_index = |name: &String| name == "index" || name.starts_with("sharedindex.");
        for name in names(git)?.into_iter().filter(is_index) {
            self.copy_if_there(git, &name, &name, INDEX)?;
        }
        Ok(())
    }

    /// Copies what is asked for only by revisions such as `main@{1}`.
    pub fn take_logs(&self) -> Result<(), BaselineError> {
        let Location { git, common, .. } = &self.location;
        for folder in [common, git] {
            if folder.join("logs").is_dir() {
                self.copy_folder(folder, "logs", &mut FILES.clone(), DEPTH)?;
            }
        }
        Ok(())
    }

    fn copy_folder(
        &self,
        from: &Path,
        name: &str,
        left: &mut usize,
        depth: usize,
    ) -> Result<(), BaselineError> {
        let into = self.own.join(name);
        let failed = |cause| BaselineError::Io { path: into.clone(), cause };
        std::fs::create_dir_all(&into).map_err(failed)?;
        let inner = from.join(name);
        let failed = |cause| BaselineError::Io { path: inner.clone(), cause };
        for entry in std::fs::read_dir(&inner).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(path) = entry.file_name().to_str().map(|own| format!("{name}/{own}")) else {
                continue;
            };
            *left = left.checked_sub(1).ok_or_else(|| {
                BaselineError::Git(format!("more than {FILES} references: {}", inner.display()))
            })?;
            let kind = entry.file_type().map_err(failed)?;
            // An object in the place of another is not what the hash says.
            if kind.is_dir() && depth > 0 && path != "refs/replace" {
                self.copy_folder(from, &path, left, depth - 1)?;
            } else if !kind.is_dir() && entry.path().is_file() {
                self.copy_if_there(from, &path, &path, REFERENCE)?;
            }
        }
        Ok(())
    }

    fn copy_if_there(
        &self,
        from: &Path,
        name: &str,
        to: &str,
        limit: u64,
    ) -> Result<(), BaselineError> {
        let from = from.join(name);
        if !from.exists() {
            return Ok(());
        }
        let (file, size) = open_regular(&from)?;
        too_large(&from.display().to_string(), size, limit)?;
        let path = self.own.join(to);
        let parent = path.parent().unwrap_or(&self.own);
        let copied = std::fs::create_dir_all(parent)
            .and_then(|()| File::create(&path))
            .and_then(|mut to| std::io::copy(&mut file.take(limit), &mut to));
        copied.map(drop).map_err(|cause| BaselineError::Io { path, cause })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), BaselineError> {
        let path = self.own.join(name);
        std::fs::write(&path, bytes).map_err(|cause| BaselineError::Io { path, cause })
    }
}

fn names(folder: &Path) -> Result<Vec<String>, BaselineError> {
    let failed = |cause| BaselineError::Io { path: folder.to_owned(), cause };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        names.extend(entry.map_err(failed)?.file_name().into_string());
    }
    Ok(names)
}
