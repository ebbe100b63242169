//! The host API against every minor of the past: a real plug-in, cut to what it would have been.
//!
//! The emulator is the adapter's shared object; where it has not been built the test says so.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::{Path, PathBuf};

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::sys::bindings::Function;
use unskew_pjrt::{ElementType, ExecuteOptions, Plugin, Program};

const ADD: &str = "module @add { func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> \
                   tensor<2xf32> { %0 = stablehlo.add %a, %b : tensor<2xf32> return %0 : tensor<2xf32> } }";

/// The emulator and the plug-in, if both are here.
fn pieces() -> Option<(PathBuf, PathBuf)> {
    let exe = std::env::current_exe().unwrap();
    let built = exe.parent()?.parent()?.join("libunskew_pjrt_adapter.so");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let plugin = corpus.join("lammps-jax-pjrt-cpu-0.11.2.so");
    let (has_built, has_plugin) = (built.exists(), plugin.exists());
    if !has_built {
        println!("skipped: run cargo build -p unskew-pjrt-adapter");
    }
    if !has_plugin {
        println!("skipped: run cargo xtask corpus");
    }
    (has_built && has_plugin).then(|| (built, plugin.canonicalize().unwrap()))
}

#[test]
fn a_program_runs_on_plug_ins_of_every_minor_since_the_floor() {
    let Some((emulator, plugin)) = pieces() else { return };
    let folder = tempfile::tempdir().unwrap();
    for minor in 29..=114 {
        let library = folder.path().join(format!("m{minor}.so"));
        std::fs::copy(&emulator, &library).unwrap();
        let settings = format!(
            "format = 1\nplugin = {plugin:?}\npresent = {minor}\nmode = \"emulate\"\nguard = true\n"
        );
        std::fs::write(library.with_extension("toml"), settings).unwrap();
        let plugin = Plugin::load(&library).unwrap();
        assert_eq!(plugin.api().minor(), minor);
        let client = plugin.create_client(&[]).unwrap();
        let device = &client.addressable_devices().unwrap()[0];
        let memory = device.default_memory().unwrap();
        memory.kind_id().unwrap();
        device.attributes().unwrap();
        let a = client.buffer_of(&[1_f32, 2.0], &[2], device).unwrap();
        let b = client.buffer_of(&[10_f32, 20.0], &[2], &memory).unwrap();
        let program = client.compile(Program::mlir(ADD), &CompileOptions::default().write());
        let program = program.unwrap();
        let kept = if minor >= 39 { &[0_i64][..] } else { &[] };
        let options = ExecuteOptions { non_donatable: kept, ..ExecuteOptions::default() };
        let results = program.execute(&[&a, &b], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0], "0.{minor}");
        // Before 0.35 the loaded executable is asked, which the plug-in behind has given up.
        let fingerprint = program.fingerprint();
        assert_eq!(fingerprint.is_ok(), minor >= 35, "0.{minor}: {fingerprint:?}");
        assert_eq!(program.device_assignment().unwrap().is_some(), minor >= 79);
        assert_eq!(program.logical_ids().unwrap().is_some(), minor >= 96);
        let executable = program.executable().unwrap();
        assert_eq!(executable.output_types().unwrap(), [ElementType::F32]);
        let stats = executable.memory_stats();
        assert_eq!(stats.is_ok(), minor >= 40, "0.{minor}: {stats:?}");
        if let Ok(stats) = stats {
            assert_eq!(stats.peak_memory_in_bytes.is_some(), minor >= 72, "0.{minor}");
        }
        match client.topology() {
            Ok(topology) => assert_ne!(topology.fingerprint().unwrap(), 0),
            Err(error) => assert!(error.is_unimplemented() && minor < 36, "{error}"),
        }
        if !plugin.has(Function::PJRT_Buffer_CopyRawToHost) {
            assert!(a.raw_bytes(0, 4).is_err_and(|error| error.is_unimplemented()));
        }
    }
}
