//! Children that answer, take too much, or fall over. This program is both sides: with an argument it is a child.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::io;
use std::process::Command;
use std::sync::PoisonError;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unskew_artifact::Content;
use unskew_inspection::{
    Allowance, ArtifactFiles, Cause, Described, Failure, Parent, ProcessBudget, ReaderConfinement,
    Readers, SharedParent, serve,
};
use unskew_source::SourceExt as _;

const FINGERPRINT: &str = "a test";

/// What a child is asked to do.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Ask {
    /// To say the last byte of a file, and what lies beside it.
    Read,
    /// To take time without end.
    Time,
    /// To take memory without end.
    Memory,
    /// To end.
    Fault,
}

#[derive(Debug, Serialize, Deserialize)]
struct Question {
    described: Described,
    ask: Ask,
}

fn answer(question: Question, parent: &SharedParent) -> io::Result<()> {
    match question.ask {
        Ask::Read => {
            let content = Parent::content(parent, &question.described);
            let part = content.parts().first().ok_or(io::ErrorKind::NotFound)?;
            let last = part.source.size().saturating_sub(1);
            let byte = part.source.bytes(last, 1).map_err(io::Error::other)?;
            let files = part.neighbours().ok_or(io::ErrorKind::NotFound)?;
            let size = files.open("beside.bin").map(|source| source.size());
            let nothing = files.open("nothing.bin").is_none();
            let link = files.links("beside.bin").link;
            let said = format!("{byte:?} {size:?} {nothing} {link}");
            parent.lock().unwrap_or_else(PoisonError::into_inner).say(&said)
        }
        Ask::Time => loop {
            std::hint::black_box(0);
        },
        Ask::Memory => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1_u8; 1 << 20]);
            }
        }
        Ask::Fault => std::process::abort(),
    }
}

fn readers() -> Readers {
    let program = std::env::current_exe().unwrap();
    let allowance = Allowance { memory: 8 << 30, seconds: 60 };
    Readers::new(allowance, FINGERPRINT.to_owned(), 4, move |allowance| {
        let mut command = Command::new(&program);
        command.args(["child", &allowance.memory.to_string(), &allowance.seconds.to_string()]);
        command
    })
}

fn ask(
    readers: &Readers,
    content: &Content,
    ask: Ask,
    budget: ProcessBudget,
) -> Result<String, Failure> {
    let question = Question { described: Described::from_content(content), ask };
    let mut files = ArtifactFiles::from_content(content);
    readers.with(None, |reader| {
        if reader.is_new() {
            reader.is_set_up();
        }
        reader.ask(&question, Some(budget))?;
        reader.reply(&mut files)
    })
}

fn ended(result: Result<String, Failure>) -> (Cause, String) {
    match result {
        Err(Failure::Ended(ended)) => (ended.cause, ended.why),
        other => panic!("{other:?}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [child, memory, seconds] = arguments.as_slice()
        && child == "child"
    {
        let allowance =
            Allowance { memory: memory.parse().unwrap(), seconds: seconds.parse().unwrap() };
        serve(allowance, ReaderConfinement::TemporaryFiles, FINGERPRINT, answer).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.onnx");
    std::fs::write(&path, b"some bytes!").unwrap();
    std::fs::write(folder.path().join("beside.bin"), [0; 77]).unwrap();
    let content = Content::at(&path).unwrap();
    let readers = readers();
    let large = ProcessBudget { memory: 1 << 30, time: Duration::from_secs(50) };
    let said = "[33] Some(77) true false";
    assert_eq!(ask(&readers, &content, Ask::Read, large).unwrap(), said);

    // What ends over one artifact is no matter for the next.
    let (cause, why) = ended(ask(&readers, &content, Ask::Fault, large));
    assert_eq!(cause, Cause::Fault, "{why}");
    assert_eq!(ask(&readers, &content, Ask::Read, large).unwrap(), said);

    if cfg!(target_os = "linux") {
        let short = ProcessBudget { time: Duration::from_millis(200), ..large };
        let (cause, why) = ended(ask(&readers, &content, Ask::Time, short));
        assert_eq!(cause, Cause::Time, "{why}");
        assert!(why.starts_with("over the budget of 0.2 seconds of processor time"), "{why}");
        let small = ProcessBudget { memory: 64 << 20, ..large };
        let (cause, why) = ended(ask(&readers, &content, Ask::Memory, small));
        assert_eq!(cause, Cause::Memory, "{why}");
        assert!(why.contains("MiB of memory"), "{why}");
        assert_eq!(ask(&readers, &content, Ask::Read, large).unwrap(), said);
    } else {
        println!("skipped: only on Linux does a parent see what a child takes");
    }
    println!("children: passed");
}
