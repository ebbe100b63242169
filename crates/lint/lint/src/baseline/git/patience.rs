//! Waiting for git, which waits itself for whatever it opens.
//!
//! In a work tree git opens files by their names: `.gitignore` and others, in each folder that it enters. One that is a named
//! pipe is never read. Which folders git enters it finds out by these files, so nobody looks at all of them before: only when
//! an answer takes long.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::super::{BaselineError, FILES};

/// After so long is looked whether git waits for something that is no file.
const LOOK: Duration = Duration::from_secs(2);

/// The longest that is waited for an answer.
const LONGEST: Duration = Duration::from_secs(600);

/// The files that git opens by their names.
const NAMES: [&str; 3] = [".gitignore", ".gitattributes", ".mailmap"];

/// How deeply folders are walked.
const DEPTH: usize = 64;

/// Runs git to its end; it is ended if it waits for one of its files in the work tree `root`.
pub(super) fn output(command: &mut Command, root: Option<&Path>) -> Result<Output, BaselineError> {
    let failed = |error: std::io::Error| BaselineError::Git(error.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let mut wait = LOOK;
    let stdout = loop {
        match stdout.recv_timeout(wait) {
            Ok(bytes) => break bytes.map_err(failed)?,
            Err(_) => {
                let why = match root.and_then(special_file) {
                    Some(path) => Some(format!("neither a file nor a folder: {}", path.display())),
                    None if wait == LONGEST => {
                        Some(format!("no answer after {} s", LONGEST.as_secs()))
                    }
                    None => None,
                };
                if let Some(why) = why {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(BaselineError::Git(why));
                }
                wait = LONGEST;
            }
        }
    };
    let status = child.wait().map_err(failed)?;
    let stderr = stderr.recv().unwrap_or_else(|_| Ok(Vec::new())).map_err(failed)?;
    Ok(Output { status, stdout, stderr })
}

/// All that comes through a pipe, read by a thread.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let all = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        let _ = sender.send(all.map(|_| bytes));
    });
    receiver
}

/// A file in a work tree that git opens by its name, and that is none.
fn special_file(root: &Path) -> Option<PathBuf> {
    let (mut open, mut left) = (vec![(root.to_owned(), 0)], FILES);
    while let Some((folder, depth)) = open.pop() {
        for name in NAMES {
            let path = folder.join(name);
            let metadata = std::fs::metadata(&path);
            if metadata.is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
                return Some(path);
            }
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < DEPTH && entry.file_name() != ".git" {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    None
}
