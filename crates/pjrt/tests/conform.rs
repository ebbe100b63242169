//! Every check of a plug-in: evil plug-ins made by this test, and real ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use unskew_pjrt::conform::{Conformance, Outcome, conform, conform_child_main};
use unskew_pjrt::{Probe, child_main, probe_in_child};

const PATH_VARIABLE: &str = "UNSKEW_TEST_CONFORM";
const RANGE_VARIABLE: &str = "UNSKEW_TEST_CONFORM_RANGE";

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    let Some(path) = std::env::var_os(PATH_VARIABLE).map(PathBuf::from) else { return };
    let range = std::env::var(RANGE_VARIABLE).unwrap_or_default();
    std::process::exit(match range.split_once(' ') {
        Some((from, to)) => conform_child_main(&path, from.parse().unwrap(), to.parse().unwrap()),
        None => child_main(&path, None),
    })
}

fn command(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_child_of_the_other_tests", "--nocapture"]);
    command.env(PATH_VARIABLE, path);
    command
}

fn look(path: &Path) -> Probe {
    probe_in_child(command(path), Duration::from_secs(20)).unwrap()
}

fn report(path: &Path, limit: Duration) -> Conformance {
    let child = |from: usize, to: usize| {
        let mut command = command(path);
        command.env(RANGE_VARIABLE, format!("{from} {to}"));
        command
    };
    conform(&look(path), &child, limit)
}

/// A plug-in of PJRT 0.81 in C that answers everything with UNIMPLEMENTED; `body` may change it.
const TABLE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct { uint64_t words[123]; } Api;
static Api api;
typedef struct { uint64_t size; int32_t type; void *next; } Ext;
static void *unimplemented(uint64_t *args) { return (void *)&api; }
static void *good(uint64_t *args) { return 0; }
static void nothing(uint64_t *args) {}
static void *attributes(uint64_t *args) { args[2] = 0; args[3] = 0; return 0; }
static void message(uint64_t *args) { args[3] = (uint64_t)"not today"; args[4] = 9; }
static void *code(uint64_t *args) { *(int32_t *)&args[3] = 12; return 0; }
static void *dies(uint64_t *args) { fputs("the device is on fire\n", stderr); abort(); }
static void *hangs(uint64_t *args) { for (;;) sleep(1); }
static void *makes(uint64_t *args) { args[8] = (uint64_t)&api; return 0; }
static int slot(int offset) { return offset / 8; }
static void fill(int minor) {
  for (int i = 5; i < 123; i++) api.words[i] = (uint64_t)unimplemented;
  api.words[0] = 984; api.words[2] = 24; api.words[4] = (uint64_t)minor << 32;
  api.words[5] = (uint64_t)nothing; api.words[6] = (uint64_t)message; api.words[7] = (uint64_t)code;
  api.words[8] = (uint64_t)good; api.words[9] = (uint64_t)attributes;
}
"#;

fn build(body: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("plugin.c"), folder.path().join("plugin.so"));
    std::fs::write(&source, format!("{TABLE}\n{body}")).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-w", "-o"]).args([&output, &source]).status();
    if built.is_ok_and(|status| status.success()) {
        return Some((folder, output));
    }
    println!("skipped: no C compiler that makes shared objects");
    None
}

fn outcome<'a>(found: &'a Conformance, group: &str, name: &str) -> &'a Outcome {
    let row = found.rows.iter().find(|row| row.group == group && row.name == name);
    &row.unwrap_or_else(|| panic!("no check {group}: {name}")).outcome
}

/// The offset of a function in words of the table.
fn word(function: &str) -> usize {
    unskew_pjrt::layout::slot(function).unwrap().offset / 8
}

#[test]
fn a_plug_in_of_stubs_is_unsupported_and_not_at_fault() {
    let Some((_folder, path)) = build("void *GetPjrtApi(void) { fill(81); return &api; }") else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    assert!(found.rows.iter().all(|row| !row.outcome.is_fault()), "{:?}", found.findings());
    assert!(found.missing.contains_key("PJRT_Client_Compile"));
    let codes: Vec<&str> = found.findings().iter().map(|finding| finding.rule.code).collect();
    assert!(codes.contains(&"PJ705") && codes.contains(&"PJ704"), "{codes:?}");
    assert!(matches!(outcome(&found, "execute", "addition"), Outcome::NotRun(_)));
}

#[test]
fn an_abort_in_client_create_is_one_crash_and_the_rest_is_not_run() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = (uint64_t)dies; return &api; }}",
        word("PJRT_Client_Create")
    );
    let Some((_folder, path)) = build(&body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let Outcome::Crashed { cause, said } = outcome(&found, "client", "PJRT_Client_Create") else {
        panic!("{:?}", outcome(&found, "client", "PJRT_Client_Create"));
    };
    assert_eq!((&**cause, &**said), ("abort (SIGABRT)", "the device is on fire"));
    assert!(matches!(outcome(&found, "buffers", "strides"), Outcome::NotRun(_)));
    // The sizes after the one that crashes are asked all the same.
    let later = outcome(&found, "sizes", "PJRT_Client_Compile");
    assert!(matches!(later, Outcome::Unsupported { .. }), "{later:?}");
}

#[test]
fn a_hang_in_initialize_is_stopped_and_the_client_is_still_tried() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = (uint64_t)hangs; return &api; }}",
        word("PJRT_Plugin_Initialize")
    );
    let Some((_folder, path)) = build(&body) else { return };
    let start = Instant::now();
    let found = report(&path, Duration::from_secs(1));
    let initialize = outcome(&found, "client", "PJRT_Plugin_Initialize");
    assert_eq!(*initialize, Outcome::NoEnd { seconds: 1 });
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn an_empty_slot_is_a_failure_and_the_function_is_missing() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = 0; return &api; }}",
        word("PJRT_Buffer_ReadyEvent")
    );
    let Some((_folder, path)) = build(&body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let slots = outcome(&found, "table", "every slot is filled");
    assert_eq!(*slots, Outcome::Fail("NULL: PJRT_Buffer_ReadyEvent".to_owned()));
    assert_eq!(found.missing["PJRT_Buffer_ReadyEvent"], "the slot is empty");
}

#[test]
fn a_chain_of_extensions_that_bites_its_tail_is_a_failure() {
    let Some((_folder, path)) = build(
        "static Ext a, b; void *GetPjrtApi(void) { fill(81);
         a.size = b.size = 24; a.type = 4; b.type = 5; a.next = &b; b.next = &a;
         api.words[1] = (uint64_t)&a; return &api; }",
    ) else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    assert!(outcome(&found, "extensions", "the chain ends").is_fault());
}

#[test]
fn sizes_that_are_not_those_of_its_version_are_a_failure() {
    let body = format!(
        r#"static void lies(uint64_t *args) {{
             static char text[] = "Unexpected PJRT_Client_Devices_Args size: expected 48, got 8.";
             args[3] = (uint64_t)text; args[4] = sizeof text - 1; }}
           static void *invalid(uint64_t *args) {{ *(int32_t *)&args[3] = 3; return 0; }}
           void *GetPjrtApi(void) {{ fill(81);
             api.words[6] = (uint64_t)lies; api.words[7] = (uint64_t)invalid;
             api.words[{}] = (uint64_t)good; return &api; }}"#,
        word("PJRT_Client_Compile")
    );
    let Some((_folder, path)) = build(&body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let devices = outcome(&found, "sizes", "PJRT_Client_Devices");
    assert!(matches!(devices, Outcome::Fail(why) if why.contains("48")), "{devices:?}");
    let compile = outcome(&found, "sizes", "PJRT_Client_Compile");
    assert_eq!(*compile, Outcome::Pass("does not look at the size".to_owned()));
}

#[test]
fn a_plug_in_that_dies_all_over_is_given_up_in_that_group() {
    let Some((_folder, path)) = build(
        "void *GetPjrtApi(void) { fill(81);
         for (int i = 10; i < 123; i++) api.words[i] = (uint64_t)dies; return &api; }",
    ) else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    let sizes = found.rows.iter().filter(|row| row.group == "sizes");
    let crashed = sizes.filter(|row| matches!(row.outcome, Outcome::Crashed { .. })).count();
    assert_eq!(crashed, 8);
}

/// File in the corpus; how many checks at least pass, how many at most end the process.
const REAL: [(&str, usize); 3] = [
    ("xla-cpu-pjrt-0.0.1.so", 180),
    ("fastatomstruct-xla-cpu-2026.6.23.so", 200),
    ("lammps-jax-pjrt-cpu-0.11.2.so", 204),
];

#[test]
fn real_plug_ins_get_a_full_report_without_a_fault_in_what_hosts_do() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for (name, least) in REAL {
        let path = corpus.join(name);
        if !path.exists() {
            println!("{name} skipped: run cargo xtask corpus");
            continue;
        }
        let start = Instant::now();
        let found = report(&path, Duration::from_secs(60));
        println!("{name}: {} pass, {:?}", found.count("pass"), start.elapsed());
        assert!(found.count("pass") >= least, "{name}: {}", found.count("pass"));
        assert_eq!(found.count("not run"), 0, "{name}");
        let faults: Vec<_> = found.rows.iter().filter(|row| row.outcome.is_fault()).collect();
        // All three look at the type of the buffer before the size, and end the process over it.
        assert_eq!(faults.len(), 1, "{name}: {faults:?}");
        assert_eq!(faults[0].name, "PJRT_Client_CreateViewOfDeviceBuffer", "{name}");
        let sizes = found.rows.iter().filter(|row| row.group == "sizes");
        let told = sizes.filter(|row| row.outcome.to_string().starts_with("expects ")).count();
        assert!(told >= 100, "{name}: {told} sizes told");
    }
}
