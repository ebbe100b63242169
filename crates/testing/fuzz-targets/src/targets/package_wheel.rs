//! Wheels of packages, from their records: METADATA, RECORD, shared objects, generated code. Each is judged beside the
//! packages that it may meet.

use unskew_core::Context;
use unskew_environments::{Environment, PackageLock, InstalledPackage, LockTarget, judge, labels};
use crate::{records, source};

const OTHERS: &str = "torch==2.9.1\ntensorflow==2.18.1\nprotobuf==5.29.5\ngrpcio==1.71.0\njaxlib==0.7.2\nnumpy==2.1.0\n";

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Some(archive) = records::archive(&records::parse(bytes)) else { return };
    let name = "f-1-cp311-cp311-manylinux_2_17_x86_64.whl";
    let Ok(package) = InstalledPackage::of_wheel(source(name, &archive)) else { return };
    let _ = labels(&package);
    let Ok(lock) = PackageLock::of_text("requirements.txt", OTHERS) else { return };
    let (mut environment, _): (Environment, _) = lock.environment(LockTarget::default(), None);
    environment.packages.push(InstalledPackage { name: package.name.clone(), ..package });
    let _ = judge(&environment, &Context::for_tests());
}
