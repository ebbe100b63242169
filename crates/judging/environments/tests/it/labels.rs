//! Labels of published wheels, by the facts that were harvested of them.

use std::sync::Arc;

use unskew_environments::{InstalledPackage, Labels, labels};
use unskew_extensions::wheels;

/// The labels of a harvested wheel that requires this.
fn of(name: &str, version: &str, requires: &[&str], platform: &str) -> Labels {
    let wheel = wheels::of_release(name, version).next().unwrap();
    let objects = wheel.objects.iter().map(|(path, needs)| (path.clone(), Arc::new(needs.clone())));
    labels(&InstalledPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        requires: requires.iter().map(|text| (*text).to_owned()).collect(),
        objects: objects.collect(),
        platforms: vec![platform.to_owned()],
        ..InstalledPackage::default()
    })
}

fn texts(labels: &Labels) -> Vec<&str> {
    labels.labels.iter().map(|label| label.text.as_str()).collect()
}

#[test]
fn an_extension_of_c_shims_gets_its_lowest_release() {
    let labels = of("torchao", "0.18.0", &[], "manylinux_2_28_x86_64");
    assert!(texts(&labels).contains(&"Requires-Dist: torch>=2.11.0"), "{labels:?}");
    assert!(labels.broken.iter().any(|what| what.contains("1.13.1 to 2.10.0")), "{labels:?}");
    let kept = of("torchao", "0.18.0", &["torch>=2.11"], "manylinux_2_28_x86_64");
    assert!(kept.broken.is_empty(), "{kept:?}");
}

#[test]
fn an_extension_of_cpp_gets_each_release_that_has_its_symbols() {
    let labels = of("torchvision", "0.22.1", &["torch==2.7.1"], "manylinux_2_28_x86_64");
    let of_torch: Vec<&str> = texts(&labels)
        .into_iter()
        .filter(|text| text.starts_with("abi_dependency :: torch"))
        .collect();
    assert_eq!(of_torch, ["abi_dependency :: torch :: 2.7"], "{labels:?}");
    assert!(labels.broken.is_empty(), "{labels:?}");
}

#[test]
fn a_tag_that_promises_too_little_is_said() {
    let labels = of("torchvision", "0.22.1", &["torch==2.7.1"], "manylinux1_x86_64");
    assert!(labels.broken.iter().any(|what| what.contains("manylinux1_x86_64")), "{labels:?}");
}

#[test]
fn the_platform_is_that_of_the_c_and_of_the_cpp_library() {
    // GLIBC_2.14 alone would be manylinux_2_17; what auditwheel says of the wheel is manylinux_2_24.
    let labels = of("torchao", "0.18.0", &["torch>=2.11"], "manylinux_2_24_x86_64");
    let label = labels.labels.iter().find(|label| label.text == "manylinux_2_24").unwrap();
    assert!(
        label.reason.contains("GLIBCXX_3.4.21") || label.reason.contains("CXXABI"),
        "{label:?}"
    );
    let older = of("torchao", "0.18.0", &["torch>=2.11"], "manylinux2014_x86_64");
    assert!(older.broken.iter().any(|what| what.contains("less than manylinux_2_24")), "{older:?}");
}
