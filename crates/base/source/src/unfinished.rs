//! Unfinished files: what is being written, and what is left of it when its writer was killed.
//!
//! A file or folder on its way has a name of the form `.unskew-HOST-LETTERS.tmp`, and its writer holds a lock on it. The
//! system ends the lock with the process, however that ends. So whoever comes next into the same folder can tell what
//! nobody writes any more, and takes it away ([`sweep`]).
//!
//! A lock may not reach other machines. What was begun on another one is taken away only when it is some days old.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempDir};

const PREFIX: &str = ".unskew-";
const SUFFIX: &str = ".tmp";

/// When something that was begun on another machine is no longer being written.
const OLD: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// How often something is begun anew that was taken away before it was locked.
const TRIES: u32 = 64;

/// How many folders are remembered that were swept.
const REMEMBERED: usize = 64;

/// The beginning of the names that this machine gives.
fn own_prefix() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{PREFIX}{:08x}-", crc32fast::hash(host.trim().as_bytes()))
}

/// Begins something with a name of this machine until it is there and locked. `mode` are its permissions before the umask.
fn begin<T>(mode: u32, one: impl Fn(&Builder<'_, '_>) -> io::Result<Option<T>>) -> io::Result<T> {
    let prefix = own_prefix();
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    for _ in 0..TRIES {
        if let Some(begun) = one(&builder)? {
            return Ok(begun);
        }
    }
    Err(io::Error::other("somebody takes away what is begun in this folder"))
}

/// Locks what was begun, if it is still there and nobody is about to take it away.
fn locked(begun: &File) -> bool {
    // A sweep that came between holds the lock until it has removed it. Any other error says that nothing can be locked
    // here; then nothing is taken away either.
    if matches!(begun.try_lock(), Err(TryLockError::WouldBlock)) {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        begun.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }
    #[cfg(not(unix))]
    true
}

/// Begins a file in a folder. `mode` are its permissions before the umask.
///
/// # Errors
/// If the folder cannot be written.
pub fn file(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    begin(mode, |builder| {
        let begun = builder.tempfile_in(folder)?;
        Ok(locked(begun.as_file()).then_some(begun))
    })
}

/// A folder that is being filled; it goes when this is dropped.
#[derive(Debug)]
pub struct UnfinishedFolder {
    folder: TempDir,
    /// Held as long as it is being filled.
    _lock: Option<File>,
}

impl UnfinishedFolder {
    /// Begins a folder in another. `mode` are its permissions before the umask.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn begin(parent: &Path, mode: u32) -> io::Result<Self> {
        begin(mode, |builder| {
            let folder = builder.tempdir_in(parent)?;
            let lock = match File::open(folder.path()) {
                Ok(opened) if locked(&opened) => Some(opened),
                Ok(_) => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                // Some systems open no folders; they have no locks on them, and take nothing away.
                Err(_) => None,
            };
            Ok(Some(Self { folder, _lock: lock }))
        })
    }

    /// The temporary path, until the folder gets its name.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Lets it be: it has another place by now.
    pub fn keep(self) {
        let _ = self.folder.keep();
    }

    /// Takes it away.
    ///
    /// # Errors
    /// If that fails.
    pub fn close(self) -> io::Result<()> {
        self.folder.close()
    }
}

/// Takes away what lies unfinished in a folder and nobody writes any more, and says how many things that were.
///
/// # Errors
/// If the folder cannot be listed.
pub fn sweep(folder: &Path) -> io::Result<usize> {
    let (own, mut swept) = (own_prefix(), 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) {
            continue;
        }
        // The lock is held until it is removed, so that one who just began it can tell.
        let Some(_lock) = lock_if_left(&entry, name.starts_with(&own)) else { continue };
        swept += usize::from(remove(&entry.path()));
    }
    Ok(swept)
}

/// Its lock, where nobody writes it any more.
fn lock_if_left(entry: &fs::DirEntry, own: bool) -> Option<File> {
    let metadata = fs::symlink_metadata(entry.path()).ok()?;
    let age = || metadata.modified().ok().and_then(|at| at.elapsed().ok()).unwrap_or_default();
    // Never what a link leads to.
    if !(metadata.is_file() || metadata.is_dir()) || !(own || age() > OLD) {
        return None;
    }
    let file = File::open(entry.path()).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn remove(path: &Path) -> bool {
    match path.is_dir() {
        true => fs::remove_dir_all(path).is_ok(),
        false => fs::remove_file(path).is_ok(),
    }
}

/// The same, once for each folder in the life of a process, and as well as it can be done.
pub(crate) fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    {
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.contains(&whole) {
            return;
        }
        if swept.len() >= REMEMBERED {
            swept.clear();
        }
        swept.push(whole);
    }
    let _ = sweep(folder);
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_writes_any_more_is_taken_away_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let own = own_prefix();
        // A writer that was killed has no lock any more.
        fs::write(place.join(format!("{own}dead.tmp")), "half").unwrap();
        fs::create_dir(place.join(format!("{own}folder.tmp"))).unwrap();
        fs::write(place.join(format!("{own}folder.tmp/x")), "half").unwrap();
        let alive = file(place, 0o600).unwrap();
        let filled = UnfinishedFolder::begin(place, 0o700).unwrap();
        fs::write(place.join(".unskew-00000000-elsewhere.tmp"), "half").unwrap();
        fs::write(place.join("treasure"), "").unwrap();
        std::os::unix::fs::symlink("treasure", place.join(format!("{own}link.tmp"))).unwrap();
        for other in [".unskew.tmp", ".tmpAbCdEf", "model.pt", ".unskew-x"] {
            fs::write(place.join(other), "").unwrap();
        }
        assert_eq!(sweep(place).unwrap(), 2);
        let left: Vec<_> = fs::read_dir(place).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 9, "{left:?}");
        assert!(alive.path().exists() && filled.path().exists());
        let (file, folder) = (alive.path().to_owned(), filled.path().to_owned());
        drop((alive, filled));
        assert!(!file.exists() && !folder.exists());
        assert_eq!(sweep(place).unwrap(), 0);
    }

    #[test]
    fn a_sweep_takes_nothing_from_one_who_just_began() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(place).unwrap();
                    }
                });
            }
            let writers: Vec<_> = (0..2)
                .map(|_| {
                    threads.spawn(|| {
                        for _ in 0..500 {
                            let folder = UnfinishedFolder::begin(place, 0o700)?;
                            fs::write(folder.path().join("x"), "half")?;
                            folder.close()?;
                            let file = file(place, 0o600)?;
                            fs::metadata(file.path())?;
                        }
                        io::Result::Ok(())
                    })
                })
                .collect();
            let written: Vec<_> =
                writers.into_iter().map(|writer| writer.join().unwrap()).collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            written.into_iter().for_each(|written| written.unwrap());
        });
    }

    #[test]
    fn what_another_machine_began_is_left_until_it_is_old() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(".unskew-00000000-elsewhere.tmp");
        let file = File::create(&path).unwrap();
        assert_eq!(sweep(place.path()).unwrap(), 0);
        let old = std::time::SystemTime::now() - 2 * OLD;
        file.set_modified(old).unwrap();
        assert_eq!(sweep(place.path()).unwrap(), 1);
    }
}
