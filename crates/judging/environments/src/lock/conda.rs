//! Locks of conda: explicit lists, and pixi, which has wheels too. Both are written by programs, a package a line.

use super::{Lock, LockError, Locked, LockedFile};

/// Reads a list of URLs under `@EXPLICIT`.
pub(super) fn explicit(text: &str, lock: &mut Lock) {
    for (line, text) in text.lines().enumerate() {
        if text.contains("://") && !text.starts_with('#') {
            push(text.trim(), line, lock);
        }
    }
}

/// Reads the packages of a `pixi.lock`.
pub(super) fn pixi(text: &str, lock: &mut Lock) -> Result<(), LockError> {
    let version = text.lines().find_map(|line| line.strip_prefix("version:")).unwrap_or("unknown");
    if !["5", "6"].contains(&version.trim()) {
        let (path, found) = (lock.path.clone(), version.trim().to_owned());
        return Err(LockError::Version { path, found, known: "5 and 6" });
    }
    // Environments list URLs, too; what each is stands under `packages`.
    let (mut inside, mut begins) = (false, 0);
    for (line, text) in text.lines().enumerate() {
        inside |= text == "packages:";
        let entry = text.strip_prefix("- ").filter(|_| inside);
        if entry.is_some() {
            begins = line;
        }
        // Version 5 has the kind first, and the URL on a line of its own.
        let url = match entry {
            Some(entry) => entry.strip_prefix("conda: ").or_else(|| entry.strip_prefix("pypi: ")),
            None => text.strip_prefix("  url: ").filter(|_| inside),
        };
        if let Some(url) = url {
            push(url.trim(), begins, lock);
        } else if let Some(digest) = text.strip_prefix("  sha256: ").filter(|_| inside) {
            let last = lock.packages.last_mut().and_then(|last| last.files.last_mut());
            if let Some(last) = last {
                last.sha256 = Some(digest.trim().to_owned());
            }
        }
    }
    Ok(())
}

/// Adds the package of a URL: `name-version-build.conda`, `name-version-tags.whl`.
fn push(url: &str, line: usize, lock: &mut Lock) {
    let url = url.split('#').next().unwrap_or(url);
    let file = url.rsplit('/').next().unwrap_or(url);
    let stem = [".conda", ".tar.bz2", ".whl"].iter().find_map(|end| file.strip_suffix(end));
    let Some(stem) = stem else {
        lock.not_pinned.push(url.to_owned());
        return;
    };
    let is_conda = !file.ends_with(".whl");
    let parts: Vec<&str> = stem.split('-').collect();
    // The name of a conda package may have hyphens; version and build are its last two parts.
    let (name, version) = match (is_conda, &*parts) {
        (true, [name @ .., version, _build]) if !name.is_empty() => (name.join("-"), *version),
        (false, [name, version, ..]) => ((*name).to_owned(), *version),
        _ => return,
    };
    let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
    let file =
        LockedFile { name: file.replace("%2B", "+"), sha256: None, location: Some(url.to_owned()) };
    let (version, files) = (version.to_owned(), vec![file]);
    lock.packages.push(Locked { name, version, line, files, index: None, is_conda });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_conda_and_of_wheels_are_packages() {
        let pixi = "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: https://c/a-1-0.conda\npackages:\n\
            - conda: https://c/linux-64/ca-certificates-2024.8.30-hbcca054_0.conda\n  sha256: ab\n- pypi: https://p/torchao-0.18.0-cp310-abi3-manylinux_2_28_x86_64.whl\n  name: torchao\n  sha256: cd\n";
        let lock = Lock::of_text("pixi.lock", pixi).unwrap();
        let all: Vec<_> =
            lock.packages.iter().map(|p| (&*p.name, &*p.version, p.line, p.is_conda)).collect();
        assert_eq!(
            all,
            [("ca-certificates", "2024.8.30", 8, true), ("torchao", "0.18.0", 10, false)]
        );
        assert_eq!(lock.packages[1].files[0].sha256.as_deref(), Some("cd"));
        let five = "version: 5\npackages:\n- kind: conda\n  name: zlib\n  version: 1.3.1\n  build: h4ab18f5_1\n  url: https://c/linux-64/zlib-1.3.1-h4ab18f5_1.conda\n  sha256: ab\n\
            - kind: pypi\n  name: torchao\n  version: 0.18.0\n  url: https://p/torchao-0.18.0-cp310-abi3-manylinux_2_28_x86_64.whl\n  sha256: cd\n";
        let lock = Lock::of_text("pixi.lock", five).unwrap();
        let all: Vec<_> = lock.packages.iter().map(|p| (&*p.name, p.line, p.is_conda)).collect();
        assert_eq!(all, [("zlib", 3, true), ("torchao", 9, false)]);
        assert_eq!(lock.packages[1].files[0].sha256.as_deref(), Some("cd"));
        let list =
            "# platform: linux-64\n@EXPLICIT\nhttps://c/linux-64/numpy-2.1.0-py311_0.conda#abc\n";
        let lock = Lock::of_text("spec.txt", list).unwrap();
        assert_eq!((&*lock.packages[0].name, lock.packages[0].line), ("numpy", 3));
        assert!(matches!(
            Lock::of_text("pixi.lock", "version: 9\n"),
            Err(LockError::Version { .. })
        ));
    }
}
