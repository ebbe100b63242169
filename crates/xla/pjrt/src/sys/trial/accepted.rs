//! Accepted sizes of arguments from hosts that are older than the plug-in.

use std::collections::BTreeMap;
use std::mem::offset_of;

use super::questions::Questions;
use super::size::{Answer, ROOM, expected_size, is_the_same_refusal};
use crate::layout::{self, Function, StructHistory};
use crate::sys::Api;
use crate::sys::bindings::{PJRT_Error_Code, PJRT_LoadedExecutable_Execute_Args};

/// A size that is too small for any struct, in bytes.
const TOO_SMALL: usize = 8;

/// What a plug-in makes of a struct of a size.
enum Reaction {
    /// It refuses the size, in these words.
    Refuses(String),
    /// It answers that it has no such function.
    Unimplemented,
    /// It gets as far as the null handles, or does not look at the size.
    Passes,
    /// It ends its process, or cannot be asked: nothing is to be learned.
    Nothing,
    /// It does not answer in time.
    NoEnd,
}

/// The least size that the plug-in accepts of each struct that has grown and that hosts fill in, by name. Left out are
/// structs whose size it does not look at: it may touch what an older host does not have.
pub(crate) fn accepted_sizes(api: &Api, questions: &mut Questions) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for history in layout::structs().iter().filter(|history| history.used.is_some()) {
        let Some(call) = history.call else { continue };
        match react(api, history, call, TOO_SMALL, questions) {
            // It may hang in every copy, and each takes its time.
            Reaction::NoEnd => return found,
            Reaction::Passes | Reaction::Nothing => {}
            Reaction::Unimplemented => {
                found.insert(history.name.to_owned(), 0);
            }
            Reaction::Refuses(said) => {
                if let Some(least) = least(api, history, call, &said, questions) {
                    found.insert(history.name.to_owned(), least as u64);
                }
            }
        }
    }
    found
}

/// The least size that is not refused in the words in which one that is too small is: that of an earlier version, or the
/// one that the refusal names.
fn least(
    api: &Api,
    history: &StructHistory,
    call: Function,
    refusal: &str,
    questions: &mut Questions,
) -> Option<usize> {
    let named = expected_size(refusal);
    if call == Function::PJRT_Client_Create {
        // With a size that is enough it makes a client. XLA names the size of its header, and accepts what the data say.
        let declared = history.size(api.minor(), None)?.declared;
        return named.filter(|named| *named != declared);
    }
    let mut sizes: Vec<usize> =
        history.sizes.iter().flat_map(|size| [size.declared, size.end]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.retain(|size| named.is_none_or(|named| *size < named));
    for size in sizes {
        match react(api, history, call, size, questions) {
            Reaction::Refuses(said) if is_the_same_refusal(&said, refusal) => {}
            Reaction::Nothing | Reaction::NoEnd => return None,
            _ => return Some(size),
        }
    }
    named
}

fn react(
    api: &Api,
    history: &StructHistory,
    call: Function,
    size: usize,
    questions: &mut Questions,
) -> Reaction {
    let mut arguments = [0_usize; ROOM];
    arguments[0] = size;
    let mut inner = [0_usize; ROOM];
    if history.name == "PJRT_ExecuteOptions" {
        // It stands inside the arguments of the call, which are of the right size.
        let whole = layout::find_struct("PJRT_LoadedExecutable_Execute_Args");
        let whole = whole.and_then(|whole| whole.size(api.minor(), None));
        let Some(whole) = whole else { return Reaction::Passes };
        arguments[0] = whole.declared;
        inner[0] = size;
        arguments[offset_of!(PJRT_LoadedExecutable_Execute_Args, options) / size_of::<usize>()] =
            inner.as_ptr().expose_provenance();
    } else if !history.name.starts_with(call.name()) {
        return Reaction::Passes;
    }
    match questions.ask(api, call, &mut arguments) {
        // A function that its version does not have.
        None => Reaction::Passes,
        Some(Answer::Error(PJRT_Error_Code::UNIMPLEMENTED, _)) => Reaction::Unimplemented,
        // Only words about this struct, or about sizes, are about the size.
        Some(Answer::Error(_, said)) if said.contains("size") => Reaction::Refuses(said),
        Some(Answer::Error(..) | Answer::Accepts | Answer::Faults) => Reaction::Passes,
        Some(Answer::NoEnd(_)) => Reaction::NoEnd,
        Some(Answer::Dies(..)) => Reaction::Nothing,
    }
}
