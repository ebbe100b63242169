//! Calls that announce another size than the plug-in's own.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::sys::api::Fallible;
use crate::sys::bindings::*;
use crate::sys::{Api, CallError};

/// The room behind arguments that announce a wrong size, in words: more than any struct has.
pub(super) const ROOM: usize = 64;

/// What a plug-in answers to arguments of a wrong size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It does not look at the size.
    Accepts,
    /// It answers with an error: its code and text.
    Error(PJRT_Error_Code, String),
    /// It reads or writes where nothing is: at the null handles, which it gets to without having looked at
    /// the size.
    Faults,
    /// It ends the process in another way: how, and its last words.
    Dies(String, String),
    /// It does not answer in so many seconds.
    NoEnd(u64),
}

/// Calls a function with zeroed arguments that announce `size` bytes. None if the plug-in does not have
/// it.
pub(crate) fn ask_size(
    api: &Api,
    function: Function,
    size: usize,
) -> Option<Result<(), CallError>> {
    let mut arguments = [0_usize; ROOM];
    arguments[0] = size;
    ask(api, function, &mut arguments)
}

/// Calls a function with these arguments. None if the plug-in does not have it.
fn ask(
    api: &Api,
    function: Function,
    arguments: &mut [usize; ROOM],
) -> Option<Result<(), CallError>> {
    let address = api.function(function)?;
    // SAFETY: the slot holds a function that returns an error or null; the callers leave out the two
    // that return nothing.
    let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
    // SAFETY: the memory is larger than any struct and zeroed. A plug-in that does not look at the size
    // may crash on the null handles in it, which is what is to be found out.
    let error = unsafe { call(arguments.as_mut_ptr().cast()) };
    Some(match NonNull::new(error) {
        None => Ok(()),
        // SAFETY: the plug-in has just returned it.
        Some(error) => Err(unsafe { api.take_error(function.name(), error) }),
    })
}

/// The same in a copy of this process, which may crash. None if the plug-in does not have it.
pub(crate) fn ask_size_apart(api: &Api, function: Function, size: usize) -> Option<Answer> {
    let mut arguments = [0_usize; ROOM];
    arguments[0] = size;
    // Without a copy the question ends this process, which the next one is told.
    ask_apart(api, function, arguments)?.or_else(|_| here(api, function, size).ok_or(())).ok()
}

/// What a plug-in answers to these arguments, in a copy of this process. None if it does not have the function; an error
/// if there is no copy.
#[cfg(unix)]
pub(crate) fn ask_apart(
    api: &Api,
    function: Function,
    mut arguments: [usize; ROOM],
) -> Option<Result<Answer, ()>> {
    use super::fork::{Ended, LIMIT, in_a_copy};
    use unskew_abi::child::describe;

    api.function(function)?;
    let ended = in_a_copy(|| match ask(api, function, &mut arguments) {
        Some(Err(CallError::Plugin { code, message, .. })) => {
            let mut answer = code.0.to_le_bytes().to_vec();
            answer.extend_from_slice(message.as_bytes());
            answer
        }
        _ => Vec::new(),
    });
    Some(Ok(match ended {
        Ok(Ended::Answered(answer)) => match answer.split_first_chunk() {
            None => Answer::Accepts,
            Some((code, message)) => Answer::Error(
                PJRT_Error_Code(i32::from_le_bytes(*code)),
                String::from_utf8_lossy(message).into_owned(),
            ),
        },
        Ok(Ended::Died(status, _)) if is_fault(status) => Answer::Faults,
        Ok(Ended::Died(status, said)) => Answer::Dies(describe(status), said),
        Ok(Ended::Late) => Answer::NoEnd(LIMIT.into()),
        Err(_) => return Some(Err(())),
    }))
}

#[cfg(unix)]
fn is_fault(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    matches!(status.signal(), Some(libc::SIGSEGV | libc::SIGBUS))
}

/// The same where processes cannot be copied.
#[cfg(not(unix))]
pub(crate) fn ask_apart(
    api: &Api,
    function: Function,
    _: [usize; ROOM],
) -> Option<Result<Answer, ()>> {
    api.function(function).map(|_| Err(()))
}

fn here(api: &Api, function: Function, size: usize) -> Option<Answer> {
    Some(match ask_size(api, function, size)? {
        Ok(()) => Answer::Accepts,
        Err(CallError::Plugin { code, message, .. }) => Answer::Error(code, message),
        Err(error) => Answer::Error(error.code(), error.to_string()),
    })
}

/// The number in `size: expected N, got 8`.
pub(crate) fn expected_size(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once(": expected ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Whether two errors are in the same words, but for the numbers in them.
pub(crate) fn is_the_same_refusal(one: &str, other: &str) -> bool {
    let words = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    words(one) == words(other)
}
