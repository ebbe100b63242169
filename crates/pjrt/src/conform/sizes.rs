//! Errors, and how a plug-in takes arguments of a wrong size: plug-ins built from XLA say which size
//! they expect, which tells the layout that they were really built with.

use super::bench::Bench;
use super::outcome::Outcome;
use crate::layout::{self, Function, Size, Struct};
use crate::sys::CallError;
use crate::sys::bindings::PJRT_Error_Code;

/// A size that is too small for any arguments, in bytes.
const TOO_SMALL: usize = 8;

type Found = Result<Outcome, Outcome>;

/// Whether the function returns an error, so that it can be asked.
pub(crate) fn can_be_asked(function: Function) -> bool {
    !matches!(function, Function::PJRT_Error_Destroy | Function::PJRT_Error_Message)
}

/// Asks one function with a size that is too small.
pub(crate) fn ask(bench: &mut Bench, function: Function) -> Outcome {
    let api = bench.trial.api();
    let Some(answer) = bench.trial.ask_size(function, TOO_SMALL) else {
        return api.unimplemented(function).into();
    };
    let error = match answer {
        Ok(()) => return Outcome::Pass("does not look at the size".to_owned()),
        Err(error) => error,
    };
    if error.code() == PJRT_Error_Code::UNIMPLEMENTED {
        return error.into();
    }
    let history = layout::find_struct(&format!("{}_Args", function.name()));
    let (Some(expected), Some(history)) = (expected_size(&error), history) else {
        return Outcome::Pass(format!("refuses: {error}"));
    };
    let known = sizes_at(history, api.minor());
    if known.contains(&expected) {
        return Outcome::Pass(format!("expects {expected}"));
    }
    // A plug-in may take what hosts of an earlier version send, as the interface means it to.
    let earlier = history.sizes.iter().filter(|size| size.since <= api.minor());
    if earlier.flat_map(|size| [size.end, size.declared]).any(|size| size == expected)
        && known.iter().all(|known| expected <= *known)
    {
        return Outcome::Pass(format!("expects {expected}, as in an earlier version"));
    }
    // Some plug-ins were built with the size of another struct by mistake, and say its name.
    if let Some(other) = named_struct(&error)
        && other.name != history.name
        && sizes_at(other, api.minor()).contains(&expected)
        && known.iter().all(|known| expected <= *known)
    {
        return Outcome::Pass(format!("expects {expected}, the size of {}", other.name));
    }
    Outcome::Fail(format!("expects {expected} bytes, its version has {known:?}"))
}

/// The sizes of a struct at a minor: two layouts of one minor, and exceptions for older hosts, are all
/// true sizes of it.
fn sizes_at(history: &Struct, minor: i32) -> Vec<usize> {
    let holds = |size: &&Size| size.since <= minor && size.until.is_none_or(|last| minor <= last);
    let of_minor = history.sizes.iter().filter(holds);
    let mut known: Vec<usize> = of_minor.flat_map(|size| [size.declared, size.end]).collect();
    known.extend(history.required(minor));
    known.sort_unstable();
    known.dedup();
    known
}

/// The struct in `Unexpected NAME size:`.
fn named_struct(error: &CallError) -> Option<&'static Struct> {
    let text = error.to_string();
    let (_, rest) = text.split_once("Unexpected ")?;
    layout::find_struct(rest.split_once(" size:")?.0)
}

/// The number in `size: expected N, got 8`.
fn expected_size(error: &CallError) -> Option<usize> {
    let text = error.to_string();
    let (_, rest) = text.split_once(": expected ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The first error that some function answers to a size that is too small.
fn some_error(bench: &mut Bench) -> Found {
    for function in [Function::PJRT_Plugin_Attributes, Function::PJRT_Plugin_Initialize] {
        if let Some(Err(error)) = bench.trial.ask_size(function, TOO_SMALL) {
            let CallError::Plugin { code, message, payloads, .. } = &error else { continue };
            let good = code.name().is_some() && !message.is_empty();
            let seen = format!("{error}; {} payloads", payloads.len());
            return Ok(Outcome::expect(good, seen));
        }
    }
    Err(Outcome::NotRun("no call answered with an error".to_owned()))
}

pub(crate) fn error(bench: &mut Bench) -> Found {
    some_error(bench)
}

pub(crate) fn many_errors(bench: &mut Bench) -> Found {
    let first = some_error(bench)?;
    for _ in 0..1000 {
        if some_error(bench)? != first {
            return Ok(Outcome::Fail("the same call answers with different errors".to_owned()));
        }
    }
    Ok(Outcome::Pass(String::new()))
}

/// A later host sends larger arguments; the interface says that they are accepted.
pub(crate) fn larger(bench: &mut Bench) -> Found {
    let function = Function::PJRT_Plugin_Attributes;
    let history = layout::find_struct("PJRT_Plugin_Attributes_Args");
    let size = history.and_then(|history| history.size(bench.trial.api().minor(), None));
    let size = size.map_or(0, |size| size.end) + 16;
    match bench.trial.ask_size(function, size) {
        None => Err(bench.trial.api().unimplemented(function).into()),
        Some(Ok(())) => Ok(Outcome::Pass(format!("{size} bytes are accepted"))),
        Some(Err(error)) if error.code() == PJRT_Error_Code::UNIMPLEMENTED => Err(error.into()),
        Some(Err(error)) => Ok(Outcome::Fail(format!("{size} bytes are refused: {error}"))),
    }
}
