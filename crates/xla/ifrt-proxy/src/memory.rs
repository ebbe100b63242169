//! Memory that processes have for themselves: pages that they share as parts of a file, such as the code of a plug-in,
//! are there once for all of them and do not count.

use crate::status::{Status, StatusCode};

/// The private memory of a process in bytes; none where the system does not say, or the process is gone.
#[cfg(target_os = "linux")]
pub fn private(process: u32) -> Option<u64> {
    of_status(&std::fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// That of this process.
#[cfg(target_os = "linux")]
pub fn own() -> Option<u64> {
    private(std::process::id())
}

/// Other systems have no such number here.
#[cfg(not(target_os = "linux"))]
pub fn own() -> Option<u64> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn of_status(text: &str) -> Option<u64> {
    let kibibytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let (anonymous, shared) = (kibibytes("RssAnon")?, kibibytes("RssShmem")?);
    anonymous.checked_add(shared)?.checked_mul(1024)
}

/// What a client is told for whose session there is no memory: `used` is what all sessions have, `more` what one needs.
pub fn exhausted(limit: u64, used: u64, more: u64) -> Status {
    let [limit, used, more] = [limit, used, more].map(|bytes| bytes.div_ceil(1 << 20));
    let text = format!(
        "no memory for a new session: the server may have {limit} MiB (--memory), has {used} MiB, and a session begins \
         with {more} MiB; close a session, or start the server with more"
    );
    Status::new(StatusCode::ResourceExhausted, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_with_a_file_does_not_count() {
        let text = "Name:\tx\nVmRSS:\t    9000 kB\nRssAnon:\t    3000 kB\nRssFile:\t    5900 kB\nRssShmem:\t     100 kB\n";
        assert_eq!(of_status(text), Some(3100 << 10));
        for text in ["", "RssAnon:\t3000 kB\n", "RssAnon:\tmany kB\nRssShmem:\t1 kB\n"] {
            assert_eq!(of_status(text), None, "{text}");
        }
        assert_eq!(of_status(&format!("RssAnon: {} kB\nRssShmem: 1 kB\n", u64::MAX)), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_written_counts() {
        let before = own().unwrap();
        let block = std::hint::black_box(vec![7_u8; 64 << 20]);
        assert!(own().unwrap() >= before + (32 << 20), "of {} bytes", block.len());
        assert_eq!(private(u32::MAX), None);
    }
}
