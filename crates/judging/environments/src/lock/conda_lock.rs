//! `conda-lock.yml`: packages of conda and wheels, each for one platform. A program writes it, a field a line.

use super::lock_entry::LockEntry;
use super::{LockError, PackageLock};

/// Reads what stands under `package`.
pub(super) fn read(text: &str, lock: &mut PackageLock) -> Result<(), LockError> {
    let version = text.lines().find_map(|line| line.strip_prefix("version:")).unwrap_or("unknown");
    if version.trim() != "1" {
        let (path, found) = (lock.path.clone(), version.trim().to_owned());
        return Err(LockError::Version { path, found, known: "1" });
    }
    let (mut is_package, mut entry) = (false, None::<LockEntry>);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            is_package = line.trim_end() == "package:";
            continue;
        }
        if !is_package {
            continue;
        }
        if let Some(first) = line.strip_prefix("- ") {
            push(entry.replace(LockEntry::new(number)), lock);
            if let Some(entry) = &mut entry {
                entry.field(first);
            }
        } else if let Some(entry) = &mut entry {
            // Dependencies stand as deep as the digests, and their versions are no fields of the package.
            match line.strip_prefix("  ") {
                Some(field) if !field.starts_with(' ') => entry.field(field),
                Some(field) if field.trim_start().starts_with("sha256: ") => {
                    entry.field(field.trim_start());
                }
                _ => {}
            }
        }
    }
    push(entry, lock);
    Ok(())
}

fn push(entry: Option<LockEntry>, lock: &mut PackageLock) {
    if let Some(entry) = entry {
        let platforms = entry.platform().map(str::to_owned).into_iter().collect();
        entry.push(platforms, lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LockTarget;
    use unskew_extensions::Machine;

    /// As conda-lock 4 wrote it, without its comments.
    const LOCK: &str = include_str!("../../tests/data/conda-lock.yml");

    #[test]
    fn packages_are_those_of_the_platform() {
        let lock = PackageLock::of_text("envs/conda-lock.yml", LOCK).unwrap();
        for (machine, wanted) in [
            (
                Machine::X86,
                &[
                    "ca-certificates 2024.8.30",
                    "numpy 2.1.3",
                    "python 3.11.9",
                    "torch 2.7.1",
                    "torchao 0.18.0",
                ][..],
            ),
            (Machine::Arm, &["python 3.11.9", "torch 2.7.1"]),
        ] {
            let environment = lock.environment(LockTarget { python: None, machine }, None).0;
            let mut names: Vec<_> =
                environment.packages.iter().map(crate::InstalledPackage::label).collect();
            names.sort_unstable();
            assert_eq!(names, wanted);
        }
        let torchao = lock.packages.iter().find(|one| one.name == "torchao").unwrap();
        assert_eq!(torchao.files[0].sha256, Some("6".repeat(64)));
        assert_eq!(LOCK.lines().nth(torchao.line as usize - 1), Some("- name: torchao"));
        assert!(!torchao.is_conda);
    }

    #[test]
    fn a_version_of_a_dependency_is_none_of_the_package() {
        let text = "version: 1\npackage:\n- name: a\n  version: '1'\n  platform: linux-64\n  dependencies:\n    \
            version: '9'\n    sha256: '>=2'\n  url: https://h/a-1-py3-none-any.whl\n  hash:\n    sha256: ab\n";
        let lock = PackageLock::of_text("conda-lock.yml", text).unwrap();
        assert_eq!(
            (&*lock.packages[0].version, lock.packages[0].files[0].sha256.as_deref()),
            ("1", Some("ab"))
        );
    }

    #[test]
    fn another_version_is_refused() {
        let refused = PackageLock::of_text("conda-lock.yml", "version: 2\npackage:\n");
        assert!(matches!(refused, Err(LockError::Version { .. })), "{refused:?}");
    }
}
