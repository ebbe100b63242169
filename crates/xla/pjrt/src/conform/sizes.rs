//! Sizes of arguments that a plug-in takes: which size each function wants, and whether it takes
//! larger ones. Plug-ins built from XLA name the size that they want, which tells the layout that they
//! were really built with.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use super::child::{MOST_DEATHS, last_words};
use crate::layout::{self, Function, Size, StructHistory};
use crate::sys::Api;
use crate::sys::bindings::PJRT_Error_Code;
use crate::sys::trial::{Answer, Questions, ROOM, expected_size, is_the_same_refusal};

/// A size that is too small for any arguments, in bytes.
const TOO_SMALL: usize = 8;

/// How much larger than what is wanted the arguments of a later host are, in bytes.
const MORE: usize = 16;

/// What a plug-in does with arguments that are larger than it wants, as those of a later host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizePolicy {
    /// It takes them, as the interface asks for.
    AtLeast,
    /// It takes no size but its own.
    Exactly,
    /// It was not asked, because the call does something.
    NotAsked,
}

/// What a function of a plug-in says of the size of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeAnnouncement {
    /// It does not look at the size; whether it gets to the null handles of the question, and dies there.
    Nothing {
        /// Whether the process ends because of it.
        dies: bool,
    },
    /// It wants this many bytes.
    Size {
        /// The size that it wants, in bytes.
        bytes: usize,
        /// The struct that it says they are of.
        named: Option<&'static str>,
        /// What it does with more.
        policy: SizePolicy,
    },
    /// It refuses with an error that names no size; what it does with larger arguments.
    Refuses(String, SizePolicy),
}

/// Whether the function returns an error, so that it can be asked.
pub(crate) fn can_be_asked(function: Function) -> bool {
    !matches!(function, Function::PJRT_Error_Destroy | Function::PJRT_Error_Message)
}

/// Whether a call with null handles does something, so that it is asked only with a size that is too
/// small.
fn acts(function: Function) -> bool {
    matches!(function, Function::PJRT_Plugin_Initialize | Function::PJRT_Client_Create)
}

/// Asks one function with arguments of this size, all else of which is zero.
fn ask_with(
    questions: &mut Questions,
    api: &Api,
    function: Function,
    size: usize,
) -> Option<Answer> {
    let mut arguments = [0_usize; ROOM];
    arguments[0] = size;
    questions.ask(api, function, &mut arguments)
}

/// Asks one function, in copies of the supervisor.
///
/// # Errors
/// What else than an answer there is.
pub(crate) fn inquire(
    questions: &mut Questions,
    api: &Api,
    function: Function,
) -> Result<SizeAnnouncement, CheckOutcome> {
    let Some(answer) = ask_with(questions, api, function, TOO_SMALL) else {
        return Err(api.unimplemented(function).into());
    };
    let (code, said) = match answer {
        Answer::Accepts => return Ok(SizeAnnouncement::Nothing { dies: false }),
        Answer::Faults => return Ok(SizeAnnouncement::Nothing { dies: true }),
        Answer::Dies(cause, said) => {
            return Err(CheckOutcome::Crashed { cause, said: last_words(&said) });
        }
        Answer::NoEnd(seconds) => return Err(CheckOutcome::NoEnd { seconds }),
        Answer::Error(code, said) => (code, said),
    };
    if code == PJRT_Error_Code::UNIMPLEMENTED {
        let said = format!("{}: UNIMPLEMENTED: {said}", function.name());
        return Err(CheckOutcome::Unsupported { function: function.name().to_owned(), said });
    }
    let wanted = expected_size(&said);
    let known = arguments(function).and_then(|history| history.size(api.minor(), None));
    let policy = match wanted.or(known.map(|size| size.end)) {
        Some(size) if !acts(function) => policy(questions, api, function, (size + MORE, &said)),
        _ => SizePolicy::NotAsked,
    };
    // The same error to whatever size, and not a word of sizes, is about something else.
    if wanted.is_none() && policy == SizePolicy::Exactly && !said.contains("size") {
        return Ok(SizeAnnouncement::Nothing { dies: false });
    }
    Ok(match wanted {
        Some(bytes) => SizeAnnouncement::Size { bytes, named: named_struct(&said), policy },
        None => SizeAnnouncement::Refuses(said, policy),
    })
}

/// A larger size that is refused in the words of one that is too small, but for the numbers in them, is
/// refused for its size. What gets as far as the null handles has passed, however it ends.
fn policy(
    questions: &mut Questions,
    api: &Api,
    function: Function,
    (larger, refusal): (usize, &str),
) -> SizePolicy {
    match ask_with(questions, api, function, larger) {
        Some(Answer::Error(_, said)) if is_the_same_refusal(&said, refusal) => SizePolicy::Exactly,
        _ => SizePolicy::AtLeast,
    }
}

pub(crate) fn ask(bench: &mut Bench, function: Function) -> CheckOutcome {
    if bench.questions.faults >= MOST_DEATHS {
        return CheckOutcome::NotRun(format!("after {MOST_DEATHS} ends of the process"));
    }
    let api = bench.api();
    match inquire(&mut bench.questions, api, function) {
        Ok(told) => judge(api.minor(), function, &told),
        Err(outcome) => {
            if outcome.is_fault() {
                bench.questions.fault();
            }
            outcome
        }
    }
}

/// Holds what a function says of its size against what the version has.
pub(crate) fn judge(minor: i32, function: Function, told: &SizeAnnouncement) -> CheckOutcome {
    let takes = |policy: &SizePolicy| match policy {
        SizePolicy::AtLeast => " or more",
        SizePolicy::Exactly => " and nothing else",
        SizePolicy::NotAsked => "",
    };
    match told {
        SizeAnnouncement::Nothing { dies: false } => {
            CheckOutcome::Pass("does not look at the size".to_owned())
        }
        SizeAnnouncement::Nothing { dies: true } => {
            CheckOutcome::Pass("does not look at the size; dies of null handles".to_owned())
        }
        SizeAnnouncement::Refuses(_, policy) => {
            CheckOutcome::Pass(format!("refuses what is too small{}", takes(policy)))
        }
        SizeAnnouncement::Size { bytes, named, policy } => {
            match agreement(minor, function, *bytes, *named) {
                Ok(why) => CheckOutcome::Pass(format!("expects {bytes}{}{why}", takes(policy))),
                Err(known) => {
                    CheckOutcome::Fail(format!("expects {bytes} bytes, its version has {known:?}"))
                }
            }
        }
    }
}

/// Why a plug-in of this minor may want this size; empty if it is the minor's own.
///
/// # Errors
/// The sizes of the minor, if it may not.
pub(crate) fn agreement(
    minor: i32,
    function: Function,
    wanted: usize,
    named: Option<&str>,
) -> Result<String, Vec<usize>> {
    let Some(history) = arguments(function) else { return Ok(String::new()) };
    let known = sizes_at(history, minor);
    if known.contains(&wanted) {
        return Ok(String::new());
    }
    let smaller = known.iter().all(|known| wanted <= *known);
    // A plug-in may take what hosts of an earlier version send, as the interface means it to.
    let mut earlier = history.sizes.iter().filter(|size| size.since <= minor);
    if smaller && earlier.any(|size| size.end == wanted || size.declared == wanted) {
        return Ok(", as in an earlier version".to_owned());
    }
    // Some plug-ins were built with the size of another struct by mistake, and say its name.
    match named.filter(|name| *name != history.name).and_then(layout::find_struct) {
        Some(other) if smaller && sizes_at(other, minor).contains(&wanted) => {
            Ok(format!(", the size of {}", other.name))
        }
        _ => Err(known),
    }
}

/// The arguments of a function.
fn arguments(function: Function) -> Option<&'static StructHistory> {
    layout::find_struct(&format!("{}_Args", function.name()))
}

/// The sizes of a struct at a minor: two layouts of one minor, and exceptions for older hosts, are all
/// true sizes of it.
fn sizes_at(history: &StructHistory, minor: i32) -> Vec<usize> {
    let holds = |size: &&Size| size.since <= minor && size.until.is_none_or(|last| minor <= last);
    let of_minor = history.sizes.iter().filter(holds);
    let mut known: Vec<usize> = of_minor.flat_map(|size| [size.declared, size.end]).collect();
    known.extend(history.required(minor));
    known.sort_unstable();
    known.dedup();
    known
}

/// The struct in `Unexpected NAME size:`.
fn named_struct(text: &str) -> Option<&'static str> {
    let (_, rest) = text.split_once("Unexpected ")?;
    Some(layout::find_struct(rest.split_once(" size:")?.0)?.name)
}

/// A later host sends larger arguments; the interface says that they are accepted.
pub(crate) fn larger(bench: &mut Bench) -> Checked {
    let (api, function) = (bench.api(), Function::PJRT_Plugin_Attributes);
    let size = arguments(function).and_then(|history| history.size(api.minor(), None));
    let size = size.map_or(0, |size| size.end) + MORE;
    match ask_with(&mut bench.questions, api, function, size) {
        None => Err(api.unimplemented(function).into()),
        Some(Answer::Accepts) => Ok(CheckOutcome::Pass(format!("{size} bytes are accepted"))),
        Some(Answer::Faults) => {
            let cause = "segmentation fault (SIGSEGV)".to_owned();
            Err(CheckOutcome::Crashed { cause, said: String::new() })
        }
        Some(Answer::Error(PJRT_Error_Code::UNIMPLEMENTED, said)) => {
            Err(CheckOutcome::Unsupported { function: function.name().to_owned(), said })
        }
        Some(Answer::Error(_, said)) => {
            Ok(CheckOutcome::Fail(format!("{size} bytes are refused: {said}")))
        }
        Some(Answer::Dies(cause, said)) => {
            Err(CheckOutcome::Crashed { cause, said: last_words(&said) })
        }
        Some(Answer::NoEnd(seconds)) => Err(CheckOutcome::NoEnd { seconds }),
    }
}
