//! Errors: code, text, payloads, and the freeing of them.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use crate::layout::Function;
use crate::sys::CallError;
use crate::sys::trial::{ask_size, payloads_of_an_error};

/// A size that is too small for any arguments, in bytes.
const TOO_SMALL: usize = 8;

/// Functions that answer arguments which are too small with an error, and do no harm where they do not
/// look at the size: they take no handles.
const HARMLESS: [Function; 2] =
    [Function::PJRT_Plugin_Attributes, Function::PJRT_TopologyDescription_Create];

fn no_error() -> CheckOutcome {
    CheckOutcome::NotRun("no call answered with an error".to_owned())
}

/// The first error that some function answers to a size that is too small.
fn some_error(bench: &Bench) -> Checked {
    for function in HARMLESS {
        if let Some(Err(error)) = ask_size(bench.api(), function, TOO_SMALL) {
            let CallError::Plugin { code, message, .. } = &error else { continue };
            let good = code.name().is_some() && !message.is_empty();
            return Ok(CheckOutcome::expect(good, error.to_string()));
        }
    }
    Err(no_error())
}

pub(crate) fn error(bench: &mut Bench) -> Checked {
    some_error(bench)
}

pub(crate) fn many(bench: &mut Bench) -> Checked {
    let first = some_error(bench)?;
    for _ in 0..1000 {
        if some_error(bench)? != first {
            return Ok(CheckOutcome::Fail(
                "the same call answers with different errors".to_owned(),
            ));
        }
    }
    Ok(CheckOutcome::Pass(String::new()))
}

pub(crate) fn payloads(bench: &mut Bench) -> Checked {
    let api = bench.api();
    if !api.has(Function::PJRT_Error_ForEachPayload) {
        return Err(api.unimplemented(Function::PJRT_Error_ForEachPayload).into());
    }
    let asked = |function| payloads_of_an_error(api, function, TOO_SMALL);
    let found = HARMLESS.into_iter().find_map(asked).ok_or_else(no_error)??;
    let texts: Vec<String> =
        found.iter().map(|(key, bytes)| format!("{key:?} of {bytes} bytes")).collect();
    let named = found.iter().all(|(key, _)| !key.is_empty());
    let seen = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
    Ok(CheckOutcome::expect(named, seen))
}
