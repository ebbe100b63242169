//! The plug-ins of the corpus, and what tests run on them.

use std::path::{Path, PathBuf};

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::{Buffer, Client, Error, LoadedExecutable, PjrtProgram, Plugin};

pub const ADD: &str = r"module @add {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}";

/// What [`ADD`] makes of two ramps of scale 1 and 10.
pub const SUM: [f32; 6] = [0.0, 11.0, 22.0, 33.0, 44.0, 55.0];

/// The files of the plug-ins that are here, in the order of their age.
pub fn files() -> Vec<PathBuf> {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let names = [
        "xla-cpu-pjrt-0.0.1.so",
        "fastatomstruct-xla-cpu-2026.6.23.so",
        "lammps-jax-pjrt-cpu-0.11.2.so",
    ];
    let there = |name: &&&str| {
        let found = corpus.join(name).exists();
        if !found {
            println!("{name} skipped: run cargo xtask corpus");
        }
        found
    };
    names.iter().filter(there).map(|name| corpus.join(name)).collect()
}

/// The plug-ins of the corpus that are here.
pub fn plugins() -> Vec<Plugin> {
    files().iter().map(|path| Plugin::load(path).unwrap()).collect()
}

/// A client of each.
pub fn clients() -> Vec<Client> {
    plugins().iter().map(|plugin| plugin.create_client(&[]).unwrap()).collect()
}

/// The options of a program for one device.
pub fn one() -> Vec<u8> {
    CompileOptions::default().write()
}

pub fn add(client: &Client) -> LoadedExecutable {
    client.compile(PjrtProgram::mlir(ADD), &one()).unwrap()
}

/// 0 to 5 times the scale, in two rows, on the first device.
pub fn ramp(client: &Client, scale: f32) -> Buffer {
    let values: Vec<f32> = (0..6_u8).map(|i| f32::from(i) * scale).collect();
    client.buffer_of(&values, &[2, 3], &client.addressable_devices().unwrap()[0]).unwrap()
}

/// The answer; none if the plug-in does not have the function or says that it is not supported.
pub fn supported<T>(answer: Result<T, Error>) -> Option<T> {
    let unexpected = |error: &Error| !error.is_unimplemented();
    assert!(!answer.as_ref().is_err_and(unexpected), "{:?}", answer.err());
    answer.inspect_err(|error| println!("{error}")).ok()
}
