//! Environments, from their files: `*.dist-info`, `*.egg-info`, `*.egg-link`, `*.pth`, modules. They are written to a
//! folder, and names that lead out of it are left out.

use std::fs;
use std::path::{Component, Path};

use unskew_core::Context;
use unskew_environments::{Environment, SitePackages, judge};
use crate::records;

/// The most files of one input: writing them is what takes time.
const FILES: usize = 30;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let site = folder.path().join("lib/python3.11/site-packages");
    for (name, content) in records::parse(bytes).into_iter().take(FILES) {
        let inside = Path::new(&name).components().all(|one| matches!(one, Component::Normal(_)));
        if !inside || name.is_empty() {
            continue;
        }
        let path = site.join(&name);
        let _ = path.parent().map(fs::create_dir_all);
        let _ = fs::write(path, content);
    }
    // Its sources lie in the environment, wherever a file says that they do.
    let Ok(site) =
        SitePackages::find(folder.path()).map(|site| SitePackages { is_image: true, ..site })
    else {
        return;
    };
    if let Ok(environment) = Environment::read(&site) {
        let _ = judge(&environment, &Context::for_tests());
    }
}
