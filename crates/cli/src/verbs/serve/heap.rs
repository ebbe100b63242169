//! Heap of a worker process: what becomes of memory that was freed.
//!
//! A plug-in for CPUs has arrays in the memory of its process, and glibc gives that of a large one back to the system at
//! once. A client lets go of an array when it has the next, so the system takes pages away while that one is sent, and
//! clears others for the one after. On two cores that is a tenth of the time of a fetch.

use std::process::Command;
use std::thread::available_parallelism;

/// On how many cores memory is kept. It needs one heap for all threads, since glibc has large blocks of other heaps from
/// the system; threads that compile wait for one another there, the more the more they are. And on many cores taking
/// pages away keeps nobody from sending.
const CORES: usize = 4;

/// How much at the end of the heap is kept, in bytes.
const MOST: u64 = 512 << 20;

/// Variables of glibc: large blocks come from the heap too, there is one heap, and so much at its end is kept.
fn kept(most: u64) -> [(&'static str, String); 3] {
    [
        ("MALLOC_MMAP_MAX_", "0".to_owned()),
        ("MALLOC_ARENA_MAX", "1".to_owned()),
        ("MALLOC_TRIM_THRESHOLD_", most.to_string()),
    ]
}

/// Has the process of a client keep memory for its next arrays, unless whoever started the server says something about
/// glibc's memory, or there are many cores. It is all given back when the client leaves: its process ends then. Where the
/// memory of all is limited, so many clients keep at most half of that.
pub fn keep(command: &mut Command, memory: Option<u64>, clients: usize) {
    let few = available_parallelism().is_ok_and(|cores| cores.get() <= CORES);
    let share = memory.map_or(MOST, |memory| memory / 2 / (clients as u64).max(1));
    let kept = kept(share.min(MOST));
    let said = kept.iter().any(|(name, _)| std::env::var_os(name).is_some());
    if few && !said {
        command.envs(kept);
    }
}
