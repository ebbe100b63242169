//! What is read of shared objects, and what is refused.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use unskew_core::Version;
use unskew_cuda::{GpuCode, GpuFit};
use unskew_source::{BytesSource, Source};

use crate::made::{MadeEntry, cubin, fat_binary, object, ptx};

fn read(bytes: Vec<u8>) -> Result<Option<GpuCode>, String> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("lib.so", bytes));
    GpuCode::read(&source).map_err(|error| error.to_string())
}

#[test]
fn each_fat_binary_is_held_against_the_device() {
    let mut section =
        fat_binary(&[cubin(80), cubin(90), MadeEntry { flags: 1 << 20, ..cubin(90) }]);
    section.resize(section.len().next_multiple_of(8) + 16, 0);
    section.extend(fat_binary(&[
        cubin(80),
        MadeEntry { flags: 1 << 21, ..cubin(100) },
        ptx(80),
        ptx(90),
    ]));
    let code = read(object(&section)).unwrap().unwrap();
    let shown: Vec<String> = code.all().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["sm_80", "sm_90", "sm_90a", "sm_100f", "compute_80", "compute_90"]);
    for (gpu, by_cubin, by_ptx, without) in
        [("86", 2, 0, 0), ("90", 1, 1, 0), ("103", 1, 0, 1), ("120", 0, 1, 1), ("75", 0, 0, 2)]
    {
        let ptx_isa = (by_ptx > 0).then_some(Version::pair(8, 4));
        let expected = GpuFit { by_cubin, by_ptx, without, ptx_isa, of_other_devices: 0 };
        assert_eq!(code.fit(gpu.parse().unwrap()), expected, "{gpu}");
    }
}

#[test]
fn what_is_for_one_device_only_is_counted_apart() {
    let exact = |architecture| MadeEntry { flags: 1 << 20, ..cubin(architecture) };
    let mut section = fat_binary(&[exact(90), exact(100)]);
    section.resize(section.len().next_multiple_of(8), 0);
    section.extend(fat_binary(&[cubin(80)]));
    let code = read(object(&section)).unwrap().unwrap();
    let fit = |gpu: &str| code.fit(gpu.parse().unwrap());
    let GpuFit { by_cubin, without, of_other_devices, .. } = fit("86");
    assert_eq!([by_cubin, without, of_other_devices], [1, 0, 1]);
    let GpuFit { by_cubin, without, of_other_devices, .. } = fit("90");
    assert_eq!([by_cubin, without, of_other_devices], [1, 1, 0]);
    let most: Vec<String> = code.held_by(50).iter().map(ToString::to_string).collect();
    assert_eq!(
        (code.count(), most),
        (2, ["sm_80", "sm_90a", "sm_100a"].map(str::to_owned).to_vec())
    );
}

#[test]
fn objects_without_code_for_gpus_have_none() {
    assert_eq!(read(object(&[])), Ok(None));
    assert_eq!(read(object(&[0; 64])), Ok(None));
    assert_eq!(read(object(&fat_binary(&[]))), Ok(None));
    // What a linker leaves where the kernels lie elsewhere.
    let mut empty = fat_binary(&[cubin(52)]);
    empty.truncate(16 + 64 + 320);
    empty[8..16].copy_from_slice(&(64_u64 + 320).to_le_bytes());
    empty[24..32].copy_from_slice(&320_u64.to_le_bytes());
    assert_eq!(read(object(&empty)), Ok(None));
    assert_eq!(read(b"#!/bin/sh\n".to_vec()), Ok(None));
    assert_eq!(read(Vec::new()), Ok(None));
}

#[test]
fn sizes_that_lead_elsewhere_are_refused() {
    let whole = fat_binary(&[cubin(80), cubin(90)]);
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        read(object(&bytes)).unwrap_err()
    };
    assert!(with(0, 0x51).contains("no fat binary where one has to begin"));
    assert!(with(15, 0xff).contains("larger than its section"));
    assert!(with(6, 0).contains("larger than its section"));
    assert!(with(20, 8).contains("header of an entry is too short"));
    assert!(with(26, 0xff).contains("larger than its fat binary"));
    let mut outside = object(&whole);
    let at = outside.len() - 2 * 64 + 32;
    outside[at + 4] = 1;
    assert!(read(outside).unwrap_err().contains("lies outside of the file"));
}

#[test]
fn more_entries_than_any_library_has_are_refused() {
    let zeros = vec![0; 8 * (1 << 18) + 64];
    assert!(read(object(&zeros)).unwrap_err().contains("more than 262144 pieces"));
}

/// A file whose bytes are counted as they are read.
struct Counted {
    bytes: Vec<u8>,
    read: AtomicU64,
}

impl Source for Counted {
    fn name(&self) -> &str {
        "counted.so"
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[test]
fn payloads_are_not_read() {
    let mut section = fat_binary(&[cubin(80)]);
    let payload = 8_u64 << 20;
    section[24..32].copy_from_slice(&payload.to_le_bytes());
    section[8..16].copy_from_slice(&(payload + 64).to_le_bytes());
    section.resize(80 + payload as usize, 0xaa);
    section.extend(fat_binary(&[cubin(90)]));
    let counted = Arc::new(Counted { bytes: object(&section), read: AtomicU64::new(0) });
    let source: Arc<dyn Source> = Arc::clone(&counted) as Arc<dyn Source>;
    assert_eq!(GpuCode::read(&source).unwrap().unwrap().all().len(), 2);
    let read = counted.read.load(Ordering::Relaxed);
    assert!(read < 10_000, "{read}");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(section in proptest::collection::vec(any::<u8>(), 0..400), at in 0_usize..400, byte: u8) {
        let _ = read(object(&section));
        let mut made = fat_binary(&[cubin(80), ptx(90), cubin(120)]);
        let len = made.len();
        made[at % len] = byte;
        let _ = read(object(&made));
    }
}
