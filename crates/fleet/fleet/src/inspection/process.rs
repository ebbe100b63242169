//! The child: a process of the same program that reads artifacts, and nothing else.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError};

use unskew_artifact::{Content, ConvertOptions, Neighbours, Options, Part};
use unskew_core::Context;
use unskew_source::{Budget, Source};

use super::allowance::{self, Allowance};
use super::message::{Ask, Question, Reply};
use super::remote::{Parent, Remote, Shared};
use super::result;
use crate::examine::Examined;
use crate::{Digest, FleetError, Judge, Profile, Runtime, chain};

/// How many runtimes are kept.
const RUNTIMES: usize = 64;

/// Answers the questions of the parent at the other end of the standard input and output, until that is gone. The process
/// ends then, or at a limit of what it is allowed.
pub fn main(allowance: Allowance) -> ! {
    match serve(allowance) {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1)
        }
    }
}

fn serve(allowance: Allowance) -> io::Result<()> {
    allowance::end_with_the_parent()?;
    allowance::take(&allowance)?;
    // Where the kernel does not take away the rest, nothing is read.
    #[cfg(target_os = "linux")]
    unskew_abi::sandbox::keep_to_streams().map_err(io::Error::other)?;
    let parent = Parent::shared();
    say(&parent, &Reply::Ready(Judge::of_this_program().fingerprint))?;
    let mut child = Child { parent, opened: None, runtimes: HashMap::new() };
    loop {
        let question = child.parent.lock().unwrap_or_else(PoisonError::into_inner).question()?;
        let Some(question) = question else { return Ok(()) };
        allowance::take_time(&allowance)?;
        child.answer(question)?;
    }
}

fn say(parent: &Shared, reply: &Reply) -> io::Result<()> {
    parent.lock().unwrap_or_else(PoisonError::into_inner).say(reply)
}

struct Child {
    parent: Shared,
    /// The artifact of the last question, if it has a name.
    opened: Option<(Digest, String, Examined)>,
    /// Runtimes that were built, by the digests of their profiles.
    runtimes: HashMap<Digest, Arc<Runtime>>,
}

impl Child {
    fn answer(&mut self, question: Question) -> io::Result<()> {
        let known = self.opened.take().filter(|(digest, name, _)| {
            (Some(*digest), name) == (question.artifact, &question.name)
        });
        let Question { name, artifact, ask, .. } = &question;
        match ask {
            Ask::Look => {
                let content = self.content(&question);
                let looked = content.parties(&Options::default());
                let error = looked.err().map(|error| chain(&FleetError::Open(error)));
                say(&self.parent, &Reply::Looked(error))
            }
            Ask::Answer { profile, digest, as_of, conversion } => {
                let examined = match known {
                    Some((_, _, examined)) => examined,
                    None => Examined::of(self.content(&question)),
                };
                let runtime = self.runtime(profile, digest).map_err(io::Error::other)?;
                let day = as_of.parse().map_err(io::Error::other)?;
                self.hold(&examined, &runtime, &Context::on(day), *conversion)?;
                self.opened = artifact.map(|digest| (digest, name.clone(), examined));
                Ok(())
            }
        }
    }

    /// Holds an artifact against a runtime.
    fn hold(
        &self,
        examined: &Examined,
        runtime: &Runtime,
        context: &Context,
        conversion: Option<bool>,
    ) -> io::Result<()> {
        let (as_is, always) = match examined.as_is(runtime, context) {
            Ok(said) => said,
            Err(error) => return say(&self.parent, &Reply::Unreadable(error)),
        };
        let wanted = conversion.filter(|_| as_is.may_be_converted());
        say(&self.parent, &Reply::AsIs(as_is, always))?;
        let Some(lossy) = wanted else {
            return say(&self.parent, &Reply::Converted(None, true, None));
        };
        let options = ConvertOptions::default();
        let options = if lossy { options.lossy() } else { options };
        let made = examined.made(runtime, context, &options);
        let sources: Vec<Arc<dyn Source>> =
            examined.content().parts().iter().map(|part| Arc::clone(&part.source)).collect();
        let output = made.output.as_ref().map(|output| result::described(output, &sources));
        let said = Reply::Converted(Some(made.attempt), made.always, output);
        say(&self.parent, &said)?;
        match &made.output {
            Some(output) => result::send(output, &sources, &self.parent),
            None => Ok(()),
        }
    }

    /// The artifact of a question, whose bytes the parent has.
    fn content(&self, question: &Question) -> Content {
        self.parent.lock().unwrap_or_else(PoisonError::into_inner).forget();
        let source = |(at, file): (usize, &super::message::File)| -> Arc<dyn Source> {
            Arc::new(Remote {
                name: file.shown.clone(),
                size: file.size,
                part: u32::try_from(at).unwrap_or(u32::MAX),
                parent: Arc::clone(&self.parent),
                budget: Budget::for_size(file.size),
            })
        };
        let sources: Vec<Arc<dyn Source>> = question.parts.iter().enumerate().map(source).collect();
        let mut parts: Vec<Part> = question
            .parts
            .iter()
            .zip(&sources)
            .map(|(file, source)| Part {
                name: file.name.clone(),
                source: Arc::clone(source),
                path: None,
                beside: None,
            })
            .collect();
        if !question.folder && parts.len() == 1 {
            return Content::File(parts.remove(0));
        }
        let all: Arc<HashMap<String, Arc<dyn Source>>> =
            Arc::new(parts.iter().map(|part| (part.name.clone(), part.source.clone())).collect());
        for part in &mut parts {
            let folder = part.name.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
            let (all, folder) = (Arc::clone(&all), folder.unwrap_or_default());
            let beside: Neighbours =
                Arc::new(move |name| all.get(&format!("{folder}{name}")).cloned());
            part.beside = Some(beside);
        }
        Content::Folder { name: question.name.clone(), parts }
    }

    fn runtime(&mut self, profile: &str, digest: &Digest) -> Result<Arc<Runtime>, FleetError> {
        if let Some(known) = self.runtimes.get(digest) {
            return Ok(Arc::clone(known));
        }
        let runtime = Arc::new(Profile::read(profile)?.runtime()?);
        if self.runtimes.len() >= RUNTIMES {
            self.runtimes.clear();
        }
        self.runtimes.insert(*digest, Arc::clone(&runtime));
        Ok(runtime)
    }
}
