//! A tiny program directly and through the adapter, by the bare C calls, in the same run.
//!
//! `same age` is an adapter in front of a plug-in of the host's own minor, `0.70` one for a host whose
//! options are shorter, so that they are copied. The plug-in is one of the corpus; without it there is
//! nothing to measure.
#![allow(clippy::unwrap_used, missing_docs, unsafe_code, reason = "a benchmark may")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{PjrtProgram, Plugin};
use unskew_pjrt_adapter::{AdapterConfig, library_name};

const ADD: &str = "module @add { func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> \
                   tensor<2xf32> { %0 = stablehlo.add %a, %b : tensor<2xf32> return %0 : tensor<2xf32> } }";

fn execute(c: &mut Criterion) {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    for (name, minor) in [("xla-cpu-pjrt-0.0.1.so", 81), ("lammps-jax-pjrt-cpu-0.11.2.so", 115)] {
        let Ok(path) = corpus.join(name).canonicalize() else {
            println!("{name} skipped: run cargo xtask corpus");
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let adapted = |present: i32| -> PathBuf {
            let built = std::env::current_exe().unwrap().parent().unwrap().join(library_name());
            let place = folder.path().join(format!("p{present}.so"));
            std::fs::copy(built, &place).unwrap();
            let settings = AdapterConfig::presenting(&path, present).to_toml().unwrap();
            std::fs::write(AdapterConfig::path_beside(&place), settings).unwrap();
            place
        };
        let mut group = c.benchmark_group(format!("add, plug-in 0.{minor}"));
        one(&mut group, "direct", &path);
        one(&mut group, "adapter, same age", &adapted(minor));
        one(&mut group, "adapter, 0.70", &adapted(70));
        one(&mut group, "direct again", &path);
        group.finish();
    }
}

fn one(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, path: &Path) {
    let plugin = Plugin::load(path).unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let device = &client.addressable_devices().unwrap()[0];
    let a = client.buffer_of(&[1_f32, 2.0], &[2], device).unwrap();
    let b = client.buffer_of(&[10_f32, 20.0], &[2], device).unwrap();
    let options = CompileOptions::default().write();
    let program = client.compile(PjrtProgram::mlir(ADD), &options).unwrap();
    let api = plugin.api();
    let [program, a, b] = [program.address(), a.address(), b.address()];
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let mut options = api.record::<PJRT_ExecuteOptions>();
            let list = [a.cast::<PJRT_Buffer>(), b.cast()];
            let lists = [list.as_ptr()];
            let mut output = [std::ptr::null_mut::<PJRT_Buffer>()];
            let outputs = [output.as_mut_ptr()];
            let mut run = api.record::<PJRT_LoadedExecutable_Execute_Args>();
            run.executable = program.cast();
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
}

criterion_group!(benches, execute);
criterion_main!(benches);
