//! Every check of a plug-in: evil plug-ins made by this test, and real ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::compiled::build;
use unskew_abi::sandbox::{Confinement, TimeLimits};
use unskew_core::Severity;
use unskew_pjrt::conform::{CheckOutcome, Conformance, conform, conform_child_main};
use unskew_pjrt::{Probe, ProbeFailure, ProbeStage, child_main, probe_in_child};

const PATH_VARIABLE: &str = "UNSKEW_TEST_CONFORM";
const RANGE_VARIABLE: &str = "UNSKEW_TEST_CONFORM_RANGE";

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    let Some(path) = std::env::var_os(PATH_VARIABLE).map(PathBuf::from) else { return };
    let range = std::env::var(RANGE_VARIABLE).unwrap_or_default();
    std::process::exit(match range.split_once(' ') {
        Some((from, to)) => {
            conform_child_main(&path, None, from.parse().unwrap(), to.parse().unwrap())
        }
        None => child_main(&path, None),
    })
}

fn command(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "conform::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PATH_VARIABLE, path);
    command
}

fn look(path: &Path) -> Probe {
    probe_in_child(command(path), Duration::from_secs(20), Confinement::Sandbox).unwrap()
}

fn report(path: &Path, limit: impl Into<TimeLimits>) -> Conformance {
    conform_with(&look(path), path, limit)
}

fn conform_with(probe: &Probe, path: &Path, limit: impl Into<TimeLimits>) -> Conformance {
    let child = |from: usize, to: usize| {
        let mut command = command(path);
        command.env(RANGE_VARIABLE, format!("{from} {to}"));
        command
    };
    conform(probe, &child, limit, Confinement::Sandbox)
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

fn outcome<'a>(found: &'a Conformance, group: &str, name: &str) -> &'a CheckOutcome {
    let row = found.rows.iter().find(|row| row.group == group && row.name == name);
    &row.unwrap_or_else(|| panic!("no check {group}: {name}")).outcome
}

/// The offset of a function in words of the table.
fn word(function: &str) -> usize {
    unskew_pjrt::layout::slot(function).unwrap().offset / 8
}

#[test]
fn a_plug_in_of_stubs_is_unsupported_and_not_at_fault() {
    let Some((_folder, path)) = build(TABLE, "void *GetPjrtApi(void) { fill(81); return &api; }")
    else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    assert!(found.rows.iter().all(|row| !row.outcome.is_fault()), "{:?}", found.findings());
    assert!(found.missing.contains_key("PJRT_Client_Compile"));
    let codes: Vec<&str> = found.findings().iter().map(|finding| finding.rule.code).collect();
    assert!(codes.contains(&"PJ705") && codes.contains(&"PJ704"), "{codes:?}");
    assert!(matches!(outcome(&found, "execute", "addition"), CheckOutcome::NotRun(_)));
}

#[test]
fn an_abort_in_client_create_is_one_crash_and_the_rest_is_not_run() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = (uint64_t)dies; return &api; }}",
        word("PJRT_Client_Create")
    );
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let CheckOutcome::Crashed { cause, said } = outcome(&found, "client", "PJRT_Client_Create")
    else {
        panic!("{:?}", outcome(&found, "client", "PJRT_Client_Create"));
    };
    assert_eq!((&**cause, &**said), ("abort (SIGABRT)", "the device is on fire"));
    assert!(matches!(outcome(&found, "buffers", "strides"), CheckOutcome::NotRun(_)));
    // The sizes after the one that crashes are asked all the same.
    let later = outcome(&found, "sizes", "PJRT_Client_Compile");
    assert!(matches!(later, CheckOutcome::Unsupported { .. }), "{later:?}");
}

#[test]
fn a_hang_in_initialize_is_told_once_and_what_needs_it_is_not_made() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = (uint64_t)hangs; return &api; }}",
        word("PJRT_Plugin_Initialize")
    );
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let start = Instant::now();
    let patient = TimeLimits::start(Duration::from_secs(60));
    let found = report(&path, patient.with_answer(Duration::from_secs(1)));
    let initialize = outcome(&found, "client", "PJRT_Plugin_Initialize");
    assert_eq!(*initialize, CheckOutcome::NoEnd { seconds: 1 });
    assert_eq!(found.count("no end"), 1);
    let create = outcome(&found, "client", "PJRT_Client_Create");
    let why = "PJRT_Plugin_Initialize: no end: no answer within 1 s";
    assert_eq!(*create, CheckOutcome::NotRun(why.to_owned()));
    let asked = outcome(&found, "sizes", "PJRT_Plugin_Initialize");
    assert_eq!(*asked, CheckOutcome::NotRun(why.to_owned()));
    // What does not need it is checked all the same.
    let later = outcome(&found, "sizes", "PJRT_Client_Compile");
    assert!(matches!(later, CheckOutcome::Unsupported { .. }), "{later:?}");
    let codes: Vec<&str> = found.findings().iter().map(|finding| finding.rule.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == "PJ703").count(), 1, "{codes:?}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_plug_in_without_its_device_is_warned_about_and_the_rest_is_whole() {
    let body = format!(
        r#"static void words(uint64_t *args) {{
             static char text[] = "no such device here"; args[3] = (uint64_t)text;
             args[4] = sizeof text - 1; }}
           static void *internal(uint64_t *args) {{ *(int32_t *)&args[3] = 13; return 0; }}
           void *GetPjrtApi(void) {{ fill(81); api.words[6] = (uint64_t)words;
             api.words[7] = (uint64_t)internal; api.words[{}] = (uint64_t)good;
             return &api; }}"#,
        word("PJRT_Client_Compile")
    );
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let said = "PJRT_Client_Create: INTERNAL: no such device here";
    let create = outcome(&found, "client", "PJRT_Client_Create");
    assert_eq!(*create, CheckOutcome::NoDevice(said.to_owned()));
    assert_eq!(found.no_device().as_deref(), Some(said));
    assert!(found.count("not run") > 60);
    let findings = found.findings();
    assert!(findings.iter().all(|f| f.severity == Severity::Warning), "{findings:?}");
    assert_eq!(findings.iter().filter(|f| f.rule.code == "PJ706").count(), 1, "{findings:?}");
    assert!(findings.iter().all(|f| f.rule.code != "PJ704"), "{findings:?}");
    assert!(matches!(outcome(&found, "table", "version"), CheckOutcome::Pass(_)));
}

#[test]
fn a_plug_in_that_takes_no_size_but_its_own_is_told_from_one_that_takes_larger_ones() {
    let body = format!(
        r#"static uint64_t got; static char text[200];
           static void words(uint64_t *args) {{
             snprintf(text, sizeof text, "Unexpected PJRT_Client_Devices_Args size: expected 40, "
               "got %d.", (int)got);
             args[3] = (uint64_t)text; args[4] = strlen(text); }}
           static void *invalid(uint64_t *args) {{ *(int32_t *)&args[3] = 3; return 0; }}
           static void *exactly(uint64_t *args) {{ got = args[0]; return got == 40 ? 0 : &api; }}
           static void *at_least(uint64_t *args) {{ got = args[0]; return got >= 40 ? 0 : &api; }}
           static void *reads(uint64_t *args) {{ return *(void **)args[2]; }}
           void *GetPjrtApi(void) {{ fill(81);
             api.words[6] = (uint64_t)words; api.words[7] = (uint64_t)invalid;
             api.words[{}] = (uint64_t)exactly; api.words[{}] = (uint64_t)at_least;
             api.words[{}] = (uint64_t)reads; return &api; }}"#,
        word("PJRT_Client_Devices"),
        word("PJRT_Client_AddressableDevices"),
        word("PJRT_Client_PlatformName"),
    );
    let Some((_folder, path)) = build(TABLE, &format!("#include <string.h>\n{body}")) else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    let told = |name| outcome(&found, "sizes", name).to_string();
    assert_eq!(told("PJRT_Client_Devices"), "expects 40 and nothing else");
    assert_eq!(told("PJRT_Client_AddressableDevices"), "expects 40 or more");
    assert_eq!(told("PJRT_Client_PlatformName"), "does not look at the size; dies of null handles");
}

#[test]
fn the_payloads_of_an_error_are_read() {
    let body = format!(
        r#"typedef void (*Visitor)(const char *, uint64_t, const char *, uint64_t, void *);
           static void *visit(uint64_t *args) {{
             ((Visitor)args[3])("type.example/Cause", 18, "abc", 3, (void *)args[4]); return 0; }}
           static Api large; void *GetPjrtApi(void) {{ fill(99);
             static uint64_t words[200]; for (int i = 0; i < 200; i++)
               words[i] = i < 123 ? api.words[i] : (uint64_t)unimplemented;
             words[0] = {}; words[9] = (uint64_t)unimplemented; words[{}] = (uint64_t)visit;
             return words; }}"#,
        unskew_pjrt::layout::table_size(99).unwrap().end,
        word("PJRT_Error_ForEachPayload"),
    );
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let payloads = outcome(&found, "errors", "the payloads of an error");
    assert_eq!(*payloads, CheckOutcome::Pass("\"type.example/Cause\" of 3 bytes".to_owned()));
}

#[test]
fn one_clock_ends_what_hangs_over_and_over_and_the_rest_is_not_judged() {
    let body = "void *GetPjrtApi(void) { fill(81); api.words[9] = (uint64_t)hangs; return &api; }";
    let Some((_folder, path)) = build(TABLE, body) else { return };
    let seen = Probe { minor: 81, version_size: 24, table_size: 984, ..Probe::default() };
    let found = conform_with(&seen, &path, Duration::from_secs(1));
    // Half a dozen checks ask for the attributes; two of them fit.
    assert!(found.count("no end") <= 2, "{}", found.count("no end"));
    let over = |row: &&unskew_pjrt::conform::CheckResult| matches!(&row.outcome, CheckOutcome::NotRun(why) if why.contains("2 s for all that is asked"));
    assert!(found.rows.iter().filter(over).count() > 10);
    assert!(found.findings().iter().any(|finding| finding.message.contains("were over")));
}

#[test]
fn an_empty_slot_of_an_extension_is_told_and_what_lies_behind_its_size_is_not_read() {
    let body = "static struct { Ext head; void *slots[2]; } layouts;
         void *GetPjrtApi(void) { fill(81);
         layouts.head.size = 40; layouts.head.type = 4; layouts.slots[0] = unimplemented;
         api.words[1] = (uint64_t)&layouts; return &api; }";
    let Some((_folder, path)) = build(TABLE, body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let slots = outcome(&found, "extensions", "every slot is filled");
    let said = "NULL: Layouts: PJRT_Layouts_MemoryLayout_Serialize".to_owned();
    assert_eq!(*slots, CheckOutcome::Unsupported { function: String::new(), said });
}

#[test]
fn an_attribute_with_a_wild_pointer_ends_a_child_and_the_checks_are_made_all_the_same() {
    let body = "static uint64_t wild[7] = { 56, 0, 0x10, 4, 0, 0x20, 4 };
         static void *points(uint64_t *args) {
           args[2] = (uint64_t)wild; args[3] = 1; return 0; }
         void *GetPjrtApi(void) { fill(81); api.words[9] = (uint64_t)points; return &api; }";
    let Some((_folder, path)) = build(TABLE, body) else { return };
    let error =
        probe_in_child(command(&path), Duration::from_secs(20), Confinement::Sandbox).unwrap_err();
    assert_eq!(error.stage, ProbeStage::Attributes);
    assert_eq!(error.cause, ProbeFailure::Died("segmentation fault (SIGSEGV)".to_owned()));
    let seen = error.so_far.clone().unwrap();
    assert_eq!((seen.minor, seen.table_size), (81, 984));
    let found = conform_with(&seen, &path, Duration::from_secs(10));
    assert!(matches!(
        outcome(&found, "errors", "the payloads of an error"),
        CheckOutcome::Unsupported { .. }
    ));
    assert!(found.rows.len() > 200);
}

#[test]
fn an_empty_slot_is_a_failure_and_the_function_is_missing() {
    let body = format!(
        "void *GetPjrtApi(void) {{ fill(81); api.words[{}] = 0; return &api; }}",
        word("PJRT_Buffer_ReadyEvent")
    );
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let slots = outcome(&found, "table", "every slot is filled");
    assert_eq!(*slots, CheckOutcome::Fail("NULL: PJRT_Buffer_ReadyEvent".to_owned()));
    assert_eq!(found.missing["PJRT_Buffer_ReadyEvent"], "the slot is empty");
}

#[test]
fn a_chain_of_extensions_that_bites_its_tail_is_a_failure() {
    let Some((_folder, path)) = build(
        TABLE,
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
    let Some((_folder, path)) = build(TABLE, &body) else { return };
    let found = report(&path, Duration::from_secs(10));
    let devices = outcome(&found, "sizes", "PJRT_Client_Devices");
    assert!(matches!(devices, CheckOutcome::Fail(why) if why.contains("48")), "{devices:?}");
    let compile = outcome(&found, "sizes", "PJRT_Client_Compile");
    assert_eq!(*compile, CheckOutcome::Pass("does not look at the size".to_owned()));
}

#[test]
fn a_plug_in_that_dies_all_over_is_given_up_in_that_group() {
    let Some((_folder, path)) = build(
        TABLE,
        "void *GetPjrtApi(void) { fill(81);
         for (int i = 10; i < 123; i++) api.words[i] = (uint64_t)dies; return &api; }",
    ) else {
        return;
    };
    let found = report(&path, Duration::from_secs(10));
    let sizes = found.rows.iter().filter(|row| row.group == "sizes");
    let crashed = sizes.filter(|row| matches!(row.outcome, CheckOutcome::Crashed { .. })).count();
    // Each child counts for itself, and one of the functions parts two children.
    assert!((8..=16).contains(&crashed), "{crashed}");
}

/// What all three look at before the size: the type of the buffer, over which they end the process.
const VIEW: &str = "PJRT_Client_CreateViewOfDeviceBuffer";

/// The first two know no compiler for the topologies that they write.
const TOPOLOGY: &str = "serialized and read again";

/// File in the corpus; how many checks at least pass; which fail.
const REAL: [(&str, usize, &[&str]); 3] = [
    ("xla-cpu-pjrt-0.0.1.so", 190, &[VIEW, TOPOLOGY]),
    ("fastatomstruct-xla-cpu-2026.6.23.so", 212, &[VIEW, TOPOLOGY]),
    ("lammps-jax-pjrt-cpu-0.11.2.so", 217, &[VIEW]),
];

#[test]
fn real_plug_ins_get_a_full_report_without_a_fault_in_what_hosts_do() {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    for (name, least, faulty) in REAL {
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
        let names: Vec<&str> = faults.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, faulty, "{name}: {faults:?}");
        let sizes = found.rows.iter().filter(|row| row.group == "sizes");
        let told = sizes.filter(|row| row.outcome.to_string().ends_with(" or more")).count();
        assert!(told >= 100, "{name}: {told} sizes told");
    }
}
