//! Programs that JAX wrote, operation by operation.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use unskew_source::BytesSource;
use unskew_stablehlo::program::{Block, ConstantAttribute, Program, Type};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn read(bytes: Vec<u8>) -> Result<Program, unskew_source::ReadError> {
    Program::read(&BytesSource::new("any.stablehlo", bytes))
}

fn program(file: &str) -> Program {
    read(std::fs::read(folder().join(file)).unwrap()).unwrap()
}

fn names(block: &Block) -> Vec<&str> {
    block.operations.iter().map(|operation| &*operation.name).collect()
}

fn vector(program: &Program, value: usize) -> (Vec<Option<u64>>, &'static str) {
    let Some(Type::Tensor { dims, element }) = program.type_of(value) else { panic!("{value}") };
    let Type::Scalar { name, .. } = **element else { panic!("{element:?}") };
    (dims.clone(), name)
}

/// `lambda x, y: 2.0 * x + y`.
#[test]
fn operations_take_the_values_of_those_before_them() {
    let program = program("axpy-1.0.0.stablehlo");
    let main = program.function("main").unwrap();
    assert_eq!((main.inputs.len(), main.outputs.len()), (2, 1));
    let body = main.body().unwrap();
    assert_eq!(names(body), ["constant", "broadcast_in_dim", "multiply", "add", "return"]);
    let [constant, broadcast, multiply, add, give] = &body.operations[..] else { panic!() };
    let [x, y] = body.arguments[..] else { panic!() };
    let Some(ConstantAttribute::Tensor { r#type, bytes }) = constant.attribute("value") else {
        panic!()
    };
    assert_eq!((r#type.count(), &bytes[..]), (Some(1), &2.0_f32.to_le_bytes()[..]));
    assert_eq!(broadcast.operands, constant.results);
    let dims = broadcast.attribute("broadcast_dimensions").unwrap();
    assert_eq!(dims.indices(), Some(vec![]), "{dims:?}");
    assert_eq!(multiply.operands, [broadcast.results[0], x]);
    assert_eq!(add.operands, [multiply.results[0], y]);
    assert_eq!((&give.operands, give.results.len()), (&add.results, 0));
    assert_eq!(vector(&program, add.results[0]), (vec![Some(3)], "f32"));
}

/// A loop with a function of its own.
#[test]
fn regions_have_values_of_their_own() {
    let program = program("loop-1.0.0.stablehlo");
    let main = program.function("main").unwrap().body().unwrap();
    assert_eq!(names(main), ["constant", "constant", "while", "return"]);
    let turn = &main.operations[2];
    assert_eq!(turn.operands[2], main.arguments[0]);
    let [condition, body] = &turn.regions[..] else { panic!() };
    let [condition] = &condition[..] else { panic!() };
    assert_eq!(names(condition), ["constant", "compare", "return"]);
    let compare = &condition.operations[1];
    assert_eq!(compare.operands, [condition.arguments[0], condition.operations[0].results[0]]);
    let direction = compare.attribute("comparison_direction").unwrap();
    assert!(matches!(direction, ConstantAttribute::Choice { kind: 3, .. }), "{direction:?}");
    assert_eq!(vector(&program, compare.results[0]), (vec![], "i1"));
    let [body] = &body[..] else { panic!() };
    assert_eq!(names(body), ["call", "constant", "add", "return"]);
    let callee = body.operations[0].attribute("callee").unwrap().text().unwrap();
    assert_eq!(names(program.function(callee).unwrap().body().unwrap()).len(), 7);
    // No value is two.
    let mut all: Vec<usize> = [&main.arguments, &condition.arguments, &body.arguments]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    all.extend([main, condition, body].iter().flat_map(|b| &b.operations).flat_map(|o| &o.results));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn what_arguments_may_be_overwritten_is_said_of_them() {
    let program = program("donate-1.9.0.stablehlo");
    let main = program.function("main").unwrap();
    let alias = main.argument_attribute(0, "tf.aliasing_output").unwrap();
    assert!(matches!(alias, ConstantAttribute::Integer { value: 0, .. }), "{alias:?}");
}

/// Every type that StableHLO has, each as the dimension that says its place.
#[test]
fn every_type_is_read_by_its_name() {
    let program = program("types-1.10.0.stablehlo");
    let main = program.function("main").unwrap();
    let mut names = Vec::new();
    for (i, kind) in main.inputs.iter().enumerate() {
        let Type::Tensor { dims, element } = &**kind else { panic!("{kind:?}") };
        assert_eq!(dims[..], [Some(i as u64 + 1)]);
        names.push(match &**element {
            Type::Scalar { name, .. } => (*name).to_owned(),
            Type::Complex(part) => match **part {
                Type::Scalar { name, .. } => format!("complex<{name}>"),
                _ => panic!("{part:?}"),
            },
            other => panic!("{other:?}"),
        });
    }
    let wanted = "i1 i4 i8 i16 i32 i64 ui4 ui8 ui16 ui32 ui64 bf16 f16 f32 f64 f8E4M3FN f8E5M2 f8E4M3FNUZ \
                  f8E5M2FNUZ f8E4M3B11FNUZ complex<f32> complex<f64> i2 ui2 f8E4M3 f8E3M4 f4E2M1FN f6E2M3FN \
                  f6E3M2FN f8E8M0FNU";
    assert_eq!(names.join(" "), wanted);
}

/// The same program with names (format 1) and without (format 6) has the same attributes.
#[test]
fn attributes_without_names_are_those_with_names() {
    for (named, bare) in [("conv-0.9.0", "conv-1.0.0"), ("call-0.9.0", "call-1.17.0")] {
        let main = |name: &str| {
            let program = program(&format!("{name}.stablehlo"));
            program.function("main").unwrap().body().unwrap().clone()
        };
        assert_eq!(main(named).operations, main(bare).operations, "{named}");
    }
    let tanh = program("tanh-1.10.0.stablehlo");
    let operation = &tanh.function("main").unwrap().body().unwrap().operations[0];
    assert_eq!(operation.attribute("result_accuracy"), Some(&ConstantAttribute::Other(Some(20))));
}

#[test]
fn every_artifact_has_a_main_that_gives_what_it_says() {
    let mut read = 0;
    for entry in folder().read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".stablehlo") {
            continue;
        }
        let program = program(&name);
        let main = program.function("main").unwrap();
        let body = main.body().unwrap();
        let types = |values: &[usize]| -> Vec<Type> {
            values.iter().map(|value| program.type_of(*value).unwrap().clone()).collect()
        };
        let declared = |all: &[std::sync::Arc<Type>]| -> Vec<Type> {
            all.iter().map(|kind| (**kind).clone()).collect()
        };
        let last = body.operations.last().unwrap();
        assert_eq!(&*last.name, "return", "{name}");
        assert_eq!(types(&body.arguments), declared(&main.inputs), "{name}");
        assert_eq!(types(&last.operands), declared(&main.outputs), "{name}");
        read += 1;
    }
    assert!(read > 20, "{read}");
}

#[test]
fn other_bytecode_is_read_without_its_attributes() {
    let program = program("jax-0.4.28-conv.mlirbc");
    assert!(program.function("main").is_some());
    assert!(program.values.iter().all(|kind| matches!(**kind, Type::Other(None))));
}

#[test]
fn what_ends_early_is_an_error_and_not_half_a_program() {
    let bytes = std::fs::read(folder().join("loop-1.0.0.stablehlo")).unwrap();
    for end in 0..bytes.len() {
        assert!(read(bytes[..end].to_vec()).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_program_or_an_error(
        index in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let file = ["loop-1.0.0.stablehlo", "axpy-1.0.0.stablehlo", "jax-0.4.28-conv.mlirbc"][index];
        let mut bytes = std::fs::read(folder().join(file)).unwrap();
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read(bytes);
    }
}
