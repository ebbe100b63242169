//! Plug-ins that are looked at in a child process: hostile ones made by this test, and real ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiled::build;
use unskew_abi::SharedObject;
use unskew_abi::sandbox::Confinement;
use unskew_core::{Context, Date, Outcome, check};
use unskew_pjrt::{PjrtValue, Probe, ProbeError, ProbeFailure, ProbeStage, ReleasedHost};
use unskew_source::{FileSource, Source};

const PATH_VARIABLE: &str = "UNSKEW_TEST_PLUGIN";

fn object(path: &Path) -> SharedObject {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    SharedObject::read(&source).unwrap().unwrap()
}

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    if let Some(path) = std::env::var_os(PATH_VARIABLE) {
        let path = PathBuf::from(path);
        std::process::exit(unskew_pjrt::child_main(&path, Some(&object(&path))));
    }
}

fn probe(path: &Path, limit: Duration) -> Result<Probe, ProbeError> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "probe::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PATH_VARIABLE, path);
    unskew_pjrt::probe_in_child(command, limit, Confinement::Sandbox)
}

/// A plug-in of PJRT 0.81 in C, whose functions can be replaced; `body` may change the table.
const TABLE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { uint64_t words[123]; } Api;
static Api api;
typedef struct { uint64_t size; int32_t type; void *next; } Ext;
typedef struct { uint64_t size; void *ext; const char *name; uint64_t name_size; int32_t type;
                 const void *value; uint64_t value_size; } Named;
static int64_t shlo[] = {1, 13, 3};
static Named named[] = {
  {56, 0, "xla_version", 11, 1, (void *)2, 1},
  {56, 0, "stablehlo_current_version", 25, 2, shlo, 3},
};
static void *unimplemented(void *args) { return (void *)&api; }
static void *attributes(uint64_t *args) {
  if (args[0] != 32) return (void *)&api;
  args[2] = (uint64_t)named; args[3] = 2; return 0;
}
static void message(uint64_t *args) { args[3] = (uint64_t)"not today"; args[4] = 9; }
static void fill(int minor) {
  for (int i = 5; i < 123; i++) api.words[i] = (uint64_t)unimplemented;
  api.words[0] = 984; api.words[2] = 24; api.words[4] = (uint64_t)minor << 32;
  api.words[6] = (uint64_t)message;
  api.words[9] = (uint64_t)attributes;
}
"#;

const LIMIT: Duration = Duration::from_secs(20);

fn failure(body: &str) -> Option<ProbeError> {
    let (_folder, path) = build(TABLE, body)?;
    Some(probe(&path, LIMIT).unwrap_err())
}

#[test]
fn an_honest_plug_in_is_seen_whole() {
    let Some((_folder, path)) = build(TABLE,
        "static Ext layouts = {72, 4, 0}; static Ext ffi = {48, 5, &layouts};
         void *GetPjrtApi(void) { fill(81); api.words[1] = (uint64_t)&ffi; puts(\"noise\"); return &api; }",
    ) else {
        return;
    };
    let probe = probe(&path, LIMIT).unwrap();
    assert_eq!((probe.major, probe.minor, probe.table_size), (0, 81, 984));
    let chain: Vec<String> = probe.extensions.iter().map(ToString::to_string).collect();
    assert_eq!(chain, ["FFI:48", "Layouts:72"]);
    assert_eq!(probe.attribute("xla_version"), Some(&PjrtValue::Number(2)));
    let stablehlo = probe.version_attribute("stablehlo_current_version");
    assert_eq!(stablehlo, Some("1.13.3".parse().unwrap()));
}

#[test]
fn what_was_seen_before_a_crash_is_kept() {
    let Some(error) = failure(
        "static void *dies(void *args) { fputs(\"no devices found\\n\", stderr); abort(); }
         void *GetPjrtApi(void) { fill(81); api.words[9] = (uint64_t)dies; return &api; }",
    ) else {
        return;
    };
    assert_eq!(error.cause, ProbeFailure::Died("abort (SIGABRT)".into()));
    assert_eq!(error.stage, ProbeStage::Attributes);
    assert_eq!(error.so_far.unwrap().minor, 81);
    assert!(error.said.contains("no devices found"), "{}", error.said);
}

#[test]
fn a_plug_in_that_dies_in_a_constructor_is_a_finding() {
    let Some(error) = failure(
        "__attribute__((constructor)) static void dies(void) { *(volatile int *)8 = 1; }
         void *GetPjrtApi(void) { return 0; }",
    ) else {
        return;
    };
    assert_eq!(error.cause, ProbeFailure::Died("segmentation fault (SIGSEGV)".into()));
    assert_eq!((error.stage, error.so_far), (ProbeStage::Load, None));
}

#[test]
fn a_plug_in_that_exits_is_a_finding() {
    let Some(error) = failure("void *GetPjrtApi(void) { _exit(0); }") else { return };
    assert_eq!(error.cause, ProbeFailure::Died("exit with code 0".into()));
}

#[test]
fn a_plug_in_that_hangs_is_stopped_when_its_time_is_up() {
    let Some((_folder, path)) =
        build(TABLE, "void *GetPjrtApi(void) { fill(81); for (;;) sleep(1); return &api; }")
    else {
        return;
    };
    let start = Instant::now();
    let error = probe(&path, Duration::from_secs(1)).unwrap_err();
    assert_eq!((error.cause, error.stage), (ProbeFailure::TimedOut(1), ProbeStage::Table));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_plug_in_that_writes_without_end_is_stopped() {
    let Some((_folder, path)) =
        build(TABLE, "void *GetPjrtApi(void) { for (;;) puts(\"more and more and more\"); }")
    else {
        return;
    };
    let error = probe(&path, LIMIT).unwrap_err();
    assert!(matches!(error.cause, ProbeFailure::Died(_) | ProbeFailure::TimedOut(_)), "{error}");
}

#[test]
fn a_plug_in_that_returns_null_or_nonsense_has_no_table() {
    let bodies = [
        "void *GetPjrtApi(void) { return 0; }",
        "void *GetPjrtApi(void) { return (char *)&api + 1; }",
        "void *GetPjrtApi(void) { fill(81); api.words[0] = 0; return &api; }",
        "void *GetPjrtApi(void) { fill(81); api.words[0] = -1; return &api; }",
        "int nothing_of_that_name;",
    ];
    for body in bodies {
        let Some(error) = failure(body) else { return };
        assert!(matches!(error.cause, ProbeFailure::NoTable(_)), "{body}: {error}");
    }
}

#[test]
fn chains_that_bite_their_tail_or_never_end_are_findings() {
    let cyclic = "static Ext a, b; void *GetPjrtApi(void) { fill(81);
        a.size = b.size = 24; a.type = 1; b.type = 2; a.next = &b; b.next = &a;
        api.words[1] = (uint64_t)&a; return &api; }";
    let endless = "static Ext many[5000]; void *GetPjrtApi(void) { fill(81);
        for (int i = 0; i < 4999; i++) many[i].next = &many[i + 1];
        api.words[1] = (uint64_t)many; return &api; }";
    for (body, least) in [(cyclic, 2), (endless, 1000)] {
        let Some((_folder, path)) = build(TABLE, body) else { return };
        let seen = probe(&path, LIMIT).unwrap();
        assert!(seen.extensions_broken.is_some() && seen.extensions.len() >= least);
        let party = unskew_pjrt::party("plugin.so", &object(&path), Ok(seen));
        assert!(party.notes.iter().any(|note| note.rule.code == "PJ606"));
    }
}

#[test]
fn a_plug_in_that_refuses_to_name_its_attributes_is_quoted() {
    let Some((_folder, path)) = build(
        TABLE,
        "void *GetPjrtApi(void) { fill(81); api.words[9] = (uint64_t)unimplemented; return &api; }",
    ) else {
        return;
    };
    let seen = probe(&path, LIMIT).unwrap();
    assert_eq!((seen.attributes, seen.attributes_refused.as_deref()), (None, Some("not today")));
}

#[test]
fn attributes_with_absurd_lengths_are_cut_or_end_the_child_alone() {
    let Some((_folder, path)) = build(TABLE,
        "static void *many(uint64_t *args) { args[2] = (uint64_t)named; args[3] = -1; named[0].name_size = -1; return 0; }
         void *GetPjrtApi(void) { fill(81); api.words[9] = (uint64_t)many; return &api; }",
    ) else {
        return;
    };
    match probe(&path, LIMIT) {
        Ok(seen) => assert!(seen.attributes.unwrap().len() <= 1024),
        Err(error) => assert!(matches!(error.cause, ProbeFailure::Died(_)), "{error}"),
    }
}

#[test]
fn a_command_that_cannot_be_started_is_said() {
    let command = Command::new("/nowhere/unskew");
    let error = unskew_pjrt::probe_in_child(command, LIMIT, Confinement::Sandbox).unwrap_err();
    assert!(matches!(error.cause, ProbeFailure::NotAsked(_)), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn every_missing_library_is_named_and_the_rest_is_still_known() {
    let folder = tempfile::tempdir().unwrap();
    let cc = |arguments: &[&str]| {
        let run = Command::new("cc").current_dir(folder.path()).args(arguments).status();
        run.is_ok_and(|status| status.success())
    };
    std::fs::write(folder.path().join("a.c"), "int one(void) { return 1; }").unwrap();
    std::fs::write(folder.path().join("b.c"), "int two(void) { return 2; }").unwrap();
    let code = "int one(void), two(void); void *GetPjrtApi(void) { return (void *)(long)(one() + two()); }";
    std::fs::write(folder.path().join("p.c"), code).unwrap();
    let shared = ["-shared", "-fPIC", "-o"];
    let built = cc(&[&shared[..], &["libone-of-test.so", "a.c"]].concat())
        && cc(&[&shared[..], &["libtwo-of-test.so", "b.c"]].concat())
        && cc(&[&shared[..], &["p.so", "p.c", "-L.", "-lone-of-test", "-ltwo-of-test"]].concat());
    if !built {
        println!("skipped: no C compiler that makes shared objects");
        return;
    }
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("p.so");
    std::fs::copy(folder.path().join("p.so"), &path).unwrap();
    let error = probe(&path, LIMIT).unwrap_err();
    let names = vec!["libone-of-test.so".to_owned(), "libtwo-of-test.so".to_owned()];
    assert_eq!(error.cause, ProbeFailure::MissingLibraries(names));

    // The party knows what the file says, and no host is told that it fits.
    let party = unskew_pjrt::party("p.so", &object(&path), Err(error));
    assert!(unskew_pjrt::recognizes(&object(&path)));
    assert_eq!(party.notes[0].rule.code, "PJ601");
    let jax = ReleasedHost::jax("0.10.2", Date::constant(2026, 6, 17), 112).party();
    let verdict = check(&party, &jax, &Context::for_tests());
    assert!(!verdict.works());
}

/// File in the corpus, version, bytes of the table, StableHLO version.
const REAL: [(&str, i32, u64, &str); 2] = [
    ("xla-cpu-pjrt-0.0.1.so", 81, 984, "1.13.3"),
    ("lammps-jax-pjrt-cpu-0.11.2.so", 115, 1144, "1.20.0"),
];

#[test]
fn real_plug_ins_say_what_is_known_of_them() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    for (package, minor, table_size, stablehlo) in REAL {
        let path = corpus.join(package);
        if !path.exists() {
            println!("{package} skipped: run cargo xtask corpus");
            continue;
        }
        let start = Instant::now();
        let seen = probe(&path, LIMIT).unwrap();
        println!("{package}: {:?}", start.elapsed());
        assert_eq!((seen.minor, seen.table_size, seen.version_size), (minor, table_size, 24));
        assert!(seen.empty_slots.is_empty() && seen.extensions_broken.is_none());
        let names: Vec<String> = seen.extensions.iter().map(ToString::to_string).collect();
        assert!(names.contains(&"FFI:48".to_owned()), "{names:?}");
        let found = seen.version_attribute("stablehlo_current_version");
        assert_eq!(found, Some(stablehlo.parse().unwrap()));

        let party = unskew_pjrt::party(package, &object(&path), Ok(seen));
        let today = Context::for_tests();
        let outcome = |version, day, minor| {
            check(&party, &ReleasedHost::jax(version, day, minor).party(), &today).outcome
        };
        assert_eq!(outcome("0.8.0", Date::constant(2025, 10, 15), 80), Outcome::Compatible);
        let adapted = outcome("0.7.2", Date::constant(2025, 9, 15), 76);
        assert_eq!(adapted, Outcome::Adaptable(vec!["unskew adapt --for jax@0.7.2".into()]));
    }
}

#[test]
fn the_code_of_real_plug_ins_says_the_version_that_they_announce() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let names = [
        "xla-cpu-pjrt-0.0.1.so",
        "fastatomstruct-xla-cpu-2026.6.23.so",
        "lammps-jax-pjrt-cpu-0.11.2.so",
    ];
    for name in names {
        let path = corpus.join(name);
        if !path.exists() {
            println!("{name} skipped: run cargo xtask corpus");
            continue;
        }
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
        let built = unskew_pjrt::built(&source).unwrap();
        let seen = probe(&path, LIMIT).unwrap();
        assert_eq!((built.minor, built.table_size), (seen.minor, seen.table_size), "{name}");
        // A public plug-in is known whole, by its digest.
        let known = unskew_pjrt::known_plugin(&*source).unwrap().unwrap();
        let unmeasured = Probe { accepted_sizes: Default::default(), ..seen.clone() };
        assert_eq!(known.probe, unmeasured, "{name}");
        // Plug-ins built from XLA accept what the data say of their minor, but for one function, which was built with the
        // size of another struct by mistake.
        println!("{name}: {:?}", seen.accepted_sizes);
        assert!(seen.accepted_sizes.len() > 3, "{name}: {:?}", seen.accepted_sizes);
        for (of, least) in &seen.accepted_sizes {
            let required = unskew_pjrt::layout::find_struct(of).unwrap().required(seen.minor);
            let required = required.map(|size| size as u64);
            let mistaken = of == "PJRT_Executable_GetCompiledMemoryStats_Args" && *least == 56;
            assert!(mistaken || required == Some(*least) || *least == 0, "{name} {of} {least}");
        }
    }
}
