//! What verbs do with plug-ins that mean harm: verdicts, what is run, what is left behind.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A plug-in for JAX and TensorFlow at once. `CONSTRUCTOR` runs when it is loaded, `ASKED` when it is entered.
const PLUGIN: &str = r#"
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void tell(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", FOLDER, name);
  int file = open(path, O_CREAT | O_WRONLY, 0600);
  if (file >= 0) close(file);
}
static char flood[65536];
__attribute__((constructor)) static void begins(void) { tell("ran"); CONSTRUCTOR; }
static uint64_t api[123];
static void *unimplemented(void *args) { return api; }
const void *GetPjrtApi(void) {
  ASKED;
  for (int i = 5; i < 123; i++) api[i] = (uint64_t)unimplemented;
  api[0] = 984; api[2] = 24; api[4] = 81ull << 32;
  return api;
}
void SE_InitPlugin(void *params, void *status) { ASKED; }
"#;

struct Made {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn build(constructor: &str, asked: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("evil.c");
    let path = folder.path().join("evil.so");
    let place = folder.path().display();
    let head = format!(
        "#define FOLDER \"{place}\"\n#define CONSTRUCTOR {constructor}\n#define ASKED {asked}\n"
    );
    std::fs::write(&source, format!("{head}{PLUGIN}")).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(&path).arg(&source);
    assert!(cc.status().unwrap().success(), "the test needs a C compiler");
    Made { folder, path }
}

impl Made {
    /// Whether its code ran and could write a file.
    fn wrote(&self) -> bool {
        ["ran", "sent", "late"].iter().any(|name| self.folder.path().join(name).exists())
    }

    /// Whether processes in whose arguments it stands are left. One that was killed may take a while to be gone.
    fn leaves_processes(&self) -> bool {
        let begun = Instant::now();
        while self.processes() != 0 {
            if begun.elapsed() > Duration::from_secs(10) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    fn processes(&self) -> usize {
        let name = self.folder.path().to_str().unwrap().as_bytes();
        let named = |file: &Path| {
            let bytes = std::fs::read(file).unwrap_or_default();
            bytes.windows(name.len()).any(|part| part == name)
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        all.filter(|process| named(&process.path().join("cmdline"))).count()
    }
}

/// The command, with folders for temporary files and a secret of its own.
fn unskew(arguments: &[&str], temporary: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.args(arguments).env("TMPDIR", temporary).env("MY_SECRET", "do not tell");
    command.stdin(Stdio::null()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What every verb must say of a plug-in that ends badly: an error for every host, in time, with nothing left.
fn is_an_error_for_every_host(constructor: &str, asked: &str) {
    let made = build(constructor, asked);
    let path = made.path.to_str().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    for host in ["jax@0.6.2", "tensorflow@2.15"] {
        let begun = Instant::now();
        let output =
            unskew(&["check", path, "--with", host, "--format", "concise"], temporary.path());
        assert_eq!(output.status.code(), Some(1), "{host}: {}", text(&output));
        // Both interfaces are asked, and the one of TensorFlow gets its time twice: to be loaded, and for one host.
        assert!(begun.elapsed() < Duration::from_secs(45), "{host}: {:?}", begun.elapsed());
        assert!(text(&output).contains("error"), "{host}: {}", text(&output));
    }
    assert!(!made.wrote(), "it wrote a file");
    assert!(!made.leaves_processes(), "something is left");
    assert_eq!(temporary.path().read_dir().unwrap().count(), 0, "a file is left");
}

#[test]
fn a_plug_in_that_dies_is_an_error_for_every_host() {
    is_an_error_for_every_host("abort()", "");
}

#[test]
fn a_plug_in_that_exits_is_an_error_for_every_host() {
    is_an_error_for_every_host("_exit(0)", "");
}

#[test]
fn a_plug_in_that_never_returns_is_an_error_for_every_host() {
    is_an_error_for_every_host("for (;;) pause()", "");
}

#[test]
fn a_plug_in_that_kills_its_own_process_group_is_an_error_for_every_host() {
    is_an_error_for_every_host("kill(0, SIGKILL)", "");
}

#[test]
fn a_plug_in_that_writes_without_end_is_an_error_for_every_host() {
    is_an_error_for_every_host("for (;;) { write(1, flood, 65536); write(2, flood, 65536); }", "");
}

#[test]
fn a_plug_in_that_takes_all_memory_is_an_error_for_every_host() {
    is_an_error_for_every_host(
        "for (;;) { char *p = malloc(1 << 26); if (!p) abort(); memset(p, 1, 1 << 26); }",
        "",
    );
}

#[test]
fn a_forged_answer_on_standard_output_is_no_answer() {
    let forged = r#"for (int i = 0; i < 64; i++) dprintf(i, "\n@unskew-probe {\"done\":{\"major\":0,\"minor\":72,\"version_size\":24,\"table_size\":1000,\"empty_slots\":[],\"extensions\":[],\"extensions_broken\":null,\"attributes\":[],\"attributes_refused\":null}}\n\nline {\"done\":{\"major\":0,\"minor\":72}}\n\"end\"\n"); _exit(0)"#;
    is_an_error_for_every_host(forged, "");
}

#[test]
fn a_plug_in_reaches_nobody_and_starts_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let constructor = format!(
        "do {{ int s = socket(AF_INET, SOCK_STREAM, 0); struct sockaddr_in a = {{.sin_family = AF_INET, \
         .sin_port = htons({port})}}; a.sin_addr.s_addr = htonl(INADDR_LOOPBACK); \
         if (!connect(s, (void *)&a, sizeof a)) {{ write(s, getenv(\"MY_SECRET\"), 5); tell(\"sent\"); }} \
         kill(getppid(), SIGKILL); \
         if (fork() == 0) {{ setsid(); sleep(3); tell(\"late\"); _exit(0); }} }} while (0)"
    );
    let made = build(&constructor, "");
    let temporary = tempfile::tempdir().unwrap();
    let output = unskew(&["inspect", made.path.to_str().unwrap()], temporary.path());
    // The command outlives it, and tells what it says.
    assert!(output.status.code().is_some(), "it killed the command");
    assert!(text(&output).contains("0.81"), "{}", text(&output));
    assert!(listener.accept().is_err(), "it reached the network");
    assert!(!made.leaves_processes());
    std::thread::sleep(Duration::from_secs(4));
    assert!(!made.wrote());
}

#[test]
fn what_lies_in_a_folder_or_a_wheel_is_only_read_unless_it_is_to_be_run() {
    let made = build("(void)0", "");
    let temporary = tempfile::tempdir().unwrap();
    let beside = tempfile::tempdir().unwrap();
    std::fs::copy(&made.path, beside.path().join("evil.so")).unwrap();
    let wheel = temporary.path().join("evil-1-py3-none-any.whl");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&wheel).unwrap());
    let stored = zip::write::SimpleFileOptions::default();
    archive.start_file("evil/evil.so", stored).unwrap();
    archive.write_all(&std::fs::read(&made.path).unwrap()).unwrap();
    archive.finish().unwrap();
    let empty = tempfile::tempdir().unwrap();
    for place in [beside.path(), &*wheel] {
        let place = place.to_str().unwrap();
        let read = unskew(&["check", place, "--with", "jax@0.6.2"], empty.path());
        assert!(!made.wrote(), "{place} was run");
        let said = text(&read);
        assert!(said.contains("not judged") && said.contains("--run"), "{said}");
        assert!(!said.contains(" compatible"), "{said}");
        // With --run it has the user's rights, as the option says.
        unskew(&["inspect", place, "--run"], empty.path());
        assert!(made.wrote(), "{place} was not run");
        std::fs::remove_file(made.folder.path().join("ran")).unwrap();
        assert_eq!(empty.path().read_dir().unwrap().count(), 0, "a copy is left");
    }
    let path = made.path.to_str().unwrap();
    let said = text(&unskew(&["inspect", path, "--static"], empty.path()));
    assert!(said.contains("only read") && !said.contains("0.81"), "{said}");
    let said = text(&unskew(&["inspect", path], empty.path()));
    assert!(said.contains("0.81"), "{said}");
    assert!(!made.wrote());
    unskew(&["inspect", path, "--run"], empty.path());
    assert!(made.wrote());
}

#[test]
fn a_command_that_is_killed_leaves_no_process_and_no_file() {
    let made = build("for (;;) pause()", "");
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.args(["inspect"]).arg(&made.path).env("TMPDIR", temporary.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while made.processes() < 3 && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        made.processes(),
        3,
        "the command, its child, and the copy of it that has the plug-in"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!made.leaves_processes());
    assert_eq!(temporary.path().read_dir().unwrap().count(), 0);
}

/// The filter of this thread is inherited: for the command there is no Landlock in this kernel.
#[test]
fn without_a_sandbox_nothing_is_run_and_the_way_is_named() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    let made = build("(void)0", "");
    let temporary = tempfile::tempdir().unwrap();
    let path = made.path.to_str().unwrap();
    let said = std::thread::scope(|scope| {
        let without = scope.spawn(|| {
            // landlock_create_ruleset and landlock_restrict_self, and "no such call".
            let rules = [444, 446].map(|call| (call, Vec::new())).into_iter().collect();
            let machine = std::env::consts::ARCH.try_into().unwrap();
            let filter =
                SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(38), machine);
            let program: BpfProgram = filter.unwrap().try_into().unwrap();
            apply_filter(&program).unwrap();
            let hosts = ["jax@0.6.2", "tensorflow@2.15"];
            hosts.map(|host| text(&unskew(&["check", path, "--with", host], temporary.path())))
        });
        without.join().unwrap()
    });
    for said in said {
        assert!(said.contains("not judged") && said.contains("--run"), "{said}");
        assert!(said.contains("no sandbox"), "{said}");
    }
    assert!(!made.wrote());
}

#[test]
fn help_says_what_runs_a_plug_in() {
    for verb in ["conform", "adapt", "run", "serve"] {
        let output = Command::new(env!("CARGO_BIN_EXE_unskew")).args([verb, "--help"]).output();
        let help = text(&output.unwrap()).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("This runs the plug-in"), "{verb}: {help}");
    }
}
