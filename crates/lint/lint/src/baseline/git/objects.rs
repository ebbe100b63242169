//! Objects by their hashes, and the folders that they lie in.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};

use unskew_source::read_regular;

use super::super::{Address, BaselineError, SIZE, Store};
use super::Repository;
use super::location::refuse_other_machines;

/// How many folders of objects may borrow from the next: git goes no deeper.
const ALTERNATES: usize = 5;

/// The most bytes of a list of such folders.
const LIST: u64 = 1 << 20;

/// Refuses a folder of objects in which git would wait for a named pipe, or look on another machine.
pub(super) fn check(objects: &Path) -> Result<(), BaselineError> {
    check_borrowed(objects, ALTERNATES)
}

fn check_borrowed(objects: &Path, depth: usize) -> Result<(), BaselineError> {
    // Chains of commit graphs and of indexes of packs lie deepest.
    check_files(objects, 2)?;
    let list = objects.join("info/alternates");
    if depth == 0 || !list.exists() {
        return Ok(());
    }
    let list = read_regular(&list, LIST)?;
    let list = String::from_utf8_lossy(&list);
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        refuse_other_machines(line)?;
        if line.starts_with('"') {
            let why =
                format!("a path in quotes in its objects/info/alternates is not read: {line}");
            return Err(BaselineError::Git(why));
        }
        let borrowed = objects.join(line);
        // One that is not there is left out by git, too; what it lacks is missed when it is read.
        if borrowed.is_dir() {
            check_borrowed(&borrowed, depth - 1)?;
        }
    }
    Ok(())
}

fn check_files(folder: &Path, depth: usize) -> Result<(), BaselineError> {
    let at = |path: &Path, cause| BaselineError::Io { path: path.to_owned(), cause };
    for entry in std::fs::read_dir(folder).map_err(|cause| at(folder, cause))? {
        let entry = entry.map_err(|cause| at(folder, cause))?;
        let (path, mut kind) =
            (entry.path(), entry.file_type().map_err(|cause| at(folder, cause))?);
        if kind.is_symlink() {
            let Ok(metadata) = std::fs::metadata(&path) else { continue };
            kind = metadata.file_type();
        }
        if kind.is_dir() && depth > 0 {
            check_files(&path, depth - 1)?;
        } else if !kind.is_dir() && !kind.is_file() {
            let why = format!("neither a file nor a folder: {}", path.display());
            return Err(BaselineError::Git(why));
        }
    }
    Ok(())
}

/// Objects by their hashes.
pub(in super::super) struct Objects(pub(in super::super) Repository);

impl Store for Objects {
    fn read(&self, files: &[&Address]) -> Result<Vec<Vec<u8>>, BaselineError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.0.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| BaselineError::Git(error.to_string()))?;
        let found = batch(&mut child, files);
        let ended = child.wait();
        let found = found.map_err(|error| self.0.failed(&format!("cat-file: {error}")))?;
        match ended {
            Ok(status) if status.success() => Ok(found),
            Ok(status) => Err(BaselineError::Git(format!("cat-file ended with {status}"))),
            Err(error) => Err(BaselineError::Git(error.to_string())),
        }
    }
}

/// Asks for one object after the other, so that neither side waits for a full pipe.
fn batch(child: &mut Child, files: &[&Address]) -> std::io::Result<Vec<Vec<u8>>> {
    let no_pipe = || std::io::Error::other("no pipe");
    let mut asked = child.stdin.take().ok_or_else(no_pipe)?;
    let mut answers = std::io::BufReader::new(child.stdout.take().ok_or_else(no_pipe)?);
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        writeln!(asked, "{}", file.key)?;
        asked.flush()?;
        let mut head = String::new();
        std::io::BufRead::read_line(&mut answers, &mut head)?;
        let size = head.trim().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let size = size.filter(|size| *size <= SIZE).ok_or_else(|| {
            std::io::Error::other(format!("no object of a size that is read: {}", head.trim()))
        })?;
        let mut bytes = Vec::new();
        answers.by_ref().take(size).read_to_end(&mut bytes)?;
        answers.by_ref().take(1).read_to_end(&mut Vec::new())?;
        if bytes.len() as u64 != size {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        found.push(bytes);
    }
    Ok(found)
}
