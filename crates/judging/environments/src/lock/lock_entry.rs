//! A package in the YAML that pixi and conda-lock write: a field a line.

use super::conda::locked;
use super::{Locked, LockedFile, PackageLock};

/// The fields of one package, as far as they were read.
pub(super) struct LockEntry {
    line: usize,
    url: Option<String>,
    name: Option<String>,
    version: Option<String>,
    sha256: Option<String>,
    platform: Option<String>,
}

impl LockEntry {
    /// One that begins at this line, from 0.
    pub(super) fn new(line: usize) -> Self {
        Self { line, url: None, name: None, version: None, sha256: None, platform: None }
    }

    /// Takes `key: value`; a key that says nothing of which package it is does nothing.
    pub(super) fn field(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(": ") else { return };
        let field = match key {
            // Version 5 of pixi's has the URL on a line of its own.
            "conda" | "pypi" | "url" => &mut self.url,
            "name" => &mut self.name,
            "version" => &mut self.version,
            "sha256" => &mut self.sha256,
            "platform" => &mut self.platform,
            _ => return,
        };
        *field = Some(plain(value).to_owned());
    }

    pub(super) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The platform that a field of its own names.
    pub(super) fn platform(&self) -> Option<&str> {
        self.platform.as_deref()
    }

    /// Adds its package to the lock, for these platforms.
    pub(super) fn push(self, platforms: Vec<String>, lock: &mut PackageLock) {
        let Some(url) = self.url else { return };
        let package = match (locked(&url, self.line), self.name, self.version) {
            (Some(package), ..) => Some(package),
            // Sources: the URL of an archive, a folder.
            (None, Some(name), Some(version)) => {
                let line = u32::try_from(self.line + 1).unwrap_or(u32::MAX);
                let name_of_file = url.rsplit('/').next().unwrap_or(&url).to_owned();
                let files = vec![LockedFile { name: name_of_file, ..LockedFile::default() }];
                Some(Locked { name, version, line, files, ..Locked::default() })
            }
            _ => None,
        };
        match package {
            Some(mut package) => {
                if let (Some(file), Some(digest)) = (package.files.first_mut(), self.sha256) {
                    file.sha256 = Some(digest);
                }
                lock.packages.push(Locked { platforms, ..package });
            }
            None => lock.not_pinned.push(url),
        }
    }
}

/// A text of YAML without its quotes.
pub(super) fn plain(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}
