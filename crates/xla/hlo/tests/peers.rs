//! The printer against that of a real jaxlib, and on bytes that are no program.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::time::Duration;

use proptest::prelude::*;
use unskew_peers::{Peer, ProcessEnd, run_probe, there};

/// Every operation that JAX has words for, as it makes them and as a compiler leaves them.
#[test]
fn texts_are_those_of_jaxlib_word_for_word() {
    if !there("jax-0.10.2") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut python = Peer::named("jax", "0.10.2").unwrap().probe("xla", "hlo_texts.py");
    python.arg(folder.path()).env("JAX_PLATFORMS", "cpu");
    let outcome = run_probe(&mut python, Duration::from_secs(400)).unwrap();
    assert_eq!((outcome.failure(), &outcome.end), (None, &ProcessEnd::Finished));
    let mut compared = 0;
    for file in folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|kind| kind == "pb") {
            let text = unskew_hlo::text(&std::fs::read(&file).unwrap(), "hlo").unwrap();
            let wanted = std::fs::read_to_string(file.with_extension("txt")).unwrap();
            similar(&text, &wanted, &file.display().to_string());
            compared += 1;
        }
    }
    println!("{compared} programs");
    assert!(compared >= 100, "{compared} programs");
}

/// The first line that differs says more than two texts.
fn similar(text: &str, wanted: &str, of: &str) {
    for (at, (found, wanted)) in text.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(found, wanted, "{of}, line {}", at + 1);
    }
    assert_eq!(text, wanted, "{of}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_that_are_no_program_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for format in ["hlo", "hlo_with_config", "text"] {
            let _ = unskew_hlo::text(&bytes, format);
        }
    }
}
