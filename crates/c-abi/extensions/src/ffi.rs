//! A library with handlers of XLA's FFI as a party, and the version of the FFI that each jaxlib has.

use std::sync::Arc;

use unskew_core::{
    Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, Version, aspect,
};
use unskew_source::{ReadError, Source};

use crate::Handlers;
use crate::rules::FfiHandlersNewerThanJax;

/// The axis on which handlers meet a jaxlib.
pub const FFI_AXIS: &str = "xla.ffi";

/// The first jaxlib of each minor of XLA's FFI, by the headers in its wheels.
const FIRST: [(i64, &str); 5] =
    [(1, "0.4.36"), (2, "0.8.1"), (3, "0.9.1"), (4, "0.11.2"), (5, "0.12.0")];

/// The version of XLA's FFI that a jaxlib has. A capability of its party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FfiRuntime(pub Version);

impl FfiRuntime {
    /// The least version that is compared: a jaxlib of an older one has none, and registers handlers of every version.
    pub const LEAST: Version = Version::pair(0, 1);

    /// That of a release of jaxlib.
    pub fn from_jaxlib(jaxlib: Version) -> Self {
        let is_there = |first: &str| first.parse::<Version>().is_ok_and(|first| first <= jaxlib);
        let minor = FIRST.iter().rev().find(|(_, first)| is_there(first));
        Self(Version::pair(0, minor.map_or(0, |(minor, _)| *minor)))
    }
}

/// The first jaxlib that registers handlers of a version.
pub fn first_jaxlib(handler: Version) -> Option<&'static str> {
    FIRST.iter().find(|(minor, _)| *minor == handler.minor()).map(|(_, jaxlib)| *jaxlib)
}

/// What is printed where a handler is newer than the jaxlib that is to register it.
pub fn refused_handler(handler: Version, runtime: Version) -> String {
    format!(
        "INVALID_ARGUMENT: FFI handler registration for ... failed because the handler's API version \
         ({handler}) is incompatible with the framework's API version ({runtime})."
    )
}

/// The party of the shared object in `source`, if it has handlers.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn handlers_party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    // One that names the metadata and writes no version may look for handlers in others, as this program does.
    let is_shown = |handlers: &Handlers| !handlers.versions.is_empty();
    let Some(handlers) = Handlers::read(source)?.filter(is_shown) else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default().to_owned();
    let mut party = Party::new(&*name, Role::Plugin, "library with handlers of XLA's FFI");
    let versions: Vec<String> = handlers.versions.iter().map(ToString::to_string).collect();
    party = party.fact("XLA FFI", versions.join(", "));
    let matcher = HandlersMatcher { name, handlers };
    Ok(Some(party.require(Requirement::matches(FFI_AXIS, matcher))))
}

/// Judges the handlers of one library.
struct HandlersMatcher {
    name: String,
    handlers: Handlers,
}

impl Matcher for HandlersMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let FfiRuntime(runtime) = *other.capability::<FfiRuntime>()?;
        let mut judgement = Judgement::default();
        let not_judged = |why: &str| Unjudged::new(aspect::CUSTOM_CALLS, why);
        let newest = self.handlers.versions.last().copied();
        match newest {
            _ if runtime < FfiRuntime::LEAST => {
                let why = "a jaxlib before 0.4.36 registers handlers of every version of XLA's FFI, and asks for none";
                judgement.unjudged.push(not_judged(why));
            }
            Some(handler) if handler > runtime => {
                let jaxlib = first_jaxlib(handler).unwrap_or("a later jaxlib");
                let finding = FfiHandlersNewerThanJax {
                    library: &self.name,
                    handler: &handler,
                    runtime: &runtime,
                    jaxlib: &jaxlib,
                };
                let symptom = refused_handler(handler, runtime);
                judgement.findings.push(finding.finding().with_symptom(symptom));
            }
            _ => {}
        }
        let why = "the attributes and buffers with which programs call the handlers";
        judgement.unjudged.push(not_judged(why));
        Some(judgement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jaxlib_has_the_version_of_the_newest_first_release_before_it() {
        for (jaxlib, minor) in
            [("0.4.35", 0), ("0.4.36", 1), ("0.8.0", 1), ("0.9.0", 2), ("0.13.0", 5)]
        {
            let runtime = FfiRuntime::from_jaxlib(jaxlib.parse().unwrap());
            assert_eq!(runtime.0, Version::pair(0, minor), "{jaxlib}");
        }
        assert_eq!(first_jaxlib(Version::pair(0, 3)), Some("0.9.1"));
        assert_eq!(first_jaxlib(Version::pair(0, 9)), None);
    }
}
