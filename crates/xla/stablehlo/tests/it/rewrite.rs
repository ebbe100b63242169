//! Artifacts that are written anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Conversion, Version};
use unskew_source::{BytesSource, Source, SourceExt};
use unskew_stablehlo::program::{Operation, Program};
use unskew_stablehlo::{Mlir, history, rewrite};

/// Everything that may be done.
const LOSSY: rewrite::RewriteOptions = rewrite::RewriteOptions { approximate: true };

fn artifacts() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = [data.clone(), data.join("differential")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| {
        path.extension().is_some_and(|ending| ending == "stablehlo" || ending == "bc")
    });
    files.sort();
    files
}

fn bytes(name: &str) -> Vec<u8> {
    let path = artifacts().into_iter().find(|path| path.ends_with(name));
    std::fs::read(path.unwrap()).unwrap()
}

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("a.stablehlo", bytes))
}

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn planned(file: Vec<u8>, target: &str) -> (Conversion, Vec<u8>) {
    let (plan, output) = rewrite::plan(&source(file), version(target), &LOSSY).unwrap().unwrap();
    let bytes = output.bytes(0, output.size()).unwrap();
    (plan, bytes)
}

fn stated(bytes: Vec<u8>) -> Version {
    let Some(Mlir::Artifact(artifact)) = Mlir::read(&*source(bytes)).unwrap() else {
        panic!("no artifact")
    };
    artifact.version
}

fn names(operations: &[Operation], out: &mut Vec<String>) {
    for operation in operations {
        out.push(format!("{}_v{}", operation.name, operation.version));
        for block in operation.regions.iter().flatten() {
            names(&block.operations, out);
        }
    }
}

/// The operations of the first function in their order.
fn operations(bytes: &[u8]) -> Vec<String> {
    let program = Program::read(&*source(bytes.to_vec())).unwrap();
    let mut out = Vec::new();
    names(&program.functions[0].body().unwrap().operations, &mut out);
    out
}

#[test]
fn written_for_its_own_version_a_program_is_the_same() {
    let mut count = 0;
    for path in artifacts() {
        let before = std::fs::read(&path).unwrap();
        let own = stated(before.clone());
        let done = match rewrite::rewrite(&source(before.clone()), own, &LOSSY) {
            Ok(done) => done,
            Err(error) => {
                // Other dialects, of whose properties nothing is known.
                let error = error.to_string();
                assert!(
                    error.contains("properties of") || error.contains("23 of builtin"),
                    "{error}"
                );
                continue;
            }
        };
        let after = done.output.bytes(0, done.output.size()).unwrap();
        assert!(done.changes.is_empty(), "{}", path.display());
        // Some of the differential were written with other dialects for versions that have none.
        assert!(
            done.kept
                .iter()
                .all(|what| what.contains("of another dialect") || what.starts_with("`arith.")),
            "{:?}",
            done.kept
        );
        let program = |bytes| Program::read(&*source(bytes)).unwrap();
        assert_eq!(program(before), program(after), "{}", path.display());
        count += 1;
    }
    assert!(count >= 50, "{count}");
}

#[test]
fn every_artifact_is_written_for_every_version_or_refused_with_a_reason() {
    let versions: Vec<Version> =
        history().unwrap().entries().iter().map(|one| one.version).collect();
    let mut count = 0;
    for path in artifacts() {
        for target in &versions {
            let file = source(std::fs::read(&path).unwrap());
            let Ok(Some((plan, output))) = rewrite::plan(&file, *target, &LOSSY) else { continue };
            let bytes = output.bytes(0, output.size()).unwrap();
            let program = Program::read(&*source(bytes.clone()));
            assert!(program.is_ok(), "{} for {target}", path.display());
            if plan.is_possible() {
                assert_eq!(stated(bytes).parts()[..2], target.parts()[..2], "{}", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 1000, "{count}");
}

#[test]
fn operations_take_the_form_of_the_version() {
    let new = bytes("tanh-1.10.0.stablehlo");
    let (plan, old) = planned(new.clone(), "1.9.0");
    assert!(plan.is_possible());
    assert!(plan.rewrites.iter().any(|one| one.what == "`tanh_v2` as `tanh_v1`"));
    assert_eq!(operations(&old), ["tanh_v1", "return_v1"]);
    let (_, back) = planned(old, "1.10.0");
    let program = |bytes: &[u8]| Program::read(&*source(bytes.to_vec())).unwrap();
    assert_eq!(program(&back), program(&new));
}

#[test]
fn operations_of_chlo_that_are_one_of_vhlo_become_it_all_or_none() {
    let file = bytes("chlo-1.17.0.stablehlo");
    let (plan, old) = planned(file.clone(), "0.9.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let made = ["broadcast_in_dim_v1", "broadcast_in_dim_v1", "add_v1", "negate_v1"];
    let expected = [&["multiply_v1"][..], &made, &["multiply_v1", "return_v1"]].concat();
    assert_eq!(operations(&old), expected);
    // Readers of 1.11.0 have the dialect.
    let (plan, new) = planned(file, "1.11.0");
    assert!(plan.is_possible() && operations(&new).contains(&"square_v0".to_owned()));
    // A dimension that is not known before the program runs has no constants of its size.
    let (plan, _) = planned(bytes("chlo-dynamic-1.17.0.stablehlo"), "1.10.0");
    let message = &plan.blockers[0].message;
    assert!(message.contains("`chlo.erfc` has no form"), "{message}");
}

#[test]
fn functions_of_chlo_become_what_they_are_made_of_and_calls_that_xla_takes() {
    let (plan, old) = planned(bytes("chlo-erf-1.17.0.stablehlo"), "1.10.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    assert!(plan.rewrites.iter().all(|one| !one.lossy));
    assert_eq!(operations(&old), ["multiply_v1", "custom_call_v1", "return_v1"]);
    let (plan, old) = planned(bytes("chlo-functions-1.17.0.stablehlo"), "0.9.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let made = operations(&old);
    assert!(made.len() > 200 && made.iter().all(|name| name.ends_with("_v1")));
    let calls = |name: &str| made.iter().filter(|own| *own == name).count();
    // Halves are converted to 32 bits and back, and compared as the integers that they are.
    assert_eq!(calls("custom_call_v1"), 1);
    assert_eq!((calls("convert_v1"), calls("broadcast_in_dim_v1")), (2, 1));
    assert!(calls("bitcast_convert_v1") > 2 && calls("complex_v1") > 0);
    let Some(Mlir::Artifact(artifact)) = Mlir::read(&*source(old)).unwrap() else { panic!() };
    assert_eq!(artifact.foreign_calls().count(), 0);
}

#[test]
fn what_the_older_form_has_no_place_for_is_refused() {
    let (plan, _) = planned(bytes("algorithm@1.22.0.bc"), "1.5.0");
    assert_eq!(plan.blockers[0].rule.code, "SH008");
    assert!(plan.blockers[0].message.contains("`lhs_precision_type` of `dot_general_v2`"));
    let (plan, _) = planned(bytes("f4-1.8.0.stablehlo"), "1.7.0");
    assert_eq!(plan.blockers[0].rule.code, "SH001");
}

#[test]
fn what_has_another_operation_for_it_becomes_that() {
    let (plan, old) = planned(bytes("tan-1.10.0.stablehlo"), "1.3.0");
    assert!(plan.is_possible());
    assert_eq!(operations(&old), ["sine_v1", "cosine_v1", "divide_v1", "return_v1"]);
    assert!(plan.rewrites.iter().any(|one| one.lossy && one.adaptation == rewrite::APPROXIMATE));
    let exact = rewrite::RewriteOptions::default();
    let tan = source(bytes("tan-1.10.0.stablehlo"));
    let (plan, _) = rewrite::plan(&tan, version("1.3.0"), &exact).unwrap().unwrap();
    assert_eq!(plan.blockers[0].adaptation.as_deref(), Some(rewrite::APPROXIMATE));
    let (plan, old) = planned(bytes("reduce-wider@1.13.0.bc"), "0.16.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    assert!(operations(&old).contains(&"convert_v1".to_owned()));
    let (plan, old) = planned(bytes("batching@1.22.0.bc"), "1.0.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let operations = operations(&old);
    assert!(
        operations.contains(&"iota_v1".to_owned()) && operations.contains(&"scatter_v1".to_owned())
    );
}

/// An artifact whose section of types is this.
fn with_types(sizes: &[u8], values: &[u8]) -> Vec<u8> {
    let section =
        |id: u8, contents: &[u8]| [&[id, (contents.len() as u8) << 1 | 1][..], contents].concat();
    let mut file = b"ML\xefR\x0dStableHLO_v1.0.0\0".to_vec();
    file.extend(section(1, &[3, 1, 1, 1, 3, 3]));
    file.extend(section(2, values));
    file.extend(section(3, sizes));
    file.extend(section(4, &[1]));
    file.extend(section(8, &[1]));
    file.extend(section(0, &[5, 11, 11, b'v', b'h', b'l', b'o', 0, b'a', b'b', b's', b'1', 0]));
    file
}

#[test]
fn types_that_name_themselves_and_lists_that_lie_are_errors() {
    // A tuple of itself, which nothing uses, is left out; one that is not there is an error.
    let error =
        |file| rewrite::rewrite(&source(file), version("1.0.0"), &LOSSY).err().unwrap().to_string();
    let lying = with_types(&[1, 3, 1, 3, 7], &[23 << 1 | 1, 255]);
    assert!(error(lying).contains("byte"));
    let beyond = with_types(&[1, 3, 1, 3, 15], &[23 << 1 | 1, 3, 9]);
    assert!(error(beyond).contains("no type 4"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_artifact_is_written_or_refused(
        index in 0..200usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        target in prop::sample::select(vec!["0.9.0", "0.14.0", "1.0.0", "1.8.0", "1.20.0"]),
    ) {
        let all = artifacts();
        let mut file = std::fs::read(&all[index % all.len()]).unwrap();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(done) = rewrite::rewrite(&source(file), version(target), &LOSSY) {
            let bytes = done.output.bytes(0, done.output.size()).unwrap();
            let again = rewrite::rewrite(&source(bytes), version(target), &LOSSY);
            prop_assert!(again.is_ok(), "{:?}", again.err());
        }
    }
}

#[test]
fn what_its_own_version_does_not_read_is_written_for_it() {
    let mut file = bytes("sharding@1.11.0.bc");
    let at = file.windows(7).position(|part| part == b"v1.11.0").unwrap();
    file[at..at + 7].copy_from_slice(b"v1.10.0");
    assert_eq!(stated(file.clone()), version("1.10.0"));
    let (plan, made) = planned(file.clone(), "1.10.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    assert_ne!(made, file);
    let Some(Mlir::Artifact(artifact)) = Mlir::read(&*source(made)).unwrap() else { panic!() };
    assert!(artifact.other_dialects().is_empty());
}

#[test]
fn properties_of_other_dialects_are_kept() {
    for (file, target) in [("math@1.11.0.bc", "1.12.0"), ("shape@1.11.0.bc", "1.17.0")] {
        let (plan, made) = planned(bytes(file), target);
        assert!(plan.is_possible(), "{:?}", plan.blockers);
        let text = String::from_utf8_lossy(&made).into_owned();
        assert_eq!(text.contains("#arith.fastmath<none>"), file.starts_with("math"));
    }
}

#[test]
fn a_constraint_of_shardings_becomes_a_call_where_there_are_no_other_dialects() {
    let text = r#"module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = "sdy.sharding_constraint"(%arg0) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
"#;
    let (plan, old) = planned(text.as_bytes().to_vec(), "1.10.0");
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    assert_eq!(operations(&old), ["custom_call_v1", "return_v1"]);
    let Some(Mlir::Artifact(artifact)) = Mlir::read(&*source(old)).unwrap() else { panic!() };
    assert!(artifact.other_dialects().is_empty());
}
