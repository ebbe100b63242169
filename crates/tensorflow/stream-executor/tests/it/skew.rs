//! What a plug-in can get wrong at registration: what TensorFlow does about it, and what Unskew says before.
//!
//! Every case is a plug-in that the C compiler of this machine makes. A test puts each on trial; another has real
//! releases load each, in a process of its own, and looks whether that lives.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::made::{Made, build, found, judge, party};
use unskew_core::{Phase, Severity, Verdict};
use unskew_peers::{Peer, there};

/// What TensorFlow 2.15 and 2.21 do when they load the plug-in and list its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Real {
    Lists,
    /// It is loaded, and no device of it is listed.
    Hides,
    /// The process ends: SIGABRT.
    Aborts,
    /// The process ends: SIGSEGV.
    Crashes,
}

use Real::{Aborts, Crashes, Hides, Lists};

/// A case: its name, the part of the plug-in that is not as it should be, what TensorFlow does, and the codes of
/// what Unskew finds for TensorFlow 2.15 and 2.21.
type Case = (&'static str, &'static str, Real, &'static [&'static str]);

const CASES: [Case; 41] = [
    ("nothing", "", Lists, &[]),
    (
        "refuses the major version",
        "ENTERS TF_SetStatus(status, 9, \"major\"); return;",
        Aborts,
        &["SE009"],
    ),
    ("refuses without a text", "ENTERS TF_SetStatus(status, 2, \"\"); return;", Aborts, &["SE009"]),
    ("params.struct_size 0", "SETS params[0] = 0;", Aborts, &["SE013"]),
    ("platform.struct_size 0", "SETS platform[0] = 0;", Aborts, &["SE013"]),
    ("platform_fns.struct_size 0", "SETS fns[0] = 0;", Aborts, &["SE013"]),
    ("device_fns.struct_size 0", "FNS fns[0] = 0;", Aborts, &["SE013"]),
    ("stream_executor.struct_size 0", "EXECUTES se[0] = 0;", Aborts, &["SE013"]),
    ("params.struct_size 1", "SETS params[0] = 1;", Lists, &[]),
    ("platform.struct_size 1", "SETS platform[0] = 1;", Lists, &[]),
    ("platform_fns.struct_size 2^40", "SETS fns[0] = 1ul << 40;", Lists, &[]),
    ("stream_executor.struct_size 1", "EXECUTES se[0] = 1;", Lists, &[]),
    ("stream_executor.struct_size 2^40", "EXECUTES se[0] = 1ul << 40;", Lists, &[]),
    (
        "stream_executor of 240 bytes",
        "EXECUTOR 30",
        Aborts,
        &["SE011", "SE011", "SE011", "SE011", "SE011"],
    ),
    ("destroy_platform null", "SETS params[6] = 0;", Aborts, &["SE011"]),
    ("destroy_platform_fns null", "SETS params[7] = 0;", Aborts, &["SE011"]),
    ("name null", "NAME 0\nTYPE \"RUSTDEV\"", Aborts, &["SE011"]),
    ("type null", "NAME \"RUSTDEV\"\nTYPE 0", Aborts, &["SE011"]),
    ("name in small letters", "NAME \"rust_dev\"\nTYPE \"RUSTDEV\"", Aborts, &["SE010"]),
    ("type in small letters", "NAME \"RUSTDEV\"\nTYPE \"rust_dev\"", Aborts, &["SE010"]),
    ("type with a digit", "NAME \"RUSTDEV\"\nTYPE \"RUST2\"", Aborts, &["SE010"]),
    ("type without a letter", "NAME \"RUSTDEV\"\nTYPE \"\"", Aborts, &["SE010"]),
    ("type CPU", "NAME \"RUSTDEV\"\nTYPE \"CPU\"", Hides, &["SE017"]),
    ("get_device_count null", "SETS fns[2] = 0;", Crashes, &["SE012"]),
    ("create_device null", "SETS fns[3] = 0;", Aborts, &["SE011"]),
    ("destroy_device null", "SETS fns[4] = 0;", Aborts, &["SE011"]),
    ("create_device_fns null", "SETS fns[5] = 0;", Aborts, &["SE011"]),
    ("destroy_device_fns null", "SETS fns[6] = 0;", Aborts, &["SE011"]),
    ("create_stream_executor null", "SETS fns[7] = 0;", Aborts, &["SE011"]),
    ("destroy_stream_executor null", "SETS fns[8] = 0;", Aborts, &["SE011"]),
    ("timers null", "SETS fns[9] = 0; fns[10] = 0;", Lists, &[]),
    ("allocate null", "EXECUTES se[2] = 0;", Aborts, &["SE011"]),
    ("memcpy_dtod null", "EXECUTES se[25] = 0;", Lists, &["SE012"]),
    ("host_callback null", "EXECUTES se[35] = 0;", Aborts, &["SE011"]),
    ("mem_zero null", "EXECUTES se[32] = 0;", Aborts, &["SE011"]),
    ("create_device_fns fails", "FNS TF_SetStatus(status, 13, \"no\");", Aborts, &["SE009"]),
    (
        "create_stream_executor fails",
        "EXECUTES TF_SetStatus(status, 13, \"no\");",
        Aborts,
        &["SE009"],
    ),
    ("no device", "COUNT *count = 0;", Hides, &[]),
    ("crashes", "ENTERS *(volatile int *)16 = 1;", Crashes, &["SE007"]),
    // What TensorFlow looks at when the device is used for the first time: a hang in 2.15 and 2.21.
    ("SP_Device.struct_size 0 at first use", "DEVICE device[0] = 0;", Lists, &["SE013"]),
    // An error in the log for every allocation.
    ("SP_DeviceMemoryBase.struct_size 0", "PIECE piece[0] = 0;", Lists, &["SE013"]),
];

/// All of them, made; none without a C compiler.
fn all() -> Option<Vec<(Case, Made)>> {
    CASES.into_iter().map(|case| Some((case, build(case.1)?))).collect()
}

fn fails_at_load(verdict: &Verdict) -> bool {
    let fails = |finding: &unskew_core::Finding| {
        finding.severity == Severity::Error && finding.phase == Some(Phase::Load)
    };
    verdict.findings.iter().any(fails)
}

#[test]
fn every_case_is_found_as_it_stands_in_the_table() {
    let Some(all) = all() else { return };
    for ((name, _, real, codes), made) in all {
        let party = party(&made);
        for release in ["2.15.1", "2.21.0"] {
            let verdict = judge(&party, release);
            let told: Vec<&str> = found(&verdict).iter().map(|(code, _)| *code).collect();
            assert_eq!(told, codes, "{name}, {release}: {:?}", found(&verdict));
            let dies = matches!(real, Aborts | Crashes);
            assert_eq!(fails_at_load(&verdict), dies, "{name}, {release}");
        }
    }
}

/// Loads each plug-in in a copy of a process with TensorFlow, and prints how that ended.
const LOAD: &str = "
import os, sys
import tensorflow as tf
from tensorflow.python.framework import load_library
for path in sys.argv[1:]:
    copy = os.fork()
    if copy == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        load_library.load_pluggable_device_library(path)
        devices = [it for it in tf.config.list_physical_devices() if it.device_type != 'CPU']
        os._exit(10 if devices else 11)
    status = os.waitpid(copy, 0)[1]
    print({10 << 8: 'Lists', 11 << 8: 'Hides', 6: 'Aborts', 11: 'Crashes'}.get(status & 0xff7f, status), flush=True)
";

fn real_does_so(release: &str) {
    if !there(&format!("tensorflow-{release}")) {
        return;
    }
    let Some(all) = all() else { return };
    let host = Peer::named("tensorflow", release).unwrap();
    let output = host
        .command()
        .args(["-c", LOAD])
        .args(all.iter().map(|(_, made)| &made.path))
        .env("TF_CPP_MIN_LOG_LEVEL", "3")
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), all.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let differ: Vec<_> = all
        .iter()
        .zip(lines)
        .filter(|(((_, _, real, _), _), said)| format!("{real:?}") != **said)
        .map(|(((name, _, real, _), _), said)| format!("{name}: {said}, not {real:?}"))
        .collect();
    assert!(differ.is_empty(), "tensorflow {release}: {differ:#?}");
}

#[test]
fn tensorflow_2_15_1_does_what_stands_in_the_table() {
    real_does_so("2.15.1");
}

#[test]
fn tensorflow_2_21_0_does_what_stands_in_the_table() {
    real_does_so("2.21.0");
}
