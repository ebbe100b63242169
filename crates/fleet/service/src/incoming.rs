//! From the pieces of an upload to a version of a model.
//!
//! The readers of Unskew look at it first, by ranges. Then it goes into the depot, is held against the announced digests on
//! the way, which is the only time that all of it is read, and is there only if it is what was announced. Only then the
//! database knows of it, in the same step in which the upload ends. Whatever fails on the way leaves everything as it was;
//! an upload that is not what was announced is gone.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use unskew_artifact::{ArtifactFile, Content};
use unskew_fleet::store::PendingUpload;
use unskew_fleet::{Digest, Fleet, list_digest};
use unskew_source::{Slice, Source};

use crate::clock::Clock;
use crate::problem::{HttpProblem, ProblemKind};
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
#[schemars(rename = "Member")]
pub struct UploadMember {
    /// The path below the folder.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// Whether a name may be that of a file: no path, no control characters.
///
/// # Errors
/// [`ProblemKind::Malformed`] if not.
pub(crate) fn check_file(name: &str) -> Result<(), HttpProblem> {
    let fine = !name.is_empty()
        && name.len() <= 255
        && !matches!(name, "." | "..")
        && !name.chars().any(|char| char.is_control() || matches!(char, '/' | '\\'));
    if fine { Ok(()) } else { Err(bad_name(name)) }
}

/// Whether these can be the files of a folder of this digest and size.
///
/// # Errors
/// [`ProblemKind::Malformed`] for paths that are none, and [`ProblemKind::Digest`] for numbers that do not fit.
pub(crate) fn check_members(
    members: &[UploadMember],
    digest: &Digest,
    size: u64,
) -> Result<(), HttpProblem> {
    if members.is_empty() || members.len() > MOST_FILES {
        let detail = format!("a folder has 1 to {MOST_FILES} files, not {}", members.len());
        return Err(HttpProblem::new(ProblemKind::Malformed, detail));
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
        return Err(HttpProblem::new(
            ProblemKind::Malformed,
            format!("two files have this path: {path}"),
        ));
    }
    let sum = members.iter().try_fold(0_u64, |sum, one| sum.checked_add(one.size));
    if sum != Some(size) {
        let detail = format!("the files have not {size} bytes together, as announced");
        return Err(HttpProblem::new(ProblemKind::Digest, detail));
    }
    let mut rows: Vec<(String, Digest, u64)> =
        members.iter().map(|one| (one.path.clone(), one.digest, one.size)).collect();
    let own = list_digest(&mut rows);
    if own != *digest {
        let detail = format!("announced was {digest}, and the list of files makes {own}");
        return Err(HttpProblem::new(ProblemKind::Digest, detail));
    }
    Ok(())
}

fn bad_name(name: &str) -> HttpProblem {
    let shown: String = name.chars().take(80).collect();
    HttpProblem::new(ProblemKind::Malformed, format!("no name for a file: {shown:?}"))
}

/// Publishes what has come, and says which version that is. What is not as announced, or is refused by the
/// readers, is dropped. The version is of the day that `clock` shows then.
///
/// # Errors
/// Why nothing was published.
pub(crate) fn finish(
    fleet: &mut Fleet,
    staging: &Staging,
    upload: &PendingUpload,
    clock: &Clock,
) -> Result<i64, HttpProblem> {
    if let Some(version) = upload.version {
        // Whoever published it may not have come to this.
        forget(fleet, staging, upload)?;
        return Ok(version);
    }
    if upload.received != upload.size {
        let PendingUpload { received, size, .. } = upload;
        let detail = format!("{received} of {size} bytes have come");
        return Err(HttpProblem::new(ProblemKind::Conflict, detail));
    }
    if let Err(problem) = kept(fleet, staging, upload) {
        // Somebody else may have finished it meanwhile, and taken away what was read here.
        let now = fleet.store().upload(&upload.id)?;
        if let Some(version) = now.and_then(|upload| upload.version) {
            return Ok(version);
        }
        if matches!(
            problem.kind,
            ProblemKind::Digest | ProblemKind::Refused | ProblemKind::Conflict
        ) {
            let reason = format!("{}: {}", problem.kind.about().code, problem.detail);
            fleet.store().drop_upload(&upload.id, &reason)?;
            staging.forget(&upload.id);
        }
        return Err(problem);
    }
    let version = fleet.store().finish_upload(upload, &clock.today().to_string())?;
    let version = version.ok_or_else(|| HttpProblem::not_there("upload", &upload.id))?;
    forget(fleet, staging, upload)?;
    Ok(version)
}

/// Takes the pieces of an upload away that is over. The database forgets them last: whoever comes again sees that there may
/// be some.
fn forget(fleet: &mut Fleet, staging: &Staging, upload: &PendingUpload) -> Result<(), HttpProblem> {
    if !fleet.store().pieces(&upload.id)?.is_empty() {
        staging.forget(&upload.id);
        fleet.store().forget_pieces(&upload.id)?;
    }
    Ok(())
}

/// Keeps what has come in the depot, if the readers take it and it is what was announced.
fn kept(fleet: &mut Fleet, staging: &Staging, upload: &PendingUpload) -> Result<(), HttpProblem> {
    let (content, announced) = come(fleet, staging, upload)?;
    if let Err(error) = fleet.look(&content) {
        let problem = HttpProblem::from(error);
        // What is not what was announced is that first of all.
        let parts = content.parts().iter().filter(|_| problem.kind == ProblemKind::Refused);
        for (part, digest) in parts.zip(&announced) {
            hold(&*part.source, digest, &part.name)?;
        }
        return Err(problem);
    }
    let stored = fleet.depot().add_announced(&content, &announced)?;
    if stored.digest != upload.digest {
        let detail = format!("announced was {}, and {} was kept", upload.digest, stored.digest);
        return Err(HttpProblem::new(ProblemKind::Fault, detail));
    }
    Ok(())
}

/// What has come, and what was announced of each of its parts.
fn come(
    fleet: &mut Fleet,
    staging: &Staging,
    upload: &PendingUpload,
) -> Result<(Content, Vec<Digest>), HttpProblem> {
    let pieces = fleet.store().pieces(&upload.id)?;
    let source = staging.whole(&upload.id, &upload.file, &pieces)?;
    match &upload.members {
        None => {
            let name = upload.file.clone();
            let part = ArtifactFile { name, source, path: None, beside: None };
            Ok((Content::File(part), vec![upload.digest]))
        }
        Some(text) => folder(upload, text, &source),
    }
}

fn folder(
    upload: &PendingUpload,
    members: &str,
    whole: &Arc<dyn Source>,
) -> Result<(Content, Vec<Digest>), HttpProblem> {
    let damaged =
        |error: String| HttpProblem::new(ProblemKind::Fault, format!("the list of files: {error}"));
    let members: Vec<UploadMember> =
        serde_json::from_str(members).map_err(|error| damaged(error.to_string()))?;
    let (mut parts, mut at) = (Vec::new(), 0_u64);
    for one in members {
        let shown = format!("{}/{}", upload.file, one.path);
        let slice = Slice::new(shown, Arc::clone(whole), at, one.size);
        let slice = slice.map_err(|error| damaged(error.to_string()))?;
        at = at.saturating_add(one.size);
        let source = Arc::new(slice);
        parts.push((ArtifactFile { name: one.path, source, path: None, beside: None }, one.digest));
    }
    parts.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    let (parts, announced) = parts.into_iter().unzip();
    Ok((Content::Folder { name: upload.file.clone(), parts }, announced))
}

/// Holds bytes against what they should be.
fn hold(source: &dyn Source, announced: &Digest, name: &str) -> Result<(), HttpProblem> {
    let (mut hasher, mut done) = (Sha256::new(), 0);
    let mut buffer = vec![0; CHUNK];
    while done < source.size() {
        match source.read_at(done, &mut buffer) {
            Ok(0) => {
                return Err(HttpProblem::new(
                    ProblemKind::Conflict,
                    "a piece of the upload was lost",
                ));
            }
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
            Err(HttpProblem::new(ProblemKind::Digest, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use unskew_fleet::BlobStore;
    use unskew_fleet::store::{Sqlite, Store, UploadChunk};
    use unskew_objects::{ObjectPlace, Objects, StoreSettings};

    use super::*;

    /// A graph with a field of some megabytes that nobody knows.
    fn large() -> Vec<u8> {
        let example = concat!(env!("UNSKEW_ROOT"), "/examples/add-cast.pb");
        let mut bytes = std::fs::read(example).unwrap();
        bytes.extend([0xc2, 0x3e, 0x80, 0x80, 0x80, 0x03]);
        bytes.extend((0..6_u32 << 20).map(|at| (at % 251) as u8));
        bytes
    }

    /// An upload of which everything has come, in pieces.
    fn come_in_pieces(
        fleet: &mut Fleet,
        staging: &Staging,
        id: &str,
        bytes: &[u8],
    ) -> PendingUpload {
        let upload = PendingUpload {
            id: id.to_owned(),
            owner: "me".to_owned(),
            key: None,
            model: "m".to_owned(),
            file: "net.pb".to_owned(),
            digest: Digest::sha256(large()),
            size: bytes.len() as u64,
            members: None,
            received: 0,
            version: None,
            began: "2026-01-01T00:00:00Z".to_owned(),
            touched: 1,
        };
        fleet.store().begin_upload(&upload, 9).unwrap().unwrap();
        let mut start = 0;
        for chunk in bytes.chunks(bytes.len().div_ceil(4)) {
            let mut file = staging.begin().unwrap();
            file.write_all(chunk).unwrap();
            let (blob, size) = (format!("b{start}"), chunk.len() as u64);
            staging.keep(id, &blob, file).unwrap();
            assert!(fleet.store().add_piece(id, &UploadChunk { start, size, blob }, 1).unwrap());
            start += size;
        }
        fleet.store().upload(id).unwrap().unwrap()
    }

    #[test]
    fn what_lies_in_an_object_store_is_read_once_to_be_published() {
        let server = match unskew_test_servers::S3Server::start() {
            Ok(server) => server,
            Err(error) => return eprintln!("SKIPPED: {error}"),
        };
        server.make_bucket("once").unwrap();
        let settings: StoreSettings = server.settings().into_iter().collect();
        let objects =
            Objects::at(&ObjectPlace::parse("s3://once/fleet").unwrap(), &settings).unwrap();
        let staging = Staging::over(objects.clone());
        let store = Store::over(Box::new(Sqlite::in_memory().unwrap())).unwrap();
        let mut fleet = Fleet::over(store, BlobStore::over(objects.clone()));
        let bytes = large();
        let size = bytes.len() as u64;

        let mut wrong = bytes.clone();
        wrong[5 << 20] ^= 1;
        let upload = come_in_pieces(&mut fleet, &staging, "wrong", &wrong);
        let problem = finish(&mut fleet, &staging, &upload, &Clock::default()).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Digest, "{problem}");
        assert_eq!(objects.list("").count(), 0, "nothing of it is kept");

        // New the first time, and there already the second.
        for id in ["first", "second"] {
            let upload = come_in_pieces(&mut fleet, &staging, id, &bytes);
            let before = objects.traffic().bytes;
            assert_eq!(finish(&mut fleet, &staging, &upload, &Clock::default()).unwrap(), 1);
            let read = objects.traffic().bytes - before;
            println!("{read} bytes read to publish {size}");
            assert!(read < size + (1 << 20), "{read} bytes read to publish {size}");
        }
        fleet.depot().verify(&upload.digest).unwrap();
        assert_eq!(objects.list("staging").count(), 0);
    }

    fn member(path: &str, size: u64) -> UploadMember {
        UploadMember { path: path.into(), size, digest: Digest::sha256(path) }
    }

    fn checked(members: &[UploadMember], size: u64) -> Result<(), ProblemKind> {
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
            assert_eq!(checked(&[member(bad, 1)], 1), Err(ProblemKind::Malformed), "{bad}");
        }
    }

    #[test]
    fn the_list_of_files_is_held_against_what_was_announced() {
        let both = [member("saved_model.pb", 3), member("variables/x", 4)];
        assert_eq!(checked(&both, 7), Ok(()));
        assert_eq!(checked(&both, 8), Err(ProblemKind::Digest));
        assert_eq!(checked(&[member("a", u64::MAX), member("b", 1)], 0), Err(ProblemKind::Digest));
        let wrong = check_members(&both, &Digest::sha256("x"), 7).unwrap_err();
        assert_eq!(wrong.kind, ProblemKind::Digest);
        for clash in [["a", "a"], ["a", "a/b"]] {
            let members = clash.map(|path| member(path, 1));
            assert_eq!(checked(&members, 2), Err(ProblemKind::Malformed), "{clash:?}");
        }
        assert_eq!(checked(&[], 0), Err(ProblemKind::Malformed));
    }
}
