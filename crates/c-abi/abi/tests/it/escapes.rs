//! A plug-in that tries every way out of the sandbox that its authors could think of.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "a test may")]

use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unskew_abi::sandbox::{
    Bounds, ChildOutput, Confinement, SandboxedChild, Supervisor, readable, say,
};
use unskew_abi::{Library, SharedObject};
use unskew_source::{FileSource, Source};

const PLUGIN: &str = "UNSKEW_TEST_PLUGIN";
const TASK: &str = "UNSKEW_TEST_TASK";
const PATHS: &str = "UNSKEW_TEST_PATHS";
const LIMIT: Duration = Duration::from_secs(60);

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
    "processors of the parent",
    "scheduling of the parent",
    "parameters of the parent",
    "scheduling of the parent by attributes",
    "priority of the parent",
    "disk priority of the parent",
    "priority of the parent, read",
    "limits of the parent, read",
    "group of the parent, read",
    "session of the parent, read",
    "compare with the parent",
    "pages of the parent",
    "nodes of the parent",
    "robust list of the parent",
    "lock a file of the system",
    "lock a part of a file of the system",
    "make the disk write",
    "connections of the machine",
    "connections of the machine by a thread",
    "mounts of the machine",
    "accounts by its own root",
    "its own memory as a file",
    "a thread with files of its own",
    "a thread in a folder of its own",
    "a thread in a namespace",
    "filters of its own",
    "outlive the parent by another signal",
    "capabilities",
    "shared memory of its own",
    "shared zeros",
    "memory that grows",
    "huge pages",
    "files in memory",
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
    "change rights by descriptor",
    "change rights by a newer call",
    "change the owner by descriptor",
    "change times by descriptor",
    "set an attribute by descriptor",
    "set an attribute by a newer call",
    "make itself immutable",
    "share blocks of a file",
    "truncate by opening",
    "open itself again to write",
    "open what is named again",
    "open below a folder that is named",
    "go to a folder that is named",
    "a link to what is named",
    "a file without a name",
    "a pipe with a name",
    "exchange two files",
    "a handle of a file",
    "a file by its handle",
    "copy a file in the kernel",
    "pages into a pipe",
    "a file into a pipe",
    "a larger pipe",
    "a signal of a pipe to another",
    "another signal of a pipe",
    "an owner by a request",
    "a lease",
    "a lock of a description",
    "news of a folder",
    "watch files",
    "watch all files",
    "make all disks write",
    "throw a file out of memory",
    "type into the terminal",
    "take the terminal",
    "the keyboard of the console",
    "a memory that is secret",
    "run itself by descriptor",
    "a pair of sockets",
    "memory of the parent's thread",
    "files of the parent",
    "root of the parent",
    "memory map of the parent",
    "program of the parent",
    "folder of the parent",
    "stack of the parent",
    "all processes",
    "the first process",
    "queue a signal for a thread",
    "a signal by pidfd",
    "a file by pidfd",
    "advice on the parent's memory",
    "release memory of the parent",
    "time that the parent used",
    "wait until the parent worked",
    "a timer on the parent's time",
    "a timer that signals the parent",
    "disk priority of the parent, read",
    "attributes of the parent's scheduling",
    "a core of its own with the parent",
    "let everybody trace it",
    "adopt processes",
    "move its own code",
    "capabilities for programs",
    "a shield against ends for want of memory",
    "users of a namespace",
    "another label",
    "attributes of a process",
    "frames of its memory",
    "memory in a crash",
    "a stack without end",
    "more time",
    "more files",
    "io_uring of another",
    "io_uring, entered",
    "add a key",
    "ask for a key",
    "faults by a device",
    "a file system",
    "a tree of mounts",
    "a tree of mounts by a newer call",
    "move a mount",
    "attributes of a mount",
    "mounts by number",
    "a list of mounts",
    "remove a mount",
    "exchange the root",
    "a namespace of another",
    "attach shared segments",
    "a queue with a name",
    "layout, read",
    "other pages of a mapping",
    "all memory locked",
    "the time of the machine",
    "the name of the machine",
    "the log of the machine",
    "quotas of the machine",
    "accounts of processes",
    "a module of the kernel",
    "another kernel",
    "restart",
    #[cfg(target_arch = "x86_64")]
    "ports of the machine",
    #[cfg(target_arch = "x86_64")]
    "segments of its own",
];

/// What real plug-ins do.
const ALLOWED: &[&str] = &[
    "may read itself",
    "may read the system's libraries",
    "may start a thread",
    "may make code",
    "may read its own maps",
    "may choose its own processors",
    "may ask its own clocks",
    "may write nowhere",
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
    if let Some(how) = task.strip_prefix("command:") {
        // Not a child of a trial, but a command that has one.
        let trial = trial_of(&path, &format!("do:{how}"), Confinement::Sandbox);
        assert_eq!(lines(&trial, Duration::from_millis(500)), ["begins"]);
        println!("it runs");
        std::thread::sleep(LIMIT);
        std::process::exit(0);
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    let object = SharedObject::read(&source).unwrap();
    let Ok(supervisor) = Supervisor::enter(Bounds::LOOK, readable(&path, object.as_ref())) else {
        std::process::exit(1)
    };
    std::process::exit(supervisor.run_to_the_end(|| run(&path, &task)));
}

/// What a copy of the supervisor does.
fn run(path: &Path, task: &str) -> i32 {
    // SAFETY: this process is there to run it.
    let library = match unsafe { Library::open(path) } {
        Ok(library) => library,
        Err(error) => {
            say(&format!("not loaded: {error}"));
            return 1;
        }
    };
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
    // SAFETY: as above.
    let opens: extern "C" fn(*const c_char) -> c_int =
        unsafe { std::mem::transmute(function("opens")) };
    let folder = CString::new(path.parent().unwrap().to_str().unwrap()).unwrap();
    let ask = |what: &str| attempt(CString::new(what).unwrap().as_ptr(), folder.as_ptr());
    match task.split_once(':').unwrap_or((task, "")) {
        ("attempts", _) => {
            say(&format!("descriptors: {}", descriptors()));
            for what in FORBIDDEN.iter().chain(ALLOWED) {
                say(&format!("{what}: {}", ask(what)));
            }
            let names: Vec<String> =
                std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
            say(&format!("variables: {}", names.join(" ")));
        }
        ("opens", _) => {
            for path in std::env::var(PATHS).unwrap().lines() {
                say(&format!("{path}: {}", opens(CString::new(path).unwrap().as_ptr())));
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
    0
}

fn trial_of(path: &Path, task: &str, confinement: Confinement) -> SandboxedChild {
    SandboxedChild::start(command(path, task), confinement).unwrap()
}

fn command(path: &Path, task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "escapes::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PLUGIN, path).env(TASK, task);
    command
}

/// What the plug-in at `path` gets of these files and folders: whether each was opened.
fn opened(path: &Path, paths: &[PathBuf]) -> Vec<bool> {
    let mut command = command(path, "opens");
    let names: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    command.env(PATHS, names.join("\n"));
    let trial = SandboxedChild::start(command, Confinement::Sandbox).unwrap();
    let lines = lines(&trial, LIMIT);
    let _ = trial.end(true);
    assert_eq!(lines.len(), paths.len(), "{lines:?}");
    lines.iter().map(|line| line.ends_with(": 0")).collect()
}

fn start(made: &Made, task: &str, confinement: Confinement) -> SandboxedChild {
    trial_of(&made.path, task, confinement)
}

/// What the child says until it is done, or for so long.
fn lines(trial: &SandboxedChild, limit: Duration) -> Vec<String> {
    let begun = Instant::now();
    let mut lines = Vec::new();
    loop {
        match trial.hear(limit.saturating_sub(begun.elapsed())) {
            ChildOutput::Line(line) if line == "done" => return lines,
            ChildOutput::Line(line) => lines.push(line),
            ChildOutput::Refused(cause) => panic!("no sandbox: {cause}"),
            ChildOutput::Late | ChildOutput::Closed => return lines,
        }
    }
}

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

/// The processes that are left when those that were killed have had time to go: a signal that is sent ends a process
/// that supervised another before it ends the other.
fn left_over(made: &Made) -> usize {
    let begun = Instant::now();
    while processes(made) > 0 && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    processes(made)
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
    // What failed for another reason was let through, and is a way out with other arguments.
    let failed: Vec<(&&str, i32)> = FORBIDDEN
        .iter()
        .map(|what| (what, errno(what)))
        .filter(|(_, errno)| !is_refusal(*errno))
        .collect();
    assert!(failed.is_empty(), "let through, and failed: {failed:?}");
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
    assert_eq!(left_over(&made), 0);
}

fn is_refusal(errno: i32) -> bool {
    [libc::EPERM, libc::EACCES, libc::ENOSYS].contains(&errno)
}

#[test]
fn memory_threads_and_files_in_memory_end_at_their_limits() {
    let made = build();
    let all = [
        "memory",
        "memory that is read-only",
        "memory that grows",
        "shared memory",
        "shared zeros",
        "threads",
        "files in memory",
        "many files in memory",
        "pipes",
        "calls of 32 bits",
        "fork bomb",
        "copies",
    ];
    for how in all {
        let begun = Instant::now();
        let trial = start(&made, &format!("do:{how}"), Confinement::Sandbox);
        let lines = lines(&trial, LIMIT);
        let (status, said) = trial.end(true);
        // It is told that there is no more, or dies of it; it does not get it.
        let ends = lines.iter().find_map(|line| line.strip_prefix("ends: "));
        assert_ne!(ends, Some("0"), "{how}");
        assert!(begun.elapsed() < LIMIT, "{how}: {lines:?} {status:?} {said}");
        // No limit of the kernel counts this memory.
        let seen = said.contains("more than 2048 MiB of memory");
        assert_eq!(seen, how == "memory that is read-only", "{how}: {lines:?} {said}");
        assert_eq!(left_over(&made), 0, "{how}");
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
        assert_eq!(left_over(&made), 0, "{how}");
    }
}

/// The number that answers begin with is good for answers, and nothing dies later than the command.
#[test]
fn a_plug_in_that_knows_the_number_makes_no_process_and_ends_with_the_command() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let made = build();
    let mut whole = command(&made.path, "command:copies that stay");
    let mut child = whole.stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap() == "it runs"));
    // The command, its child, and the copy of that in which the plug-in is: no other.
    assert_eq!(processes(&made), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(left_over(&made), 0, "something outlives the command");
}

/// A file with a secret in a folder of its own, and a library beside it.
fn elsewhere(made: &Made) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("id_rsa"), "a secret that is long enough for a head")
        .unwrap();
    std::fs::copy(&made.path, folder.path().join("libother.so.1")).unwrap();
    folder
}

#[test]
fn links_beside_a_plug_in_open_libraries_and_nothing_else() {
    use std::os::unix::fs::symlink;

    let made = build();
    let secrets = elsewhere(&made);
    let at = |name: &str| made.folder.path().join(name);
    let (secret, library) = (secrets.path().join("id_rsa"), secrets.path().join("libother.so.1"));
    symlink("/", at("libroot.so")).unwrap();
    symlink(secrets.path(), at("libfolder.so")).unwrap();
    symlink(&secret, at("libsecret.so")).unwrap();
    symlink("libchain.so.1", at("libchain.so")).unwrap();
    symlink("libchain.so.1.2", at("libchain.so.1")).unwrap();
    symlink(&secret, at("libchain.so.1.2")).unwrap();
    symlink(format!("/proc/{}/environ", std::process::id()), at("libprocess.so")).unwrap();
    symlink("/proc/self/cwd", at("libcwd.so")).unwrap();
    std::fs::hard_link(&secret, at("libhard.so")).unwrap();
    nix::unistd::mkfifo(&at("libpipe.so"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(at("libreal.so")).unwrap();
    std::fs::write(at("libreal.so/inner.txt"), "of a folder").unwrap();
    // The memory of a process that crashed is an ELF file, too; so is a program.
    let mut bytes = std::fs::read(&made.path).unwrap();
    for (kind, name) in [(4, "libcore.so"), (2, "libprogram.so"), (1, "libobject.so")] {
        bytes[16] = kind;
        std::fs::write(at(name), &bytes).unwrap();
    }
    std::fs::copy(&made.path, at("libgood.so.1.2")).unwrap();
    symlink("libgood.so.1.2", at("libgood.so.1")).unwrap();
    symlink("libgood.so.1", at("libgood.so")).unwrap();
    symlink(&library, at("libother.so")).unwrap();
    let closed = [
        at("libroot.so"),
        PathBuf::from("/etc/passwd"),
        at("libfolder.so"),
        secrets.path().to_owned(),
        at("libsecret.so"),
        at("libchain.so"),
        secret,
        at("libprocess.so"),
        at("libcwd.so"),
        at("libhard.so"),
        at("libpipe.so"),
        at("libreal.so"),
        at("libreal.so/inner.txt"),
        at("libcore.so"),
        at("libprogram.so"),
        at("libobject.so"),
        at("secret.txt"),
    ];
    for (path, opened) in closed.iter().zip(opened(&made.path, &closed)) {
        assert!(!opened, "{}", path.display());
    }
    let open =
        [at("libgood.so"), at("libgood.so.1"), at("libgood.so.1.2"), at("libother.so"), library];
    for (path, opened) in open.iter().zip(opened(&made.path, &open)) {
        assert!(opened, "{}", path.display());
    }
    // A plug-in that is named by a link is read where it lies.
    let named = secrets.path().join("named.so");
    symlink(&made.path, &named).unwrap();
    assert_eq!(opened(&named, &[named.clone(), made.path.clone()]), [true, true]);
}

#[test]
fn search_paths_and_folders_of_packages_open_no_home() {
    use std::os::unix::fs::symlink;

    let made = build();
    let home = elsewhere(&made);
    let inner = home.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    // Linked again, with search paths that lead up.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escapes/plugin.c");
    for tag in ["--disable-new-dtags", "--enable-new-dtags"] {
        let path = inner.join("plugin.so");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(&path).arg(&source);
        cc.arg(format!("-Wl,{tag},-rpath,/:$ORIGIN/../..:/proc/self/root:$ORIGIN/../../../.."));
        assert!(cc.status().unwrap().success());
        let paths = [home.path().join("id_rsa"), home.path().to_owned(), "/etc/passwd".into()];
        assert_eq!(opened(&path, &paths), [false; 3], "{tag}");
        // The libraries there are what a search path is for.
        assert_eq!(opened(&path, &[home.path().join("libother.so.1")]), [true]);
    }
    // A link that is named like a folder of packages is none.
    std::fs::copy(&made.path, home.path().join("plugin.so")).unwrap();
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("site-packages");
    symlink(home.path(), &link).unwrap();
    assert_eq!(opened(&link.join("plugin.so"), &[home.path().join("id_rsa")]), [false]);
    // In a real one a link leads nowhere else.
    let packages = links.path().join("lib/python3.12/site-packages");
    std::fs::create_dir_all(packages.join("plugin")).unwrap();
    std::fs::copy(&made.path, packages.join("plugin/plugin.so")).unwrap();
    std::fs::write(packages.join("data.bin"), "of a package").unwrap();
    symlink(home.path(), packages.join("home")).unwrap();
    symlink(home.path().join("id_rsa"), packages.join("key.so")).unwrap();
    let paths = [packages.join("data.bin"), packages.join("home/id_rsa"), packages.join("key.so")];
    assert_eq!(opened(&packages.join("plugin/plugin.so"), &paths), [true, false, false]);
}

#[test]
fn a_library_that_is_needed_by_an_absolute_path_is_not_opened_elsewhere() {
    let made = build();
    let other = tempfile::tempdir().unwrap();
    let (source, needed) = (other.path().join("n.c"), other.path().join("needed.so"));
    std::fs::write(&source, "int needed(void) { return 1; }").unwrap();
    let shared = ["-shared", "-fPIC", "-w", "-o"];
    let cc = |command: &mut Command| assert!(command.status().unwrap().success());
    cc(Command::new("cc").args(shared).arg(&needed).arg(&source));
    let path = made.folder.path().join("needs.so");
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escapes/plugin.c");
    // Without a name of its own the library is needed by its path.
    cc(Command::new("cc")
        .args(shared)
        .arg(&path)
        .arg(plugin)
        .arg("-Wl,--no-as-needed")
        .arg(&needed));
    let trial = trial_of(&path, "attempts", Confinement::Sandbox);
    let lines = lines(&trial, LIMIT);
    let _ = trial.end(true);
    assert!(lines.iter().any(|line| line.starts_with("not loaded: ")), "{lines:?}");
    assert!(lines[0].contains("Permission denied"), "{lines:?}");
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
    assert!(
        matches!(&said, ChildOutput::Refused(cause) if cause.starts_with("Landlock")),
        "{said:?}"
    );
}
