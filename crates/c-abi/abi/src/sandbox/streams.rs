//! A process that reads its standard input and writes its output, and does nothing else.
//!
//! Whoever reads a file of somebody else needs no more than its bytes. So such a process is started with them on its
//! standard input (or with a pipe on which it asks for them), and [`keep_to_streams`] takes all else from it: it opens no
//! file, no socket and no program, starts no process or thread, signals nobody, and makes no memory executable. A fault
//! in a reader then reaches what it says, and nothing else.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads,
};

use super::calls::Refusal;

/// Calls that are allowed with any arguments: none of them names a file, another process or a descriptor that could be written.
const ALLOWED: &[i64] = &[
    // Memory. `mmap` and `mprotect` are below.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // The streams.
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_ppoll,
    // Time and waiting.
    libc::SYS_futex,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_restart_syscall,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    // Itself.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrusage,
    libc::SYS_getrandom,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// Keeps all threads of this process to its standard streams, for as long as it lives. Limits of memory and time are the caller's;
/// the soft limit of processor time can still be set.
///
/// # Errors
/// If the kernel refuses it; the process is then as free as before.
pub fn keep_to_streams() -> Result<(), String> {
    let keep = || -> Result<(), Refusal> {
        let machine = std::env::consts::ARCH.try_into()?;
        let refused = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules()?, refused, SeccompAction::Allow, machine)?;
        let program: BpfProgram = filter.try_into()?;
        Ok(apply_filter_all_threads(&program)?)
    };
    keep().map_err(|error| format!("seccomp: {error}"))
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, Refusal> {
    let is = |argument: u8, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    };
    let on = |descriptor: i32| SeccompRule::new(vec![is(0, u64::from(descriptor.unsigned_abs()))?]);
    let data = || {
        let not = SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64);
        SeccompCondition::new(2, SeccompCmpArgLen::Dword, not, 0)
    };
    // Memory of its own, not that of a file.
    let nowhere = is(4, u64::from(u32::MAX))?;
    // The signal of an abort, to itself.
    let own = SeccompRule::new(vec![is(0, u64::from(std::process::id()))?])?;
    let own_time = SeccompRule::new(vec![is(0, 0)?, is(1, u64::from(libc::RLIMIT_CPU))?])?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    for call in [libc::SYS_read, libc::SYS_readv] {
        rules.insert(call, vec![on(libc::STDIN_FILENO)?]);
    }
    for call in [libc::SYS_write, libc::SYS_writev] {
        rules.insert(call, vec![on(libc::STDOUT_FILENO)?, on(libc::STDERR_FILENO)?]);
    }
    rules.insert(libc::SYS_mmap, vec![SeccompRule::new(vec![data()?, nowhere])?]);
    rules.insert(libc::SYS_mprotect, vec![SeccompRule::new(vec![data()?])?]);
    rules.insert(libc::SYS_tgkill, vec![own]);
    rules.insert(libc::SYS_prlimit64, vec![own_time]);
    Ok(rules)
}
