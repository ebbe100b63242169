//! Whatever bytes a file has, opening it gives an artifact or an error, in bounded time.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use unskew_artifact::{OpenOptions, open};

fn examples() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("UNSKEW_ROOT"));
    let mut files: Vec<PathBuf> =
        root.join("examples").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Opens a file of these bytes; whoever panics fails the test.
fn opens(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    if let Ok(artifact) = open(&path, &OpenOptions::default().inferring()) {
        for piece in artifact.pieces {
            let release = unskew_releases::find("tensorflow@2.21").unwrap();
            let day = unskew_core::Context::for_tests();
            let _ = unskew_core::check(&piece.party, &release.party(), &day);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_under_any_name(
        name in prop::sample::select(vec!["a.pb", "a.whl", "a.pt", "a.so", "a.index", "a"]),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        opens(name, &bytes);
    }

    #[test]
    fn a_real_file_with_some_bytes_changed(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let files = examples();
        let (name, mut bytes) = which.get(&files).clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        opens(&name, &bytes);
    }
}
