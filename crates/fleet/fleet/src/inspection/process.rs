//! The child: a process of the same program that reads artifacts, and nothing else.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError};

use unskew_artifact::{ConvertOptions, OpenOptions};
use unskew_core::Context;
use unskew_inspection::{Allowance, Parent, ReaderConfinement, SharedParent, serve};
use unskew_source::Source;

use super::message::{Ask, Question, Reply};
use super::result;
use crate::examine::Examined;
use crate::{Digest, FleetError, JudgeIdentity, Runtime, RuntimeProfile, chain};

/// How many runtimes are kept.
const RUNTIMES: usize = 64;

/// Answers the questions of the parent at the other end of the standard input and output, until that is gone. The process
/// ends then, or at a limit of what it is allowed.
pub fn main(allowance: Allowance) -> ! {
    let fingerprint = JudgeIdentity::of_this_program().fingerprint;
    let mut child = Child { opened: None, runtimes: HashMap::new() };
    let answer = |question, parent: &SharedParent| child.answer(question, parent);
    match serve(allowance, ReaderConfinement::Streams, &fingerprint, answer) {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}

fn say(parent: &SharedParent, reply: &Reply) -> io::Result<()> {
    parent.lock().unwrap_or_else(PoisonError::into_inner).say(reply)
}

struct Child {
    /// The artifact of the last question, if it has a name.
    opened: Option<(Digest, String, Examined)>,
    /// Runtimes that were built, by the digests of their profiles.
    runtimes: HashMap<Digest, Arc<Runtime>>,
}

impl Child {
    fn answer(&mut self, question: Question, parent: &SharedParent) -> io::Result<()> {
        let Question { described, artifact, ask } = &question;
        let known = self
            .opened
            .take()
            .filter(|(digest, name, _)| (Some(*digest), name) == (*artifact, &described.name));
        match ask {
            Ask::Look => {
                let content = Parent::content(parent, described);
                let looked = content.parties(&OpenOptions::default());
                let error = looked.err().map(|error| chain(&FleetError::Open(error)));
                say(parent, &Reply::Looked(error))
            }
            Ask::Answer { profile, digest, as_of, conversion } => {
                let examined = match known {
                    Some((_, _, examined)) => examined,
                    None => Examined::new(Parent::content(parent, described)),
                };
                let runtime = self.runtime(profile, digest).map_err(io::Error::other)?;
                let day = as_of.parse().map_err(io::Error::other)?;
                hold(parent, &examined, &runtime, &Context::on(day), *conversion)?;
                self.opened = artifact.map(|digest| (digest, described.name.clone(), examined));
                Ok(())
            }
        }
    }

    fn runtime(&mut self, profile: &str, digest: &Digest) -> Result<Arc<Runtime>, FleetError> {
        if let Some(known) = self.runtimes.get(digest) {
            return Ok(Arc::clone(known));
        }
        let runtime = Arc::new(RuntimeProfile::read(profile)?.runtime()?);
        if self.runtimes.len() >= RUNTIMES {
            self.runtimes.clear();
        }
        self.runtimes.insert(*digest, Arc::clone(&runtime));
        Ok(runtime)
    }
}

/// Holds an artifact against a runtime.
fn hold(
    parent: &SharedParent,
    examined: &Examined,
    runtime: &Runtime,
    context: &Context,
    conversion: Option<bool>,
) -> io::Result<()> {
    let (as_is, always) = match examined.as_is(runtime, context) {
        Ok(said) => said,
        Err(error) => return say(parent, &Reply::Unreadable(error)),
    };
    let wanted = conversion.filter(|_| as_is.may_be_converted());
    say(parent, &Reply::AsIs(as_is, always))?;
    let Some(lossy) = wanted else {
        return say(parent, &Reply::Converted(None, true, None));
    };
    let options = ConvertOptions::default();
    let options = if lossy { options.lossy() } else { options };
    let made = examined.made(runtime, context, &options);
    let sources: Vec<Arc<dyn Source>> =
        examined.content().parts().iter().map(|part| Arc::clone(&part.source)).collect();
    let output = made.output.as_ref().map(|output| result::described(output, &sources));
    let said = Reply::Converted(Some(made.attempt), made.always, output);
    say(parent, &said)?;
    match &made.output {
        Some(output) => result::send(output, &sources, parent),
        None => Ok(()),
    }
}
