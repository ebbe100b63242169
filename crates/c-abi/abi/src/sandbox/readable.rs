//! Files that a plug-in may read beside the libraries of the system: itself, and what its loader looks for.

use std::path::{Path, PathBuf};

use crate::SharedObject;

/// The most files of one folder that are looked at.
const MOST_FILES: usize = 4096;

/// Folders that hold installed Python packages. They hold libraries that plug-ins need, and no secrets.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// A name that may be read. What lies under it is looked at once more when it is opened, and decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Readable {
    /// A shared object, or a link that leads to one. Whatever else the link leads to is not readable.
    Library(PathBuf),
    /// A folder of packages with all in it, by a name without links.
    Packages(PathBuf),
    /// One file, by a name without links.
    Settings(PathBuf),
}

/// What the plug-in at `path` needs in order to be loaded: itself, the shared objects beside it, in its search paths and in
/// `LD_LIBRARY_PATH`, and all packages if it lies in an installed one. Nothing else of these folders: a plug-in in a home folder
/// may not read the home.
pub fn readable(path: &Path, object: Option<&SharedObject>) -> Vec<Readable> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut found = vec![Readable::Library(path.clone()), Readable::Library(real.clone())];
    let mut folders: Vec<PathBuf> = Vec::new();
    for file in [&path, &real] {
        let Some(folder) = file.parent() else { continue };
        // The folder as it is: a link may be named like one of packages.
        let resolved = folder.canonicalize().ok();
        let packages = resolved.as_deref().and_then(packages);
        found.extend(packages.map(Readable::Packages));
        folders.push(folder.to_owned());
        let rpaths = object.map(|object| object.rpaths.as_slice()).unwrap_or_default();
        folders.extend(rpaths.iter().flat_map(|list| list.split(':')).filter_map(|rpath| {
            let origin = rpath.strip_prefix("$ORIGIN").or_else(|| rpath.strip_prefix("${ORIGIN}"));
            match origin {
                Some(rest) => Some(folder.join(rest.trim_start_matches('/'))),
                None => rpath.starts_with('/').then(|| PathBuf::from(rpath)),
            }
        }));
    }
    if let Some(list) = std::env::var_os("LD_LIBRARY_PATH") {
        folders.extend(std::env::split_paths(&list).filter(|folder| folder.is_absolute()));
    }
    folders.sort_unstable();
    folders.dedup();
    for folder in &folders {
        let files = folder.read_dir().into_iter().flatten().flatten().take(MOST_FILES);
        let named = files.filter(|file| is_library(&file.file_name().to_string_lossy()));
        found.extend(named.map(|file| Readable::Library(file.path())));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn packages(folder: &Path) -> Option<PathBuf> {
    let is_packages = |at: &&Path| {
        at.file_name().is_some_and(|name| PACKAGES.iter().any(|packages| *packages == name))
    };
    folder.ancestors().find(is_packages).map(Path::to_owned)
}

/// Whether a file is named like a shared object.
fn is_library(file: &str) -> bool {
    file.contains(".so.") || [".so", ".dylib"].iter().any(|ending| file.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plug_in_in_a_home_folder_reads_the_libraries_there_and_nothing_else() {
        let home = std::env::temp_dir().join(format!("unskew-readable-{}", std::process::id()));
        std::fs::create_dir_all(home.join(".ssh")).unwrap();
        for file in ["evil.so", "libhelp.so.1", "secret.txt"] {
            std::fs::write(home.join(file), "").unwrap();
        }
        let found = readable(&home.join("evil.so"), None);
        let here: Vec<Readable> = found
            .into_iter()
            .filter(|entry| match entry {
                Readable::Library(path) | Readable::Packages(path) | Readable::Settings(path) => {
                    path.starts_with(&home)
                }
            })
            .collect();
        std::fs::remove_dir_all(&home).unwrap();
        let libraries = ["evil.so", "libhelp.so.1"].map(|name| Readable::Library(home.join(name)));
        assert_eq!(here, libraries);
    }

    #[test]
    fn packages_are_read_whole() {
        let inside = Path::new("/opt/env/lib/python3.12/site-packages/jax_plugins/xla_cuda12");
        assert_eq!(packages(inside), Some("/opt/env/lib/python3.12/site-packages".into()));
        assert_eq!(packages(Path::new("/home/somebody")), None);
    }
}
