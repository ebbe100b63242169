//! Wheels of the corpus that are read and judged, and an environment of 200 packages.

#![allow(missing_docs, reason = "criterion makes the functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::cell::LazyCell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tempfile::TempDir;
use unskew_core::Context;
use unskew_environments::{Environment, InstalledPackage, SitePackages, judge, labels};
use unskew_source::FileSource;

/// Wheels that `cargo lab extensions` fetches: 1 to 50 MB.
const WHEELS: [&str; 4] = [
    "torchaudio-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl",
    "torchao-0.18.0-cp310-abi3-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
    "torchvision-0.24.1-cp311-cp311-manylinux_2_28_x86_64.whl",
    "tensorflow_io-0.37.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
];

/// How many packages the environment has, and files and requirements each.
const PACKAGES: usize = 200;
const FILES: usize = 100;
const REQUIREMENTS: usize = 20;

fn wheels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wheel");
    group.sample_size(20);
    for name in WHEELS {
        let path = Path::new(env!("UNSKEW_ROOT")).join("corpus/extensions").join(name);
        if !path.exists() {
            println!("{name} skipped: run cargo lab extensions");
            continue;
        }
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let source = Arc::new(FileSource::open(&path).unwrap());
                labels(&InstalledPackage::of_wheel(source).unwrap())
            });
        });
    }
    group.finish();
}

fn made() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("lib/python3.11/site-packages");
    let generated = "_runtime_version.ValidateProtobufRuntimeVersion(\n    _runtime_version.Domain.PUBLIC, 5, 29, 0, '', 'a.proto')\n";
    for number in 0..PACKAGES {
        let name = if number == 0 { "protobuf".to_owned() } else { format!("package{number}") };
        let info = site.join(format!("{name}-5.29.5.dist-info"));
        fs::create_dir_all(&info).unwrap();
        fs::create_dir_all(site.join(&name)).unwrap();
        let mut record = String::new();
        for file in 0..FILES {
            let path = format!("{name}/file{file}_pb2.py");
            fs::write(site.join(&path), generated).unwrap();
            record += &format!("{path},,{}\n", generated.len());
        }
        let mut metadata = format!("Name: {name}\nVersion: 5.29.5\n");
        for other in 1..REQUIREMENTS {
            let other = (number + other) % PACKAGES;
            metadata += &format!(
                "Requires-Dist: package{other}<6,>=5.1; python_version >= '3.9' and sys_platform == 'linux'\n"
            );
        }
        fs::write(info.join("METADATA"), metadata).unwrap();
        fs::write(info.join("RECORD"), record).unwrap();
    }
    folder
}

fn environment(criterion: &mut Criterion) {
    let folder = LazyCell::new(made);
    let context = Context::for_tests();
    criterion.bench_function("environment of 200 packages", |bencher| {
        let folder = folder.path();
        bencher.iter(|| {
            let environment = Environment::read(&SitePackages::find(folder).unwrap()).unwrap();
            judge(&environment, &context).pairs.len()
        });
    });
}

criterion_group!(benches, wheels, environment);
criterion_main!(benches);
