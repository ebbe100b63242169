//! `requirements.txt` with pins.

use super::{Locked, LockedFile, PackageLock};

/// Reads pins; whatever pins no version is kept as a line that pins nothing.
pub(super) fn read(text: &str, lock: &mut PackageLock) {
    let mut number = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        number += 1;
        let first = number;
        let mut whole = line.to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            let Some(next) = lines.next() else { break };
            number += 1;
            whole.push(' ');
            whole.push_str(next);
        }
        let whole = whole.split(" #").next().unwrap_or_default().trim();
        if whole.is_empty() || whole.starts_with('#') {
            continue;
        }
        if let Some(index) = index(whole) {
            lock.indexes.push(index.to_owned());
            continue;
        }
        if let Some(locked) = direct(whole, first) {
            lock.packages.push(locked);
            continue;
        }
        match pin(whole) {
            Some((name, version)) => {
                let hashes = whole.split("--hash=sha256:").skip(1);
                let digest = |rest: &str| rest.split_whitespace().next().map(str::to_owned);
                let files = hashes
                    .map(|rest| LockedFile { sha256: digest(rest), ..LockedFile::default() })
                    .collect();
                lock.packages.push(Locked {
                    name,
                    version,
                    line: first,
                    files,
                    ..Locked::default()
                });
            }
            None => lock.not_pinned.push(whole.to_owned()),
        }
    }
}

/// The index of `--index-url https://host/simple`, `-i ...`, `--extra-index-url ...`.
fn index(line: &str) -> Option<&str> {
    let (option, url) = line.split_once([' ', '='])?;
    ["-i", "--index-url", "--extra-index-url"].contains(&option).then(|| url.trim())
}

/// A wheel by its URL or path: `torch @ https://host/torch-2.7.1-cp311-cp311-linux_x86_64.whl`, `./dist/x-1-py3-none-any.whl`.
pub(super) fn direct(line: &str, number: u32) -> Option<Locked> {
    let line = line.split(" ;").next()?.split(" --").next()?.trim();
    let location = line.split_once('@').map_or(line, |(_, location)| location.trim());
    let (location, digest) = match location.split_once('#') {
        Some((location, fragment)) => (location, fragment.strip_prefix("sha256=")),
        None => (location, None),
    };
    let file = location.rsplit('/').next()?.replace("%2B", "+");
    let mut parts = file.strip_suffix(".whl")?.split('-');
    let (name, version) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    // Tags of Python, ABI and platform.
    parts.nth(2)?;
    let file = LockedFile {
        name: file,
        sha256: digest.map(str::to_owned),
        location: Some(location.to_owned()),
    };
    Some(Locked { name, version, line: number, files: vec![file], ..Locked::default() })
}

/// `torch` and `2.7.1` of `torch[opt]==2.7.1 ; python_version > '3.8' --hash=...`.
fn pin(line: &str) -> Option<(String, String)> {
    if line.starts_with('-') || line.contains("://") {
        return None;
    }
    let (name, rest) = line.split_once("==")?;
    let name = name.split('[').next()?.trim();
    let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let rest = rest.trim_start_matches('=').trim_start();
    let version = rest.split(|c: char| c.is_whitespace() || ";,".contains(c)).next()?;
    let whole = !rest.starts_with(&format!("{version},")) && !version.ends_with('*');
    (!name.is_empty() && name.chars().all(is_name) && !version.is_empty() && whole)
        .then(|| (name.to_owned(), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_and_what_is_none_is_kept() {
        let text = "# made by uv\ntorch==2.7.1 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n    # via x\n\
            torchao[a]==0.18.0 ; python_version > '3.8'\nnumpy>=1\n-r other.txt\nx @ https://h/x.whl\ny==1.*\n";
        let lock = PackageLock::of_text("requirements.txt", text).unwrap();
        let pins: Vec<_> = lock
            .packages
            .iter()
            .map(|one| (&*one.name, &*one.version, one.line, one.files.len()))
            .collect();
        assert_eq!(pins, [("torch", "2.7.1", 2, 2), ("torchao", "0.18.0", 6, 0)]);
        assert_eq!(lock.not_pinned, ["numpy>=1", "-r other.txt", "x @ https://h/x.whl", "y==1.*"]);
    }

    #[test]
    fn indexes_and_wheels_by_url_or_path_are_read() {
        let text = "--index-url https://h/simple\na @ https://h/a_b-1.0%2Bcpu-py3-none-any.whl#sha256=ab ; x == 'y'\n\
            ./dist/c-2-cp311-cp311-linux_x86_64.whl\n";
        let lock = PackageLock::of_text("requirements.txt", text).unwrap();
        assert_eq!(lock.indexes, ["https://h/simple"]);
        let files: Vec<_> = lock
            .packages
            .iter()
            .map(|one| (&*one.name, &*one.version, &one.files[0]))
            .map(|(name, version, file)| {
                (name, version, file.location.as_deref(), file.sha256.as_deref())
            })
            .collect();
        let (a, c) =
            ("https://h/a_b-1.0%2Bcpu-py3-none-any.whl", "./dist/c-2-cp311-cp311-linux_x86_64.whl");
        assert_eq!(files, [("a_b", "1.0+cpu", Some(a), Some("ab")), ("c", "2", Some(c), None)]);
    }
}
