//! Handlers of XLA's FFI with the jaxlib that they are registered in.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{
    Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, Version, aspect,
};
use unskew_extensions::Handlers;

use crate::extension_pairs::variant;
use crate::rules::FfiHandlerNewerThanJaxlib;
use crate::{Environment, InstalledPackage};

/// The version of XLA's FFI that a jaxlib has, as the capability that the matcher asks for.
struct Ffi(Version);

/// The first jaxlib of each minor of XLA's FFI, by the headers in its wheels.
const FIRST: [(i64, &str); 5] =
    [(1, "0.4.36"), (2, "0.8.1"), (3, "0.9.1"), (4, "0.11.2"), (5, "0.12.0")];

/// The least version that a jaxlib takes. One that is older has no version at all, and asks for none.
const LEAST: Version = Version::pair(0, 1);

/// Each package with handlers, and the jaxlib beside it.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let Some(jaxlib) = environment.package("jaxlib") else { return Vec::new() };
    let with = environment.packages.iter().filter(|package| !package.handlers.is_empty());
    with.map(|package| {
        let matcher =
            HandlersMatcher { package: package.label(), objects: package.handlers.clone() };
        let one = Party::new(package.label(), Role::Plugin, "package with handlers of XLA's FFI")
            .require(Requirement::matches("xla.ffi", matcher));
        (one, party(jaxlib))
    })
    .collect()
}

fn party(jaxlib: &InstalledPackage) -> Party {
    let party = Party::new(jaxlib.label(), Role::Runtime, "package");
    match jaxlib.ffi {
        Some(version) => party.fact("XLA FFI", version).with_capability(Arc::new(Ffi(version))),
        None => party,
    }
}

struct HandlersMatcher {
    package: String,
    objects: Vec<(String, Handlers)>,
}

impl Matcher for HandlersMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let Ffi(runtime) = *other.capability::<Ffi>()?;
        let mut judgement = Judgement::default();
        if runtime < LEAST {
            let reason = format!(
                "{} has XLA FFI {runtime}, which registers handlers of every version",
                other.name
            );
            judgement.unjudged.push(Unjudged::new(aspect::CUSTOM_CALLS, reason));
            return Some(judgement);
        }
        let mut variants: BTreeMap<String, Vec<&(String, Handlers)>> = BTreeMap::new();
        for object in &self.objects {
            variants.entry(variant(&object.0)).or_default().push(object);
        }
        for objects in variants.into_values() {
            // A package with a build for each JAX registers only the one that fits.
            let newest = |(_, handlers): &(String, Handlers)| handlers.versions.last().copied();
            if objects.iter().any(|one| newest(one).is_some_and(|newest| newest <= runtime)) {
                continue;
            }
            let known = objects.iter().filter_map(|one| Some((newest(one)?, &one.0)));
            let least = known.min();
            if let Some(unknown) = objects.iter().find(|one| newest(one).is_none()) {
                let reason = format!(
                    "the version of the handlers in {} of {} does not show in its instructions",
                    unknown.0, self.package
                );
                judgement.unjudged.push(Unjudged::new(aspect::CUSTOM_CALLS, reason));
            } else if let Some((handler, object)) = least {
                let first = FIRST.iter().find(|(minor, _)| *minor == handler.minor());
                let jaxlib = first.map_or("a later jaxlib", |(_, jaxlib)| jaxlib);
                let finding = FfiHandlerNewerThanJaxlib {
                    object,
                    package: &self.package,
                    handler: &handler,
                    runtime: &runtime,
                    jaxlib: &jaxlib,
                };
                let symptom = format!(
                    "INVALID_ARGUMENT: FFI handler registration for ... failed because the handler's API version \
                     ({handler}) is incompatible with the framework's API version ({runtime})."
                );
                let places = objects.iter().map(|(path, _)| path).collect();
                judgement.findings.push(finding.finding().with_symptom(symptom).at(places));
            }
        }
        Some(judgement)
    }
}
