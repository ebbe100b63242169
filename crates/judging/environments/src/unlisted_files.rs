//! Files below modules of a folder, of which no list exists.

use std::collections::BTreeSet;
use std::path::Path;

use crate::package::FILES;

/// The most entries of folders that are looked at for one package, and how deep folders nest.
const ENTRIES: usize = 400_000;
const DEPTH: usize = 40;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Paths below the folder, in order.
    pub(crate) files: Vec<String>,
    /// Why not everything was looked at.
    pub(crate) cut: Option<String>,
}

/// The files that are `wanted` of the modules `tops` in `root`: in folders of these names, and beside them
/// (`_C.abi3.so` of `_C`). Links to folders are not followed, but for those at the top.
pub(crate) fn walk(root: &Path, tops: &BTreeSet<String>, wanted: impl Fn(&str) -> bool) -> Walked {
    let mut walked = Walked::default();
    let mut open: Vec<(String, usize)> = vec![(String::new(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = root.join(&folder).read_dir() else { continue };
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            if seen > ENTRIES || walked.files.len() > FILES {
                let most = if seen > ENTRIES { ENTRIES } else { FILES };
                walked.cut = Some(format!("more than {most} files; the rest was not read"));
                walked.files.sort_unstable();
                walked.files.truncate(FILES);
                return walked;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            let stem = name.split('.').next().unwrap_or_default();
            if depth == 0 && !tops.contains(&name) && !tops.contains(stem) {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let is_folder = match entry.file_type() {
                Ok(kind) if depth == 0 && kind.is_symlink() => entry.path().is_dir(),
                Ok(kind) => kind.is_dir(),
                Err(_) => continue,
            };
            if !is_folder {
                if wanted(&path) {
                    walked.files.push(path);
                }
            } else if depth < DEPTH {
                open.push((path, depth + 1));
            } else {
                walked.cut = Some(format!("folders nest deeper than {DEPTH}: {path}"));
            }
        }
    }
    walked.files.sort_unstable();
    walked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_searched_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        for path in
            ["app/a.so", "app/deep/er/b.so", "_C.abi3.so", "_D.so", "tests/c.so", "app/d.py"]
        {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), root.path().join("app/loop")).unwrap();
        let tops = ["app", "_C"].map(str::to_owned).into();
        let walked = walk(root.path(), &tops, |path| path.ends_with(".so"));
        assert_eq!(walked.files, ["_C.abi3.so", "app/a.so", "app/deep/er/b.so"]);
        assert_eq!(walked.cut, None);
    }
}
