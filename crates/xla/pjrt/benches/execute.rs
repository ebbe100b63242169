//! A tiny program: the host API against the bare C calls, on the same client in the same run.
//!
//! Both run the program and free its result. The plug-in is one of the corpus; without
//! it there is nothing to measure.
#![allow(clippy::unwrap_used, missing_docs, unsafe_code, reason = "a benchmark may")]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{ExecuteOptions, Outputs, PjrtProgram, Plugin};

const ADD: &str = "module @add { func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> \
                   tensor<2xf32> { %0 = stablehlo.add %a, %b : tensor<2xf32> return %0 : tensor<2xf32> } }";

fn execute(c: &mut Criterion) {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    for name in ["xla-cpu-pjrt-0.0.1.so", "lammps-jax-pjrt-cpu-0.11.2.so"] {
        let path = corpus.join(name);
        if !path.exists() {
            println!("{name} skipped: run cargo xtask corpus");
            continue;
        }
        one(c, Plugin::load(path).unwrap());
    }
}

fn one(c: &mut Criterion, plugin: Plugin) {
    let client = plugin.create_client(&[]).unwrap();
    let device = &client.addressable_devices().unwrap()[0];
    let a = client.buffer_of(&[1_f32, 2.0], &[2], device).unwrap();
    let b = client.buffer_of(&[10_f32, 20.0], &[2], device).unwrap();
    let options = CompileOptions::default().write();
    let program = client.compile(PjrtProgram::mlir(ADD), &options).unwrap();

    let mut group = c.benchmark_group(format!("add, PJRT {}", plugin.version()));
    let mut outputs = Outputs::new();
    let told = ExecuteOptions::default();
    group.bench_function("host API", |bencher| {
        bencher.iter(|| {
            program.execute_into(&[&[&a, &b]], &told, &mut outputs).unwrap();
            black_box(outputs.buffers());
        });
    });

    let api = plugin.api();
    let [raw_program, raw_a, raw_b] = [program.address(), a.address(), b.address()];
    group.bench_function("C calls", |bencher| {
        bencher.iter(|| {
            let mut options = api.record::<PJRT_ExecuteOptions>();
            let list = [raw_a.cast::<PJRT_Buffer>(), raw_b.cast()];
            let lists = [list.as_ptr()];
            let mut output = [std::ptr::null_mut::<PJRT_Buffer>()];
            let outputs = [output.as_mut_ptr()];
            let mut run = api.record::<PJRT_LoadedExecutable_Execute_Args>();
            run.executable = raw_program.cast();
            run.options = &raw mut options;
            run.argument_lists = lists.as_ptr();
            run.num_devices = 1;
            run.num_args = 2;
            run.output_lists = outputs.as_ptr();
            let mut free = api.record::<PJRT_Buffer_Destroy_Args>();
            // SAFETY: program and buffers are alive, and the lists are as long as they say.
            unsafe {
                assert!(api.raw(&mut run).unwrap().is_null());
                free.buffer = black_box(output[0]);
                assert!(api.raw(&mut free).unwrap().is_null());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, execute);
criterion_main!(benches);
