//! `pixi.lock`, which has packages of conda and wheels for several environments and platforms. A program writes it, an
//! entry a line.

use std::collections::{BTreeMap, BTreeSet};

use super::lock_entry::{LockEntry, plain};
use super::{LockError, PackageLock};

/// The environment that `pixi run` takes.
const DEFAULT: &str = "default";

/// Reads the packages of one environment: that of pixi's own choice, else the first. The others are named.
pub(super) fn read(text: &str, lock: &mut PackageLock) -> Result<(), LockError> {
    let version = text.lines().find_map(|line| line.strip_prefix("version:")).unwrap_or("unknown");
    if !["5", "6", "7"].contains(&version.trim()) {
        let (path, found) = (lock.path.clone(), version.trim().to_owned());
        return Err(LockError::Version { path, found, known: "5, 6 and 7" });
    }
    let mut environments = Environments::default();
    let (mut section, mut entry) = ("", None);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            section = line.split(':').next().unwrap_or_default();
            continue;
        }
        match section {
            "platforms" => environments.platform(line),
            "environments" => environments.line(line),
            "packages" => {
                if let Some(first) = line.strip_prefix("- ") {
                    push(entry.replace(LockEntry::new(number)), &environments, lock);
                    if let Some(entry) = &mut entry {
                        entry.field(first);
                    }
                } else if let (Some(field), Some(entry)) = (line.strip_prefix("  "), &mut entry) {
                    entry.field(field);
                }
            }
            _ => {}
        }
    }
    push(entry, &environments, lock);
    lock.other_environments = environments.others();
    Ok(())
}

#[derive(Default)]
struct Environments {
    /// The names in the order of the file.
    names: Vec<String>,
    platform: String,
    /// The folders of channels that belong to platforms with names of their own.
    subdirs: BTreeMap<String, String>,
    /// The platforms of each URL, by the place of the environment.
    urls: BTreeMap<(usize, String), BTreeSet<String>>,
}

impl Environments {
    fn platform(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("- name: ") {
            self.platform = plain(name).to_owned();
        } else if let Some(subdir) = line.strip_prefix("  subdir: ") {
            self.subdirs.insert(self.platform.clone(), plain(subdir).to_owned());
        }
    }

    /// Reads a line below `environments`.
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        match (line.len() - text.len(), text.strip_suffix(':')) {
            (2, Some(name)) => self.names.push(plain(name).to_owned()),
            (4, _) => self.platform.clear(),
            (6, Some(name)) if !text.starts_with("- ") => self.platform = plain(name).to_owned(),
            (6, _) if !self.platform.is_empty() => {
                let url = text.split_once(": ").map(|(_, url)| plain(url).to_owned());
                if let (Some(url), Some(last)) = (url, self.names.len().checked_sub(1)) {
                    let platform =
                        self.subdirs.get(&self.platform).unwrap_or(&self.platform).clone();
                    self.urls.entry((last, url)).or_default().insert(platform);
                }
            }
            _ => {}
        }
    }

    fn chosen(&self) -> usize {
        self.names.iter().position(|name| name == DEFAULT).unwrap_or_default()
    }

    /// The platforms on which the environment has this; none if it does not have it.
    fn platforms(&self, url: &str) -> Option<Vec<String>> {
        if self.urls.is_empty() {
            return Some(Vec::new());
        }
        let found = self.urls.get(&(self.chosen(), url.to_owned()))?;
        Some(found.iter().cloned().collect())
    }

    fn others(&self) -> Vec<String> {
        let chosen = self.chosen();
        let others = self.names.iter().enumerate().filter(|(place, _)| *place != chosen);
        others.map(|(_, name)| name.clone()).collect()
    }
}

/// Adds a package, if the environment has it.
fn push(entry: Option<LockEntry>, environments: &Environments, lock: &mut PackageLock) {
    let Some(entry) = entry else { return };
    let Some(platforms) = entry.url().and_then(|url| environments.platforms(url)) else { return };
    entry.push(platforms, lock);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LockTarget;
    use unskew_extensions::Machine;

    /// As rattler_lock, the library that pixi writes its locks with, wrote it in version 6 (py-rattler 0.10.0).
    const SIX: &str = include_str!("../../tests/data/pixi-6.lock");

    /// The same in version 7 (py-rattler 0.28.0).
    const SEVEN: &str = include_str!("../../tests/data/pixi-7.lock");

    fn read(text: &str) -> PackageLock {
        PackageLock::of_text("pixi.lock", text).unwrap()
    }

    fn names(lock: &PackageLock, machine: Machine) -> Vec<String> {
        let target = LockTarget { python: None, machine };
        let environment = lock.environment(target, None).0;
        let mut names: Vec<_> =
            environment.packages.iter().map(crate::InstalledPackage::label).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn one_environment_and_one_platform_of_a_lock_are_read() {
        // Version 7 has no version of a folder.
        let mine = "./packages/mine";
        for (text, sources, not_pinned) in
            [(SIX, &["mine 0.1.0"][..], &[][..]), (SEVEN, &[], &[mine])]
        {
            let lock = read(text);
            let linux = [sources, &["python 3.11.9", "torch 2.7.1+cpu", "torchao 0.18.0"]].concat();
            assert_eq!(names(&lock, Machine::X86), linux);
            assert_eq!(lock.not_pinned, not_pinned);
            assert_eq!(lock.other_environments, ["cuda"]);
            let torchao = lock.packages.iter().find(|one| one.name == "torchao").unwrap();
            let line = text.lines().nth(torchao.line as usize - 1).unwrap();
            assert!(line.starts_with("- pypi: ") && line.contains("torchao-0.18.0"), "{line}");
            assert_eq!(torchao.files[0].sha256.as_deref(), Some(&*"ab".repeat(32)));
        }
    }

    #[test]
    fn what_a_lock_does_not_have_is_said() {
        let (environment, unjudged) =
            read(SIX).environment(LockTarget { python: None, machine: Machine::Arm }, None);
        assert!(environment.packages.is_empty());
        let said: Vec<String> = unjudged.iter().map(|one| one.reason.clone()).collect();
        assert!(said.iter().any(|one| one.contains("linux-aarch64")), "{said:?}");
        assert!(said.iter().any(|one| one.contains("other environments")), "{said:?}");
    }

    #[test]
    fn a_platform_may_have_a_name_of_its_own() {
        let text = SEVEN.replace("- name: linux-64", "- name: gpu\n  subdir: linux-64");
        let text = text.replace("      linux-64:", "      gpu:");
        assert_eq!(names(&read(&text), Machine::X86).len(), 3);
    }

    #[test]
    fn version_5_has_the_kind_first() {
        let five = "version: 5\npackages:\n- kind: conda\n  name: zlib\n  version: 1.3.1\n  build: h4ab18f5_1\n  url: https://c/linux-64/zlib-1.3.1-h4ab18f5_1.conda\n  sha256: ab\n\
            - kind: pypi\n  name: torchao\n  version: 0.18.0\n  url: https://p/torchao-0.18.0-cp310-abi3-manylinux_2_28_x86_64.whl\n  sha256: cd\n";
        let lock = read(five);
        let all: Vec<_> = lock.packages.iter().map(|p| (&*p.name, p.line, p.is_conda)).collect();
        assert_eq!(all, [("zlib", 3, true), ("torchao", 9, false)]);
        assert_eq!(lock.packages[1].files[0].sha256.as_deref(), Some("cd"));
    }

    #[test]
    fn another_version_is_refused() {
        let error = PackageLock::of_text("pixi.lock", "version: 9\n").unwrap_err();
        assert!(matches!(error, LockError::Version { .. }), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn a_lock_that_was_changed_is_read_or_refused(at in 0..SEVEN.len(), with in ".{0,3}") {
            let end = (at..=SEVEN.len()).find(|at| SEVEN.is_char_boundary(*at)).unwrap();
            let _ = PackageLock::of_text("pixi.lock", &format!("{}{with}{}", &SEVEN[..end], &SEVEN[end..]));
        }
    }
}
