//! Real plug-ins behind the adapter, used through the host API: stacked, stamped, damaged.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may")]

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::convert::stamp::{Opened, open};
use unskew_pjrt::{Buffer, Client, ErrorCode, ExecuteOptions, PjrtProgram, PjrtValue, Plugin};
use unskew_pjrt_adapter::{AdapterConfig, ExtensionPolicy, HostAge, Unstamped, library_name};

const ADD: &str = "module @add { func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> \
                   tensor<2xf32> { %0 = stablehlo.add %a, %b : tensor<2xf32> return %0 : tensor<2xf32> } }";

const PLUGINS: [(&str, i32); 3] = [
    ("xla-cpu-pjrt-0.0.1.so", 81),
    ("fastatomstruct-xla-cpu-2026.6.23.so", 106),
    ("lammps-jax-pjrt-cpu-0.11.2.so", 115),
];

/// The plug-ins of the corpus that are here, with their minors.
fn plugins() -> Vec<(PathBuf, i32)> {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let there = |(name, minor): &(&str, i32)| {
        let found = corpus.join(name).canonicalize().ok();
        if found.is_none() {
            println!("{name} skipped: run cargo xtask corpus");
        }
        found.map(|path| (path, *minor))
    };
    PLUGINS.iter().filter_map(there).collect()
}

/// A folder with adapted plug-ins.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Puts an adapter there.
    fn adapted(&self, name: &str, config: &AdapterConfig) -> PathBuf {
        let built = std::env::current_exe().unwrap().parent().unwrap().join(library_name());
        let place = self.0.path().join(format!("{name}.so"));
        std::fs::copy(built, &place).unwrap();
        std::fs::write(AdapterConfig::path_beside(&place), config.to_toml().unwrap()).unwrap();
        place
    }
}

fn host(minor: i32) -> HostAge {
    HostAge { name: format!("host of 0.{minor}"), minor, released: None, stablehlo: None }
}

fn buffer(client: &Client, values: [f32; 2]) -> Buffer {
    let device = &client.addressable_devices().unwrap()[0];
    client.buffer_of(&values, &[2], device).unwrap()
}

/// Adds on a new client.
fn adds(plugin: &Plugin) -> Vec<f32> {
    let client = plugin.create_client(&[]).unwrap();
    let options = CompileOptions::default().write();
    let program = client.compile(PjrtProgram::mlir(ADD), &options).unwrap();
    let (a, b) = (buffer(&client, [1.0, 2.0]), buffer(&client, [10.0, 20.0]));
    let results = program.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
    results[0].to_vec::<f32>().unwrap()
}

#[test]
fn every_plug_in_runs_behind_every_presented_minor() {
    for (path, newest) in plugins() {
        let folder = Folder::new();
        for minor in (29..=newest).step_by(3) {
            let config = AdapterConfig::presenting(&path, minor);
            let plugin = Plugin::load(folder.adapted(&format!("m{minor}"), &config)).unwrap();
            let presented = if minor == 56 { 55 } else { minor };
            assert_eq!(plugin.api().minor(), presented);
            assert_eq!(adds(&plugin), [11.0, 22.0], "0.{minor} in front of 0.{newest}");
        }
    }
}

#[test]
fn an_adapter_mends_what_the_emulator_took_away() {
    for (path, newest) in plugins() {
        let folder = Folder::new();
        for minor in [29, 36, 40, 45, 48, 52, 54, 61, 70, 76, 81] {
            let old = AdapterConfig { guard: true, ..AdapterConfig::emulating(&path, minor) };
            let old = folder.adapted(&format!("old{minor}"), &old);
            let config =
                AdapterConfig { host: Some(host(112)), ..AdapterConfig::presenting(old, 112) };
            let plugin = Plugin::load(folder.adapted(&format!("new{minor}"), &config)).unwrap();
            assert_eq!(plugin.api().minor(), minor);
            assert_eq!(adds(&plugin), [11.0, 22.0], "0.{minor} of 0.{newest}");
        }
    }
}

#[test]
fn an_executable_of_another_plug_in_is_refused_and_its_own_is_loaded() {
    let folder = Folder::new();
    let mut made = Vec::new();
    for (path, minor) in plugins() {
        let config = AdapterConfig::presenting(path, 81);
        let plugin = Plugin::load(folder.adapted(&format!("p{minor}"), &config)).unwrap();
        let client = plugin.create_client(&[]).unwrap();
        let options = CompileOptions::default().write();
        let program = client.compile(PjrtProgram::mlir(ADD), &options).unwrap();
        let bytes = program.executable().unwrap().serialize().unwrap();
        assert!(matches!(open(&bytes).unwrap(), Opened::Stamped { .. }));
        made.push((client, bytes));
    }
    for (i, (client, _)) in made.iter().enumerate() {
        for (j, (_, bytes)) in made.iter().enumerate() {
            let loaded = client.deserialize(bytes, None);
            if i == j {
                let (a, b) = (buffer(client, [1.0, 2.0]), buffer(client, [10.0, 20.0]));
                let results =
                    loaded.unwrap().execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
                assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
                continue;
            }
            let error = loaded.err().unwrap();
            assert_eq!(error.code(), Some(ErrorCode::FAILED_PRECONDITION), "{error}");
            assert!(error.to_string().contains("another build of the plug-in"), "{error}");
        }
    }
}

#[test]
fn an_executable_without_a_stamp_is_refused_unless_the_settings_say_otherwise() {
    let Some((path, _)) = plugins().pop() else { return };
    let folder = Folder::new();
    let plain = Plugin::load(&path).unwrap().create_client(&[]).unwrap();
    let options = CompileOptions::default().write();
    let program = plain.compile(PjrtProgram::mlir(ADD), &options).unwrap();
    let bytes = program.executable().unwrap().serialize().unwrap();
    let loads = |name: &str, unstamped| {
        let config = AdapterConfig { unstamped, ..AdapterConfig::presenting(&path, 81) };
        let plugin = Plugin::load(folder.adapted(name, &config)).unwrap();
        let client = plugin.create_client(&[]).unwrap();
        client.deserialize(&bytes, None).map(drop).map_err(|error| error.to_string())
    };
    let error = loads("refuse", Unstamped::Refuse).unwrap_err();
    assert!(error.contains("does not say which plug-in made it"), "{error}");
    loads("load", Unstamped::Load).unwrap();
}

#[test]
fn a_profiler_that_records_nothing_stands_where_the_plug_in_has_none() {
    for (path, newest) in plugins() {
        let folder = Folder::new();
        assert!(Plugin::load(&path).unwrap().profiler().is_none());
        // Hosts below 0.45 walk the chain in another layout, and so does the reader of it here.
        for minor in [34, 44, 45, 54, newest] {
            let config = AdapterConfig::presenting(&path, minor);
            let plugin = Plugin::load(folder.adapted(&format!("m{minor}"), &config)).unwrap();
            assert!(plugin.api().extension("Profiler").is_some(), "0.{minor}");
            assert_eq!(plugin.profiler().is_some(), minor >= 45, "slots are read by their size");
            let Some(profiler) = plugin.profiler() else { continue };
            for _ in 0..2 {
                let mut session = profiler.create(b"").unwrap();
                session.start().unwrap();
                session.stop().unwrap();
                assert_eq!(session.collect().unwrap(), b"");
            }
        }
        let hidden = AdapterConfig {
            extensions: ExtensionPolicy::None,
            ..AdapterConfig::presenting(&path, 81)
        };
        let emulated = AdapterConfig::emulating(&path, 81);
        for (name, config) in [("hidden", hidden), ("emulated", emulated)] {
            let plugin = Plugin::load(folder.adapted(name, &config)).unwrap();
            assert!(plugin.api().extension("Profiler").is_none(), "{name}");
        }
    }
}

#[test]
fn no_more_stablehlo_than_the_hosts_own_is_named() {
    for (path, _) in plugins() {
        let folder = Folder::new();
        let named = |name: &str, config: &AdapterConfig| {
            let plugin = Plugin::load(folder.adapted(name, config)).unwrap();
            let found = plugin
                .attributes()
                .unwrap()
                .into_iter()
                .find(|a| a.name == "stablehlo_current_version");
            found.map(|attribute| attribute.value)
        };
        let old = HostAge { stablehlo: Some("1.7.8".into()), ..host(55) };
        let config = AdapterConfig { host: Some(old), ..AdapterConfig::presenting(&path, 55) };
        assert_eq!(named("capped", &config), Some(PjrtValue::Numbers(vec![1, 7, 8])));
        let config = AdapterConfig {
            stablehlo: Some("0.19.4".into()),
            ..AdapterConfig::emulating(&path, 55)
        };
        assert_eq!(named("given", &config), Some(PjrtValue::Numbers(vec![0, 19, 4])));
    }
}

#[test]
fn a_plug_in_that_is_gone_is_an_error_of_the_first_call_and_no_crash() {
    let folder = Folder::new();
    let place = folder.adapted("gone", &AdapterConfig::presenting("/nowhere/plugin.so", 54));
    let error = Plugin::load(&place).err().unwrap();
    let text = format!("{error}: {:?}", std::error::Error::source(&error));
    assert!(text.contains("unskew adapter") && text.contains("/nowhere/plugin.so"), "{text}");
    std::fs::remove_file(AdapterConfig::path_beside(&place)).unwrap();
    let bare = folder.0.path().join("bare.so");
    std::fs::copy(&place, &bare).unwrap();
    let error = Plugin::load(&bare).err().unwrap();
    assert!(format!("{error:?}").contains("cannot read the settings"), "{error:?}");
}
