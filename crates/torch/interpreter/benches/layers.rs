//! What a picture costs in the convolutions of a resnet18, and what a sequence costs in the products of an encoder.
//!
//! PyTorch is the peer: benchmarks/commands.md has a whole resnet18 in both.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_interpreter::{Dtype, Interpreter, ReleaseSemantics, ScalarValue, ScriptValue, Tensor};

/// Channels in and out, size of the kernel, stride, size of the picture, and how many such layers there are.
const LAYERS: [(usize, usize, usize, i64, usize, usize); 11] = [
    (3, 64, 7, 2, 224, 1),
    (64, 64, 3, 1, 56, 4),
    (64, 128, 3, 2, 56, 1),
    (64, 128, 1, 2, 56, 1),
    (128, 128, 3, 1, 28, 3),
    (128, 256, 3, 2, 28, 1),
    (128, 256, 1, 2, 28, 1),
    (256, 256, 3, 1, 14, 3),
    (256, 512, 3, 2, 14, 1),
    (256, 512, 1, 2, 14, 1),
    (512, 512, 3, 1, 7, 3),
];

fn tensor(shape: &[usize]) -> ScriptValue {
    let count: usize = shape.iter().product();
    let numbers: Vec<ScalarValue> =
        (0..count).map(|at| ScalarValue::Float((at * 7919 % 1009) as f64 / 1009.0 - 0.5)).collect();
    Tensor::new(Dtype::F32, shape, &numbers).unwrap().into()
}

fn convolutions(criterion: &mut Criterion) {
    let mut calls = Vec::new();
    for (channels, out, kernel, stride, size, count) in LAYERS {
        let (input, weight) =
            (tensor(&[1, channels, size, size]), tensor(&[out, channels, kernel, kernel]));
        let padding = kernel as i64 / 2;
        let call = vec![
            input,
            weight,
            ScriptValue::None,
            ScriptValue::ints([stride; 2]),
            ScriptValue::ints([padding; 2]),
        ];
        calls.extend(std::iter::repeat_n(call, count));
    }
    let interpreter = Interpreter::new(ReleaseSemantics::newest());
    criterion.bench_function("convolutions of a resnet18", |bencher| {
        bencher.iter(|| {
            for call in &calls {
                let result = interpreter.operator("aten::conv2d", black_box(call.clone()), vec![]);
                black_box(result.unwrap());
            }
        });
    });
}

fn products(criterion: &mut Criterion) {
    let call = vec![tensor(&[197, 768]), tensor(&[3072, 768]), tensor(&[3072])];
    let interpreter = Interpreter::new(ReleaseSemantics::newest());
    criterion.bench_function("linear, 197 of 768 to 3072", |bencher| {
        bencher.iter(|| {
            black_box(interpreter.operator("aten::linear", black_box(call.clone()), vec![]))
                .unwrap();
        });
    });
}

criterion_group!(benches, convolutions, products);
criterion_main!(benches);
