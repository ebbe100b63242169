//! System calls of a confined process, by seccomp: what is not listed here is refused.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// Why a filter could not be made or installed.
pub(super) type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// A call: its number, and its name in `libc`.
type Call = (i64, &'static str);

macro_rules! calls {
    ($($(#[$only:meta])* $name:ident)*) => { &[$($(#[$only])* (libc::$name, stringify!($name))),*] };
}

/// Calls that are allowed with any arguments, each group with why. Files are kept by Landlock, and signals by its
/// scope. Calls that change files by name (`truncate`, `chmod`, `setxattr`, …) are not here: Landlock does not know all of
/// them. Nor is what outlives the process, or reaches another one.
const ALLOWED: &[(&str, &[Call])] = &[
    (
        "memory of its own; how much there is, limits and the supervisor say",
        calls![
            SYS_brk SYS_munmap SYS_mremap SYS_mprotect SYS_madvise SYS_mincore SYS_msync SYS_mlock SYS_mlock2
            SYS_munlock SYS_membarrier SYS_pkey_alloc SYS_pkey_free SYS_pkey_mprotect SYS_mseal
            SYS_get_mempolicy SYS_set_mempolicy SYS_mbind
        ],
    ),
    (
        "to open files, and read and list those that Landlock lets it open",
        calls![
            SYS_openat SYS_openat2 SYS_read SYS_readv SYS_pread64 SYS_preadv SYS_preadv2 SYS_lseek
            SYS_getdents64 SYS_getcwd
            #[cfg(target_arch = "x86_64")] SYS_open
            #[cfg(target_arch = "x86_64")] SYS_getdents
        ],
    ),
    (
        "to write to its error output, to `/dev/null` and to pipes of its own: nothing else can be opened for it",
        calls![SYS_write SYS_writev SYS_pwrite64 SYS_pwritev SYS_pwritev2],
    ),
    (
        "what names say of any file, not its contents: loaders ask before they open. No filter can tell which name",
        calls![
            SYS_fstat SYS_newfstatat SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2 SYS_readlinkat
            #[cfg(target_arch = "x86_64")] SYS_stat
            #[cfg(target_arch = "x86_64")] SYS_lstat
            #[cfg(target_arch = "x86_64")] SYS_access
            #[cfg(target_arch = "x86_64")] SYS_readlink
        ],
    ),
    (
        "its descriptors, and such as lead nowhere: pipes, events, timers",
        calls![
            SYS_close SYS_close_range SYS_dup SYS_dup3 SYS_pipe2 SYS_eventfd2 SYS_timerfd_create
            SYS_timerfd_settime SYS_timerfd_gettime SYS_signalfd4
            #[cfg(target_arch = "x86_64")] SYS_dup2
            #[cfg(target_arch = "x86_64")] SYS_pipe
            #[cfg(target_arch = "x86_64")] SYS_eventfd
        ],
    ),
    (
        "waiting",
        calls![
            SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2 SYS_ppoll SYS_pselect6
            SYS_nanosleep SYS_futex SYS_futex_waitv SYS_restart_syscall SYS_sched_yield
            #[cfg(target_arch = "x86_64")] SYS_epoll_create
            #[cfg(target_arch = "x86_64")] SYS_epoll_wait
            #[cfg(target_arch = "x86_64")] SYS_poll
            #[cfg(target_arch = "x86_64")] SYS_select
            #[cfg(target_arch = "x86_64")] SYS_pause
        ],
    ),
    (
        "clocks, and timers that signal itself",
        calls![
            SYS_gettimeofday SYS_times SYS_setitimer SYS_getitimer SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun SYS_timer_delete
            #[cfg(target_arch = "x86_64")] SYS_alarm
            #[cfg(target_arch = "x86_64")] SYS_time
        ],
    ),
    (
        "threads of its own. `clone3`, whose flags lie in memory, is answered as if there were none",
        calls![
            SYS_clone3 SYS_set_tid_address SYS_set_robust_list SYS_rseq
            #[cfg(target_arch = "x86_64")] SYS_arch_prctl
        ],
    ),
    (
        "the scheduling of any thread, to be read: the C library asks it for its own by number, which no filter can tell",
        calls![
            SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler SYS_sched_get_priority_max
            SYS_sched_get_priority_min
        ],
    ),
    (
        "handlers of signals; and signals, which the scope of Landlock keeps inside",
        calls![
            SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigpending SYS_rt_sigreturn SYS_rt_sigsuspend
            SYS_rt_sigtimedwait SYS_sigaltstack SYS_kill SYS_tkill SYS_tgkill
        ],
    ),
    (
        "its end; it has no children to wait for",
        calls![SYS_exit SYS_exit_group SYS_wait4 SYS_waitid],
    ),
    (
        "who and where it is, and what the machine is",
        calls![
            SYS_getpid SYS_getppid SYS_gettid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_getresuid
            SYS_getresgid SYS_getgroups SYS_getcpu SYS_getrusage SYS_getrandom SYS_sysinfo SYS_uname SYS_umask
            #[cfg(target_arch = "x86_64")] SYS_getpgrp
            #[cfg(target_arch = "x86_64")] SYS_getrlimit
        ],
    ),
];

/// What one argument of a call must be.
#[derive(Clone, Copy)]
enum Test {
    /// A number of 32 bits.
    Is(u8, u64),
    /// A number of 32 bits that is none of a process or a descriptor: the clocks of others have such numbers.
    IsOwnClock(u8),
    /// An address that is null.
    IsNull(u8),
    /// These bits, of those in the mask.
    HasBits { argument: u8, mask: u64, bits: u64 },
}

/// A call that is allowed if all tests of one of the alternatives hold.
struct Limited {
    call: Call,
    /// With which arguments, and why with no others.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table of the guide"))]
    why: &'static str,
    alternatives: Vec<Vec<Test>>,
}

/// What `clone` of every C library asks for when it starts a thread: all that threads have in common.
const OF_A_THREAD: i32 = libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD
    | libc::CLONE_SYSVSEM;

/// What it may ask for beside that.
const OF_SOME_THREADS: i32 = libc::CLONE_SETTLS
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_DETACHED;

/// Calls that are allowed with some arguments only.
fn limited() -> Vec<Limited> {
    let one_of = |argument: u8, values: &[u64]| -> Vec<Vec<Test>> {
        values.iter().map(|value| vec![Test::Is(argument, *value)]).collect()
    };
    let flags = [
        libc::F_DUPFD,
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
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
        libc::PR_GET_SECCOMP,
    ];
    let memory = libc::MAP_TYPE | libc::MAP_GROWSDOWN | libc::MAP_HUGETLB;
    let bits = |argument, mask: i32, bits: i32| Test::HasBits {
        argument,
        mask: u64::from(mask.cast_unsigned()),
        bits: u64::from(bits.cast_unsigned()),
    };
    // The upper half, too: a namespace of clocks has a flag there in `clone3` only, and nothing may have one here.
    let thread = Test::HasBits {
        argument: 0,
        mask: !u64::from(OF_SOME_THREADS.cast_unsigned()),
        bits: u64::from(OF_A_THREAD.cast_unsigned()),
    };
    let call = |call, why, alternatives| Limited { call, why, alternatives };
    let clocks = |name| {
        call(
            name,
            "clocks of the machine, of itself and of the calling thread",
            vec![vec![Test::IsOwnClock(0)]],
        )
    };
    vec![
        clocks((libc::SYS_clock_gettime, "SYS_clock_gettime")),
        clocks((libc::SYS_clock_getres, "SYS_clock_getres")),
        clocks((libc::SYS_clock_nanosleep, "SYS_clock_nanosleep")),
        clocks((libc::SYS_timer_create, "SYS_timer_create")),
        call(
            (libc::SYS_clone, "SYS_clone"),
            "a thread that shares all with the others: no process, no namespace, no files or folder of its own; the \
             supervisor counts them",
            vec![vec![thread]],
        ),
        call(
            (libc::SYS_mmap, "SYS_mmap"),
            "private memory that does not grow by itself: what is shared, of huge pages or a stack is counted by no limit",
            vec![vec![bits(3, memory, libc::MAP_PRIVATE)]],
        ),
        call(
            (libc::SYS_fcntl, "SYS_fcntl"),
            "flags of a descriptor, and copies of it: no locks, by which others would wait, and no signals to an owner",
            one_of(1, &flags.map(|flag| flag as u64)),
        ),
        call(
            (libc::SYS_ioctl, "SYS_ioctl"),
            "whether it is a terminal, how much is there to read, flags",
            one_of(1, &queries),
        ),
        call(
            (libc::SYS_prctl, "SYS_prctl"),
            "names of threads and of memory, and questions: what ends it with its supervisor stays",
            one_of(0, &names.map(|name| name as u64)),
        ),
        call(
            (libc::SYS_prlimit64, "SYS_prlimit64"),
            "to read limits of its own: root could raise them",
            vec![vec![Test::Is(0, 0), Test::IsNull(2)]],
        ),
        call(
            (libc::SYS_sched_setaffinity, "SYS_sched_setaffinity"),
            "the processors of the calling thread: of the same user's other processes it would be, too",
            one_of(0, &[0]),
        ),
        call((libc::SYS_getpriority, "SYS_getpriority"), "its own", one_of(1, &[0])),
        call((libc::SYS_getpgid, "SYS_getpgid"), "its own", one_of(0, &[0])),
        call((libc::SYS_getsid, "SYS_getsid"), "its own", one_of(0, &[0])),
    ]
}

/// Allows this thread, and whatever it starts, the calls of the list.
///
/// # Errors
/// If the kernel refuses the filter.
pub(super) fn keep_to_the_list() -> Result<(), Refusal> {
    let all = ALLOWED.iter().flat_map(|(_, calls)| calls.iter());
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        all.map(|(call, _)| (*call, Vec::new())).collect();
    for limited in limited() {
        let rule = |tests: &Vec<Test>| -> Result<SeccompRule, Refusal> {
            let conditions: Result<Vec<_>, _> = tests.iter().map(|test| condition(*test)).collect();
            Ok(SeccompRule::new(conditions?)?)
        };
        let alternatives: Result<Vec<_>, _> = limited.alternatives.iter().map(rule).collect();
        rules.insert(limited.call.0, alternatives?);
    }
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let machine = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, machine)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(apply_filter(&program)?)
}

fn condition(test: Test) -> Result<SeccompCondition, Refusal> {
    use SeccompCmpArgLen::{Dword, Qword};
    Ok(match test {
        Test::Is(argument, value) => {
            SeccompCondition::new(argument, Dword, SeccompCmpOp::Eq, value)?
        }
        // All clocks of the machine have numbers below 16.
        Test::IsOwnClock(argument) => SeccompCondition::new(argument, Dword, SeccompCmpOp::Lt, 16)?,
        Test::IsNull(argument) => SeccompCondition::new(argument, Qword, SeccompCmpOp::Eq, 0)?,
        Test::HasBits { argument, mask, bits } => {
            SeccompCondition::new(argument, Qword, SeccompCmpOp::MaskedEq(mask), bits)?
        }
    })
}

/// What is allowed and why, as the table of the guide.
#[cfg(test)]
fn table() -> String {
    let name = |(_, name): &Call| format!("`{}`", name.trim_start_matches("SYS_"));
    let mut text = String::from("| calls | why |\n| --- | --- |\n");
    for (why, calls) in ALLOWED {
        let names: Vec<String> = calls.iter().map(name).collect();
        text.push_str(&format!("| {} | {why} |\n", names.join(" ")));
    }
    for limited in limited() {
        text.push_str(&format!("| {} | only {} |\n", name(&limited.call), limited.why));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On x86-64, which has more of them; `UNSKEW_BLESS` rewrites the table.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_guide_lists_every_call_that_is_left_and_why() {
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/guide/sandbox.md");
        let text = std::fs::read_to_string(guide).unwrap();
        let (head, rest) = text.split_once("<!-- calls -->\n").unwrap();
        let (old, tail) = rest.split_once("<!-- end of calls -->\n").unwrap();
        let new = format!("\n{}\n", table());
        if std::env::var_os("UNSKEW_BLESS").is_some() {
            let text = format!("{head}<!-- calls -->\n{new}<!-- end of calls -->\n{tail}");
            std::fs::write(guide, text).unwrap();
        } else {
            assert_eq!(old, new, "UNSKEW_BLESS=1 rewrites it");
        }
    }

    #[test]
    fn no_call_is_listed_twice() {
        let limited = limited();
        let mut all: Vec<i64> =
            ALLOWED.iter().flat_map(|(_, calls)| calls.iter().map(|c| c.0)).collect();
        all.extend(limited.iter().map(|limited| limited.call.0));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
