//! Questions that may end the process: each is asked in a copy of the supervisor, and the next copy goes on with what
//! was answered.
//!
//! A copy loads the plug-in and does its work from the beginning; what it asks and what is known is answered from
//! memory, in the order of the questions. So one copy can ask many questions, as long as the plug-in answers each with an
//! error: then nothing was done. After any other answer a new copy goes on.

use std::io::{PipeWriter, Write as _};

use serde::{Deserialize, Serialize};
use unskew_abi::sandbox::Supervisor;

use super::size::{Answer, ROOM, ask};
use crate::layout::Function;
use crate::sys::bindings::PJRT_Error_Code;
use crate::sys::{Api, CallError};

/// What a copy tells its supervisor.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Message {
    /// It begins with this part of the work: questions are counted anew.
    Part(usize),
    /// It asks the next question.
    Asks,
    /// It was answered: with the code and the text of an error, if it was one.
    Answered(Option<(i32, String)>),
    /// An answer was a fault of the plug-in.
    Fault,
    /// It ends, so that the next question is asked by a copy in which nothing was done.
    Leaves,
}

/// The questions of one copy.
#[derive(Default)]
pub(crate) struct Questions {
    /// Where its supervisor reads; none in a process that is no copy.
    supervisor: Option<PipeWriter>,
    known: Vec<Answer>,
    next: usize,
    /// How many answers were faults of the plug-in, in this copy and those before.
    pub(crate) faults: usize,
}

impl Questions {
    /// Questions whose answers are known; others are asked in this process.
    pub(crate) fn answered(known: Vec<Answer>) -> Self {
        Self { known, ..Self::default() }
    }

    pub(crate) fn part(&mut self, part: usize, first: bool) {
        self.say(&Message::Part(part));
        if !first {
            self.known.clear();
        }
        self.next = 0;
    }

    pub(crate) fn fault(&mut self) {
        self.faults += 1;
        self.say(&Message::Fault);
    }

    /// What a plug-in answers to these arguments. None if it does not have the function.
    pub(crate) fn ask(
        &mut self,
        api: &Api,
        function: Function,
        arguments: &mut [usize; ROOM],
    ) -> Option<Answer> {
        api.function(function)?;
        self.next += 1;
        if let Some(known) = self.known.get(self.next - 1) {
            return Some(known.clone());
        }
        self.say(&Message::Asks);
        #[cfg(unix)]
        if self.supervisor.is_some() {
            unskew_abi::sandbox::die_of_faults();
        }
        let answer = match ask(api, function, arguments)? {
            Ok(()) => Answer::Accepts,
            Err(CallError::Plugin { code, message, .. }) => Answer::Error(code, message),
            Err(error) => Answer::Error(error.code(), error.to_string()),
        };
        let error = match &answer {
            Answer::Error(code, message) => Some((code.0, message.clone())),
            _ => None,
        };
        let harmless = error.is_some();
        self.say(&Message::Answered(error));
        if !harmless && self.supervisor.is_some() {
            self.say(&Message::Leaves);
            leave();
        }
        Some(answer)
    }

    fn say(&mut self, said: &Message) {
        if let Some(supervisor) = &mut self.supervisor
            && let Ok(mut json) = serde_json::to_vec(said)
        {
            json.push(b'\n');
            // If it is gone, so is this copy.
            let _ = supervisor.write_all(&json);
        }
    }
}

/// Ends a copy, without what the plug-in has registered for its end.
fn leave() -> ! {
    #[cfg(unix)]
    // SAFETY: it never returns.
    unsafe {
        libc::_exit(0)
    }
    #[cfg(not(unix))]
    std::process::exit(0)
}

/// Does `work` from the part `from` on, in as many copies as its questions take. The work gets the part that it
/// begins with, and returns the exit code of this process. Where it ends otherwise, this process ends likewise.
#[cfg(unix)]
pub(crate) fn in_copies(
    supervisor: &Supervisor,
    from: usize,
    work: impl Fn(usize, Questions) -> i32,
) -> i32 {
    match copies::answers(supervisor, from, work) {
        Ok((ended, _)) => unskew_abi::sandbox::end_as(&ended),
        Err(_) => 1,
    }
}

/// The same where nothing is run.
#[cfg(not(unix))]
pub(crate) fn in_copies(
    supervisor: &Supervisor,
    from: usize,
    work: impl Fn(usize, Questions) -> i32,
) -> i32 {
    supervisor.run_to_the_end(|| work(from, Questions::default()))
}

#[cfg(unix)]
pub(crate) use copies::answers;

#[cfg(unix)]
mod copies {
    use std::io;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;
    use std::time::{Duration, Instant};

    use unskew_abi::child::describe;
    use unskew_abi::sandbox::{Ended, Errors, Supervisor};

    use super::{Answer, Message, PJRT_Error_Code, Questions};

    /// How long one question gets.
    const LIMIT: Duration = Duration::from_secs(5);

    /// How many copies are made at most: a plug-in could ask for more without end.
    const MOST_COPIES: usize = 2048;

    /// What `in_copies` does, with how the last copy ended and the answers of the last part.
    ///
    /// # Errors
    /// If the process cannot be copied, or too many copies do not come to an end.
    pub(crate) fn answers(
        supervisor: &Supervisor,
        from: usize,
        work: impl Fn(usize, Questions) -> i32,
    ) -> io::Result<(Ended, Vec<Answer>)> {
        let (mut part, mut known, mut faults) = (from, Vec::new(), 0);
        for _ in 0..MOST_COPIES {
            let mut seen = (0, Instant::now());
            let mut is_late = |said: &[u8]| {
                if seen.0 != said.len() {
                    seen = (said.len(), Instant::now());
                }
                said.ends_with(b"\"asks\"\n") && seen.1.elapsed() >= LIMIT
            };
            let ended = supervisor.run(Errors::Kept, &mut is_late, |pipe| {
                let supervisor = Some(pipe);
                work(part, Questions { supervisor, known: known.clone(), next: 0, faults })
            })?;
            let (mut asks, mut leaves) = (false, false);
            let lines = ended.said.split_inclusive(|byte| *byte == b'\n');
            // What is no line of ours was written by the plug-in: it lies about itself.
            for said in lines.filter_map(|line| serde_json::from_slice(line).ok()) {
                match said {
                    Message::Part(begun) => {
                        if begun != part {
                            (part, known) = (begun, Vec::new());
                        }
                    }
                    Message::Asks => asks = true,
                    Message::Answered(answer) => {
                        asks = false;
                        known.push(answer.map_or(Answer::Accepts, |(code, message)| {
                            Answer::Error(PJRT_Error_Code(code), message)
                        }));
                    }
                    Message::Fault => faults += 1,
                    Message::Leaves => leaves = true,
                }
            }
            if asks {
                known.push(answer_of(&ended));
            } else if !leaves {
                return Ok((ended, known));
            }
        }
        Err(io::Error::other("it does not come to an end"))
    }

    /// What the end of a copy answers to a question.
    fn answer_of(ended: &Ended) -> Answer {
        match ended.status {
            None => Answer::NoEnd(LIMIT.as_secs()),
            Some(status) if is_fault(status) => Answer::Faults,
            Some(status) => {
                let said = String::from_utf8_lossy(&ended.errors).into_owned();
                Answer::Dies(describe(status), said)
            }
        }
    }

    fn is_fault(status: ExitStatus) -> bool {
        matches!(status.signal(), Some(libc::SIGSEGV | libc::SIGBUS))
    }
}
