//! Handlers of XLA's FFI with the jaxlib that they are registered in.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role, Unjudged, aspect};
use unskew_extensions::{FFI_AXIS, FfiRuntime, Handlers, first_jaxlib, refused_handler};

use crate::extension_pairs::variant;
use crate::rules::FfiHandlerNewerThanJaxlib;
use crate::{Environment, InstalledPackage};

/// Each package with handlers, and the jaxlib beside it.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let Some(jaxlib) = environment.package("jaxlib") else { return Vec::new() };
    let with = environment.packages.iter().filter(|package| !package.handlers.is_empty());
    with.map(|package| {
        let matcher =
            HandlersMatcher { package: package.label(), objects: package.handlers.clone() };
        let one = Party::new(package.label(), Role::Plugin, "package with handlers of XLA's FFI")
            .require(Requirement::matches(FFI_AXIS, matcher));
        (one, party(jaxlib))
    })
    .collect()
}

fn party(jaxlib: &InstalledPackage) -> Party {
    let party = Party::new(jaxlib.label(), Role::Runtime, "package");
    match jaxlib.ffi {
        Some(version) => {
            party.fact("XLA FFI", version).with_capability(Arc::new(FfiRuntime(version)))
        }
        None => party,
    }
}

struct HandlersMatcher {
    package: String,
    objects: Vec<(String, Handlers)>,
}

impl Matcher for HandlersMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let FfiRuntime(runtime) = *other.capability::<FfiRuntime>()?;
        let mut judgement = Judgement::default();
        if runtime < FfiRuntime::LEAST {
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
                let jaxlib = first_jaxlib(handler).unwrap_or("a later jaxlib");
                let finding = FfiHandlerNewerThanJaxlib {
                    object,
                    package: &self.package,
                    handler: &handler,
                    runtime: &runtime,
                    jaxlib: &jaxlib,
                };
                let symptom = refused_handler(handler, runtime);
                let places = objects.iter().map(|(path, _)| path).collect();
                judgement.findings.push(finding.finding().with_symptom(symptom).at(places));
            }
        }
        Some(judgement)
    }
}
