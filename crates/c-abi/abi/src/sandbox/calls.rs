//! System calls of a confined child, by seccomp: what is not listed here is refused.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter, apply_filter_all_threads,
};

/// Why a filter could not be made or installed.
pub(super) type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// Calls that are allowed with any arguments. Files are kept by Landlock, new processes by `clones`, signals by the scope
/// of Landlock. Calls that change files by name (`truncate`, `chmod`, `setxattr`, …) are not here: Landlock does not know all
/// of them. Nor is what outlives the process: System V memory, message queues, sessions of one's own.
const ALLOWED: &[i64] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_munlock,
    libc::SYS_membarrier,
    libc::SYS_memfd_create,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_mseal,
    libc::SYS_get_mempolicy,
    libc::SYS_set_mempolicy,
    libc::SYS_mbind,
    // Files that are open, and names of those that may be.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    // Waiting.
    libc::SYS_pipe2,
    libc::SYS_eventfd2,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_signalfd4,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_restart_syscall,
    // Time.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_setitimer,
    libc::SYS_getitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete,
    // Threads and signals, and the end.
    // Both are decided by the filter of `clones`, which says that there is no `clone3`.
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // More filters only take away.
    libc::SYS_seccomp,
    // Who and where it is.
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_getcpu,
    libc::SYS_getpriority,
    libc::SYS_getrusage,
    libc::SYS_getrandom,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_umask,
];

/// Older forms of calls above, which only this machine has.
#[cfg(target_arch = "x86_64")]
const OLDER: &[i64] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_eventfd,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_pause,
    libc::SYS_alarm,
    libc::SYS_time,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
    libc::SYS_getrlimit,
];

#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[i64] = &[];

/// Calls that are allowed if an argument has one of these values.
fn by_argument() -> [(i64, u8, Vec<u64>); 4] {
    let descriptor_flags = [
        libc::F_DUPFD,
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
        libc::F_GETLK,
        libc::F_SETLK,
        libc::F_SETLKW,
        libc::F_ADD_SEALS,
        libc::F_GET_SEALS,
    ];
    let queries = [
        libc::TCGETS,
        libc::TIOCGWINSZ,
        libc::FIONREAD,
        libc::FIONBIO,
        libc::FIOCLEX,
        libc::FIONCLEX,
    ];
    let names = [
        libc::PR_SET_NAME,
        libc::PR_GET_NAME,
        libc::PR_SET_VMA,
        libc::PR_GET_DUMPABLE,
        libc::PR_CAPBSET_READ,
        libc::PR_SET_NO_NEW_PRIVS,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_SET_SECCOMP,
        libc::PR_GET_SECCOMP,
    ];
    [
        (libc::SYS_fcntl, 1, descriptor_flags.map(|flag| flag as u64).to_vec()),
        (libc::SYS_ioctl, 1, queries.to_vec()),
        (libc::SYS_prctl, 0, names.map(|name| name as u64).to_vec()),
        // Limits are read, not set: root could raise them.
        (libc::SYS_prlimit64, 2, vec![0]),
    ]
}

/// Allows this thread, and whatever it starts, the calls of the list.
///
/// # Errors
/// If the kernel refuses the filter.
pub(super) fn keep_to_the_list() -> Result<(), Refusal> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().chain(OLDER).map(|call| (*call, Vec::new())).collect();
    for (call, argument, values) in by_argument() {
        let rule = |value: &u64| {
            // The kernel looks at the lower half of a number, and at a whole address.
            let width = match call {
                libc::SYS_prlimit64 => SeccompCmpArgLen::Qword,
                _ => SeccompCmpArgLen::Dword,
            };
            let one = SeccompCondition::new(argument, width, SeccompCmpOp::Eq, *value)?;
            SeccompRule::new(vec![one])
        };
        let all: Result<Vec<_>, seccompiler::BackendError> = values.iter().map(rule).collect();
        rules.insert(call, all?);
    }
    // It ends with its parent, and cannot choose otherwise.
    let set = |argument, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    };
    let leash = vec![set(0, libc::PR_SET_PDEATHSIG as u64)?, set(1, libc::SIGKILL as u64)?];
    rules.entry(libc::SYS_prctl).or_default().push(SeccompRule::new(leash)?);
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let program = compiled(rules, refused, SeccompAction::Allow)?;
    // The filter that asks the parent has gone ahead of this one in this thread alone, so others keep theirs.
    match apply_filter_all_threads(&program) {
        Ok(()) => Ok(()),
        Err(_) => Ok(apply_filter(&program)?),
    }
}

/// A filter that refuses to start processes, for a copy of the child.
///
/// # Errors
/// If it cannot be made for this machine.
pub(super) fn without_processes() -> Result<BpfProgram, Refusal> {
    let thread = libc::CLONE_THREAD as u64;
    let none =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(thread), 0)?;
    let rules = BTreeMap::from([(libc::SYS_clone, vec![SeccompRule::new(vec![none])?])]);
    compiled(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))
}

/// Installs such a filter in this process.
pub(super) fn install(program: &BpfProgram) -> Result<(), Refusal> {
    Ok(apply_filter(program)?)
}

fn compiled(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, Refusal> {
    let machine = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, otherwise, matched, machine)?.try_into()?)
}
