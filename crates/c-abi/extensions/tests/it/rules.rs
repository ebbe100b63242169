//! Each rule on the wheel of its example.

use std::sync::Arc;

use unskew_core::{Context, Finding, Party, Role, check};
use unskew_extensions::{ExportedSymbols, Framework, party_of, wheels};

/// The findings on all objects of a release of a package with a release of its framework.
fn findings(
    package: &str,
    version: &str,
    framework: Framework,
    exports: ExportedSymbols,
) -> Vec<Finding> {
    let host = Party::new(format!("{framework} {}", exports.release()), Role::Host, "release")
        .with_capability(Arc::new(exports));
    let today = Context::for_tests();
    let wheel = wheels::of_release(package, version).next().unwrap();
    let each = wheel.objects.iter().map(|(_, needs)| party_of(Arc::new(needs.clone())));
    each.flat_map(|party| check(&party, &host, &today).findings).collect()
}

fn torch(release: &str) -> ExportedSymbols {
    ExportedSymbols::of_release(Framework::Torch, release.parse().unwrap())
}

fn codes(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn an_extension_built_for_another_release_misses_symbols_ex101() {
    let found = findings("torchvision", "0.20.1", Framework::Torch, torch("2.6.0"));
    assert!(codes(&found).contains(&"EX101"), "{found:?}");
    assert!(found[0].symptom.as_ref().unwrap().contains("undefined symbol: _Z"));
    assert!(findings("torchvision", "0.20.1", Framework::Torch, torch("2.5.1")).is_empty());
}

#[test]
fn c_shims_have_an_exact_lowest_release_ex102() {
    let found = findings("torchao", "0.18.0", Framework::Torch, torch("2.7.1"));
    assert!(codes(&found).contains(&"EX102"), "{found:?}");
    assert!(found.iter().any(|one| one.fix.as_deref() == Some("Install torch 2.11.0 or later.")));
    assert!(findings("torchao", "0.18.0", Framework::Torch, torch("2.11.0")).is_empty());
}

#[test]
fn strings_of_two_kinds_are_told_ex103() {
    let found = findings("torchtext", "0.18.0", Framework::Torch, torch("2.7.1"));
    assert!(codes(&found).contains(&"EX103"), "{found:?}");
    assert!(findings("torchtext", "0.18.0", Framework::Torch, torch("2.3.1")).is_empty());
}

#[test]
fn a_build_for_cuda_is_needed_ex104() {
    let of = |exports| findings("torchvision", "0.20.1", Framework::Torch, exports);
    let found = of(torch("2.5.1").with_cuda(false));
    assert!(codes(&found).contains(&"EX104"), "{found:?}");
    assert!(of(torch("2.5.1").with_cuda(true)).is_empty());
}
