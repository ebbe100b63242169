//! Memory of a process, counted.
//!
//! Limits of the kernel count addresses by their rights: `RLIMIT_DATA` those that are private and may be written *now*. A
//! process that fills memory and then makes it read-only has memory that no such limit counts. So its supervisor looks
//! at what is there.

use std::io;

/// What of `/proc/PID/status` is memory that the process alone has taken: not the pages of files.
const OWN: [&str; 4] = ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"];

/// The memory of a process, in bytes.
///
/// # Errors
/// If the system does not say.
pub(super) fn memory_of_process(process: libc::pid_t) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    // One that has ended, and was not waited for, has none.
    Ok(sum(&text).unwrap_or_default())
}

fn sum(status: &str) -> Option<u64> {
    let amount = |line: &str| -> Option<u64> {
        let kibibytes = OWN.iter().find_map(|name| line.strip_prefix(name))?;
        kibibytes.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let amounts: Vec<u64> = status.lines().filter_map(amount).collect();
    (!amounts.is_empty()).then(|| amounts.iter().sum::<u64>().saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_taken_is_counted_and_files_are_not() {
        let status = "Name:\tx\nVmRSS:\t 9999 kB\nRssAnon:\t  10 kB\nRssFile:\t 9000 kB\nRssShmem:\t 5 kB\n\
            VmPTE:\t 1 kB\nVmSwap:\t 4 kB\n";
        assert_eq!(sum(status), Some(20 << 10));
        assert_eq!(sum("Name:\tx\nState:\tZ (zombie)\n"), None);
        let before = memory_of_process(std::process::id().cast_signed()).unwrap();
        let large = vec![1_u8; 64 << 20];
        let after = memory_of_process(std::process::id().cast_signed()).unwrap();
        assert!(after > before + (48 << 20), "{before} {after} {}", large.len());
    }
}
