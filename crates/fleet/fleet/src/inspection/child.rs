//! A child as its parent sees it.

use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use unskew_source::Source;

use super::allowance::Allowance;
use super::ending;
use super::error::InspectionError;
use super::frame::{self, Frame, Kind};
use super::message::{Question, Reply, Wanted};
use super::remote::MOST;
use super::result::Coming;

/// How long a child may take to be ready.
const TO_BEGIN: Duration = Duration::from_secs(60);

/// How many frames are read ahead.
const AHEAD: usize = 2;

/// A child that is there.
pub(super) struct Inspector {
    child: Child,
    input: ChildStdin,
    frames: Receiver<io::Result<Frame>>,
    /// The last words on its error output.
    said: Arc<Mutex<Vec<u8>>>,
    allowance: Allowance,
    /// How many questions it was asked.
    pub(super) asked: u32,
    /// When it was last asked.
    pub(super) last: Instant,
    /// The artifact that it has open.
    pub(super) opened: Option<(crate::Digest, String)>,
    /// Whether it ended, or cannot be asked again.
    pub(super) is_over: bool,
    /// How long it may still take for the question.
    patience: Duration,
    /// What the parent itself could not read for the question.
    unread: Option<io::Error>,
}

impl Inspector {
    /// Starts a child, and waits until it is ready.
    pub(super) fn start(
        mut command: Command,
        allowance: Allowance,
        fingerprint: &str,
    ) -> Result<Self, InspectionError> {
        let failed = |error: io::Error| InspectionError::NotStarted(error.to_string());
        // What the child needs of its parent is nothing but what the error output of a fault says.
        command.env_clear().envs(std::env::var_os("RUST_BACKTRACE").map(|v| ("RUST_BACKTRACE", v)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(InspectionError::NotStarted("it has no pipes".to_owned()));
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
        let mut inspector = Self {
            child,
            input,
            frames,
            said,
            allowance,
            asked: 0,
            last: Instant::now(),
            opened: None,
            is_over: false,
            patience: TO_BEGIN,
            unread: None,
        };
        match inspector.reply(&[]) {
            Ok(Reply::Ready(own)) if own == fingerprint => Ok(inspector),
            Ok(Reply::Ready(_)) => Err(InspectionError::NotStarted(
                "it is another version of the program; start the service anew".to_owned(),
            )),
            Ok(_) => Err(InspectionError::NotStarted("it says something else".to_owned())),
            Err(Stopped::Ended(why)) => Err(InspectionError::NotStarted(why)),
            Err(Stopped::Unread(error)) => Err(failed(error)),
        }
    }

    pub(super) fn ask(&mut self, question: &Question) -> Result<(), Stopped> {
        self.asked += 1;
        self.last = Instant::now();
        self.patience = self.allowance.patience();
        self.unread = None;
        let text = serde_json::to_vec(question).unwrap_or_default();
        let sent = frame::write(&mut self.input, Kind::Message, &text);
        sent.map_err(|_| self.ended())
    }

    /// What it says next. Meanwhile it gets the bytes that it wants of `parts`.
    pub(super) fn reply(&mut self, parts: &[Arc<dyn Source>]) -> Result<Reply, Stopped> {
        loop {
            let frame = self.frame()?;
            match frame.kind {
                Kind::Message => {
                    if let Some(error) = self.unread.take() {
                        // Whatever it says now is about bytes that it has not seen.
                        self.is_over = true;
                        return Err(Stopped::Unread(error));
                    }
                    let reply = serde_json::from_slice(&frame.body);
                    return reply.map_err(|error| self.broken(&error.to_string()));
                }
                Kind::Wanted => self.serve(&frame.body, parts)?,
                _ => return Err(self.broken("unexpected bytes")),
            }
        }
    }

    /// Takes the new bytes of a result.
    pub(super) fn bytes(
        &mut self,
        coming: &mut Coming,
        parts: &[Arc<dyn Source>],
    ) -> Result<(), Stopped> {
        while !coming.is_whole() {
            let frame = self.frame()?;
            match frame.kind {
                Kind::Made => match coming.take(&frame.body) {
                    Ok(true) => {}
                    Ok(false) => return Err(self.broken("more bytes than it announced")),
                    Err(error) => return Err(self.unread(error)),
                },
                Kind::Wanted => self.serve(&frame.body, parts)?,
                _ => return Err(self.broken("no bytes of a result")),
            }
        }
        match self.unread.take() {
            Some(error) => Err(self.unread(error)),
            None => Ok(()),
        }
    }

    fn unread(&mut self, error: io::Error) -> Stopped {
        self.is_over = true;
        Stopped::Unread(error)
    }

    fn serve(&mut self, wanted: &[u8], parts: &[Arc<dyn Source>]) -> Result<(), Stopped> {
        let wanted = Wanted::of(wanted).and_then(|wanted| {
            Some((parts.get(wanted.part as usize)?, wanted.offset, wanted.size as usize))
        });
        let Some((source, offset, size)) = wanted.filter(|wanted| wanted.2 <= MOST) else {
            return Err(self.broken("it wants bytes of nothing"));
        };
        let left = usize::try_from(source.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut buffer = vec![0; size.min(left)];
        let sent = match filled(&**source, offset, &mut buffer) {
            Ok(n) => frame::write(&mut self.input, Kind::Data, &buffer[..n]),
            Err(error) => {
                let text = error.to_string();
                self.unread.get_or_insert(error);
                frame::write(&mut self.input, Kind::Failed, text.as_bytes())
            }
        };
        sent.map_err(|_| self.ended())
    }

    /// The next frame, if it comes in time.
    fn frame(&mut self) -> Result<Frame, Stopped> {
        let begin = Instant::now();
        let frame = self.frames.recv_timeout(self.patience);
        self.patience = self.patience.saturating_sub(begin.elapsed());
        match frame {
            Ok(Ok(frame)) => Ok(frame),
            Ok(Err(error)) => Err(self.broken(&error.to_string())),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => {
                self.is_over = true;
                let seconds = self.allowance.patience().as_secs();
                Err(Stopped::Ended(format!("it takes more than {seconds} s")))
            }
        }
    }

    /// It says something that makes no sense, and is not asked again.
    fn broken(&mut self, what: &str) -> Stopped {
        if self.has_ended() {
            return self.ended();
        }
        self.is_over = true;
        Stopped::Ended(format!("the process that reads it does not keep to the protocol: {what}"))
    }

    /// It says something else than was asked.
    pub(super) fn unexpected(&mut self) -> Stopped {
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

impl Drop for Inspector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The child ended, or was given up.
    Ended(String),
    /// The parent could not read the artifact, or not keep the result.
    Unread(io::Error),
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
