//! A child as its parent sees it.

use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use unskew_artifact::{Content, Neighbours};
use unskew_source::Source;

use crate::frame::{self, Frame, FrameKind};
use crate::message::{FileBeside, ReadRequest};
use crate::remote::LARGEST_FRAME;
use crate::{Allowance, Described, ProcessBudget, ReaderEnding, ending, usage};

/// How long a child may take to be ready.
const TO_BEGIN: Duration = Duration::from_secs(60);

/// How many frames are read ahead.
const AHEAD: usize = 2;

/// How often is looked at what a child takes.
const PAUSE: Duration = Duration::from_millis(10);

/// The most files beside those of an artifact that one question opens. An ONNX model has a few thousand at most.
const BESIDES: usize = 1 << 16;

/// The files that a child can ask for: those of an artifact, and those beside them that it has asked for.
pub struct ArtifactFiles {
    parts: Vec<Arc<dyn Source>>,
    beside: Vec<Option<Neighbours>>,
    artifact: usize,
}

impl ArtifactFiles {
    /// The files of an artifact.
    pub fn from_content(content: &Content) -> Self {
        let parts: Vec<Arc<dyn Source>> =
            content.parts().iter().map(|part| Arc::clone(&part.source)).collect();
        let beside = content.parts().iter().map(|part| part.neighbours()).collect();
        Self { artifact: parts.len(), parts, beside }
    }

    /// No files.
    pub fn none() -> Self {
        Self { parts: Vec::new(), beside: Vec::new(), artifact: 0 }
    }

    /// Those of the artifact, in its order.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        &self.parts[..self.artifact]
    }

    /// The file beside the one at `part`; none if there is no such file.
    fn open_beside(&mut self, part: u32, name: &str) -> Option<FileBeside> {
        let files = self.beside.get(part as usize)?.as_ref()?;
        if self.parts.len() - self.artifact >= BESIDES {
            return None;
        }
        let source = files.open(name)?;
        let links = files.links(name);
        let at = u32::try_from(self.parts.len()).ok()?;
        let (shown, size) = (source.name().to_owned(), source.size());
        self.parts.push(source);
        Some(FileBeside { at, shown, size, link: links.link, outside: links.outside })
    }
}

impl std::fmt::Debug for ArtifactFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArtifactFiles").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

/// What a child may take for one question, beyond its limits as a process, and what it had before.
#[derive(Clone, Copy)]
struct Watch {
    budget: ProcessBudget,
    time: Duration,
}

/// A child that is there.
pub struct ReaderProcess {
    child: Child,
    input: ChildStdin,
    frames: Receiver<io::Result<Frame>>,
    /// The last words on its error output.
    said: Arc<Mutex<Vec<u8>>>,
    allowance: Allowance,
    /// How many questions it was asked.
    pub(crate) asked: u32,
    pub(crate) last: Instant,
    /// Whether it has what it needs for every question.
    ready: bool,
    /// The artifact that it has open.
    pub(crate) opened: Option<String>,
    /// Whether it ended, or cannot be asked again.
    pub(crate) is_over: bool,
    /// How long it may still take for the question.
    patience: Duration,
    /// What it may take for the question.
    watch: Option<Watch>,
    /// The memory that it had when it began to take questions about artifacts.
    base: u64,
    /// What the parent itself could not read for the question.
    unread: Option<io::Error>,
}

impl std::fmt::Debug for ReaderProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReaderProcess").field("process", &self.child.id()).finish_non_exhaustive()
    }
}

impl ReaderProcess {
    /// Starts a child, and waits until it is ready.
    pub(crate) fn start(
        mut command: Command,
        allowance: Allowance,
        fingerprint: &str,
    ) -> Result<Self, String> {
        let failed = |error: io::Error| error.to_string();
        // What the child needs of its parent is nothing but what the error output of a fault says, and what the command
        // names itself.
        let named: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        command.env_clear().envs(named);
        command.envs(std::env::var_os("RUST_BACKTRACE").map(|value| ("RUST_BACKTRACE", value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err("it has no pipes".to_owned());
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        if let Some(errors) = child.stderr.take() {
            ending::keep_words(errors, &said).map_err(failed)?;
        }
        let (sender, frames) = sync_channel(AHEAD);
        let read = move || {
            let mut output = BufReader::new(output);
            while let Some(frame) = frame::read(&mut output).transpose() {
                let last = frame.is_err();
                if sender.send(frame).is_err() || last {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("inspection".to_owned()).spawn(read).map_err(failed)?;
        let mut reader = Self {
            child,
            input,
            frames,
            said,
            allowance,
            asked: 0,
            ready: false,
            last: Instant::now(),
            opened: None,
            is_over: false,
            patience: TO_BEGIN,
            watch: None,
            base: 0,
            unread: None,
        };
        match reader.reply::<String>(&mut ArtifactFiles::none()) {
            Ok(own) if own == fingerprint => Ok(reader),
            Ok(_) => Err("it is another version of the program; start this one anew".to_owned()),
            Err(Stopped::Ended(ended)) => Err(ended.why),
            Err(Stopped::Unread(error)) => Err(failed(error)),
        }
    }

    /// Whether nobody has told it yet what it needs for every question.
    pub fn is_new(&self) -> bool {
        !self.ready
    }

    /// Whether the question is the first that it was asked.
    pub fn is_first(&self) -> bool {
        self.asked <= 1
    }

    /// Asks a question; with a budget, it is ended when it takes more than that for the answer.
    ///
    /// # Errors
    /// If it ended.
    pub fn ask(
        &mut self,
        question: &impl Serialize,
        budget: Option<ProcessBudget>,
    ) -> Result<(), Stopped> {
        self.asked += 1;
        self.last = Instant::now();
        self.patience = self.allowance.patience();
        self.unread = None;
        let process = Some(self.child.id());
        self.watch = budget.and_then(|budget| {
            // What it has of its own is not the artifact's.
            let base = self.base.saturating_mul(2);
            let budget = ProcessBudget { memory: budget.memory.max(base), ..budget };
            Some(Watch { budget, time: usage::processor_time(process)? })
        });
        let text = serde_json::to_vec(question).unwrap_or_default();
        let sent = frame::write(&mut self.input, FrameKind::Message, &text);
        sent.map_err(|_| self.ended())
    }

    /// Says that what it has in memory now it needs for every question.
    pub fn is_set_up(&mut self) {
        self.base = self.resident();
        self.ready = true;
        self.asked = 0;
    }

    /// The memory that it has now; 0 where nobody says.
    fn resident(&self) -> u64 {
        usage::resident(Some(self.child.id())).unwrap_or_default()
    }

    /// Whether it holds much more memory than it began with, which the next artifact would be charged for.
    pub(crate) fn is_bloated(&self) -> bool {
        self.base > 0 && self.resident() > self.base + (64 << 20)
    }

    /// What it says next. Meanwhile it gets the bytes that it wants of `files`.
    ///
    /// # Errors
    /// If it ended, took too much, or says something else.
    pub fn reply<R: DeserializeOwned>(&mut self, files: &mut ArtifactFiles) -> Result<R, Stopped> {
        loop {
            let frame = self.frame()?;
            match frame.kind {
                FrameKind::Message => {
                    if let Some(error) = self.unread.take() {
                        // Whatever it says now is about bytes that it has not seen.
                        return Err(self.unread(error));
                    }
                    let reply = serde_json::from_slice(&frame.body);
                    return reply.map_err(|error| self.broken(&error.to_string()));
                }
                FrameKind::Wanted => self.serve(&frame.body, files)?,
                FrameKind::Beside => self.serve_beside(&frame.body, files)?,
                _ => return Err(self.broken("unexpected bytes")),
            }
        }
    }

    /// Bytes of what it made, up to a frame of them.
    ///
    /// # Errors
    /// As [`ReaderProcess::reply`].
    pub fn bytes(&mut self, files: &mut ArtifactFiles) -> Result<Vec<u8>, Stopped> {
        loop {
            let frame = self.frame()?;
            match frame.kind {
                FrameKind::Made => return Ok(frame.body),
                FrameKind::Wanted => self.serve(&frame.body, files)?,
                FrameKind::Beside => self.serve_beside(&frame.body, files)?,
                _ => return Err(self.broken("no bytes of a result")),
            }
        }
    }

    /// What the parent could not read for the question, once all was said.
    ///
    /// # Errors
    /// That.
    pub fn all_was_read(&mut self) -> Result<(), Stopped> {
        match self.unread.take() {
            Some(error) => Err(self.unread(error)),
            None => Ok(()),
        }
    }

    /// The parent could not read the artifact, or not keep the result: the question has no answer.
    pub fn unread(&mut self, error: io::Error) -> Stopped {
        self.is_over = true;
        Stopped::Unread(error)
    }

    fn serve(&mut self, wanted: &[u8], files: &ArtifactFiles) -> Result<(), Stopped> {
        let wanted = ReadRequest::parse(wanted).and_then(|wanted| {
            Some((files.parts.get(wanted.part as usize)?, wanted.offset, wanted.size as usize))
        });
        let Some((source, offset, size)) = wanted.filter(|wanted| wanted.2 <= LARGEST_FRAME) else {
            return Err(self.broken("it wants bytes of nothing"));
        };
        let left = usize::try_from(source.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut buffer = vec![0; size.min(left)];
        let sent = match filled(&**source, offset, &mut buffer) {
            Ok(n) => frame::write(&mut self.input, FrameKind::Data, &buffer[..n]),
            Err(error) => {
                let text = error.to_string();
                self.unread.get_or_insert(error);
                frame::write(&mut self.input, FrameKind::Failed, text.as_bytes())
            }
        };
        sent.map_err(|_| self.ended())
    }

    fn serve_beside(&mut self, wanted: &[u8], files: &mut ArtifactFiles) -> Result<(), Stopped> {
        let wanted = wanted.split_first_chunk::<4>();
        let wanted =
            wanted.and_then(|(part, name)| Some((u32::from_le_bytes(*part), str_of(name)?)));
        let Some((part, name)) = wanted else {
            return Err(self.broken("it wants a file without a name"));
        };
        let found = files.open_beside(part, name);
        let text = serde_json::to_vec(&found).unwrap_or_default();
        frame::write(&mut self.input, FrameKind::Data, &text).map_err(|_| self.ended())
    }

    /// The next frame, if it comes in time.
    fn frame(&mut self) -> Result<Frame, Stopped> {
        loop {
            let begin = Instant::now();
            let pause = if self.watch.is_some() { PAUSE } else { self.patience };
            let frame = self.frames.recv_timeout(pause.min(self.patience));
            self.patience = self.patience.saturating_sub(begin.elapsed());
            match frame {
                Ok(Ok(frame)) => return Ok(frame),
                Ok(Err(error)) => return Err(self.broken(&error.to_string())),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if self.patience.is_zero() => {
                    self.is_over = true;
                    let seconds = self.allowance.patience().as_secs();
                    return Err(Stopped::Ended(ReaderEnding::time(format!(
                        "it takes more than {seconds} s"
                    ))));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(ended) = self.over_budget() {
                        self.is_over = true;
                        return Err(Stopped::Ended(ended));
                    }
                }
            }
        }
    }

    /// Whether it takes more than it may for the question.
    fn over_budget(&self) -> Option<ReaderEnding> {
        let Watch { budget, time } = self.watch?;
        let process = Some(self.child.id());
        if usage::resident(process).is_some_and(|now| now > budget.memory) {
            return Some(ReaderEnding::memory(budget.over_memory()));
        }
        let taken = usage::processor_time(process)?.saturating_sub(time);
        (taken > budget.time).then(|| ReaderEnding::time(budget.over_time()))
    }

    /// It says something that makes no sense, and is not asked again.
    fn broken(&mut self, what: &str) -> Stopped {
        if self.has_ended() {
            return self.ended();
        }
        self.is_over = true;
        let why = format!("the process that reads it does not keep to the protocol: {what}");
        Stopped::Ended(ReaderEnding::fault(why))
    }

    /// It says something else than was asked.
    pub fn unexpected(&mut self) -> Stopped {
        self.broken("no answer to what was asked")
    }

    fn has_ended(&mut self) -> bool {
        ending::ended_soon(&mut self.child)
    }

    fn ended(&mut self) -> Stopped {
        self.is_over = true;
        if !self.has_ended() {
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        // The last words come on a pipe of their own.
        let begin = Instant::now();
        let words = loop {
            let words = ending::words(&self.said);
            if !words.is_empty() || begin.elapsed() > Duration::from_millis(100) {
                break words;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Stopped::Ended(ending::reason(status, &words, &self.allowance))
    }
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why there is no reply.
#[derive(Debug)]
pub enum Stopped {
    /// The child ended, or was given up.
    Ended(ReaderEnding),
    /// The parent could not read the artifact, or not keep the result.
    Unread(io::Error),
}

fn str_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|name| !name.is_empty())
}

/// Reads as much as there is.
fn filled(source: &dyn Source, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match source.read_at(offset.saturating_add(done as u64), &mut buffer[done..]) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

impl Described {
    /// What a check of it may take.
    pub fn budget(&self) -> ProcessBudget {
        ProcessBudget::of_sizes(self.sizes())
    }
}
