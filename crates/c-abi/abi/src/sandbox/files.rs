//! Files of a confined child, by Landlock: some may be read, none written.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};

/// The first version of Landlock that also keeps signals and abstract sockets inside: Linux 6.12.
const LEAST: ABI = ABI::V6;

/// Where systems keep their libraries, and what the loader and the C library look at.
const SYSTEM: [&str; 27] = [
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
    // Its own, not those of others.
    "/proc/self",
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
pub(super) fn keep_to(others: &[PathBuf]) -> Result<(), RulesetError> {
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
        .add_rules(path_beneath_rules(system.chain(others.iter().cloned()), read))?;
    if let Ok(nothing) = PathFd::new("/dev/null") {
        let both = AccessFs::ReadFile | AccessFs::WriteFile;
        rules = rules.add_rule(PathBeneath::new(nothing, both))?;
    }
    rules.restrict_self()?;
    Ok(())
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
