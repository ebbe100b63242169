//! Programs read from MLIR text.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::Version;
use unskew_source::{BytesSource, Source, SourceExt};
use unskew_stablehlo::{Mlir, parse, print, rewrite};

fn source(name: &str, bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes))
}

fn printed(program: &Arc<dyn Source>) -> String {
    let mut out = Vec::new();
    print::text(program, &Default::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn read(text: &str) -> Result<Arc<dyn Source>, String> {
    let made = parse::bytecode(&BytesSource::new("a.mlir", text.as_bytes().to_vec()));
    made.map(|made| Arc::new(made) as Arc<dyn Source>).map_err(|error| error.to_string())
}

fn files(endings: &[&str]) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = [data.clone(), data.join("differential")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| endings.iter().any(|end| path.extension().is_some_and(|own| own == *end)));
    files.sort();
    files
}

/// Artifacts whose program has words for all that is in it.
fn artifacts() -> Vec<(String, Arc<dyn Source>)> {
    let files = files(&["stablehlo", "bc"]).into_iter();
    let artifact = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let program = source(&name, fs::read(&path).unwrap());
        let mut text = Vec::new();
        print::text(&program, &Default::default(), &mut text).ok()?;
        Some((name, program))
    };
    files.filter_map(artifact).collect()
}

#[test]
fn what_is_printed_is_read_as_the_same_program() {
    let mut count = 0;
    for (name, program) in artifacts() {
        let text = printed(&program);
        let again = match read(&text) {
            Ok(again) => again,
            // Shapes of MLIR's own dialect have operations that are not read.
            Err(what) if what.contains("`shape.") => continue,
            Err(what) => panic!("{name}: {what}\n{text}"),
        };
        assert_eq!(printed(&again), text, "{name}");
        count += 1;
    }
    println!("agreement {count}/{count} artifacts");
    assert!(count >= 50, "{count}");
}

/// The texts from which jaxlib made the artifacts beside them.
#[test]
fn a_text_is_the_program_that_jaxlib_made_of_it() {
    let mut count = 0;
    for path in files(&["bc"]) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(path.with_extension("mlir")) else { continue };
        let made = match read(&text) {
            Ok(made) => made,
            Err(what) if what.contains("`shape.") => continue,
            Err(what) => panic!("{name}: {what}"),
        };
        let real = source(&name, fs::read(&path).unwrap());
        let mut words = Vec::new();
        if print::text(&real, &Default::default(), &mut words).is_err() {
            continue;
        }
        let (made, real) = (printed(&made), String::from_utf8(words).unwrap());
        assert_eq!(without_defaults(&made), without_defaults(&real), "{name}");
        count += 1;
    }
    println!("agreement {count}/{count} programs");
    assert!(count >= 15, "{count}");
}

/// Without what jaxlib writes out of dialects beside StableHLO although it says nothing.
fn without_defaults(text: &str) -> String {
    text.replace(" <{fastmath = #arith.fastmath<none>}>", "")
}

#[test]
fn the_forms_that_jax_prints_are_read() {
    let text = r##"
#loc1 = loc("f.py":3:4)
!vector = tensor<2x3xf32>
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: !vector {jax.buffer_donor = true} loc("a"), %arg1: tensor<3xf32> loc("b")) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<f32> loc(#loc1)
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"y":(2)2}>]>} : tensor<2x3xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.constant dense<[0, 7]> : tensor<2xi32>
    %3:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %2) : tensor<2xi32>, tensor<2xf32>
    cond {
      %5 = stablehlo.slice %iterArg [0:1] : (tensor<2xi32>) -> tensor<1xi32>
      %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.compare LT, %6, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %5 = func.call @g(%iterArg_0) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %iterArg, %5 : tensor<2xi32>, tensor<2xf32>
    }
    return %3#1 : tensor<2xf32>
  }
  func.func private @g(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"##;
    let program = printed(&read(text).unwrap());
    for said in [
        "module @jit_f attributes {mhlo.num_partitions = 1 : i32} {",
        "\"stablehlo.constant\"() <{value = dense<-1.5> : tensor<f32>}>",
        "sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\":(1)2, ?}p1], replicated={\"y\":(2)2}>]>",
        "\"stablehlo.maximum\"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>",
        "compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>",
        "\"func.call\"",
        "\"chlo.erf_inv\"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>",
    ] {
        let words = said.replace("%arg0", "%arg8");
        assert!(program.contains(said) || program.contains(&words), "{said}\n{program}");
    }
    assert_eq!(printed(&read(&program).unwrap()), program);
}

#[test]
fn quantized_types_and_computations_by_hand_are_read() {
    let text = r#"
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<2x3x!quant.uniform<u8:f32, 0.5:16>>, %b: tensor<2x3x!quant.uniform<ui8:f32:1, {0.5:1, 2.0, 4.0:-1}>>) {
  return
}
func.func @g(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    %1 = stablehlo.add %arg1, %arg1 : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"#;
    let program = printed(&read(text).unwrap());
    for said in [
        "!quant.uniform<u8<0:255>:f32, 0.5:16>",
        "!quant.uniform<ui8<0:255>:f32:1, {0.5:1, 2.0:0, 4.0:-1}>",
        "manual_axes = #sdy<manual_axes{\"x\"}>",
    ] {
        assert!(program.contains(said), "{said}\n{program}");
    }
    assert_eq!(printed(&read(&program).unwrap()), program);
}

#[test]
fn numbers_are_rounded_as_their_type_has_them() {
    let constant = |written: &str| {
        let text = format!(
            "func.func @f() -> tensor<2x{0}> {{\n %0 = stablehlo.constant dense<{1}> : tensor<2x{0}>\n return %0 : tensor<2x{0}>\n}}",
            written.split_once(' ').unwrap().0,
            written.split_once(' ').unwrap().1,
        );
        let program = printed(&read(&text)?);
        let at = program.find("dense<").unwrap();
        Ok::<String, String>(program[at..].split('>').next().unwrap().to_owned())
    };
    for (written, said) in [
        ("bf16 [1.0, -0.1]", "dense<[0x3F80, 0xBDCD]"),
        ("f16 6.55e4", "dense<0x7BFF"),
        ("f8E4M3FN [0x7E, 1.0]", "dense<[0x7E, 0x38]"),
        ("f32 [0x7F800000, 1.0e-3]", "dense<[0x7F800000, 0.001]"),
        ("i8 [-128, 255]", "dense<[-128, -1]"),
        ("ui4 [15, 0]", "dense<[15, 0]"),
        ("i1 [true, false]", "dense<[true, false]"),
        ("complex<f32> (1.0, -2.0)", "dense<(1.0, -2.0)"),
        ("i16 \"0x01000200\"", "dense<[1, 2]"),
    ] {
        assert_eq!(constant(written).unwrap(), said, "{written}");
    }
    for (written, what) in [
        ("i8 [-129, 0]", "-129 is no number of i8"),
        ("f16 [0x12345, 0.0]", "0x12345 has more than 16 bits"),
        ("f32 [1.0, 2.0, 3.0]", "the elements have another shape than their type"),
        ("f32 [[1.0], 2.0]", "on another level of brackets"),
        ("i16 \"0x010002\"", "3 bytes for 2 elements of 2"),
        ("f32 __elided__", "--text=whole"),
    ] {
        let error = constant(written).unwrap_err();
        assert!(error.contains(what), "{written}: {error}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_column() {
    let body = |inside: &str| {
        format!(
            "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  {inside}\n  return %a : tensor<4xf32>\n}}"
        )
    };
    for (inside, what) in [
        (
            "%0 = stablehlo.abs %b : tensor<4xf32>",
            "not MLIR text, line 2, column 22: `%b` is not defined before",
        ),
        (
            "%0 = stablehlo.abs %a : tensor<5xf32>",
            "line 2, column 22: `%a` is of another type where it is defined",
        ),
        (
            "%0 = stablehlo.nothing %a : tensor<4xf32>",
            "line 2, column 8: the operation `stablehlo.nothing` is not read",
        ),
        (
            "%0 = \"stablehlo.nothing\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
            "line 2, column 8: the operation `stablehlo.nothing` is not known",
        ),
        ("%0 = linalg.abs %a : tensor<4xf32>", "line 2, column 8: the operation `linalg.abs`"),
        ("cf.br ^bb1", "line 2, column 3: the operation `cf.br`"),
        ("%0 = stablehlo.transpose %a : tensor<4xf32>", "`permutation`: is missing"),
        ("%0:2 = stablehlo.abs %a : tensor<4xf32>", "2 results and 1 types of them"),
        (
            "%0 = stablehlo.constant dense_resource<x> : tensor<4xf32>",
            "the attribute `dense_resource` is not read",
        ),
        ("%a = stablehlo.abs %a : tensor<4xf32>", "`%a` is defined twice"),
        (
            "%0 = stablehlo.abs %a : vector<4xf32>",
            "line 2, column 27: the type `vector` is not read",
        ),
    ] {
        let error = read(&body(inside)).err().unwrap_or_default();
        assert!(error.contains(what), "{inside}: {error}");
    }
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let error = read(&format!("module attributes {{a.b = {deep}}} {{}}")).err().unwrap();
    assert!(error.contains("nests deeper than 64 levels"), "{error}");
    assert!(read("// only a comment").is_err() && read("module {").is_err());
}

#[test]
fn a_text_needs_what_it_uses_and_no_more() {
    let program = |accuracy: &str| {
        format!(
            "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n\
             %0 = stablehlo.tanh %x {accuracy}: tensor<4xf32>\n return %0 : tensor<4xf32>\n}}"
        )
    };
    let needs = |text: &str| match Mlir::read(&*read(text).unwrap()).unwrap() {
        Some(Mlir::Artifact(artifact)) => artifact.needs().unwrap(),
        _ => panic!("no artifact"),
    };
    assert_eq!(needs(&program("")), Version::triple(0, 9, 0));
    let highest = "{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} ";
    assert_eq!(needs(&program(highest)), Version::triple(1, 10, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever an artifact is written as, its text is that program.
    #[test]
    fn text_to_bytecode_to_text_is_the_same(
        index in 0..1_000_usize,
        target in prop::sample::select(vec!["0.9.0", "0.19.0", "1.0.0", "1.9.0", "1.11.0", "1.17.0", "1.20.0"]),
    ) {
        let all = artifacts();
        let (name, program) = &all[index % all.len()];
        let target: Version = target.parse().unwrap();
        let options = rewrite::RewriteOptions { approximate: true };
        let (plan, output) = rewrite::plan(program, target, &options).unwrap().unwrap();
        prop_assume!(plan.is_possible());
        let made: Arc<dyn Source> = Arc::new(output);
        let text = printed(&made);
        match read(&text) {
            Ok(again) => {
                let text_again = printed(&again);
                prop_assert_eq!(&text_again, &text, "{}", name);
                // And for that version again.
                let from_text = source("a.mlir", text.clone().into_bytes());
                let (plan, output) = rewrite::plan(&from_text, target, &options).unwrap().unwrap();
                prop_assert!(plan.is_possible(), "{:?}", plan.blockers);
                let output: Arc<dyn Source> = Arc::new(output);
                prop_assert_eq!(printed(&output), text, "{}", name);
            }
            Err(what) => prop_assert!(what.contains("`shape."), "{}: {}", name, what),
        }
    }

    #[test]
    fn a_broken_text_is_read_or_an_error(
        index in 0..1_000_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in any::<prop::sample::Index>(),
    ) {
        let all = files(&["mlir"]);
        let mut text = fs::read(&all[index % all.len()]).unwrap();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        text.truncate(end.index(text.len()) + 1);
        if let Ok(made) = parse::bytecode(&BytesSource::new("a.mlir", text)) {
            let made: Arc<dyn Source> = Arc::new(made);
            prop_assert!(made.bytes(0, made.size()).is_ok());
            let mut out = Vec::new();
            prop_assert!(print::text(&made, &Default::default(), &mut out).is_ok());
        }
    }
}

#[test]
fn rules_of_shardings_are_read_as_they_are_printed() {
    for rule in [
        "([i])->([i]) {i=4}",
        "([i, jk])->([i, z_1]) {i=2, j=4, k=8, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=3}",
        "([i, j], [j, k])->([i, k]) {i=2, j=4, k=8} reduction={j}",
        "([i], [])->([i]) {i=4} need_replication={i} permutation={i} blocked_propagation={i}, custom",
    ] {
        let text = format!(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = stablehlo.custom_call @x(%a) \
             {{sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : (tensor<4xf32>) -> tensor<4xf32>\n  \
             return %0 : tensor<4xf32>\n}}\n"
        );
        let once = printed(&read(&text).unwrap());
        assert!(once.contains(&format!("#sdy.op_sharding_rule<{rule}>")), "{once}");
        assert_eq!(printed(&read(&once).unwrap()), once);
    }
    let wrong = ["([i])->([i]) {j=4}", "([A])->([i]) {i=4}", "([i])->([i]) {i=4} other={i}"];
    for rule in wrong {
        let text = format!(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{ %0 = stablehlo.custom_call @x(%a) \
             {{sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : (tensor<4xf32>) -> tensor<4xf32> \
             return %0 : tensor<4xf32> }}"
        );
        assert!(read(&text).is_err(), "{rule}");
    }
}

#[test]
fn groups_by_the_axes_of_a_mesh_are_read_and_printed() {
    let groups = [
        r#"<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "y">]>"#,
        r#"<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>"#,
        r#"<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = []>"#,
    ];
    for group in groups {
        let group = format!("replica_groups = #stablehlo.replica_group_mesh_axes{group}");
        let program = read(&format!(
            r#"func.func @main(%0: tensor<16x8xf32>) -> tensor<16x16xf32> {{
  %1 = "stablehlo.all_gather"(%0) <{{all_gather_dim = 1 : i64, {group}}}> : (tensor<16x8xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}}"#
        ));
        let text = printed(&program.unwrap());
        assert!(text.contains(&group), "{text}");
        assert_eq!(printed(&read(&text).unwrap()), text);
    }
}

#[test]
fn what_an_axis_lacks_is_named() {
    let text = r#"func.func @main(%0: tensor<f32>) -> tensor<f32> {
  %1 = "stablehlo.custom_call"(%0) <{call_target_name = "a"}> {a = #stablehlo.axis_ref<sub_axis_info = (1)2>} : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}"#;
    assert!(read(text).err().unwrap().contains("an axis has a name"));
}
