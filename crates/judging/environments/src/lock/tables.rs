//! Locks in TOML: uv, poetry, pylock.

use toml::Value;

use super::{LockError, Locked, LockedFile, PackageLock};

/// Reads the packages of a lock in TOML.
pub(super) fn read(text: &str, lock: &mut PackageLock) -> Result<(), LockError> {
    let broken = |what: String| LockError::Broken { path: lock.path.clone(), what };
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| broken(located(&error, text)))?;
    let packages = table.get("package").or_else(|| table.get("packages"));
    let Some(packages) = packages.and_then(Value::as_array) else {
        return Err(broken("it has no packages".to_owned()));
    };
    check_version(&table, &lock.path)?;
    let mut lines = Lines { lines: text.lines().collect(), at: 0 };
    for package in packages {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        let Some(name) = text("name") else { continue };
        let line = lines.of_name(name);
        // The project itself has no version, or is not installed at all.
        let Some(version) = text("version") else { continue };
        if package.get("source").is_some_and(|source| source.get("virtual").is_some()) {
            continue;
        }
        let mut files = Vec::new();
        for key in ["wheels", "files"] {
            let all = package.get(key).and_then(Value::as_array).into_iter().flatten();
            files.extend(all.filter_map(file));
        }
        let (name, version) = (name.to_owned(), version.to_owned());
        let index = index(package);
        lock.packages.push(Locked { name, version, line, files, index, ..Locked::default() });
    }
    Ok(())
}

/// What is wrong with the text, with its line.
fn located(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before.map(|before| before.matches('\n').count() + 1) {
        Some(line) => format!("line {line}: {}", error.message()),
        None => error.message().to_owned(),
    }
}

fn check_version(table: &toml::Table, path: &str) -> Result<(), LockError> {
    let poetry = table.get("metadata").and_then(|metadata| metadata.get("lock-version"));
    let (found, known, fits): (String, _, &[&str]) =
        match (table.get("version"), table.get("lock-version"), poetry) {
            (Some(Value::Integer(version)), _, _) => (version.to_string(), "1", &["1"]),
            (_, Some(Value::String(version)), _) => (version.clone(), "1.x", &["1."]),
            (_, _, Some(Value::String(version))) => (version.clone(), "1.x and 2.x", &["1.", "2."]),
            _ => ("unknown".to_owned(), "those that say their version", &[]),
        };
    match fits.iter().any(|start| found.starts_with(start)) {
        true => Ok(()),
        false => Err(LockError::Version { path: path.to_owned(), found, known }),
    }
}

/// The index of a package: uv has `source.registry`, poetry `source.url`, pylock `index`.
fn index(package: &Value) -> Option<String> {
    let source = package.get("source");
    let of_source = |key: &str| source.and_then(|source| source.get(key));
    let index = package.get("index").or(of_source("registry")).or(of_source("url"));
    index.and_then(Value::as_str).map(str::to_owned)
}

/// A file: uv has `url` and `hash`, pylock `name` or `url` and `hashes.sha256`, poetry `file` and `hash`.
fn file(entry: &Value) -> Option<LockedFile> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let location = text("url").or_else(|| text("path"));
    let name = text("file").or_else(|| text("name")).or_else(|| text("filename")).or(location)?;
    let name = name.rsplit('/').next().unwrap_or(name).replace("%2B", "+");
    let hashes = entry.get("hashes").and_then(|all| all.get("sha256")).and_then(Value::as_str);
    let sha256 = hashes.or_else(|| text("hash")?.strip_prefix("sha256:")).map(str::to_owned);
    Some(LockedFile { name, sha256, location: location.map(str::to_owned) })
}

/// The lines in which packages begin: they stand in the order of the packages.
struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl Lines<'_> {
    fn of_name(&mut self, name: &str) -> u32 {
        let is = |line: &&str| {
            let value = line.strip_prefix("name").map(|rest| rest.trim_start());
            let value = value.and_then(|rest| rest.strip_prefix('=')).map(str::trim);
            value.is_some_and(|value| value.trim_matches(['"', '\'']) == name)
        };
        let rest = self.lines.get(self.at..).unwrap_or_default();
        if let Some(found) = rest.iter().position(is) {
            self.at += found + 1;
        }
        u32::try_from(self.at).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_toml_is_said_with_its_line() {
        let error =
            PackageLock::of_text("uv.lock", "version = 1\n[[package]]\nname = = 1\n").unwrap_err();
        assert!(error.to_string().starts_with("uv.lock: line 3: "), "{error}");
    }

    #[test]
    fn each_kind_of_table_gives_packages_files_and_lines() {
        let uv = "version = 1\n\n[[package]]\nname = \"app\"\nsource = { virtual = \".\" }\n\n[[package]]\nname = \"torch\"\n\
            version = \"2.7.1\"\nwheels = [\n  { url = \"https://h/torch-2.7.1%2Bcpu-cp311-cp311-linux_x86_64.whl\", hash = \"sha256:ab\" },\n]\n";
        let poetry = "[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\nfiles = [\n  {file = \"torch-2.7.1%2Bcpu-cp311-cp311-linux_x86_64.whl\", hash = \"sha256:ab\"},\n]\n\n[metadata]\nlock-version = \"2.1\"\n";
        let pylock = "lock-version = \"1.0\"\n\n[[packages]]\nname = \"torch\"\nversion = \"2.7.1\"\n[[packages.wheels]]\nname = \"torch-2.7.1+cpu-cp311-cp311-linux_x86_64.whl\"\nhashes = { sha256 = \"ab\" }\n";
        for (name, text, line) in
            [("uv.lock", uv, 8), ("poetry.lock", poetry, 2), ("pylock.toml", pylock, 4)]
        {
            let lock = PackageLock::of_text(name, text).unwrap();
            let [torch] = &*lock.packages else { panic!("{name}: {lock:?}") };
            assert_eq!((&*torch.version, torch.line), ("2.7.1", line), "{name}");
            let [file] = &*torch.files else { panic!("{name}: {torch:?}") };
            assert_eq!(file.name, "torch-2.7.1+cpu-cp311-cp311-linux_x86_64.whl", "{name}");
            assert_eq!(file.sha256.as_deref(), Some("ab"), "{name}");
            assert_eq!(file.location.is_some(), name == "uv.lock");
        }
    }
}
