//! Explicit lists of conda, and the packages that URLs name.

use super::requirements::direct;
use super::{Locked, LockedFile, PackageLock};

/// Reads a list of URLs under `@EXPLICIT`. Wheels stand in comments, as conda-lock and micromamba have agreed.
pub(super) fn explicit(text: &str, lock: &mut PackageLock) {
    let platform = text.lines().find_map(|line| line.strip_prefix("# platform:"));
    let platforms: Vec<String> = platform.map(|name| name.trim().to_owned()).into_iter().collect();
    for (line, text) in text.lines().enumerate() {
        let text = text.trim();
        let locked = match text.strip_prefix("# pip ") {
            Some(wheel) => direct(wheel, u32::try_from(line + 1).unwrap_or(u32::MAX)),
            None if text.contains("://") && !text.starts_with('#') => locked(text, line),
            None => continue,
        };
        match locked {
            Some(locked) => {
                lock.packages.push(Locked { platforms: platforms.clone(), ..locked });
            }
            None => lock.not_pinned.push(text.to_owned()),
        }
    }
}

/// The package of a URL: `name-version-build.conda`, `name-version-tags.whl`. None if the URL does not say which it is.
pub(super) fn locked(url: &str, line: usize) -> Option<Locked> {
    // `#MD5` and `#sha256:DIGEST` stand behind the URLs of a list.
    let (url, digest) = url.split_once('#').unwrap_or((url, ""));
    let file = url.rsplit('/').next().unwrap_or(url).replace("%2B", "+");
    let stem = [".conda", ".tar.bz2", ".whl"].iter().find_map(|end| file.strip_suffix(end))?;
    let is_conda = !file.ends_with(".whl");
    let parts: Vec<&str> = stem.split('-').collect();
    // The name of a conda package may have hyphens; version and build are its last two parts.
    let (name, version) = match (is_conda, &*parts) {
        (true, [name @ .., version, _build]) if !name.is_empty() => (name.join("-"), *version),
        (false, [name, version, ..]) => ((*name).to_owned(), *version),
        _ => return None,
    };
    let (version, line) = (version.to_owned(), u32::try_from(line + 1).unwrap_or(u32::MAX));
    let sha256 = digest.strip_prefix("sha256:").map(str::to_owned);
    let files = vec![LockedFile { name: file, sha256, location: Some(url.to_owned()) }];
    Some(Locked { name, version, line, files, is_conda, ..Locked::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_conda_and_of_wheels_are_packages() {
        let list = "# platform: linux-64\n@EXPLICIT\nhttps://c/linux-64/numpy-2.1.0-py311_0.conda#abc\n\
            https://c/linux-64/ca-certificates-2024.8.30-hbcca054_0.tar.bz2#sha256:cd\nhttps://c/linux-64/odd.zip\n\
            # pip torch @ https://w/torch-2.7.1-cp311-cp311-manylinux_2_28_x86_64.whl#sha256=ef\n# pip x @ https://w/x.git\n";
        let lock = PackageLock::of_text("spec.txt", list).unwrap();
        let all: Vec<_> =
            lock.packages.iter().map(|p| (&*p.name, &*p.version, p.line, p.is_conda)).collect();
        assert_eq!(
            all,
            [
                ("numpy", "2.1.0", 3, true),
                ("ca-certificates", "2024.8.30", 4, true),
                ("torch", "2.7.1", 6, false),
            ]
        );
        assert_eq!(lock.packages[2].files[0].sha256.as_deref(), Some("ef"));
        assert!(lock.packages.iter().all(|package| package.platforms == ["linux-64"]));
        assert_eq!(lock.packages[0].files[0].sha256, None);
        assert_eq!(lock.packages[1].files[0].sha256.as_deref(), Some("cd"));
        assert_eq!(lock.not_pinned, ["https://c/linux-64/odd.zip", "# pip x @ https://w/x.git"]);
        let wheel = locked("https://w/torch-2.7.1%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl", 0);
        assert_eq!(wheel.unwrap().version, "2.7.1+cpu");
    }
}
