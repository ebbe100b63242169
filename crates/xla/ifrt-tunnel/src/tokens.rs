//! Files of tokens.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::TunnelError;

/// The fewest characters of a token: 16 random bytes in hexadecimal.
const LEAST: usize = 32;

/// The most characters of a token.
pub(crate) const MOST: usize = 512;

/// The most bytes of a file of tokens.
const FILE: u64 = 1 << 20;

/// The tokens in a file, a line each; empty lines and lines that begin with `#` are none.
pub(crate) fn read(path: &Path) -> Result<Vec<String>, TunnelError> {
    let failed = |source| TunnelError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    closed_to_others(path, &file)?;
    let mut text = String::new();
    file.take(FILE + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE {
        return Err(TunnelError::content(path, "more than 1 MiB of tokens"));
    }
    let lines = (1..).zip(text.lines().map(str::trim));
    let mut tokens = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let is_token = line.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token || !(LEAST..=MOST).contains(&line.len()) {
            let what = format!(
                "line {number} is no token: {LEAST} to {MOST} printable characters without spaces; \
                 `openssl rand -hex 32` makes one"
            );
            return Err(TunnelError::content(path, what));
        }
        tokens.push(line.to_owned());
    }
    if tokens.is_empty() {
        return Err(TunnelError::content(path, "no token; `openssl rand -hex 32` makes one"));
    }
    Ok(tokens)
}

/// Whether a token is one of these. What is compared are digests: how long it takes says nothing of a token.
pub(crate) fn has(tokens: &[String], given: &str) -> bool {
    let given = Sha256::digest(given);
    tokens.iter().any(|token| Sha256::digest(token) == given)
}

#[cfg(unix)]
fn closed_to_others(path: &Path, file: &File) -> Result<(), TunnelError> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata();
    let metadata =
        metadata.map_err(|source| TunnelError::File { path: path.to_owned(), source })?;
    if metadata.permissions().mode() & 0o077 != 0 {
        let what = "other users can read this file of tokens; chmod 600 takes that from them";
        return Err(TunnelError::content(path, what));
    }
    Ok(())
}

#[cfg(not(unix))]
fn closed_to_others(_: &Path, _: &File) -> Result<(), TunnelError> {
    Ok(())
}
