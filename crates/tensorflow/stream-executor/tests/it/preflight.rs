//! Plug-ins on trial, each with one fault, made by the C compiler of this machine.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::{Duration, Instant};

use crate::made::{self, build, build_with, found, judge, party, trial};
use unskew_abi::sandbox::Confinement;
use unskew_core::{Outcome, Party};
use unskew_stream_executor::preflight::{
    PluginTrial, PreflightFailure, Skew, TrialEnd, preflight_in_child,
};

fn notes(party: &Party) -> Vec<&'static str> {
    party.notes.iter().map(|finding| finding.rule.code).collect()
}

fn fact<'a>(party: &'a Party, label: &str) -> &'a str {
    let fact = party.facts.iter().find(|fact| fact.label == label);
    fact.map_or("", |fact| fact.value.as_str())
}

/// The releases that stand for their eras.
const ERAS: [&str; 4] = ["2.6.5", "2.8.4", "2.12.1", "2.21.0"];

/// What one fault makes each era say: the codes of findings.
fn codes(definitions: &str) -> Option<Vec<String>> {
    let party = party(&build(definitions)?);
    let codes = |release| {
        let verdict = judge(&party, release);
        found(&verdict).iter().map(|(code, _)| *code).collect::<Vec<_>>().join(" ")
    };
    Some(ERAS.map(codes).to_vec())
}

/// The one message that a fault makes TensorFlow 2.21 say.
fn message(definitions: &str) -> Option<(&'static str, String)> {
    let verdict = judge(&party(&build(definitions)?), "2.21.0");
    let found = found(&verdict);
    assert_eq!(found.len(), 1, "{definitions}: {found:?}");
    Some((found[0].0, found[0].1.to_owned()))
}

#[test]
fn a_plug_in_that_keeps_the_rules_registers_in_every_era() {
    // It writes only what is there, refuses other majors and structs without a size.
    let careful = "ENTERS if (params == 0 || params[0] == 0 || *(int *)(params + 2) != 0) \
        { TF_SetStatus(status, 9, \"version\"); return; } \
        if (!params[4] || !params[5]) { TF_SetStatus(status, 3, \"no structs\"); return; } \
        int growth = ((u64 *)params[4])[0] >= 35; u64 held = ((u64 *)params[5])[0];
        GROWTH 0
        SETS if (growth) ((char *)platform)[34] = 1; platform[0] = held < 88 ? 34 : 34 + growth;
        EXECUTOR (se[0] / 8 < 36 ? se[0] / 8 : 36)";
    let Some(made) = build(&careful.replace("\n        GROWTH", "\nGROWTH")) else { return };
    let party = party(&made);
    for release in ERAS {
        let verdict = judge(&party, release);
        assert_eq!(found(&verdict), [], "{release}");
        assert!(verdict.unjudged.iter().all(|gap| gap.aspect != "se.callbacks"));
    }
    assert_eq!(judge(&party, "2.21.0").outcome, Outcome::Compatible);
    assert_eq!(fact(&party, "host: TensorFlow 2.14 to 2.21"), "registers, 1 device");
    assert_eq!(fact(&party, "platform"), "RUSTDEV, device type RUSTDEV");
    let refused = "refused by SE_InitPlugin, and unloaded: version";
    assert_eq!(fact(&party, "host of version 99.0.0"), refused);
    assert_eq!(fact(&party, "host with struct_size 0"), refused);
    let without = "refused by SE_InitPlugin, and unloaded: no structs";
    assert_eq!(fact(&party, "host without structs to fill in"), without);
}

#[test]
fn a_plug_in_of_the_newest_headers_spoils_older_hosts() {
    let Some(made) = build("") else { return };
    let party = party(&made);
    let old = judge(&party, "2.6.5");
    assert_eq!(
        found(&old),
        [
            (
                "SE014",
                "create_stream_executor writes 24 bytes past the end of a struct that has 264 in TensorFlow 2.6.5: SP_StreamExecutor"
            ),
            (
                "SE015",
                "SE_InitPlugin sets 1 byte behind the 34 that a struct has in TensorFlow 2.6.5, in padding: SP_Platform"
            ),
        ]
    );
    assert!(!old.works());
    let middle = judge(&party, "2.8.4");
    assert_eq!(found(&middle).iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["SE015"]);
    assert!(middle.works());
    assert_eq!(found(&judge(&party, "2.12.1")), []);
    assert_eq!(found(&judge(&party, "2.21.0")), []);
    assert_eq!(fact(&party, "built with headers of"), "TensorFlow 2.9 to 2.21");
    assert_eq!(
        fact(&party, "host: TensorFlow 2.4"),
        "registers; writes 8 bytes past SP_PlatformFns"
    );
    // It looks at nothing, as the plug-ins of vendors.
    let codes = notes(&party);
    for code in ["SE018", "SE019", "SE022"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    assert_eq!(fact(&party, "host of version 99.0.0"), "registers");
}

#[test]
fn a_plug_in_of_old_headers_leaves_what_newer_hosts_require() {
    let Some(codes) = codes("GROWTH 0\nEXECUTOR 33") else { return };
    assert_eq!(codes, ["", "SE011 SE011 SE011", "SE011 SE011 SE011", "SE011 SE011 SE011"]);
}

#[test]
fn a_refusal_is_a_finding_with_the_plug_ins_words_and_the_plug_in_is_unloaded() {
    let refuses = "ENTERS if (*(int *)(params + 2) != 7) { TF_SetStatus(status, 9, \
        \"Unsupported major version. Given: 0 Expected: 7\"); return; }";
    let Some((code, message)) = message(refuses) else { return };
    assert_eq!(code, "SE009");
    let words = "SE_InitPlugin refuses a TensorFlow 2.21.0 host: Unsupported major version. \
        Given: 0 Expected: 7";
    assert_eq!(message, words);
    // Whatever its destructors do when it is unloaded shows.
    let dies = "__attribute__((destructor)) static void at_the_end(void) { abort(); }";
    let Some(made) = build_with(refuses, dies) else { return };
    let found = trial(&made.path, 20);
    let newest = found.of_release(21).unwrap();
    assert_eq!(newest.end, TrialEnd::Died("abort (SIGABRT)".to_owned()));
    assert_eq!(newest.stage, "unloading");
    assert!(newest.refusal().is_some());
}

#[test]
fn sizes_of_zero_are_named_with_their_struct() {
    for (definitions, structure) in [
        ("SETS params[0] = 0;", "SE_PlatformRegistrationParams"),
        ("SETS platform[0] = 0;", "SP_Platform"),
        ("SETS fns[0] = 0;", "SP_PlatformFns"),
        ("EXECUTES se[0] = 0;", "SP_StreamExecutor"),
        ("FNS fns[0] = 0;", "SP_DeviceFns"),
        ("DEVICE device[0] = 0;", "SP_Device"),
        ("PIECE piece[0] = 0;", "SP_DeviceMemoryBase"),
    ] {
        let Some((code, message)) = message(definitions) else { return };
        assert_eq!(code, "SE013", "{definitions}");
        let words = "the plug-in sets struct_size to 0, which TensorFlow 2.21.0 refuses";
        assert_eq!(message, format!("{words}: {structure}"));
    }
}

#[test]
fn memory_without_its_size_works_all_the_same() {
    let Some(made) = build("PIECE piece[0] = 0;") else { return };
    assert!(judge(&party(&made), "2.21.0").works());
}

#[test]
fn an_executor_that_ends_too_early_lacks_what_comes_behind() {
    let Some(made) = build("EXECUTOR 30") else { return };
    let verdict = judge(&party(&made), "2.21.0");
    let fields: Vec<&str> =
        found(&verdict).iter().map(|(_, message)| message.rsplit('.').next().unwrap()).collect();
    let wanted = ["synchronize_all_activity", "mem_zero", "memset", "memset32", "host_callback"];
    assert_eq!(fields, wanted);
}

#[test]
fn sizes_that_no_host_looks_at_are_no_finding() {
    for definitions in ["EXECUTES se[0] = 1;", "EXECUTES se[0] = 1ul << 40;"] {
        let Some(made) = build(definitions) else { return };
        assert_eq!(found(&judge(&party(&made), "2.21.0")), [], "{definitions}");
    }
}

#[test]
fn required_fields_that_are_null_are_named() {
    for (definitions, code, field) in [
        ("SETS params[6] = 0;", "SE011", "SE_PlatformRegistrationParams.destroy_platform"),
        ("SETS fns[3] = 0;", "SE011", "SP_PlatformFns.create_device"),
        ("SETS fns[5] = 0;", "SE011", "SP_PlatformFns.create_device_fns"),
        ("SETS fns[7] = 0;", "SE011", "SP_PlatformFns.create_stream_executor"),
        ("SETS fns[2] = 0;", "SE012", "SP_PlatformFns.get_device_count"),
        ("NAME 0\nTYPE \"RUSTDEV\"", "SE011", "SP_Platform.name"),
        ("EXECUTES se[2] = 0;", "SE011", "SP_StreamExecutor.allocate"),
        ("EXECUTES se[35] = 0;", "SE011", "SP_StreamExecutor.host_callback"),
        ("EXECUTES se[25] = 0;", "SE012", "SP_StreamExecutor.memcpy_dtod"),
    ] {
        let Some((found, message)) = message(definitions) else { return };
        assert_eq!(found, code, "{definitions}");
        assert!(message.ends_with(&format!(": {field}")), "{definitions}: {message}");
    }
    let Some((_, message)) = message("SETS fns[2] = 0;") else { return };
    let words = "TensorFlow 2.21.0 calls a field that the plug-in leaves null: SP_PlatformFns.get_device_count";
    assert_eq!(message, words);
    let verdict = judge(&party(&build("SETS fns[2] = 0;").unwrap()), "2.21.0");
    assert!(!verdict.works());
}

#[test]
fn unified_memory_is_required_of_those_that_say_they_have_it() {
    let says = "SETS ((char *)platform)[32] = 1;";
    let Some(made) = build(says) else { return };
    assert_eq!(found(&judge(&party(&made), "2.21.0")), []);
    let Some((code, message)) = message(&format!("{says}\nEXECUTES se[6] = 0;")) else { return };
    assert_eq!(code, "SE011");
    assert!(message.ends_with(": SP_StreamExecutor.unified_memory_allocate"), "{message}");
    let Some(made) = build("EXECUTES se[6] = 0;") else { return };
    assert_eq!(found(&judge(&party(&made), "2.21.0")), []);
}

#[test]
fn timers_are_required_until_2_13() {
    let Some(found) = codes("SETS fns[9] = 0; fns[10] = 0;\nGROWTH 0\nEXECUTOR 33") else { return };
    assert_eq!(
        found,
        [
            "SE011 SE011",
            "SE011 SE011 SE011 SE011 SE011",
            "SE011 SE011 SE011 SE011 SE011",
            "SE011 SE011 SE011"
        ]
    );
}

#[test]
fn names_that_no_host_takes_are_named() {
    for name in ["rust_dev", "R2D2", "_RUST", "", "RUST-DEV"] {
        let Some((code, message)) = message(&format!("NAME \"RUSTDEV\"\nTYPE \"{name}\"")) else {
            return;
        };
        assert_eq!(code, "SE010", "{name}");
        let words = "TensorFlow 2.21.0 accepts names of the form [A-Z][A-Z_]* only";
        assert_eq!(message, format!("{words}, SP_Platform.type is: {name}"));
    }
    let Some((code, _)) = message("NAME \"RUSTDEV\"\nTYPE \"CPU\"") else { return };
    assert_eq!(code, "SE017");
}

#[test]
fn whatever_ends_the_process_is_a_finding_with_its_place() {
    for (definitions, stage, cause) in [
        ("ENTERS raise(SIGSEGV);", "SE_InitPlugin", "segmentation fault (SIGSEGV)"),
        ("ENTERS abort();", "SE_InitPlugin", "abort (SIGABRT)"),
        ("ENTERS exit(0);", "SE_InitPlugin", "exit with code 0"),
        ("ENTERS _exit(3);", "SE_InitPlugin", "exit with code 3"),
        ("ENTERS *(volatile int *)16 = 1;", "SE_InitPlugin", "segmentation fault (SIGSEGV)"),
        ("EXECUTES abort();", "create_stream_executor", "abort (SIGABRT)"),
        ("COUNT abort();", "get_device_count", "abort (SIGABRT)"),
        ("DEVICE abort();", "create_device", "abort (SIGABRT)"),
        ("PIECE abort();", "allocate", "abort (SIGABRT)"),
        (
            "NAME (char *)8\nTYPE \"RUST\"",
            "reading SP_Platform.name",
            "segmentation fault (SIGSEGV)",
        ),
        ("SETS memset(platform, 1, 4096);", "SE_InitPlugin", "segmentation fault (SIGSEGV)"),
    ] {
        let Some((code, message)) = message(definitions) else { return };
        assert_eq!(code, "SE007", "{definitions}: {message}");
        let words = format!("ends the process of a TensorFlow 2.21.0 host in {stage}: {cause}");
        assert_eq!(message, words);
    }
}

#[test]
fn last_words_are_the_symptom() {
    let says = "ENTERS fputs(\"no license\\n\", stderr); abort();";
    let Some(made) = build(says) else { return };
    let verdict = judge(&party(&made), "2.21.0");
    assert_eq!(verdict.findings[0].symptom.as_deref(), Some("no license"));
}

#[test]
fn what_is_freed_badly_is_a_warning() {
    let Some(made) = build("DESTROYS abort();") else { return };
    let verdict = judge(&party(&made), "2.21.0");
    assert_eq!(found(&verdict).len(), 1);
    assert_eq!(verdict.findings[0].rule.code, "SE007");
    assert!(verdict.works() && verdict.findings[0].message.contains("destroy_device"));
}

#[test]
fn a_plug_in_that_blocks_costs_its_limit_once() {
    let Some(made) = build("ENTERS for (;;) pause();") else { return };
    let begun = Instant::now();
    let found = trial(&made.path, 1);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let newest = found.of_release(21).unwrap();
    assert_eq!((&newest.end, &*newest.stage), (&TrialEnd::Late(1), "SE_InitPlugin"));
    let blocked = |trial: &&PluginTrial| matches!(trial.end, TrialEnd::Late(_));
    assert_eq!(found.trials.iter().filter(blocked).count(), 1);
    assert!(matches!(found.of_release(6).unwrap().end, TrialEnd::NotMade(_)));
    let party = unskew_stream_executor::asked("plugin.so", &made::object(&made.path), found);
    let verdict = judge(&party, "2.21.0");
    let message = "a TensorFlow 2.21.0 host has no answer from SE_InitPlugin within 1 s";
    assert_eq!(made::found(&verdict), [("SE008", message)]);
    // What was not played is no pass.
    let old = judge(&party, "2.6.5");
    assert!(old.unjudged.iter().any(|gap| gap.aspect == "se.callbacks"));
}

#[test]
fn a_plug_in_that_blocks_a_process_of_its_own_keeps_nothing_waiting() {
    let Some(made) = build("ENTERS if (fork() == 0) { sleep(30); _exit(0); }") else { return };
    let begun = Instant::now();
    let found = trial(&made.path, 20);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(found.of_release(21).unwrap().is_accepted());
}

#[test]
fn constructors_that_end_the_process_are_no_end_of_the_parent() {
    let dies = "__attribute__((constructor)) static void begins(void) \
        { fputs(\"no driver\\n\", stderr); abort(); }";
    let Some(made) = build_with("", dies) else { return };
    let party = party(&made);
    assert_eq!(notes(&party), ["SE024"]);
    let message = &party.notes[0].message;
    assert_eq!(message, "loading it ends the process: abort (SIGABRT); last words: no driver");
    let verdict = judge(&party, "2.21.0");
    assert!(verdict.unjudged.iter().any(|gap| gap.aspect == "se.callbacks"));
    let exits = "__attribute__((constructor)) static void begins(void) { exit(0); }";
    let Some(made) = build_with("", exits) else { return };
    let failure = trial(&made.path, 20).failure;
    assert_eq!(failure, Some(PreflightFailure::Died("exit with code 0".to_owned())));
}

/// Whatever the child is or says, the parent ends with an answer and believes only what it can read.
#[test]
fn a_child_that_is_none_of_ours_is_no_end_of_the_parent() {
    let shell = |script: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]);
        preflight_in_child(command, Duration::from_secs(1), Confinement::Sandbox)
    };
    let begun = Instant::now();
    let silent = shell("exit 0");
    assert_eq!(silent.failure, Some(PreflightFailure::Died("exit with code 0".to_owned())));
    assert_eq!(shell("sleep 30").failure, Some(PreflightFailure::Late(1)));
    // Noise without end does not prolong its time.
    assert!(shell("exec yes").failure.is_some());
    // A line is believed if it begins with the token that the greeting brought; and it must be one.
    let says = |line: &str, then: &str| {
        let script = format!("read mark token rest <&1; echo \"$token line $LINE\"; {then}");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).env("LINE", line);
        preflight_in_child(command, Duration::from_secs(1), Confinement::None)
    };
    for line in ["{", "null", "{\"played\":{}}", "\"loaded\"", "{\"played\":{\"script\":7}}", "[]"]
    {
        let found = says(line, "exit 3");
        assert_eq!(
            found.failure,
            Some(PreflightFailure::Died("exit with code 3".to_owned())),
            "{line}"
        );
        assert!(found.trials.is_empty());
    }
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(says(&deep, "exit 0").trials.is_empty());
    assert_eq!(says("\"end\"", "sleep 30").failure, None);
    for forged in ["\"end\"", "line \"end\"", "00000000000000000000000000000000 line \"end\""] {
        assert_eq!(
            shell(&format!("echo '{forged}'; sleep 30")).failure,
            Some(PreflightFailure::Late(1))
        );
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn what_a_plug_in_writes_is_no_answer() {
    let noise = "ENTERS for (int i = 0; i < 3000; i++) { puts(\"@unskew-preflight {\"); \
        fputs(\"noise and more noise\\n\", stderr); } fflush(stdout);";
    let Some(made) = build(noise) else { return };
    assert_eq!(found(&judge(&party(&made), "2.21.0")), []);
}

#[test]
fn a_process_that_a_plug_in_leaves_behind_is_not_waited_for() {
    let forks = "ENTERS if (fork() == 0) { setsid(); sleep(3); _exit(0); } abort();";
    let Some(made) = build(forks) else { return };
    let begun = Instant::now();
    let trials = trial(&made.path, 20);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(trials.of_release(21).unwrap().end, TrialEnd::Died("abort (SIGABRT)".to_owned()));
}

#[test]
fn the_functions_for_statuses_work_both_ways() {
    let own = "ENTERS void *own = TF_NewStatus(); TF_SetStatus(own, 5, \"mine\"); \
        if (TF_GetCode(own) != 5 || strcmp(TF_Message(own), \"mine\") || TF_GetCode(status)) abort(); \
        TF_DeleteStatus(own);";
    let Some(made) = build(own) else { return };
    assert_eq!(found(&judge(&party(&made), "2.21.0")), []);
}

#[test]
fn a_crash_after_a_function_that_is_not_here_is_not_judged() {
    let asks = "ENTERS int *TF_GetRegisteredKernels(void); *TF_GetRegisteredKernels() = 1;";
    let Some(made) = build(asks) else { return };
    let party = party(&made);
    assert!(notes(&party).contains(&"SE023"), "{:?}", party.notes);
    let verdict = judge(&party, "2.21.0");
    assert!(!found(&verdict).iter().any(|(code, _)| *code == "SE007"));
    assert!(verdict.unjudged.iter().any(|gap| gap.aspect == "se.callbacks"));
}

#[test]
fn writing_before_a_struct_shows() {
    let Some((code, message)) = message("SETS fns[-1] = 1;") else { return };
    assert_eq!(code, "SE016");
    assert!(
        message.ends_with(
            "8 bytes before the beginning of a struct of TensorFlow 2.21.0: SP_PlatformFns"
        ),
        "{message}"
    );
}

#[test]
fn a_version_that_is_written_over_is_told() {
    let Some(made) = build("SETS *(int *)(params + 2) = 0; *(int *)(params + 3) = 1;") else {
        return;
    };
    let party = party(&made);
    let note = party.notes.iter().find(|note| note.rule.code == "SE020").unwrap();
    assert_eq!(note.message, "replaces the version of its host by its own: 0.0.1");
}

#[test]
fn a_size_that_has_to_be_the_same_fails_with_later_hosts() {
    let exact =
        "ENTERS if (((u64 *)params[5])[0] != 88) { TF_SetStatus(status, 9, \"size\"); return; }";
    let Some(made) = build(exact) else { return };
    let party = party(&made);
    let note = party.notes.iter().find(|note| note.rule.code == "SE021").unwrap();
    assert_eq!(note.message, "fails with a host whose structs are 64 bytes longer: size");
}

#[test]
fn a_machine_without_the_device_is_no_fault() {
    let Some(made) = build("COUNT TF_SetStatus(status, 5, \"no device\");") else { return };
    let party = party(&made);
    assert_eq!(found(&judge(&party, "2.21.0")), []);
    let label = "host: TensorFlow 2.14 to 2.21";
    assert_eq!(fact(&party, label), "registers; get_device_count fails: no device");
}

#[test]
fn the_same_platform_twice_is_found_between_two_plug_ins_and_within_one() {
    let (Some(one), Some(other)) = (build(""), build("NAME \"OTHER\"")) else { return };
    let (one, other) = (party(&one), party(&other));
    let day = unskew_core::Context::for_tests();
    let twice = unskew_core::check(&one, &one, &day);
    assert!(
        found(&twice).contains(&("SE025", "both register the same platform: RUSTDEV")),
        "{twice:?}"
    );
    assert!(
        !found(&unskew_core::check(&one, &other, &day)).iter().any(|(code, _)| *code == "SE025")
    );
    let Some(made) = build(
        "ENTERS static int times; if (times++) { TF_SetStatus(status, 6, \"again\"); return; }",
    ) else {
        return;
    };
    let trials = trial(&made.path, 20);
    let again = trials.with(Skew::Twice).unwrap();
    assert_eq!(again.refusal().unwrap().message, "again");
    assert!(trials.of_release(21).unwrap().is_accepted(), "each host has a plug-in of its own");
}
