//! The real history of the two interfaces, from headers in published packages: every break of it is found,
//! and nothing else is said.
//!
//! The tables say all that is to be found of at least a warning: a code, and a word of the message. Each line is
//! known from elsewhere: from the layouts that were measured on these headers, and from the failures of real
//! hosts and plug-ins.

use crate::common::{corpus, diff_bytes, headers, lines};
use std::path::Path;
use unskew_c_headers::change::{Class, HeaderComparison};
use unskew_core::Severity;

type Wanted = &'static [(&'static str, &'static str)];

/// The main header from release to release.
const RELEASES: [(&str, &str, Wanted); 8] = [
    (
        "tensorflow-cpu-2.15.0", // 0.34
        "tensorflow-cpu-2.16.1", // 0.40
        &[
            ("HD002", "`PJRT_Api`"),
            ("HD002", "`PJRT_ExecuteOptions`"),
            ("HD002", "`PJRT_Device_AddressableMemories_Args`"),
            ("HD002", "`PJRT_Plugin_Attributes_Args`"),
        ],
    ),
    (
        "tensorflow-cpu-2.16.1",
        "tensorflow-cpu-2.17.0", // 0.54
        &[
            ("HD001", "a major change"),
            ("HD002", "`PJRT_Api`"),
            ("HD002", "`PJRT_Plugin_Attributes_Args`"),
            ("HD003", "`PJRT_Device_AddressableMemories_Args`"),
            ("HD003", "`PJRT_ExecuteOptions`"),
            // The base of extensions got another name, and with it another layout.
            ("HD115", "`PJRT_Structure_Base`"),
            ("HD115", "`PJRT_Structure_Type`"),
        ],
    ),
    (
        "tensorflow-cpu-2.17.0",
        "tensorflow-cpu-2.18.0",
        &[("HD002", "`PJRT_Api`"), ("HD002", "`PJRT_Plugin_Attributes_Args`")],
    ),
    (
        "tensorflow-cpu-2.18.0",
        "tensorflow-cpu-2.19.0", // 0.67
        &[("HD002", "`PJRT_Plugin_Attributes_Args`")],
    ),
    (
        "tensorflow-cpu-2.19.0",
        "tensorflow-cpu-2.20.0", // 0.72: what stopped JAX 0.5.0 to 0.6.2
        &[
            ("HD001", "`PJRT_Plugin_Attributes_Args`"),
            ("HD003", "now announced with 32 bytes, and was announced with 24"),
        ],
    ),
    ("tensorflow-cpu-2.20.0", "xla-cpu-pjrt-0.0.1", &[]), // 0.81
    ("xla-cpu-pjrt-0.0.1", "tensorflow-cpu-2.21.0", &[]), // 0.90
    (
        "tensorflow-cpu-2.21.0",
        "tf-nightly-cpu-2.22.0.dev20260905", // 0.114
        &[("HD009", "`PJRT_LogicalDeviceIds`"), ("HD009", "`PJRT_HloOutputCallbackInfo`")],
    ),
];

/// What the main header and the extensions have from build to build, apart from new structs without a size
/// (`HD009`). Builds that are not named have nothing.
const DAILIES: [(&str, Wanted); 9] = [
    ("20250818", &[("HD401", "PJRT_API_FFI_EXTENSION` stays at 2")]),
    ("20250903", &[("HD001", "stays at 0.75"), ("HD111", "`PJRT_ProcessInfo`")]),
    (
        "20251029",
        &[
            ("HD115", "`PJRT_FFI_TypeID_Register`"),
            ("HD115", "`PJRT_FFI_TypeID_Register_Args`"),
            ("HD117", "`PJRT_FFI_Extension.type_register`"),
        ],
    ),
    (
        "20251110",
        &[
            ("HD108", "`PJRT_FFI_UserData.deleter`"),
            ("HD114", "`PJRT_FFI_UserData_Add_Args`"),
            ("HD401", "PJRT_API_FFI_EXTENSION` stays at 3"),
        ],
    ),
    ("20251219", &[("HD204", "`PJRT_Transfers_CrossHostRecvNotifier`")]),
    (
        "20260121",
        &[
            ("HD102", "CopyToRemoteDevice_Args` has `event`"),
            ("HD106", "CopyToRemoteDevice_Args.serialized_descriptor`"),
            ("HD106", "CopyToRemoteDevice_Args.serialized_descriptor_size`"),
            ("HD401", "PJRT_API_TPU_TOPOLOGY_EXTENSION` stays at 1"),
        ],
    ),
    ("20260214", &[("HD401", "PJRT_API_TPU_TOPOLOGY_EXTENSION` stays at 1")]),
    ("20260616", &[("HD401", "PJRT_API_RAW_BUFFER_EXTENSION` stays at 2")]),
    (
        "20260716",
        &[
            ("HD001", "`host_allocator_extension.h`"),
            ("HD119", "`host_allocator_extension.h`"),
            ("HD204", "copy_raw_host_to_device_and_return_event`"),
            ("HD204", "copy_raw_device_to_host_and_return_event`"),
            ("HD401", "PJRT_API_RAW_BUFFER_EXTENSION` stays at 2"),
        ],
    ),
];

/// The StreamExecutor and Grappler interfaces. Of each text at least one release is always at hand.
const DEVICES: [(&str, &str, Wanted); 4] = [
    (
        "2.4.4",
        "2.6.5",
        &[
            ("HD001", "`SE` stays at 0.0.1: a major change"),
            ("HD108", "`SP_Platform.visible_device_count`"),
            ("HD202", "`SP_PlatformFns` has `get_device_count` in front of"),
            ("HD206", "`get_device_count`"),
        ],
    ),
    (
        "2.6.5",
        "2.8.4",
        &[
            ("HD001", "`SE` stays at 0.0.1: a major change"),
            ("HD202", "`SP_StreamExecutor` has `mem_zero`, `memset` and `memset32` in front of"),
            ("HD206", "`mem_zero`, `memset` and `memset32`"),
        ],
    ),
    (
        "2.8.4",
        "2.10.1",
        &[
            ("HD001", "`SE` stays at 0.0.1: a minor change in `SP_Platform`"),
            ("HD001", "`GO` stays at 0.0.1: a major change in `TP_OptimizerConfigs`"),
            ("HD102", "`auto_mixed_precision_onednn_bfloat16`"),
        ],
    ),
    ("2.10.1", "2.21.0", &[]),
];

/// The folder of a build, if it is at hand.
fn folder(name: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(env!("UNSKEW_ROOT")).join("corpus").join(name);
    path.exists().then_some(path)
}

/// Two folders; `only` is the one header to look at.
fn compared(old: &Path, new: &Path, only: Option<&str>, policy: &str) -> HeaderComparison {
    let read = |path: &Path| {
        let mut found = headers(path);
        found.retain(|(name, _)| only.is_none_or(|only| name == only));
        assert!(!found.is_empty(), "no header in {}", path.display());
        found
    };
    fn view(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
        files.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect()
    }
    let (old, new) = (read(old), read(new));
    diff_bytes(&view(&old), &view(&new), Some(policy))
}

#[track_caller]
fn holds(what: &str, comparison: &HeaderComparison, wanted: Wanted, but: &str) {
    let found = comparison.findings().filter(|f| f.severity >= Severity::Warning);
    let mut found: Vec<_> = found.filter(|f| f.rule.code != but).collect();
    for (code, word) in wanted {
        let at = found.iter().position(|f| f.rule.code == *code && f.message.contains(word));
        let at = at.unwrap_or_else(|| panic!("{what}: no {code} {word}\n{}", lines(comparison)));
        found.remove(at);
    }
    assert!(found.is_empty(), "{what}: more than there is: {found:?}");
}

#[test]
fn every_break_between_releases_of_the_pjrt_header_is_found_and_nothing_else() {
    for (old, new, wanted) in RELEASES {
        let (a, b) = (corpus(&format!("headers/{old}")), corpus(&format!("headers/{new}")));
        let comparison = compared(&a, &b, Some("pjrt_c_api.h"), "pjrt");
        holds(&format!("{old} and {new}"), &comparison, wanted, "");
    }
}

#[test]
fn every_break_between_daily_builds_of_the_pjrt_headers_is_found_and_nothing_else() {
    let root = corpus("headers");
    let mut builds: Vec<String> = std::fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("tf-nightly-cpu-"))
        .collect();
    builds.sort();
    if builds.len() < 2 {
        eprintln!("SKIPPED: the daily builds are not at hand; `cargo lab abi --all` fetches them");
        return;
    }
    builds.insert(0, "tensorflow-cpu-2.20.0".to_owned());
    for pair in builds.windows(2) {
        let [old, new] = pair else { continue };
        let comparison = compared(&root.join(old), &root.join(new), None, "pjrt");
        let day = new.rsplit("dev").next().unwrap();
        let wanted = DAILIES.iter().find(|(of, _)| *of == day).map_or(&[][..], |(_, w)| w);
        holds(&format!("{old} and {new}"), &comparison, wanted, "HD009");
    }
}

#[test]
fn every_break_of_the_stream_executor_headers_is_found_and_nothing_else() {
    for (old, new, wanted) in DEVICES {
        let (a, b) =
            (corpus(&format!("device-headers/{old}")), corpus(&format!("device-headers/{new}")));
        let comparison = compared(&a, &b, None, "stream-executor");
        holds(&format!("{old} and {new}"), &comparison, wanted, "");
        for bump in &comparison.bumps {
            assert!(bump.before.is_empty() || bump.made == Class::Patch, "{bump:?}");
        }
    }
    // The only release that has the Grappler header as it was before.
    let Some(first) = folder("device-headers/2.5.3") else {
        eprintln!("SKIPPED: TensorFlow 2.5.3 is not at hand; `cargo lab se --all` fetches it");
        return;
    };
    let comparison = compared(&first, &corpus("device-headers/2.6.5"), None, "stream-executor");
    let wanted: Wanted = &[
        ("HD001", "`GO` stays at 0.0.1: a major change in `TP_Optimizer`"),
        ("HD204", "`TP_Optimizer.optimize_func`: it takes 5 parameters, and took 4"),
        ("HD207", "`TF_GetGrapplerItem`"),
    ];
    holds("2.5.3 and 2.6.5", &comparison, wanted, "");
}
