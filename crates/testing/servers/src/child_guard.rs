//! Processes that do not outlive this one.

#![allow(clippy::unwrap_used, reason = "a test that cannot start its server fails")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// A shell that runs a command until its own input ends, and then takes it and its folder away.
#[derive(Debug)]
pub(crate) struct ChildGuard {
    shell: Child,
    input: Option<ChildStdin>,
}

/// `$1` is the folder, `$2` the signal, and the rest the command. Its process id is written to `pid` in the folder.
const SCRIPT: &str = r#"
folder=$1; signal=$2; shift 2
"$@" >"$folder/log" 2>&1 </dev/null &
echo $! >"$folder/pid.part"; mv "$folder/pid.part" "$folder/pid"
read -r how
[ "$how" = kill ] && signal=KILL
kill "-$signal" $! 2>/dev/null
wait
[ "$how" = kill ] || [ "$how" = stop ] || rm -rf "$folder"
"#;

impl ChildGuard {
    /// Starts a command, whose output goes to `log` in `folder`. `signal` ends it politely.
    pub(crate) fn start(folder: &Path, signal: &str, command: &[String]) -> Self {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "keeper"])
            .arg(folder)
            .arg(signal)
            .args(command)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let input = shell.stdin.take();
        Self { shell, input }
    }

    /// Ends the command and leaves its folder: politely, or with SIGKILL.
    pub(crate) fn end(&mut self, kill: bool) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(if kill { b"kill\n" } else { b"stop\n" });
        }
        let _ = self.shell.wait();
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.shell.wait();
    }
}
