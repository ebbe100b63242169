//! Files of a confined process, by Landlock: some may be read, none written.

use std::fs::File;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
    path_beneath_rules,
};
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};

use super::readable::Readable;

/// The first version of Landlock that also keeps signals and abstract sockets inside: Linux 6.12.
const LEAST: ABI = ABI::V6;

/// Where systems keep their libraries, and what the loader and the C library look at.
const SYSTEM: [&str; 38] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld-musl-x86_64.path",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    // Its own, not those of others; and of them, not the mounts and connections of the machine.
    "/proc/self/auxv",
    "/proc/self/cgroup",
    "/proc/self/cmdline",
    "/proc/self/environ",
    "/proc/self/fd",
    "/proc/self/limits",
    "/proc/self/maps",
    "/proc/self/numa_maps",
    "/proc/self/smaps",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
    "/proc/sys/kernel/osrelease",
    "/sys/devices/system",
    "/sys/kernel/mm",
];

/// Keeps this thread, and whatever it starts, to reading `others` and the libraries of the system.
///
/// # Errors
/// If the kernel does not keep all of it.
pub(super) fn keep_to(others: &[Readable]) -> Result<(), RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let folders = loader_folders(Path::new("/etc/ld.so.conf"), 0);
    // Traces of a crash name the functions of this program.
    let own = std::env::current_exe().ok();
    let system = SYSTEM.iter().map(PathBuf::from).chain(folders).chain(own);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .handle_access(AccessNet::from_all(LEAST))?
        .scope(Scope::from_all(LEAST))?
        .create()?
        .add_rules(path_beneath_rules(system, read))?;
    for other in others {
        rules = add(rules, other)?;
    }
    if let Ok(nothing) = PathFd::new("/dev/null") {
        let both = AccessFs::ReadFile | AccessFs::WriteFile;
        rules = rules.add_rule(PathBeneath::new(nothing, both))?;
    }
    rules.restrict_self()?;
    Ok(())
}

/// Allows one of the others. It is opened once; what was opened is looked at, and that is what Landlock gets: nobody
/// can put another file under the name in between.
fn add(rules: RulesetCreated, other: &Readable) -> Result<RulesetCreated, RulesetError> {
    let (opened, access) = match other {
        // Links lead where they like, as long as a library lies there.
        Readable::Library(path) => {
            (open(path, ResolveFlag::empty()).filter(is_library), AccessFs::ReadFile.into())
        }
        Readable::Settings(path) => (
            open(path, ResolveFlag::RESOLVE_NO_SYMLINKS).filter(is_file),
            AccessFs::ReadFile.into(),
        ),
        Readable::Packages(path) => (
            open(path, ResolveFlag::RESOLVE_NO_SYMLINKS).filter(is_folder),
            AccessFs::ReadFile | AccessFs::ReadDir,
        ),
    };
    // What is not there, or is something else, is not readable.
    match opened {
        Some(opened) => rules.add_rule(PathBeneath::new(opened, access)),
        None => Ok(rules),
    }
}

/// A descriptor by which nothing is read, so that a device or a named pipe does not notice.
fn open(path: &Path, resolve: ResolveFlag) -> Option<OwnedFd> {
    let how = OpenHow::new().flags(OFlag::O_PATH | OFlag::O_CLOEXEC);
    // Links in `/proc` lead to what has no name.
    let how = how.resolve(resolve | ResolveFlag::RESOLVE_NO_MAGICLINKS);
    openat2(AT_FDCWD, path, how).ok()
}

fn mode(opened: &OwnedFd) -> libc::mode_t {
    nix::sys::stat::fstat(opened).map_or(0, |found| found.st_mode & libc::S_IFMT)
}

fn is_file(opened: &OwnedFd) -> bool {
    mode(opened) == libc::S_IFREG
}

fn is_folder(opened: &OwnedFd) -> bool {
    mode(opened) == libc::S_IFDIR
}

/// Whether it is a regular file that begins as a shared object does. A program, an object file and the memory of a process
/// that crashed begin otherwise.
fn is_library(opened: &OwnedFd) -> bool {
    if !is_file(opened) {
        return false;
    }
    let again = File::open(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    let mut head = [0; 18];
    again.is_ok_and(|file| file.read_exact_at(&mut head, 0).is_ok()) && is_shared_object(head)
}

/// Whether a file with this head is an ELF file of type `ET_DYN`.
fn is_shared_object(head: [u8; 18]) -> bool {
    let kind = [head[16], head[17]];
    let kind = match head[5] {
        1 => u16::from_le_bytes(kind),
        _ => u16::from_be_bytes(kind),
    };
    head.starts_with(b"\x7fELF") && kind == 3
}

/// The folders that the system's loader is told to look in.
fn loader_folders(file: &Path, depth: usize) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('/') {
            found.push(PathBuf::from(line));
        } else if let Some(pattern) = line.strip_prefix("include ")
            && let Some(folder) = pattern.trim().strip_suffix("/*.conf")
            && depth == 0
        {
            let folder = file.with_file_name(folder);
            let files = folder.read_dir().into_iter().flatten().flatten();
            found.extend(files.flat_map(|file| loader_folders(&file.path(), 1)));
        }
    }
    found
}
