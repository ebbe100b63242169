//! Programs of JAX's own back-compatibility data with a plug-in: what it compiles is said before it is tried.
//!
//! `cargo lab programs-on-plugins` has all of them, on three plug-ins, compiled for real.

use std::process::Command;

use unskew_jax_matrix::PLUGINS;

/// A program, and the rules that say why the newest plug-in does not compile it.
const PROGRAMS: [(&str, &[&str]); 4] = [
    ("tpu_Qr.data_2023_03_17", &[]),
    ("annotate_data_placement.data_2025_06_30_cuda.shardy", &[]),
    ("cpu_lu_lapack_getrf.data_2024_05_31.f32", &["SH010"]),
    ("stablehlo_dynamic_top_k.data_2023_08_11", &["SH010", "SH011"]),
];

#[test]
fn what_a_plug_in_compiles_is_said_before_it_is_tried() {
    if !unskew_peers::there("jax-0.10.2") {
        return;
    }
    let plugin = PLUGINS.last().unwrap();
    let peer = unskew_peers::Peer::named("jax", "0.10.2").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let probe = unskew_peers::root().join("lab/xla/probes/compat_modules.py");
    let written = peer.command().arg(probe).arg("write").arg(folder.path()).output().unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    for (name, rules) in PROGRAMS {
        let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
            .arg("check")
            .arg(folder.path().join(format!("{name}.stablehlo")))
            .arg("--with")
            .arg(plugin.path())
            .args(["--as-of", "2026-11-01", "--format", "json"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let outcome = report.pointer("/pairs/0/outcome").unwrap();
        let wanted = if rules.is_empty() { "compatible" } else { "incompatible" };
        assert_eq!(outcome, wanted, "{name}: {text}");
        for rule in rules {
            assert!(text.contains(rule), "{name}: {text}");
        }
    }
}
