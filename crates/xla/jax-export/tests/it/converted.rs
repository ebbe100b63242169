//! Files that are written for another JAX.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Conversion, Version};
use unskew_jax_export::{Exported, convert};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt};
use unskew_stablehlo::Mlir;

const FILES: [&str; 6] = [
    "plain-0.12.0.jaxexp",
    "plain-0.4.30.jaxexp",
    "sharded-0.10.2.jaxexp",
    "custom_node-0.12.0.jaxexp",
    "linalg-0.4.30.jaxexp",
    "float4_e2m1fn-0.5.3.jaxexp",
];

fn file(name: &str) -> Vec<u8> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(data.join(name)).unwrap()
}

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("f.jaxexp", bytes))
}

fn converted(bytes: Vec<u8>, jax: Version, stablehlo: Version) -> (Conversion, Vec<u8>) {
    let (plan, output) =
        convert(&source(bytes), jax, stablehlo, &Default::default()).unwrap().unwrap();
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    let bytes = file.bytes(0, file.size()).unwrap();
    (plan, bytes)
}

/// A JAX, and the StableHLO that it reads.
const JAX_0_5_3: (Version, Version) = (Version::triple(0, 5, 3), Version::triple(1, 10, 0));

/// The file was called on JAX 0.4.30 and 0.5.3, and gave what the original gives.
#[test]
fn a_file_of_today_becomes_one_that_an_older_jax_reads() {
    let (plan, bytes) = converted(file("plain-0.12.0.jaxexp"), JAX_0_5_3.0, JAX_0_5_3.1);
    assert!(plan.is_possible());
    let (exported, program) = Exported::read(&source(bytes)).unwrap().unwrap();
    assert_eq!((exported.stored, exported.devices_short), (3, 1));
    assert_eq!(exported.platforms, ["cpu"]);
    let Some(Mlir::Artifact(artifact)) = Mlir::read(&program).unwrap() else {
        panic!("no artifact")
    };
    assert_eq!(artifact.version, JAX_0_5_3.1);
}

#[test]
fn everything_but_the_program_and_its_versions_stays() {
    for name in FILES {
        let (before, _) = Exported::read(&source(file(name))).unwrap().unwrap();
        let (_, bytes) = converted(file(name), JAX_0_5_3.0, JAX_0_5_3.1);
        let (after, _) = Exported::read(&source(bytes)).unwrap().unwrap();
        assert_eq!(before.function, after.function, "{name}");
        assert_eq!(before.dtypes, after.dtypes, "{name}");
        assert_eq!(before.classes, after.classes, "{name}");
        assert_eq!(before.platforms, after.platforms, "{name}");
        assert_eq!(before.device_count(), after.device_count(), "{name}");
        assert_eq!(before.named_shardings, after.named_shardings, "{name}");
        assert_eq!(before.calling_convention, after.calling_convention, "{name}");
    }
}

#[test]
fn what_needs_nothing_stays_byte_for_byte() {
    let old = file("plain-0.4.30.jaxexp");
    let (plan, bytes) = converted(old.clone(), JAX_0_5_3.0, JAX_0_5_3.1);
    assert!(plan.changes_nothing());
    assert_eq!(bytes, old);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_file_is_converted_or_refused(
        index in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file(FILES[index]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let done = convert(&source(bytes), JAX_0_5_3.0, Version::triple(1, 0, 0), &Default::default());
        if let Ok(Some((_, ConvertedArtifact::File(file)))) = done {
            prop_assert!(file.bytes(0, file.size()).is_ok());
        }
    }
}
