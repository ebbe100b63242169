//! No input makes a reader take more memory than a small multiple of itself.
#![allow(clippy::unwrap_used, unsafe_code, missing_docs, reason = "a test counts allocations")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use unskew_serdes::{Format, default_version, family, read, write};

family!(Specs = "tests/specs.history.toml");

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: everything is done by the system's allocator; this only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many bytes more than before were in use at once.
fn peak(run: impl FnOnce()) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run();
    PEAK.load(Ordering::Relaxed) - before
}

#[derive(Debug, PartialEq, Format)]
#[format(family = Specs)]
struct Tree {
    name: String,
    numbers: Vec<u64>,
    branches: Vec<Tree>,
}

/// `depth` trees, each in the first branch of the one around, each with a count of branches that its bytes
/// could just hold.
fn claims(depth: usize, padding: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; padding];
    for _ in 0..depth {
        let mut body = vec![0, 0];
        varint(bytes.len() / 2, &mut body);
        body.extend(&bytes);
        bytes = vec![0];
        varint(body.len(), &mut bytes);
        bytes.extend(&body);
    }
    bytes
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

// One test: the counter is of the whole process.
#[test]
fn memory_is_a_small_multiple_of_the_input() {
    for depth in [1, 2, 10, 60] {
        let bytes = claims(depth, 1 << 20);
        let taken = peak(|| assert!(read::<Specs, Tree>(&bytes).is_err()));
        assert!(taken < 8 * bytes.len(), "{depth} deep: {taken} of {}", bytes.len());
    }
    for count in [1_usize << 62, 1 << 40, 1 << 21] {
        let mut bytes = Vec::new();
        varint(count, &mut bytes);
        bytes.extend([1; 1000]);
        let taken = peak(|| assert!(read::<Specs, Vec<Tree>>(&bytes).is_err()));
        assert!(taken < 8 * bytes.len() + 1024, "a count of {count}: {taken}");
        let taken = peak(|| assert!(read::<Specs, Vec<u64>>(&bytes).is_err()));
        assert!(taken < 8 * bytes.len() + 1024, "a count of {count}: {taken}");
    }
    // What is really there takes what it takes in memory, and no more than twice that.
    let value: Vec<Tree> = (0..10_000)
        .map(|i| Tree { name: format!("tree {i}"), numbers: vec![i; 9], branches: Vec::new() })
        .collect();
    let mut bytes = Vec::new();
    write(&value, default_version::<Specs>(), &mut bytes).unwrap();
    let own = peak(|| drop(read::<Specs, Vec<Tree>>(&bytes).unwrap()));
    let memory = value.len() * (size_of::<Tree>() + 9 * 8 + 10);
    assert!(own < 2 * memory, "{own} of {memory}");
}
