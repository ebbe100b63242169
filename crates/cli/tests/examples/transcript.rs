//! A transcript, and the folder in which it is run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Failed;
use zip::write::SimpleFileOptions;

/// A new folder, in which transcripts are run.
pub struct Folder(tempfile::TempDir);

/// A transcript that was run.
#[derive(Default)]
pub struct Ran {
    /// The transcript with what was printed now.
    pub text: String,
    /// What `unskew` printed, output and errors together.
    pub printed: String,
    /// `unskew` ended with status 2: it did not do what it was asked.
    pub misused: bool,
}

/// What git leaves out of commits: where the repository lies is not to change their ids.
const UNTRACKED: &str = ".untracked";

type Archives = BTreeMap<String, Vec<(String, Vec<u8>)>>;

impl Folder {
    pub fn new(root: &Path) -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        std::os::unix::fs::symlink(root.join("examples"), folder.path().join("examples"))?;
        std::fs::write(folder.path().join(UNTRACKED), format!("/examples\n/{UNTRACKED}\n"))?;
        Ok(Self(folder))
    }

    pub fn run(&self, transcript: &str) -> Result<Ran, Failed> {
        let mut ran = Ran::default();
        let mut archives = Archives::new();
        for (command, below) in commands(transcript)? {
            let words: Vec<&str> = command.split(' ').collect();
            if !matches!(&*words, ["unzip", ..]) {
                self.pack(&mut archives)?;
            }
            let printed = match &*words {
                ["cat", file] => self.make(file, below.as_bytes()).map(|()| below)?,
                ["diff", "-u", old, new] => {
                    let old = std::fs::read_to_string(self.path(old))?;
                    self.make(new, patched(&old, &below)?.as_bytes()).map(|()| below)?
                }
                ["xxd", "-p", file] => self.make(file, &bytes(&below)?).map(|()| below)?,
                ["unzip", "-p", archive, member, rest @ ..] => {
                    let member_bytes = match rest {
                        [] => below.clone().into_bytes(),
                        _ => bytes(&below)?,
                    };
                    let members = archives.entry((*archive).to_owned()).or_default();
                    members.push(((*member).to_owned(), member_bytes));
                    below
                }
                _ => self.shell(&command, &mut ran)?,
            };
            ran.text.push_str(&format!("$ {command}\n{printed}"));
        }
        self.pack(&mut archives)?;
        Ok(ran)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn make(&self, file: &str, text: &[u8]) -> Result<(), Failed> {
        let path = self.path(file);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    fn pack(&self, archives: &mut Archives) -> Result<(), Failed> {
        for (name, members) in std::mem::take(archives) {
            let mut archive = zip::ZipWriter::new(File::create(self.path(&name))?);
            let stored =
                SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            for (member, bytes) in members {
                archive.start_file(member, stored)?;
                archive.write_all(&bytes)?;
            }
            archive.finish()?;
        }
        Ok(())
    }

    /// What a command prints, on both its outputs.
    fn shell(&self, command: &str, ran: &mut Ran) -> Result<String, Failed> {
        let unskew = Path::new(env!("CARGO_BIN_EXE_unskew"));
        let mut path = vec![unskew.parent().unwrap_or(unskew).to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(self.0.path())
            .env_clear()
            .env("PATH", std::env::join_paths(path)?)
            .env("HOME", self.0.path())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.excludesFile")])
            .env("GIT_CONFIG_VALUE_0", self.path(UNTRACKED))
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@localhost")])
            .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@localhost")])
            .output()?;
        let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !printed.is_empty() && !printed.ends_with('\n') {
            printed.push('\n');
        }
        if command.split(' ').any(|word| word == "unskew") {
            ran.printed.push_str(&printed);
            ran.misused |= output.status.code() == Some(2);
        } else if !output.status.success() {
            return Err(format!("{command}: {}\n{printed}", output.status).into());
        }
        Ok(printed)
    }
}

/// The commands of a transcript and the text below each.
fn commands(transcript: &str) -> Result<Vec<(String, String)>, Failed> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in transcript.split_inclusive('\n') {
        if let Some(command) = line.strip_prefix("$ ") {
            all.push((command.trim_end_matches('\n').to_owned(), String::new()));
        } else {
            let (_, below) = all.last_mut().ok_or("a transcript begins with `$ COMMAND`")?;
            below.push_str(line);
        }
    }
    Ok(all)
}

/// Whether a finding of this rule was printed: `error TF001`.
pub fn shows(printed: &str, code: &str) -> bool {
    ["error", "warning", "note"].iter().any(|severity| {
        printed.match_indices(&format!("{severity} {code}")).any(|(at, found)| {
            let behind = printed.get(at + found.len()..).unwrap_or_default();
            !behind.starts_with(|next: char| next.is_ascii_alphanumeric())
        })
    })
}

/// The text with the hunks of a unified diff.
fn patched(old: &str, hunks: &str) -> Result<String, Failed> {
    let mut rest = old.split_inclusive('\n');
    let (mut text, mut line) = (String::new(), 0);
    for hunk in hunks.split_inclusive('\n') {
        if let Some(range) = hunk.strip_prefix("@@ -") {
            let (range, _) = range.split_once(' ').ok_or("@@ -LINE,COUNT +LINE,COUNT @@")?;
            let (begin, count) = range.split_once(',').unwrap_or((range, "1"));
            let begin = begin.parse::<usize>()? + usize::from(count == "0");
            while line + 1 < begin {
                text.push_str(rest.next().ok_or("a hunk behind the end")?);
                line += 1;
            }
            continue;
        }
        let (mark, wanted) = hunk.split_at_checked(1).unwrap_or((hunk, ""));
        if mark == "+" {
            text.push_str(wanted);
            continue;
        }
        let there = rest.next().unwrap_or_default();
        line += 1;
        if there != wanted {
            return Err(format!("line {line} is not {wanted:?} but {there:?}").into());
        }
        if mark == " " {
            text.push_str(there);
        }
    }
    text.extend(rest);
    Ok(text)
}

/// Hexadecimal pairs, as `xxd -p` prints them.
fn bytes(text: &str) -> Result<Vec<u8>, Failed> {
    let digits: String = text.split_whitespace().collect();
    let pair = |at: usize| digits.get(at..at + 2).ok_or("an odd number of digits");
    (0..digits.len()).step_by(2).map(|at| Ok(u8::from_str_radix(pair(at)?, 16)?)).collect()
}
