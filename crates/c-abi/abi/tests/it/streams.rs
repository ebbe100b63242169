//! A process that is kept to its standard streams tries to reach something else.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const TASK: &str = "UNSKEW_TEST_STREAMS";

/// What this process is told to do instead of being a test.
#[test]
fn task() {
    let Ok(task) = std::env::var(TASK) else { return };
    let kept = File::options().read(true).write(true).open("/dev/null").unwrap();
    let own = File::open(std::env::current_exe().unwrap()).unwrap();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    unskew_abi::sandbox::keep_to_streams().unwrap();
    match task.as_str() {
        "ways out" => ways_out(&kept, &own, &ours),
        "abort" => std::process::abort(),
        "panic" => panic!("as readers should not"),
        task => panic!("{task}"),
    }
}

fn ways_out(kept: &File, own: &File, socket: &UnixStream) {
    let mut tried: Vec<(&str, bool)> = Vec::new();
    let parent = Pid::parent();
    tried.push(("read a file", File::open("/etc/passwd").is_ok()));
    tried.push(("read itself", File::open("/proc/self/environ").is_ok()));
    tried.push(("list a folder", std::fs::read_dir("/").is_ok()));
    tried.push(("ask after a file", std::fs::metadata("/etc/passwd").is_ok()));
    let made = std::env::temp_dir().join("unskew-streams");
    tried.push(("make a file", File::create(&made).is_ok()));
    tried.push(("remove a file", std::fs::remove_file(&made).is_ok()));
    tried.push(("write to another descriptor", (&*kept).write(b"x").is_ok()));
    tried.push(("read another descriptor", (&*kept).read(&mut [0; 1]).is_ok()));
    tried.push(("write to a socket", (&*socket).write(b"x").is_ok()));
    tried.push(("copy a descriptor", kept.try_clone().is_ok()));
    tried.push(("internet socket", TcpListener::bind("127.0.0.1:0").is_ok()));
    tried.push(("datagram socket", UdpSocket::bind("127.0.0.1:0").is_ok()));
    tried.push(("local socket", UnixStream::pair().is_ok()));
    tried.push(("run a program", Command::new("/bin/true").status().is_ok()));
    tried.push(("start a thread", std::thread::Builder::new().spawn(|| ()).is_ok()));
    tried.push(("signal the parent", kill(parent, None).is_ok()));
    tried.push(("signal everybody", kill(Pid::from_raw(-1), Signal::SIGWINCH).is_ok()));
    let (soft, hard) = (64 << 20, 64 << 20);
    tried.push(("limits", setrlimit(Resource::RLIMIT_CORE, soft, hard).is_ok()));
    let (_, hard) = getrlimit(Resource::RLIMIT_CPU).unwrap();
    assert!(setrlimit(Resource::RLIMIT_CPU, 100, hard).is_ok(), "its own time");
    let (new, shared) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::MAP_SHARED);
    for (what, protection, flags, of) in [
        ("readable memory", libc::PROT_READ, new, -1),
        ("executable memory", libc::PROT_EXEC, new, -1),
        ("memory of a file", libc::PROT_READ, shared, own.as_raw_fd()),
    ] {
        // SAFETY: new memory, which nobody uses.
        #[allow(unsafe_code, reason = "a map is asked for by its number")]
        let map = unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, of, 0) };
        tried.push((what, map != libc::MAP_FAILED));
    }
    // What a reader does.
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    assert_eq!(text, "bytes of a file");
    let large = vec![1_u8; 8 << 20];
    assert_eq!(large.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 8 << 20);
    for (what, done) in tried {
        println!("tried {what}: {done}");
    }
}

fn run(task: &str) -> std::process::Output {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "streams::task", "--nocapture", "--test-threads=1"])
        .env(TASK, task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A child that ends at once may not wait for what it is to read.
    let written = child.stdin.take().unwrap().write_all(b"bytes of a file");
    assert!(written.is_ok() || task != "ways out", "{task}: {written:?}");
    child.wait_with_output().unwrap()
}

#[test]
fn nothing_but_the_streams_can_be_reached() {
    let ran = run("ways out");
    let (said, errors) =
        (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap());
    assert!(ran.status.success(), "{said}{errors}");
    let tried: Vec<&str> =
        said.lines().filter_map(|line| line.split_once("tried ")).map(|(_, t)| t).collect();
    assert_eq!(tried.len(), 21, "{said}");
    for line in tried {
        assert_eq!(line.ends_with(": true"), line.starts_with("readable"), "{line}");
    }
}

#[test]
fn how_a_reader_ends_is_seen() {
    use std::os::unix::process::ExitStatusExt as _;
    let aborted = run("abort");
    assert_eq!(aborted.status.signal(), Some(Signal::SIGABRT as i32));
    let panicked = run("panic");
    let errors = String::from_utf8(panicked.stderr).unwrap();
    assert!(!panicked.status.success() && errors.contains("as readers should not"), "{errors}");
}
