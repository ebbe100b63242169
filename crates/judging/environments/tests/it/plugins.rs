//! Public plug-ins, linked into an environment: what is known of them, and what is not when `RECORD` lies.

use std::fs;
use std::path::{Path, PathBuf};

use unskew_core::{Context, Outcome};
use unskew_environments::{Environment, PackagePair, SitePackages, judge_pairs};

/// The digest of `xla_cpu_pjrt.so` as wheels write it, and its size.
const DIGEST: &str = "sha256=iMPyjFkA9IrUqCyrnnm7qVN4CXQzleNBSF-HlCaIINw";

/// A file of the corpus, if it is there.
fn corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("UNSKEW_ROOT")).join("corpus").join(name);
    if !path.exists() {
        println!("{name} skipped: run cargo xtask corpus");
    }
    path.exists().then_some(path)
}

fn install(site: &Path, name: &str, version: &str, record: &str) {
    let info = site.join(format!("{name}-{version}.dist-info"));
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("METADATA"), format!("Name: {name}\nVersion: {version}\n")).unwrap();
    fs::write(info.join("RECORD"), format!("{name}-{version}.dist-info/METADATA,,\n{record}"))
        .unwrap();
}

/// The first pair of a plug-in of the corpus, linked to `path`, with a runtime.
fn beside(file: &Path, path: &str, record: &str, runtime: (&str, &str)) -> PackagePair {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    fs::create_dir_all(site.join(path).parent().unwrap()).unwrap();
    fs::hard_link(file, site.join(path))
        .or_else(|_| fs::copy(file, site.join(path)).map(|_| ()))
        .unwrap();
    install(&site, "a_plugin", "1.0", &format!("{path},{record}\n"));
    install(&site, runtime.0, runtime.1, "");
    let environment = Environment::read(&SitePackages::find(folder.path()).unwrap()).unwrap();
    let pairs = judge_pairs(&environment, &Context::for_tests());
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    pairs.into_iter().next().unwrap()
}

fn codes(pair: &PackagePair) -> Vec<&'static str> {
    pair.verdict.findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn a_public_pjrt_plugin_is_known_by_the_digest_in_record() {
    let Some(file) = corpus("xla-cpu-pjrt-0.0.1.so") else { return };
    let path = "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so";
    let record = format!("{DIGEST},{}", file.metadata().unwrap().len());
    let old = beside(&file, path, &record, ("jaxlib", "0.7.2"));
    assert!(old.is_broken(), "{:?}", old.verdict);
    assert_eq!(codes(&old)[0], "PJ201");
    let fitting = beside(&file, path, &record, ("jaxlib", "0.8.0"));
    assert!(!fitting.is_broken(), "{:?}", fitting.verdict);

    // Another digest: nothing is known but what the file says.
    let other = record.replacen('i', "j", 1);
    let unknown = beside(&file, path, &other, ("jaxlib", "0.7.2"));
    assert_eq!(unknown.verdict.outcome, Outcome::Unjudged);
    let remedy = unknown.verdict.unjudged.iter().find_map(|one| one.remedy.as_deref());
    assert!(remedy.is_some_and(|remedy| remedy.contains("jax@0.7.2")), "{remedy:?}");
}

#[test]
fn a_release_of_jaxlib_that_is_not_known_is_said() {
    let Some(file) = corpus("xla-cpu-pjrt-0.0.1.so") else { return };
    let record = format!("{DIGEST},{}", file.metadata().unwrap().len());
    let pair = beside(&file, "one/x.so", &record, ("jaxlib", "99.0.0"));
    assert_eq!(pair.verdict.outcome, Outcome::Unjudged, "{:?}", pair.verdict);
}

#[test]
fn a_pluggable_device_is_judged_by_the_symbols_of_the_installed_tensorflow() {
    let Some(file) = corpus("tensorflow-directml-plugin-0.4.0.dev230202.so") else { return };
    let path = "tensorflow-plugins/libtfdml_plugin.so";
    let late = beside(&file, path, ",", ("tensorflow_cpu", "2.16.2"));
    assert!(late.is_broken() && codes(&late).contains(&"SE026"), "{:?}", late.verdict);
    let fitting = beside(&file, path, ",", ("tensorflow_cpu", "2.10.1"));
    assert!(!fitting.is_broken(), "{:?}", fitting.verdict);
}
