//! Packages with code for GPUs, made file by file, on GPUs and drivers.

use std::fs;
use std::path::Path;

use unskew_core::{Context, Outcome, Severity};
use unskew_environments::{
    Environment, EnvironmentVerdict, GpuHost, LockTarget, PackageLock, SitePackages, judge,
};

use crate::made::{MadeEntry, cubin, fat_binary, object, ptx};

/// A machine with these GPUs.
fn host(gpus: &[&str], driver: Option<&str>) -> GpuHost {
    let gpus = gpus.iter().map(|gpu| gpu.parse().unwrap()).collect();
    GpuHost::new(gpus, driver.map(|driver| driver.parse().unwrap()))
}

fn install(site: &Path, name: &str, version: &str, files: &[(&str, &[u8])]) {
    let info = site.join(format!("{name}-{version}.dist-info"));
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("METADATA"), format!("Name: {name}\nVersion: {version}\n")).unwrap();
    let mut record = format!("{name}-{version}.dist-info/METADATA,,\n");
    for (path, bytes) in files {
        fs::create_dir_all(site.join(path).parent().unwrap()).unwrap();
        fs::write(site.join(path), bytes).unwrap();
        record += &format!("{path},,\n");
    }
    fs::write(info.join("RECORD"), record).unwrap();
}

/// An object with one fat binary.
fn library(entries: &[MadeEntry]) -> Vec<u8> {
    object(&fat_binary(entries))
}

fn judged(site: &Path, host: GpuHost) -> EnvironmentVerdict {
    let mut environment = Environment::read(&SitePackages::find(site).unwrap()).unwrap();
    environment.gpus = Some(host);
    judge(&environment, &Context::for_tests())
}

/// The codes and severities of a package's findings, and the outcome.
fn said(verdict: &EnvironmentVerdict, package: &str) -> (Vec<(&'static str, Severity)>, Outcome) {
    let pair = verdict.pairs.iter().find(|pair| pair.one.name.starts_with(package));
    let pair = pair.unwrap_or_else(|| panic!("{package} is not judged"));
    let findings = pair.verdict.findings.iter().map(|one| (one.rule.code, one.severity));
    (findings.collect(), pair.verdict.outcome.clone())
}

#[test]
fn without_gpus_and_a_driver_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    install(&site, "app", "1.0", &[("app/_C.so", &library(&[cubin(80)]))]);
    let verdict = judged(&site, GpuHost::default());
    assert!(verdict.pairs.is_empty() && verdict.unjudged.is_empty(), "{verdict:?}");
}

#[test]
fn a_package_without_gpu_code_is_no_pair() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    install(&site, "app", "1.0", &[("app/_C.so", &object(&[]))]);
    assert!(
        judged(&site, host(&["sm_120"], Some("550")))
            .pairs
            .iter()
            .all(|pair| pair.one.name != "app 1.0")
    );
}

#[test]
fn the_main_library_of_pytorch_decides_and_others_warn() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    let files: [(&str, &[u8]); 3] = [
        ("torch/lib/libtorch_cuda.so", &library(&[cubin(70), cubin(80)])),
        ("torch/lib/libtorch_cuda_linalg.so", &library(&[cubin(60), cubin(80)])),
        ("torch/version.py", b"cuda: Optional[str] = '12.8'\n"),
    ];
    install(&site, "torch", "2.8.0", &files);
    let on = |gpu: &str, driver| said(&judged(&site, host(&[gpu], driver)), "torch");
    assert_eq!(on("sm_86", None), (vec![], Outcome::Compatible));
    assert_eq!(on("sm_60", None), (vec![("EN122", Severity::Error)], Outcome::Incompatible));
    assert_eq!(on("sm_70", None), (vec![("EN122", Severity::Warning)], Outcome::Compatible));
    assert_eq!(on("sm_80", Some("470.82.01")).0, [("EN124", Severity::Error)]);
    let change = judged(&site, host(&["sm_60"], None)).change.unwrap();
    assert_eq!(change.command(), "uv pip install 'torch==2.7.1'");
    assert!(change.open.is_empty(), "{change:?}");
}

#[test]
fn of_libraries_for_each_cuda_that_of_pytorch_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    let files: [(&str, &[u8]); 2] = [
        ("bitsandbytes/libbitsandbytes_cuda121.so", &library(&[cubin(80), cubin(90)])),
        ("bitsandbytes/libbitsandbytes_cuda128.so", &library(&[cubin(80), cubin(120)])),
    ];
    install(&site, "bitsandbytes", "0.50.2", &files);
    let unknown = judged(&site, host(&["sm_120"], None));
    assert_eq!(said(&unknown, "bitsandbytes"), (vec![], Outcome::Unjudged));
    install(&site, "torch", "2.8.0+cu128", &[]);
    let fits = judged(&site, host(&["sm_120"], None));
    assert_eq!(said(&fits, "bitsandbytes"), (vec![], Outcome::Compatible));
    fs::remove_dir_all(site.join("torch-2.8.0+cu128.dist-info")).unwrap();
    install(&site, "torch", "2.5.1+cu121", &[]);
    let lacks = judged(&site, host(&["sm_120"], None));
    assert_eq!(said(&lacks, "bitsandbytes").0, [("EN122", Severity::Error)]);
}

#[test]
fn ptx_runs_where_the_driver_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    install(&site, "app", "1.0", &[("app/_C.so", &library(&[cubin(80), ptx(90)]))]);
    let on = |driver| said(&judged(&site, host(&["sm_100"], driver)), "app").0;
    assert_eq!(on(None), [("EN123", Severity::Note)]);
    assert_eq!(on(Some("570")), [("EN123", Severity::Note)]);
    assert_eq!(on(Some("535.54.03")), [("EN125", Severity::Error)]);
    let newer = MadeEntry { isa: (99, 0), ..ptx(90) };
    install(&site, "newer", "1.0", &[("newer/_C.so", &library(&[newer]))]);
    let verdict = judged(&site, host(&["sm_100"], Some("595")));
    assert_eq!(said(&verdict, "newer"), (vec![("EN123", Severity::Note)], Outcome::Unjudged));
}

#[test]
fn a_broken_section_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    install(&site, "app", "1.0", &[("app/_C.so", &object(&[0x50; 64]))]);
    let verdict = judged(&site, host(&["sm_100"], None));
    assert_eq!(said(&verdict, "app"), (vec![], Outcome::Unjudged));
}

#[test]
fn a_library_of_which_only_the_name_was_kept_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site-packages");
    install(&site, "torch", "2.5.1", &[("torch/lib/libtorch_cuda.so", &[])]);
    let verdict = judged(&site, host(&["sm_120"], None));
    assert_eq!(said(&verdict, "torch"), (vec![], Outcome::Unjudged));
}

#[test]
fn a_lock_is_judged_by_what_wheels_on_the_index_hold() {
    let on = |requirement: &str, gpu: &str| {
        let lock = PackageLock::of_text("requirements.txt", requirement).unwrap();
        let (mut environment, _) = lock.environment(LockTarget::default(), None);
        environment.gpus = Some(host(&[gpu], None));
        said(&judge(&environment, &Context::for_tests()), "torch")
    };
    let lacks = vec![("EN122", Severity::Error)];
    assert_eq!(on("torch==2.5.1", "sm_120"), (lacks.clone(), Outcome::Incompatible));
    assert_eq!(on("torch==2.5.1", "sm_90"), (vec![], Outcome::Compatible));
    assert_eq!(on("torch==2.8.0", "sm_120"), (vec![], Outcome::Compatible));
    assert_eq!(on("torch==2.8.0", "sm_60"), (lacks.clone(), Outcome::Incompatible));
    // CUDA 12.1 compiles nothing for sm_120; what it compiled for others is not known.
    assert_eq!(on("torch==2.5.1+cu121", "sm_120"), (lacks, Outcome::Incompatible));
    assert_eq!(on("torch==2.5.1+cu121", "sm_90"), (vec![], Outcome::Unjudged));
    assert_eq!(on("torch==2.7.1+cu128", "sm_120"), (vec![], Outcome::Unjudged));
    assert_eq!(on("torch==99.0+cu128", "sm_120"), (vec![], Outcome::Unjudged));
}

#[test]
fn what_a_lock_does_not_tell_is_named() {
    let unjudged = |requirements: &str| {
        let lock = PackageLock::of_text("requirements.txt", requirements).unwrap();
        let (mut environment, _) = lock.environment(LockTarget::default(), None);
        environment.gpus = Some(host(&["sm_120"], None));
        let verdict = judge(&environment, &Context::for_tests());
        let is_of_gpus = |reason: &str| reason.contains("GPU") || reason.contains("kernels");
        let all = verdict.unjudged.iter().filter(|one| is_of_gpus(&one.reason));
        let places = all.flat_map(|one| one.places.named().to_vec());
        places.collect::<Vec<String>>()
    };
    assert_eq!(unjudged("torch==99.0\n"), ["torch 99.0"]);
    assert!(unjudged("torch==99.0+cpu\n").is_empty());
    assert_eq!(
        unjudged("torchvision==0.20.1\ntriton==3.1.0\n"),
        ["triton 3.1.0", "torchvision 0.20.1"]
    );
}
