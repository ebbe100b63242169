//! A plug-in that tries every way out of the sandbox that its authors could think of.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "a test may")]

use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use unskew_abi::Library;
use unskew_abi::sandbox::{Bounds, Confinement, Heard, Trial, copy_process, enter, readable, say};

const PLUGIN: &str = "UNSKEW_TEST_PLUGIN";
const TASK: &str = "UNSKEW_TEST_TASK";
const LIMIT: Duration = Duration::from_secs(20);

/// What must fail, whoever the user is.
const FORBIDDEN: &[&str] = &[
    "read a file beside it",
    "read accounts",
    "list the folder",
    "create a file",
    "create a file in /tmp",
    "create shared memory",
    "write into itself",
    "truncate",
    "rename",
    "remove",
    "make a folder",
    "link",
    "change rights",
    "change times",
    "set an attribute",
    "open the terminal",
    "internet socket",
    "datagram socket",
    "local socket",
    "raw socket",
    "netlink",
    "kill the parent",
    "ask after the parent",
    "kill everybody",
    "queue a signal",
    "pidfd of the parent",
    "signal by owner",
    "trace the parent",
    "read the parent",
    "write the parent",
    "memory of the parent",
    "environment of the parent",
    "arguments of the parent",
    "limits of the parent",
    "fork",
    "raw fork",
    "vfork",
    "spawn",
    "run a program",
    "run a program by descriptor",
    "a session of its own",
    "a group of its own",
    "outlive the parent",
    "more memory",
    "more memory by number",
    "io_uring",
    "bpf",
    "keys",
    "mount",
    "new namespaces",
    "faults",
    "performance",
    "shared segments",
    "message queues",
    "semaphores",
    "another root",
    "another user",
    "other memory layout",
    #[cfg(target_arch = "x86_64")]
    "another call table",
];

/// What real plug-ins do.
const ALLOWED: &[&str] = &[
    "may read itself",
    "may read the system's libraries",
    "may start a thread",
    "may make code",
    "may make files in memory",
];

struct Made {
    folder: tempfile::TempDir,
    path: PathBuf,
}

/// Builds the plug-in, beside a file that it must not read.
fn build() -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plugin.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escapes/plugin.c");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-O1", "-o"]).arg(&path).arg(source).arg("-lpthread");
    assert!(cc.status().unwrap().success(), "the test needs a C compiler");
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    Made { folder, path }
}

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    let Some(path) = std::env::var_os(PLUGIN).map(PathBuf::from) else { return };
    let task = std::env::var(TASK).unwrap();
    if enter(Bounds::LOOK, &readable(&path, None)).is_err() {
        std::process::exit(1);
    }
    // SAFETY: this process is there to run it.
    let library = unsafe { Library::open(&path) }.unwrap();
    let function = |name: &str| library.address(name).unwrap().as_ptr();
    // SAFETY: the functions of the plug-in have these signatures.
    let attempt: extern "C" fn(*const c_char, *const c_char) -> c_int =
        unsafe { std::mem::transmute(function("attempt")) };
    // SAFETY: as above.
    let misbehave: extern "C" fn(*const c_char, *const c_char) -> c_int =
        unsafe { std::mem::transmute(function("misbehave")) };
    // SAFETY: as above.
    let descriptors: extern "C" fn() -> c_int =
        unsafe { std::mem::transmute(function("descriptors")) };
    let folder = CString::new(path.parent().unwrap().to_str().unwrap()).unwrap();
    let ask = |what: &str| attempt(CString::new(what).unwrap().as_ptr(), folder.as_ptr());
    match task.split_once(':').unwrap_or((&task, "")) {
        ("attempts", _) => {
            say(&format!("descriptors: {}", descriptors()));
            for what in FORBIDDEN.iter().chain(ALLOWED) {
                say(&format!("{what}: {}", ask(what)));
            }
            let names: Vec<String> =
                std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
            say(&format!("variables: {}", names.join(" ")));
        }
        ("copy", how) => {
            // SAFETY: the copy does what follows and ends.
            let process = unsafe { copy_process() }.unwrap();
            if process == 0 {
                say(&format!("fork in a copy: {}", ask("fork")));
                misbehave(CString::new(how).unwrap().as_ptr(), folder.as_ptr());
                std::process::exit(0);
            }
            say(&format!("copy: {process}"));
            say(&format!("a second process: {}", ask("fork")));
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        (_, how) => {
            say("begins");
            say(&format!(
                "ends: {}",
                misbehave(CString::new(how).unwrap().as_ptr(), folder.as_ptr())
            ));
        }
    }
    say("done");
    std::process::exit(0);
}

fn start(made: &Made, task: &str, confinement: Confinement) -> Trial {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "escapes::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PLUGIN, &made.path).env(TASK, task);
    Trial::start(command, confinement).unwrap()
}

/// What the child says until it is done, or for so long.
fn lines(trial: &Trial, limit: Duration) -> Vec<String> {
    let begun = Instant::now();
    let mut lines = Vec::new();
    loop {
        match trial.hear(limit.saturating_sub(begun.elapsed())) {
            Heard::Line(line) if line == "done" => return lines,
            Heard::Line(line) => lines.push(line),
            Heard::Refused(cause) => panic!("no sandbox: {cause}"),
            Heard::Late | Heard::Closed => return lines,
        }
    }
}

/// The files in the folder of the plug-in.
fn files(made: &Made) -> Vec<String> {
    let files = made.folder.path().read_dir().unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The processes that have this plug-in in their environment: those that a trial started, whatever they became.
fn processes(made: &Made) -> usize {
    let name = made.path.to_str().unwrap().as_bytes();
    let alive = std::fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment.windows(name.len()).any(|part| part == name)
    });
    alive.count()
}

#[test]
fn every_way_out_is_closed_and_what_plug_ins_need_is_open() {
    let made = build();
    // A descriptor that a careless program leaves open to its children.
    let (_reader, _writer) = nix::unistd::pipe().unwrap();
    let trial = start(&made, "attempts", Confinement::Sandbox);
    let lines = lines(&trial, LIMIT);
    let _ = trial.end(true);
    let errno = |what: &str| -> i32 {
        let line = lines.iter().find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("{what} was not tried: {lines:?}")).parse().unwrap()
    };
    let out: Vec<&&str> = FORBIDDEN.iter().filter(|what| errno(what) == 0).collect();
    assert!(out.is_empty(), "it got out: {out:?}");
    let unknown: Vec<&&str> = FORBIDDEN.iter().filter(|what| errno(what) == -1).collect();
    assert!(unknown.is_empty(), "the plug-in does not know how: {unknown:?}");
    let kept: Vec<&&str> = ALLOWED.iter().filter(|what| errno(what) != 0).collect();
    assert!(kept.is_empty(), "it was kept from: {kept:?}");
    assert_eq!(errno("descriptors"), 1, "only the way of the answer is open");
    let variables = lines.iter().find_map(|line| line.strip_prefix("variables: ")).unwrap();
    for name in variables.split(' ') {
        let known = ["LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", PLUGIN, TASK];
        assert!(known.contains(&name) || name.starts_with("TF_CPP_"), "it sees {name}");
    }
    assert_eq!(files(&made), ["plugin.so", "secret.txt"]);
    for path in ["/tmp/unskew-escape-made", "/dev/shm/unskew-escape-made"] {
        assert!(!Path::new(path).exists(), "{path}");
    }
    assert_eq!(processes(&made), 0);
}

#[test]
fn memory_threads_and_files_in_memory_end_at_their_limits() {
    let made = build();
    for how in ["memory", "shared memory", "threads", "files in memory", "fork bomb"] {
        let begun = Instant::now();
        let trial = start(&made, &format!("do:{how}"), Confinement::Sandbox);
        let lines = lines(&trial, LIMIT);
        let (status, said) = trial.end(true);
        // It is told that there is no more, or dies of it; it does not get it.
        let ends = lines.iter().find_map(|line| line.strip_prefix("ends: "));
        assert_ne!(ends, Some("0"), "{how}");
        assert!(begun.elapsed() < LIMIT, "{how}: {lines:?} {status:?} {said}");
        assert_eq!(processes(&made), 0, "{how}");
    }
}

#[test]
fn what_never_ends_is_ended_with_the_trial() {
    let made = build();
    for how in ["loop", "sleep", "output", "errors", "deaf"] {
        let begun = Instant::now();
        let trial = start(&made, &format!("do:{how}"), Confinement::Sandbox);
        let lines = lines(&trial, Duration::from_millis(700));
        let (_, said) = trial.end(false);
        assert_eq!(lines, ["begins"], "{how}");
        assert!(said.len() <= 4096, "{how}: {} bytes kept", said.len());
        assert!(begun.elapsed() < Duration::from_secs(5), "{how}: {:?}", begun.elapsed());
        assert_eq!(processes(&made), 0, "{how}");
    }
}

#[test]
fn a_copy_is_made_once_it_is_allowed_and_ends_with_the_trial() {
    let made = build();
    for how in ["sleep", "loop", "deaf"] {
        let trial = start(&made, &format!("copy:{how}"), Confinement::Sandbox);
        let lines = lines(&trial, Duration::from_millis(700));
        assert_eq!(processes(&made), 2, "{lines:?}");
        let _ = trial.end(false);
        assert!(lines.contains(&"fork in a copy: 1".to_owned()), "{lines:?}");
        assert!(lines.contains(&"a second process: 1".to_owned()), "{lines:?}");
        for _ in 0..100 {
            if processes(&made) == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(processes(&made), 0, "{how}");
    }
}

#[test]
fn what_a_plug_in_prints_is_no_answer() {
    let made = build();
    for confinement in [Confinement::Sandbox, Confinement::None] {
        let trial = start(&made, "do:forge", confinement);
        let lines = lines(&trial, LIMIT);
        let _ = trial.end(true);
        assert_eq!(lines, ["begins", "ends: 0"]);
    }
}

/// The same kernel without Landlock, as far as the child can tell: the filter of this thread is inherited.
#[test]
fn without_landlock_nothing_is_loaded_and_that_is_said() {
    use seccompiler::{SeccompAction, SeccompFilter, apply_filter};

    let made = build();
    let said = std::thread::scope(|scope| {
        let without = scope.spawn(|| {
            let calls = [libc::SYS_landlock_create_ruleset, libc::SYS_landlock_restrict_self];
            let rules = calls.map(|call| (call, Vec::new())).into_iter().collect();
            let refused = SeccompAction::Errno(libc::ENOSYS as u32);
            let machine = std::env::consts::ARCH.try_into().unwrap();
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, machine).unwrap();
            let program: seccompiler::BpfProgram = filter.try_into().unwrap();
            apply_filter(&program).unwrap();
            let trial = start(&made, "do:sleep", Confinement::Sandbox);
            let heard = trial.hear(LIMIT);
            let _ = trial.end(true);
            heard
        });
        without.join().unwrap()
    });
    assert!(matches!(&said, Heard::Refused(cause) if cause.starts_with("Landlock")), "{said:?}");
}
