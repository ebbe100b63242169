//! The host API against every minor of the past: a real plug-in, cut to what it would have been.
//!
//! The emulator is the adapter's shared object; where it has not been built the test says so.

use std::path::{Path, PathBuf};

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::sys::bindings::Function;
use unskew_pjrt::{
    Client, ElementType, Error, ErrorCode, Executable, ExecuteOptions, Memory, PjrtProgram, Plugin,
};

const ADD: &str = "module @add { func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> \
                   tensor<2xf32> { %0 = stablehlo.add %a, %b : tensor<2xf32> return %0 : tensor<2xf32> } }";

/// The emulator and the plug-in, if both are here.
fn pieces() -> Option<(PathBuf, PathBuf)> {
    let exe = std::env::current_exe().unwrap();
    // A test build leaves it beside the tests, `cargo build` one folder up; the one of this build goes before.
    let mut folders =
        exe.ancestors().skip(1).take(2).map(|at| at.join("libunskew_pjrt_adapter.so"));
    let built = folders.find(|library| library.exists());
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let plugin = corpus.join("lammps-jax-pjrt-cpu-0.11.2.so");
    let has_plugin = plugin.exists();
    if built.is_none() {
        println!("skipped: run cargo build -p unskew-pjrt-adapter");
    }
    if !has_plugin {
        println!("skipped: run cargo xtask corpus");
    }
    built.filter(|_| has_plugin).map(|built| (built, plugin.canonicalize().unwrap()))
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
        let program = client.compile(PjrtProgram::mlir(ADD), &CompileOptions::default().write());
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
        later_calls(minor, &client, &memory);
        contexts_and_extensions(minor, &client, &program.executable().unwrap());
    }
}

/// A call works from the minor on that has it, and is a typed error before.
fn works_from<T>(minor: i32, since: i32, name: &str, answer: Result<T, Error>) -> Option<T> {
    match answer {
        Ok(answer) => {
            assert!(minor >= since, "0.{minor}: {name} is since 0.{since}");
            Some(answer)
        }
        Err(error) => {
            let typed = error.is_unimplemented() || matches!(error, Error::UnknownOption { .. });
            assert!(minor < since && typed, "0.{minor}: {name}: {error}");
            None
        }
    }
}

fn later_calls(minor: i32, client: &Client, memory: &Memory) {
    let f32 = ElementType::F32;
    let device = &client.addressable_devices().unwrap()[0];
    let a = client.buffer_of(&[1_f32, 2.0], &[2], device).unwrap();
    let transfer = client.begin_transfer(&[(ElementType::U8, &[4])], memory);
    if let Some(transfer) = works_from(minor, 62, "transfer", transfer) {
        let buffer = transfer.take(0).unwrap();
        transfer.send(0, vec![1, 2, 3, 4], 0, true).unwrap().wait().unwrap();
        assert_eq!(buffer.to_host().unwrap(), [1, 2, 3, 4]);
    }
    // Where memory is not aligned well enough, by chance, the refusal is another.
    match client.view_of_host_memory(vec![7_u8; 64], (ElementType::U8, &[64]), device) {
        Ok(view) => assert_eq!(view.to_host().unwrap(), [7; 64]),
        Err(error) => {
            assert_eq!(error.is_unimplemented(), minor < 33, "0.{minor}: {error}");
        }
    }
    let empty = client.uninitialized_buffer(f32, &[2], memory);
    works_from(minor, 69, "uninitialized", empty);
    if let Some((alias, promise)) =
        works_from(minor, 77, "alias", client.alias_buffer(f32, &[2], memory))
    {
        promise.fulfill(Ok(&client.buffer_of(&[1_f32, 2.0], &[2], device).unwrap())).unwrap();
        assert_eq!(alias.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
    let failure = (ErrorCode::DATA_LOSS, "lost");
    if let Some(failed) =
        works_from(minor, 82, "error buffer", client.error_buffer(failure, f32, &[2], memory))
    {
        assert_eq!(failed.to_host().unwrap_err().code(), Some(ErrorCode::DATA_LOSS));
    }
    if let Some(copy) = works_from(minor, 84, "raw copy", a.announce_raw_copy(4, 4)) {
        assert_eq!(copy.begin().unwrap().wait().unwrap(), 2_f32.to_ne_bytes());
    }
    let poisoned = device.poison_execution(1, failure);
    assert!(minor >= 85 || poisoned.unwrap_err().is_unimplemented());
    works_from(minor, 86, "tracking", device.track("a test"));
    if let Some(event) = works_from(minor, 89, "event", client.plugin().create_event()) {
        event.set(Ok(())).unwrap();
        event.outcome().wait().unwrap();
    }
    if let Some((donated, met)) = works_from(minor, 88, "donation", a.donate_with_dependency()) {
        met.meet(Ok(())).unwrap();
        assert_eq!(donated.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
}

fn contexts_and_extensions(minor: i32, client: &Client, executable: &Executable) {
    let context = client.plugin().execute_context();
    works_from(minor, 52, "context", context);
    // The emulator hides extensions whose layout then was another.
    let layouts = client.plugin().api().extension("Layouts").is_some();
    let layout = client.default_layout(ElementType::F32, &[2]);
    assert_eq!(layout.is_ok(), layouts, "0.{minor}: {layout:?}");
    assert!(layouts || layout.unwrap_err().is_unimplemented());
    for (since, told) in [(81, executable.output_layouts()), (93, executable.parameter_layouts())] {
        let there = layouts && minor >= since;
        assert_eq!(told.is_ok(), there, "0.{minor}: {told:?}");
    }
    let shardings = executable.output_shardings();
    assert!(minor >= 91 || shardings.unwrap_err().is_unimplemented());
}
