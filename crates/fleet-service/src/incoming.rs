//! From the pieces of an upload to a version of a model.
//!
//! Everything is held against what was announced before anything is kept: the digests of all files, then what the readers
//! of Unskew say. Only then the artifact goes into the depot, and only then the database knows of it, in the
//! same step in which the upload ends. Whatever fails on the way leaves everything as it was; an upload that is not
//! what was announced is gone.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use unskew_artifact::{Content, Options, Part};
use unskew_fleet::store::Upload;
use unskew_fleet::{Digest, Fleet, FleetError, list_digest};
use unskew_source::{Slice, Source};

use crate::moment;
use crate::problem::{Kind, Problem, chain};
use crate::staging::Staging;

/// How much is read at a time.
const CHUNK: usize = 1 << 20;

/// The longest name of a file or path.
const LONGEST: usize = 1024;

/// The most files of a folder.
const MOST_FILES: usize = 10_000;

/// A file of a folder that is uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The path below the folder.
    pub path: String,
    /// Its bytes.
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
}

/// Whether a name may be that of a file: no path, no control characters.
///
/// # Errors
/// [`Kind::Malformed`] if not.
pub(crate) fn check_file(name: &str) -> Result<(), Problem> {
    let fine = !name.is_empty()
        && name.len() <= 255
        && !matches!(name, "." | "..")
        && !name.chars().any(|char| char.is_control() || matches!(char, '/' | '\\'));
    if fine { Ok(()) } else { Err(bad_name(name)) }
}

/// Whether these can be the files of a folder of this digest and size.
///
/// # Errors
/// [`Kind::Malformed`] for paths that are none, and [`Kind::Digest`] for numbers that do not fit.
pub(crate) fn check_members(members: &[Member], digest: &Digest, size: u64) -> Result<(), Problem> {
    if members.is_empty() || members.len() > MOST_FILES {
        let detail = format!("a folder has 1 to {MOST_FILES} files, not {}", members.len());
        return Err(Problem::new(Kind::Malformed, detail));
    }
    let mut paths: Vec<&str> = members.iter().map(|one| one.path.as_str()).collect();
    for path in &paths {
        if path.len() > LONGEST || path.split('/').any(|piece| check_file(piece).is_err()) {
            return Err(bad_name(path));
        }
    }
    paths.sort_unstable();
    // A file cannot be a folder too.
    let clash = paths.windows(2).find(|pair| {
        pair[0] == pair[1]
            || pair[1].strip_prefix(pair[0]).is_some_and(|rest| rest.starts_with('/'))
    });
    if let Some([_, path]) = clash {
        return Err(Problem::new(Kind::Malformed, format!("two files have this path: {path}")));
    }
    let sum = members.iter().try_fold(0_u64, |sum, one| sum.checked_add(one.size));
    if sum != Some(size) {
        let detail = format!("the files have not {size} bytes together, as announced");
        return Err(Problem::new(Kind::Digest, detail));
    }
    let mut rows: Vec<(String, Digest, u64)> =
        members.iter().map(|one| (one.path.clone(), one.digest, one.size)).collect();
    let own = list_digest(&mut rows);
    if own != *digest {
        let detail = format!("announced was {digest}, and the list of files makes {own}");
        return Err(Problem::new(Kind::Digest, detail));
    }
    Ok(())
}

fn bad_name(name: &str) -> Problem {
    let shown: String = name.chars().take(80).collect();
    Problem::new(Kind::Malformed, format!("no name for a file: {shown:?}"))
}

/// Publishes what has come, and says which version that is. What is not as announced, or is refused by the
/// readers, is dropped.
///
/// # Errors
/// Why nothing was published.
pub(crate) fn finish(
    fleet: &mut Fleet,
    staging: &Staging,
    upload: &Upload,
) -> Result<i64, Problem> {
    if let Some(version) = upload.version {
        return Ok(version);
    }
    if upload.received != upload.size {
        let Upload { received, size, .. } = upload;
        let detail = format!("{received} of {size} bytes have come");
        return Err(Problem::new(Kind::Conflict, detail));
    }
    let content = match verified(fleet, staging, upload) {
        Ok(content) => content,
        Err(problem) => {
            if matches!(problem.kind, Kind::Digest | Kind::Refused | Kind::Conflict) {
                let reason = format!("{}: {}", problem.kind.about().code, problem.detail);
                fleet.store().drop_upload(&upload.id, &reason)?;
                staging.forget(&upload.id);
            }
            return Err(problem);
        }
    };
    let stored = fleet.depot().add(&content)?;
    if stored.digest != upload.digest {
        let detail = format!("announced was {}, and {} was kept", upload.digest, stored.digest);
        return Err(Problem::new(Kind::Fault, detail));
    }
    let version = fleet.store().finish_upload(upload, &moment::today())?;
    let version = version.ok_or_else(|| Problem::not_there("upload", &upload.id))?;
    fleet.store().forget_pieces(&upload.id)?;
    staging.forget(&upload.id);
    Ok(version)
}

/// What has come, if it is what was announced and the readers take it.
fn verified(fleet: &mut Fleet, staging: &Staging, upload: &Upload) -> Result<Content, Problem> {
    let pieces = fleet.store().pieces(&upload.id)?;
    let whole = staging.whole(&upload.id, &upload.file, &pieces)?;
    let content = match &upload.members {
        None => {
            hold(&*whole, &upload.digest, &upload.file)?;
            Content::File(Part {
                name: upload.file.clone(),
                source: whole,
                path: None,
                beside: None,
            })
        }
        Some(text) => folder(upload, text, &whole)?,
    };
    let refused = |error| Problem::new(Kind::Refused, chain(&FleetError::Open(error)));
    content.parties(&Options::default()).map_err(refused)?;
    Ok(content)
}

fn folder(upload: &Upload, members: &str, whole: &Arc<dyn Source>) -> Result<Content, Problem> {
    let damaged = |error: String| Problem::new(Kind::Fault, format!("the list of files: {error}"));
    let members: Vec<Member> =
        serde_json::from_str(members).map_err(|error| damaged(error.to_string()))?;
    let (mut parts, mut at) = (Vec::new(), 0_u64);
    for one in members {
        let shown = format!("{}/{}", upload.file, one.path);
        let slice = Slice::new(shown, Arc::clone(whole), at, one.size);
        let slice = slice.map_err(|error| damaged(error.to_string()))?;
        hold(&slice, &one.digest, &one.path)?;
        at = at.saturating_add(one.size);
        parts.push(Part { name: one.path, source: Arc::new(slice), path: None, beside: None });
    }
    parts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Content::Folder { name: upload.file.clone(), parts })
}

/// Holds bytes against what they should be.
fn hold(source: &dyn Source, announced: &Digest, name: &str) -> Result<(), Problem> {
    let (mut hasher, mut done) = (Sha256::new(), 0);
    let mut buffer = vec![0; CHUNK];
    while done < source.size() {
        match source.read_at(done, &mut buffer) {
            Ok(0) => return Err(Problem::new(Kind::Conflict, "a piece of the upload was lost")),
            Ok(n) => {
                let n = n.min(usize::try_from(source.size() - done).unwrap_or(n));
                hasher.update(&buffer[..n]);
                done += n as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    match Digest::from_bytes(&hasher.finalize()) {
        Some(found) if found == *announced => Ok(()),
        found => {
            let found = found.map(|found| found.to_string()).unwrap_or_default();
            let detail = format!("announced was {announced}, and {found} has come: {name}");
            Err(Problem::new(Kind::Digest, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(path: &str, size: u64) -> Member {
        Member { path: path.into(), size, digest: Digest::of(path) }
    }

    fn checked(members: &[Member], size: u64) -> Result<(), Kind> {
        let mut rows: Vec<_> =
            members.iter().map(|one| (one.path.clone(), one.digest, one.size)).collect();
        let digest = list_digest(&mut rows);
        check_members(members, &digest, size).map_err(|problem| problem.kind)
    }

    #[test]
    fn no_name_is_a_path_trick() {
        for bad in ["", ".", "..", "a/b", "/etc/passwd", "a\\b", "a\0", "a\n", &"x".repeat(256)] {
            assert!(check_file(bad).is_err(), "{bad:?}");
        }
        for good in ["net.pt", "..net", "a b", "\u{fc}"] {
            assert!(check_file(good).is_ok(), "{good}");
        }
        for bad in ["../x", "/x", "a/../b", "a//b", "a/", "./a", "", "a\\..\\b"] {
            assert_eq!(checked(&[member(bad, 1)], 1), Err(Kind::Malformed), "{bad}");
        }
    }

    #[test]
    fn the_list_of_files_is_held_against_what_was_announced() {
        let both = [member("saved_model.pb", 3), member("variables/x", 4)];
        assert_eq!(checked(&both, 7), Ok(()));
        assert_eq!(checked(&both, 8), Err(Kind::Digest));
        assert_eq!(checked(&[member("a", u64::MAX), member("b", 1)], 0), Err(Kind::Digest));
        let wrong = check_members(&both, &Digest::of("x"), 7).unwrap_err();
        assert_eq!(wrong.kind, Kind::Digest);
        for clash in [["a", "a"], ["a", "a/b"]] {
            let members = clash.map(|path| member(path, 1));
            assert_eq!(checked(&members, 2), Err(Kind::Malformed), "{clash:?}");
        }
        assert_eq!(checked(&[], 0), Err(Kind::Malformed));
    }
}
