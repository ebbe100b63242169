//! Programs as MLIR text.

use std::path::Path;
use std::sync::Arc;

use unskew_source::{BytesSource, Source};
use unskew_stablehlo::print::{PrintOptions, text};

fn printed(bytes: Vec<u8>, elide: Option<usize>) -> Option<String> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.stablehlo", bytes));
    let mut out = Vec::new();
    text(&source, &PrintOptions { elide }, &mut out).ok()?;
    Some(String::from_utf8(out).unwrap())
}

fn file(name: &str) -> Vec<u8> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(data.join(name)).unwrap()
}

#[test]
fn attributes_that_vhlo_has_apart_are_one() {
    let conv = printed(file("conv-1.0.0.stablehlo"), None).unwrap();
    assert!(
        conv.contains(
            "dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>"
        ),
        "{conv}"
    );
    assert!(!conv.contains("input_batch_dimension") && !conv.contains("vhlo"), "{conv}");
    let dot = printed(file("dot-1.22.0.stablehlo"), None).unwrap();
    assert!(dot.contains("#stablehlo.dot<lhs_contracting_dimensions = ["), "{dot}");
    assert!(!dot.contains("algorithm"), "{dot}");
    let dot = printed(file("differential/algorithm@1.22.0.bc"), None).unwrap();
    assert!(dot.contains("algorithm = #stablehlo.dot_algorithm<lhs_precision_type = "), "{dot}");
}

#[test]
fn regions_results_and_shardings_have_their_words() {
    let wide = printed(file("loop-1.0.0.stablehlo"), None).unwrap();
    assert!(
        wide.contains("\"stablehlo.while\"(") && wide.contains("\"stablehlo.return\"("),
        "{wide}"
    );
    let cut = printed(file("differential/sharding@1.11.0.bc"), None).unwrap();
    assert!(cut.contains("sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>"), "{cut}");
    assert!(cut.contains("mesh = #sdy.mesh<[\"x\"=2]>"), "{cut}");
    let functions = printed(file("chlo-functions-1.17.0.stablehlo"), None).unwrap();
    assert!(functions.contains(":2 = \"chlo.top_k\"(%2) <{k = 3 : i64}>"), "{functions}");
    assert!(!functions.contains("unrealized"), "{functions}");
}

#[test]
fn every_artifact_has_a_text_and_every_broken_one_a_text_or_an_error() {
    let mut count = 0;
    for folder in ["", "differential"] {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
        for entry in data.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if !path.extension().is_some_and(|end| end == "stablehlo" || end == "bc") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            // One was written with properties of another dialect that are not known.
            let Some(text) = printed(bytes.clone(), Some(4)) else { continue };
            assert!(!text.contains("/*"), "{}: {text}", path.display());
            count += 1;
            for at in (0..bytes.len()).step_by(3) {
                for flip in [1, 0x80, 0xff] {
                    let mut broken = bytes.clone();
                    broken[at] ^= flip;
                    printed(broken, None);
                }
            }
        }
    }
    assert!(count >= 50, "{count}");
}
