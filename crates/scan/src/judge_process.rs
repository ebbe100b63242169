//! Artifacts are read by other processes of the same program, which end by themselves or are ended when one of them takes more
//! than a check may take.

use std::io;
use std::process::Command;
use std::sync::{OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use unskew_artifact::Content;
use unskew_inspection::{
    Allowance, ArtifactFiles, Described, Failure, Parent, ProcessBudget, ReaderConfinement,
    ReaderProcess, Readers, SharedParent, Stopped, serve,
};
use unskew_source::budget::opened;

use crate::runtimes::{Runtimes, unread};
use crate::verdict_row::{ERROR, OVER_BUDGET};
use crate::{Question, ScanError, VerdictRow};

/// What a process may use whatever it reads; what it may take for one artifact is less, and depends on its size.
/// Elsewhere than on Linux nobody sees what it takes, and this is the limit of its time.
const ALLOWANCE: Allowance =
    Allowance { memory: 16 << 30, seconds: if cfg!(target_os = "linux") { 600 } else { 60 } };

/// The most processes that wait for an artifact. Scans of stores have sixteen at once.
const MOST_IDLE: usize = 64;

/// How many bytes of rows go in one message, about, and how many messages there are at most for one artifact.
const MESSAGE: usize = 1 << 20;
const MESSAGES: usize = 64;

/// Processes of this program that judge artifacts.
pub struct JudgeProcesses {
    readers: Readers,
    /// What one may take to read the runtimes.
    runtimes: OnceLock<ProcessBudget>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Ask {
    /// What is asked of every artifact.
    Begin(Question),
    Judge(Described),
}

#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    /// To [`Ask::Begin`]: nothing, or why the question cannot be asked.
    Begun(Option<String>),
    /// To [`Ask::Judge`]: some of the rows, and whether others follow.
    Rows(Vec<VerdictRow>, bool),
}

impl JudgeProcesses {
    /// Processes that are started by a command; it has to come to [`judge_process_main`] with the same allowance, in the
    /// same version of the program.
    pub fn new(start: impl Fn(&Allowance) -> Command + Send + Sync + 'static) -> Self {
        let readers = Readers::new(ALLOWANCE, fingerprint(), MOST_IDLE, start);
        Self { readers, runtimes: OnceLock::new() }
    }

    /// What this process has opened when it begins are the runtimes: whoever reads them again has the budget of a check of them.
    fn budget_of_runtimes(&self) -> ProcessBudget {
        let (files, bytes) = opened();
        *self.runtimes.get_or_init(|| ProcessBudget::of_files(files, bytes))
    }

    pub(crate) fn begin(&self, question: &Question) -> Result<(), ScanError> {
        let budget = self.budget_of_runtimes();
        let begun = self.readers.with(None, |reader| set_up(reader, question, budget));
        match begun {
            Ok(None) => Ok(()),
            Ok(Some(why)) => Err(ScanError::Runtime(why)),
            Err(failure) => Err(ScanError::Process(failure.to_string())),
        }
    }

    /// All rows of an artifact, without what the inventory knows of it.
    pub(crate) fn rows(
        &self,
        content: &Content,
        question: &Question,
    ) -> Result<Vec<VerdictRow>, ScanError> {
        let described = Described::from_content(content);
        let (budget, for_runtimes) = (described.budget(), self.budget_of_runtimes());
        let ask = Ask::Judge(described);
        let mut files = ArtifactFiles::from_content(content);
        let rows = self.readers.with(None, |reader| {
            if let Some(why) = set_up(reader, question, for_runtimes)? {
                return Ok(Err(why));
            }
            reader.ask(&ask, Some(budget))?;
            let mut all = Vec::new();
            for _ in 0..=MESSAGES {
                let Reply::Rows(rows, more) = reader.reply(&mut files)? else {
                    return Err(reader.unexpected());
                };
                all.extend(rows);
                if !more {
                    return Ok(Ok(all));
                }
            }
            Err(reader.unexpected())
        });
        match rows {
            Ok(Ok(rows)) if rows.is_empty() => {
                Err(ScanError::Process("it says nothing about an artifact".to_owned()))
            }
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(why)) => Err(ScanError::Runtime(why)),
            Err(Failure::Ended(ended)) => {
                let verdict = if ended.is_over_budget() { OVER_BUDGET } else { ERROR };
                Ok(vec![unread(verdict, format!("{}: {}", content.name(), ended.why))])
            }
            Err(Failure::Unread(error)) => {
                Ok(vec![unread(ERROR, format!("cannot read {}: {error}", content.name()))])
            }
            Err(failure @ Failure::NotStarted(_)) => Err(ScanError::Process(failure.to_string())),
        }
    }
}

/// Tells a new process the question; says why it cannot be asked.
fn set_up(
    reader: &mut ReaderProcess,
    question: &Question,
    budget: ProcessBudget,
) -> Result<Option<String>, Stopped> {
    if !reader.is_new() {
        return Ok(None);
    }
    reader.ask(&Ask::Begin(question.clone()), Some(budget))?;
    let Reply::Begun(why) = reader.reply(&mut ArtifactFiles::none())? else {
        return Err(reader.unexpected());
    };
    reader.is_set_up();
    Ok(why)
}

fn fingerprint() -> String {
    format!("scan {}", env!("CARGO_PKG_VERSION"))
}

/// The process: judges the artifacts that the parent at the other end of its standard input and output names, until that is
/// gone.
pub fn judge_process_main(allowance: Allowance) -> ! {
    let mut runtimes = None;
    let answer = |ask: Ask, parent: &SharedParent| answer(ask, parent, &mut runtimes);
    match serve(allowance, ReaderConfinement::TemporaryFiles, &fingerprint(), answer) {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}

fn answer(ask: Ask, parent: &SharedParent, runtimes: &mut Option<Runtimes>) -> io::Result<()> {
    let say = |reply: &Reply| parent.lock().unwrap_or_else(PoisonError::into_inner).say(reply);
    match (ask, runtimes) {
        (Ask::Begin(question), runtimes) => match Runtimes::for_question(&question) {
            Ok(own) => {
                *runtimes = Some(own);
                say(&Reply::Begun(None))
            }
            Err(error) => say(&Reply::Begun(Some(error.to_string()))),
        },
        (Ask::Judge(_), None) => Err(io::Error::other("no question to ask of an artifact")),
        (Ask::Judge(described), Some(runtimes)) => {
            let rows = runtimes.rows(Parent::content(parent, &described));
            let mut messages = messages(rows);
            if messages.len() > MESSAGES {
                let most = (MESSAGE * MESSAGES) >> 20;
                let why = format!("{}: more than {most} MiB of findings", described.name);
                messages = vec![vec![unread(OVER_BUDGET, why)]];
            }
            let last = messages.len().saturating_sub(1);
            messages
                .into_iter()
                .enumerate()
                .try_for_each(|(at, rows)| say(&Reply::Rows(rows, at < last)))
        }
    }
}

/// Rows in messages that are no larger than a few of them.
fn messages(rows: Vec<VerdictRow>) -> Vec<Vec<VerdictRow>> {
    let (mut all, mut size) = (vec![Vec::new()], 0);
    for row in rows {
        size += size_of(&row);
        if let Some(last) = all.last_mut() {
            last.push(row);
        }
        if size > MESSAGE {
            all.push(Vec::new());
            size = 0;
        }
    }
    if all.len() > 1 && all.last().is_some_and(Vec::is_empty) {
        all.pop();
    }
    all
}

/// About how many bytes a row has as text.
fn size_of(row: &VerdictRow) -> usize {
    let findings = row.findings.iter().map(|one| one.message.len() + 100);
    let names = row.operators.iter().chain(&row.unjudged).chain(&row.adaptations).map(String::len);
    let versions = row.versions.iter().map(|(axis, version)| axis.len() + version.len() + 20);
    let texts = [&row.piece, &row.kind, &row.producer, &row.error];
    let texts = texts.into_iter().flatten().map(String::len);
    300 + findings.chain(names).chain(versions).chain(texts).sum::<usize>()
}
