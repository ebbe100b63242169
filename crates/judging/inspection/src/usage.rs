//! Usage of a process now, as the system tells it.

use std::time::Duration;

/// The memory that a process has now, in bytes; of this one without a number. None where nobody says: of others only Linux does.
#[cfg(target_os = "linux")]
pub fn resident(process: Option<u32>) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", name(process))).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The processor time that a process has taken; of this one without a number. None where nobody says.
#[cfg(target_os = "linux")]
pub fn processor_time(process: Option<u32>) -> Option<Duration> {
    let Some(process) = process else { return own_time() };
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in brackets, and may have any characters in it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis(user.saturating_add(system).saturating_mul(TICK)))
}

/// The unit in which Linux tells the time of another process, in milliseconds: a hundredth of a second for every program.
#[cfg(target_os = "linux")]
const TICK: u64 = 10;

#[cfg(target_os = "linux")]
fn name(process: Option<u32>) -> String {
    process.map_or_else(|| "self".to_owned(), |process| process.to_string())
}

/// The most memory that this process ever had.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn resident(process: Option<u32>) -> Option<u64> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).ok()?;
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let own = u64::try_from(usage.max_rss()).ok()?.checked_mul(unit);
    own.filter(|_| process.is_none())
}

/// The processor time that this process has taken.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn processor_time(process: Option<u32>) -> Option<Duration> {
    own_time().filter(|_| process.is_none())
}

#[cfg(unix)]
fn own_time() -> Option<Duration> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).ok()?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let both = micros(usage.user_time()) + micros(usage.system_time());
    u64::try_from(both).ok().map(Duration::from_micros)
}

/// Nobody says.
#[cfg(not(unix))]
pub fn resident(_process: Option<u32>) -> Option<u64> {
    None
}

/// Nobody says.
#[cfg(not(unix))]
pub fn processor_time(_process: Option<u32>) -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_about_by_its_number_as_about_itself() {
        let own = Some(std::process::id());
        assert!(resident(own).unwrap() > 0 && resident(None).unwrap() > 0);
        let begin = processor_time(own).unwrap();
        let mut sum = 0_u64;
        while processor_time(own).unwrap() < begin + Duration::from_millis(20) {
            sum = sum.wrapping_add(std::hint::black_box(1));
        }
        assert!(processor_time(None).unwrap() >= begin + Duration::from_millis(10), "{sum}");
    }
}
